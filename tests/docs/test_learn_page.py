"""docs/guides/learn.md: its example is run as it stands, and its formats of recordings are read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.packages import mcpgen
from support.repository import ROOT

PAGE = (ROOT / "docs" / "guides" / "learn.md").read_text("utf-8")
FILES = dict(re.findall(r"^`([^`\n]+)`:\n\n```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
(REPORT,) = [text for kind, text in re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL) if not kind]
SCHEMA = "schemas/learned/get_tides.output.json"


def test_the_example(tmp_path: Path) -> None:
    assert set(FILES) == {"calls.jsonl", SCHEMA}
    (tmp_path / "calls.jsonl").write_text(FILES["calls.jsonl"], "utf-8")
    run = mcpgen("learn", "calls.jsonl", cwd=tmp_path)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", REPORT)
    assert json.loads((tmp_path / SCHEMA).read_text("utf-8")) == json.loads(FILES[SCHEMA])


def test_the_file_is_written_as_it_is_shown(tmp_path: Path) -> None:
    (tmp_path / "calls.jsonl").write_text(FILES["calls.jsonl"], "utf-8")
    mcpgen("learn", "calls.jsonl", cwd=tmp_path)
    assert (tmp_path / SCHEMA).read_text("utf-8") == FILES[SCHEMA]


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
