"""The pages of README.md and docs/ for the installed SDK: run from top to bottom, and checked with both checkers."""

from __future__ import annotations

from pathlib import Path

import pytest
from sdk.installed import SDK
from support.doc_pages import list_runnable, read_page
from support.page_runner import PageRunner, check_types

PAGES = list(list_runnable(SDK)) if SDK else []


@pytest.mark.ci
@pytest.mark.parametrize("name", PAGES)
def test_the_page_works(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    runner = PageRunner(read_page(name), tmp_path, SDK)
    runner.run()
    if request.config.getoption("--regenerate", default=False):
        runner.update_page()
        return
    assert [(block.place, actual) for block, actual in runner.changes] == []
    check_types(runner.projects)
