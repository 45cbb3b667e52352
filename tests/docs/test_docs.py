"""The pages of docs/ that are made from the code are current, and what the others name exists."""

from __future__ import annotations

import doctest
import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
from support.repository import ROOT

MADE = (
    *("breaking-changes.md", "diagnostics.md", "lint.md", "mcpgen.schema.json", "serializers.md", "settings.md"),
    *("schemastore/mcpgen.json", "schemastore/catalog-entry.json", "schemastore/pyproject-tool.json"),
)


def script() -> Any:
    spec = importlib.util.spec_from_file_location("docs_script", ROOT / "scripts" / "docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pages() -> dict[str, str]:
    pages_by_path: dict[str, str] = script().make_pages()
    return pages_by_path


@pytest.mark.parametrize("name", MADE)
def test_a_page_that_is_made_from_the_code_is_current(name: str) -> None:
    pages_by_path = pages()
    assert set(pages_by_path) == set(MADE)
    assert (ROOT / "docs" / name).read_text("utf-8") == pages_by_path[name], (
        "run `python scripts/docs.py` and commit docs/"
    )


@pytest.mark.parametrize("page", sorted(path.name for path in (ROOT / "docs").glob("*.md")))
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / "docs" / page).read_text("utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / "docs" / target).exists(), target


def test_code_that_changes_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = "Before.\n\n<!-- code: one.py Two.three -->\n\n```python\nold\n```\n\nAfter.\n"
    (tmp_path / "one.py").write_text("class Two(object):\n    x = 1\n\n    def three(self) -> int:\n        return 4\n")
    module = script()
    monkeypatch.setattr(module, "ROOT", tmp_path)
    pages_by_path = module._insert_code(page)
    assert pages_by_path == page.replace(
        "old\n", "class Two(object):\n    ...\n\n    def three(self) -> int:\n        return 4\n"
    )
    assert module._insert_code(pages_by_path) == pages_by_path


def test_what_the_serializers_are_said_to_make_is_what_they_make() -> None:
    text = (ROOT / "docs" / "serializers.md").read_text("utf-8")
    sessions = "\n".join(re.findall(r"^```pycon\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    test = doctest.DocTestParser().get_doctest(sessions, {}, "serializers.md", None, None)
    assert len(test.examples) > 5
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0
