"""The page of options has what `mcpgen COMMAND --help` prints, and each environment variable that is read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mcpgen.commands.help_pages import COMMAND_GROUPS
from support.packages import mcpgen
from support.repository import ROOT

PAGE = (ROOT / "docs" / "reference" / "options.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"(?ms)^## (.+?)\n(.*?)(?=^## |\Z)", PAGE))
COMMANDS = [name for names in COMMAND_GROUPS.values() for name in names]
OPTION = re.compile(r"(?<![\w-])--?[a-z][\w-]*")
VARIABLE = re.compile(
    r'"((?:MCPGEN|XDG|GITHUB)_[A-Z_]+|[A-Z]+_PREFIX|[A-Z_]*COLOR[A-Z_]*|TERM|LOCALAPPDATA|VIRTUAL_ENV)"'
)


def list_common_options(command: str) -> set[str]:
    """Return the options of a command that the page describes once, for most commands."""
    rows = re.findall(r"^\| `(-.+?)` \|.*\| (.+) \|$", SECTIONS["Options of most commands"], re.MULTILINE)
    return {option for names, users in rows if f"`{command}`" not in users for option in OPTION.findall(names)}


def test_each_command_has_a_section() -> None:
    assert [*SECTIONS] == [
        "Options of most commands",
        *(f"`mcpgen {name}`" for name in COMMANDS),
        "Environment variables",
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_section_has_what_the_help_has(command: str, tmp_path: Path) -> None:
    help = mcpgen(command, "--help", cwd=tmp_path, COLUMNS="400").stdout
    section = SECTIONS[f"`mcpgen {command}`"]
    options = {name for line in re.findall(r"^  (-.+?)(?:   |$)", help, re.MULTILINE) for name in OPTION.findall(line)}
    own = {name for cell in re.findall(r"^\| `(-.+?)` \|", section, re.MULTILINE) for name in OPTION.findall(cell)}
    assert {"--help", "-h", "--format"} <= options
    assert own | list_common_options(command) == options
    assert not own & list_common_options(command)
    printed = dict(re.findall(r"^  (\d)  (.+)$", help.partition("Exit codes:")[2], re.MULTILINE))
    assert dict(re.findall(r"(\d) \((.+?)\)(?:, |\.$)", section.partition("Exit codes: ")[2], re.MULTILINE)) == printed
    usage = re.search(r"^Usage: (?:python -m )?(.+)$", help, re.MULTILINE)
    assert usage is not None
    assert f"\nUsage: `{usage[1]}`\n" in section
    arguments = re.findall(r"^  (\S.*?)  ", help.partition("Arguments:\n")[2].partition("\n\n")[0], re.MULTILINE)
    assert [f"{name} |" in section.replace("`", "") for name in arguments] == [True] * len(arguments)


def test_each_environment_variable_is_on_the_page() -> None:
    sources = (ROOT / "codegen" / "mcpgen").rglob("*.py")
    read = {name for source in sources for name in VARIABLE.findall(source.read_text("utf-8"))}
    assert {"MCPGEN_CACHE_DIR", "NO_COLOR", "MCPGEN_TOKEN_"} <= read
    listed = re.findall(r"^\| `([A-Z_]+)` \|", SECTIONS["Environment variables"], re.MULTILINE)
    assert [name for name in sorted(read) if not any(each.startswith(name) for each in listed)] == []
