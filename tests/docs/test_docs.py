"""The pages of docs/ that are made from the code are current, and what the others name exists."""

from __future__ import annotations

import doctest
import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
from mcpgen.diagnostics import CATALOGUE
from support.doc_pages import DOCS
from support.repository import ROOT

MADE = (
    "explanation/serializers.md",
    "guides/tokens.md",
    "llms.txt",
    "mcpgen.schema.json",
    "mistakes.md",
    "reference/breaking-changes.md",
    "reference/hosts.md",
    "reference/lint.md",
    "reference/options.md",
    "reference/settings.md",
    *("reference/api-clients.md", "reference/api-servers.md", "reference/api-values.md"),
    *("schemastore/mcpgen.json", "schemastore/catalog-entry.json", "schemastore/pyproject-tool.json"),
)
DIAGNOSTICS = "diagnostics/"
MAX_PAGE_LINES = 400


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


def test_a_page_that_is_made_from_the_code_is_current() -> None:
    pages_by_path = pages()
    assert {name for name in pages_by_path if not name.startswith(DIAGNOSTICS)} == set(MADE)
    for name, text in pages_by_path.items():
        assert (ROOT / "docs" / name).read_text("utf-8") == text, "run `python scripts/docs.py` and commit docs/"


@pytest.mark.parametrize("name", [name for name in MADE if name.startswith("reference/api-")])
def test_the_table_of_an_api_page_has_what_the_page_shows(name: str) -> None:
    text = (ROOT / "docs" / name).read_text("utf-8")
    table, _, parts = text.partition("<!-- end -->")
    shown = re.findall(r"^::: (?:generated|mcpgen_runtime)\.(?:\w+\.)*(\w+)$", parts, re.MULTILINE)
    members = [member for line in re.findall(r"members: \[(.+)\]", parts) for member in line.split(", ")]
    rows = re.findall(r"^\| `(?:\w+\.)?(\w+)(?:\(.*?\))?` \| [A-Z].*\. \| `[\w/]+\.py` \|$", table, re.MULTILINE)
    assert len(rows) > 5
    assert sorted(rows) == sorted(name for name in [*shown, *members] if name != "errors")  # that is a module


def test_every_diagnostic_is_on_one_page_and_no_page_is_long() -> None:
    pages_by_path = {name: text for name, text in pages().items() if name.startswith(DIAGNOSTICS)}
    on_disk = {f"{DIAGNOSTICS}{path.name}" for path in (ROOT / "docs" / DIAGNOSTICS).glob("*.md")}
    assert on_disk == set(pages_by_path), "a page that nothing makes any more"
    headings = [code for text in pages_by_path.values() for code in re.findall(r"^## (MG\d+): ", text, re.MULTILINE)]
    assert sorted(headings) == sorted(CATALOGUE)
    for name, text in pages_by_path.items():
        assert text.count("\n") <= MAX_PAGE_LINES, f"{name}: split it in DIAGNOSTICS_PAGES of scripts/docs.py"


LINKED = ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "runtime/README.md")


@pytest.mark.parametrize("page", [*LINKED, *(f"docs/{path.relative_to(DOCS)}" for path in sorted(DOCS.rglob("*.md")))])
def test_links_lead_somewhere(page: str) -> None:
    text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)", text):
        assert (ROOT / page).parent.joinpath(target).exists(), target
    for path in re.findall(r"`((?:codegen|templates|scripts|tests)/[\w./-]+)`", text):
        assert page == "CHANGELOG.md" or (ROOT / path).exists(), path


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
    text = (ROOT / "docs" / "explanation" / "serializers.md").read_text("utf-8")
    sessions = "\n".join(re.findall(r"^```pycon\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    test = doctest.DocTestParser().get_doctest(sessions, {}, "serializers.md", None, None)
    assert len(test.examples) > 5
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0
