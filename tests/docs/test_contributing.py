"""CONTRIBUTING.md: each change names files that exist, and at most four of them."""

from __future__ import annotations

import re

import pytest
from support.repository import ROOT

TABLE = re.compile(r"^\| (an? [^|]+) \| ([^|]+) \|$", re.MULTILINE)
ROWS: list[tuple[str, str]] = TABLE.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
OTHER_ROOTS = ("templates/", "tests/", "schemas/", "scripts/")


def list_paths(text: str) -> list[str]:
    """Return the files and folders that a row names, relative to the repository."""
    without_hints = re.sub(r"\([^)]*\)", "", text)
    names = [name for name in re.findall(r"`([^`]+)`", without_hints) if "/" in name or name.endswith(".py")]
    return [name if name.startswith(OTHER_ROOTS) else f"codegen/mcpgen/{name}" for name in names]


def test_there_are_as_many_as_people_ask_for() -> None:
    assert len(ROWS) >= 10


@pytest.mark.parametrize(("change", "text"), ROWS, ids=[change for change, _ in ROWS])
def test_a_change_touches_few_files_which_exist(change: str, text: str) -> None:
    paths = list_paths(text)
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert len(paths) <= 4
