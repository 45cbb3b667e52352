"""The pages of README.md and docs/ for the installed SDK: run from top to bottom, and checked with both checkers."""

from __future__ import annotations

from pathlib import Path

import pytest
from sdk.installed import SDK
from support.doc_pages import list_runnable, read_page
from support.page_runner import PageRunner, check_types

PAGES = list(list_runnable(SDK)) if SDK else []


TYPED = "README.md"
"""The page whose code .ci/run checks; .ci/full checks that of every page."""


@pytest.mark.ci
@pytest.mark.parametrize("name", PAGES)
def test_the_page_works(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    runner = PageRunner(read_page(name), tmp_path, SDK)
    runner.run()
    if request.config.getoption("--regenerate", default=False):
        runner.update_page()
        return
    assert [(block.place, actual) for block, actual in runner.changes] == []


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.ci if name == TYPED else pytest.mark.slow) for name in PAGES]
)
def test_checkers_accept_the_page(name: str, tmp_path: Path) -> None:
    runner = PageRunner(read_page(name), tmp_path, SDK)
    runner.run()
    check_types(runner.projects)
