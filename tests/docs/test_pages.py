"""README.md and docs/: every block of code is tested somehow, and those of pages that need no SDK are run here.

The pages for an SDK are run by tests/sdk/test_pages.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.doc_pages import DOCS, find_own_test, list_pages, list_runnable, read_page
from support.page_runner import PageRunner
from support.repository import ROOT, TESTS

NAMES = list_pages()
MOST_LINES = 400
MOST_SHOWN = 21
"""Blocks that no test runs; each says why."""


@pytest.mark.parametrize("name", NAMES)
def test_somebody_has_said_how_each_block_is_tested(name: str) -> None:
    page = read_page(name)
    own = find_own_test(name)
    if own is not None:
        assert name.startswith("diagnostics") or Path(name).stem in (TESTS / own).read_text("utf-8")
    else:
        assert [block.place for block in page.blocks if not block.kind] == []


def test_few_blocks_are_only_shown() -> None:
    shown = {
        block.place: block.marks["shown"] for name in NAMES for block in read_page(name).blocks if block.kind == "shown"
    }
    assert len(shown) <= MOST_SHOWN
    assert all(shown.values())


@pytest.mark.parametrize("name", NAMES)
def test_no_page_is_long(name: str) -> None:
    if name in ("diagnostics/index.md", "reference/options.md"):
        pytest.skip("is made from the code, and lists all there is")
    lines = (ROOT / name if name == "README.md" else DOCS / name).read_text("utf-8").splitlines()
    assert len(lines) <= (150 if name == "README.md" else MOST_LINES)


@pytest.mark.ci
@pytest.mark.parametrize("name", list(list_runnable(None)))
def test_the_page_works(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    runner = PageRunner(read_page(name), tmp_path, None)
    runner.run()
    if request.config.getoption("--regenerate", default=False):
        runner.update_page()
    else:
        assert [(block.place, actual) for block, actual in runner.changes] == []
