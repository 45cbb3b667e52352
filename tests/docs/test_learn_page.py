"""docs/guides/learn.md: its formats of recordings are read, and its options exist; test_pages.py runs its example."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.packages import mcpgen
from support.repository import ROOT

PAGE = (ROOT / "docs" / "guides" / "learn.md").read_text("utf-8")


def list_formats() -> list[str]:
    """Return the examples of the table of formats, with values in place of the dots."""
    table = PAGE.partition("| format | for example |")[2].partition("\n\n")[0]
    rows = [row.split("|", 2)[2] for row in table.splitlines() if row.startswith("|") and "`" in row]
    filled = [re.sub(r"\{…\}", '{"structuredContent": {"port": "Oslo"}}', row).replace("[…]", "[]") for row in rows]
    return ["\n".join(re.findall(r"`([\[{].*?)`(?:[ ,;|]|$)", row)) for row in filled]


def test_the_formats_of_the_table(tmp_path: Path) -> None:
    """The first two are whole; the others are in part, and in full in tests/unit/learn/test_recordings.py."""
    calls, messages, *others = list_formats()
    assert len(others) == 3
    for number, text in enumerate((calls, messages)):
        (tmp_path / "calls.jsonl").write_text(text, "utf-8")
        run = mcpgen("learn", "calls.jsonl", "--out", str(number), "--format", "json", cwd=tmp_path)
        (tool,) = json.loads(run.stdout)["data"]["tools"]
        assert (run.returncode, tool["name"], tool["results"]) == (0, "get_tides", 1)


@pytest.mark.parametrize("option", sorted(set(re.findall(r"--[a-z]+(?:-[a-z]+)*", PAGE))))
def test_the_options_that_are_named_exist(option: str) -> None:
    script = (ROOT / "scripts" / "learning.py").read_text("utf-8")
    help = mcpgen("learn", "--help", cwd=ROOT, COLUMNS="200").stdout
    assert option in help or f'"{option}"' in script
