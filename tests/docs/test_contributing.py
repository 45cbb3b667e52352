"""CONTRIBUTING.md: each change names files that exist, and at most four of them."""

from __future__ import annotations

import re

import pytest
from support.repository import ROOT

TABLE = re.compile(r"^\| (an? [^|]+) \| ([^|]+) \|$", re.MULTILINE)
GUIDE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
ROWS: list[tuple[str, str]] = TABLE.findall(GUIDE)
ALL_ROWS = re.findall(r"^\| [^|]+ \| ([^|]+) \|$", GUIDE.partition("| to add or change |")[2], re.MULTILINE)
OTHER_ROOTS = ("runtime/", "templates/", "tests/", "schemas/", "scripts/")
LIBRARY = "runtime/src/mcpgen_runtime"


CODE_ROOTS = ("codegen/mcpgen", "templates", LIBRARY)
EXAMPLES = (
    (
        "a format with a Python type",
        r"\bipv4\b|\bIPV4\b|NativeIpv4",
        {
            "codegen/mcpgen/samples/scalars.py",
            "codegen/mcpgen/lint/client_rules.py",
            "codegen/mcpgen/learn/inference.py",
            "codegen/mcpgen/lint/keyword_mistakes.py",
        },
    ),
    (
        "a content strategy",
        r"item_blocks|case \"items\"",
        {f"{LIBRARY}/{name}.py" for name in ("sdk_types", "sdk/none/types")},
    ),
    (
        "a settings key that generated code depends on, of a package, a tool, a resource or its limits",
        r"\bazure\b",
        set[str](),
    ),
    (
        "a settings key that generated code depends on, of a package, a tool, a resource or its limits",
        r"\bttl_ms\b",
        {f"{LIBRARY}/{name}.py" for name in ("resources", "mcp_2_server", "sdk/none/protocol")},
    ),
)
"""A change that was made once: its row, a pattern that finds it in the code, and files that need no such change."""


def list_paths(text: str) -> list[str]:
    """Return the files and folders that a row names, relative to the repository."""
    without_hints = re.sub(r"\([^)]*\)", "", text)
    names = [name for name in re.findall(r"`([^`]+)`", without_hints) if "/" in name or name.endswith(".py")]
    names = [re.sub("^mcpgen_runtime/", f"{LIBRARY}/", name) for name in names]
    return [name if name.startswith(OTHER_ROOTS) else f"codegen/mcpgen/{name}" for name in names]


def test_there_are_as_many_as_people_ask_for() -> None:
    assert len(ROWS) >= 10


@pytest.mark.parametrize(("change", "text"), ROWS, ids=[change for change, _ in ROWS])
def test_a_change_touches_few_files_which_exist(change: str, text: str) -> None:
    paths = list_paths(text)
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert len(paths) <= 4


def test_all_rows_name_files_which_exist() -> None:
    paths = {path for text in ALL_ROWS for path in list_paths(text)}
    assert {path for path in paths if not (ROOT / path).exists()} == set()


@pytest.mark.parametrize(("change", "pattern", "others"), EXAMPLES, ids=[pattern for _, pattern, _ in EXAMPLES])
def test_a_change_that_was_made_is_where_its_row_says(change: str, pattern: str, others: set[str]) -> None:
    named = tuple(list_paths(dict(ROWS)[change]))
    files = {
        path.relative_to(ROOT).as_posix()
        for root in CODE_ROOTS
        for path in (ROOT / root).rglob("*")
        if path.suffix in (".py", ".j2") and re.search(pattern, path.read_text("utf-8"))
    }
    assert files
    assert {file for file in files if not file.startswith(named)} <= others
