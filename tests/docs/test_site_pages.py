"""Links between docs/ and the top of the repository, and the pages of the navigation."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from support.doc_pages import DOCS
from support.repository import ROOT

sys.path.insert(0, str(ROOT))
from scripts.site_pages import PROJECT_PAGES, expand_patterns, list_navigation, rewrite_links

NAVIGATION = YAML(typ="safe").load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]


@pytest.mark.parametrize(
    ("page", "markdown", "rewritten"),
    [
        ("guides/a.md", "[x](../../SECURITY.md#how)", "[x](../project/security.md#how)"),
        ("guides/a.md", "[x](../reference/b.md)", "[x](../reference/b.md)"),
        ("guides/a.md", "[x](../../README.md)", "[x](../index.md)"),
        ("guides/a.md", "[run](../../benchmarks/last_run.json)", "run"),
        ("guides/a.md", "[x](https://example.org/a.md) [y](#z)", "[x](https://example.org/a.md) [y](#z)"),
        ("guides/a.md", "```\n[x](../../SECURITY.md)\n```\n", "```\n[x](../../SECURITY.md)\n```\n"),
        ("project/security.md", "[x](docs/reference/limits.md)", "[x](../reference/limits.md)"),
        ("project/contributing.md", "[x](ARCHITECTURE.md)", "[x](architecture.md)"),
    ],
)
def test_links_that_leave_docs(page: str, markdown: str, rewritten: str) -> None:
    assert rewrite_links(markdown, page) == rewritten


def test_with_a_repository_its_files_are_linked() -> None:
    text = rewrite_links("[run](../../benchmarks/last_run.json)", "guides/a.md", "https://example.org/r/")
    assert text == "[run](https://example.org/r/blob/main/benchmarks/last_run.json)"


def test_every_page_is_in_the_navigation_once() -> None:
    pages = [page for _, page in list_navigation(expand_patterns(NAVIGATION, DOCS))]
    existing = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md") if path.parent.name != "schemastore"}
    assert sorted(pages) == sorted(existing | (set(PROJECT_PAGES.values()) - {"index.md"}))


def test_a_pattern_stands_for_a_page_or_a_folder(tmp_path: Path) -> None:
    folder = tmp_path
    (folder / "codes.md").write_text("# Codes\n", "utf-8")
    assert expand_patterns([{"Codes": "codes*"}], folder) == [{"Codes": "codes.md"}]
    (folder / "codes.md").unlink()
    (folder / "codes").mkdir()
    for name in ("b.md", "index.md", "a.md"):
        (folder / "codes" / name).write_text("# X\n", "utf-8")
    expanded = expand_patterns([{"All": [{"Codes": "codes*"}]}], folder)
    assert expanded == [{"All": [{"Codes": ["codes/index.md", "codes/a.md", "codes/b.md"]}]}]


def test_llms_txt_links_to_pages_that_exist() -> None:
    links = re.findall(r"\]\(([^)]+)\)", (DOCS / "llms.txt").read_text("utf-8"))
    assert links
    for link in links:
        assert (DOCS / link).exists() or link in PROJECT_PAGES.values(), link
