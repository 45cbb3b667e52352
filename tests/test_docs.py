"""The pages of docs/ that are made from the code are current, and what the others name exists."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MADE = ("breaking-changes.md", "diagnostics.md", "mcpgen.schema.json", "settings.md")


def pages() -> dict[str, str]:
    spec = importlib.util.spec_from_file_location("docs_script", ROOT / "scripts" / "docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: dict[str, str] = module.pages()
    return made


@pytest.mark.parametrize("name", MADE)
def test_a_page_that_is_made_from_the_code_is_current(name: str) -> None:
    made = pages()
    assert set(made) == set(MADE)
    assert (ROOT / "docs" / name).read_text("utf-8") == made[name], "run `python scripts/docs.py` and commit docs/"


@pytest.mark.parametrize("page", sorted(path.name for path in (ROOT / "docs").glob("*.md")))
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / "docs" / page).read_text("utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / "docs" / target).exists(), target
