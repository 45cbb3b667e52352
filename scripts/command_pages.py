"""Make docs/reference/options.md: usage, arguments, options, environment variables and exit codes of every command.

All but the environment variables comes from the command line itself, as `mcpgen COMMAND --help` prints it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import typer
from mcpgen.cli import app
from mcpgen.commands.help_pages import COMMAND_GROUPS, list_exit_codes

ALL = ""
"""In `ENVIRONMENT`: every command reads the variable."""
ENVIRONMENT: Mapping[str, tuple[str, Sequence[str]]] = {
    "NO_COLOR": ("any value turns colours off; `--color` comes before it and those below", (ALL,)),
    "FORCE_COLOR": ("any value but `0` turns colours on, also if the output is not a terminal", (ALL,)),
    "CLICOLOR_FORCE": ("the same as `FORCE_COLOR`", (ALL,)),
    "CLICOLOR": ("`0` turns colours off", (ALL,)),
    "TERM": ("`dumb` turns colours off", (ALL,)),
    "GITHUB_WORKSPACE": ("GitHub sets it: with `--format github`, paths are relative to this folder", (ALL,)),
    "MCPGEN_CACHE_DIR": ("folder of the cache, if there is no `--cache-dir`; empty: no cache", ("--cache-dir",)),
    "XDG_CACHE_HOME": ("on Linux: the cache is in `mcpgen` in this folder", ("--cache-dir",)),
    "MCPGEN_STATE_DIR": (
        "folder for what is needed to finish a run that was killed; empty: no such folder",
        ("build", "check", "watch", "doctor", "pull"),
    ),
    "XDG_STATE_HOME": (
        "on Linux: the folder of `MCPGEN_STATE_DIR` is `mcpgen` in this folder",
        ("build", "check", "watch", "doctor", "pull"),
    ),
    "LOCALAPPDATA": (
        "on Windows: cache and state are in `mcpgen` in this folder",
        ("build", "check", "watch", "docs", "diff", "doctor", "pull"),
    ),
    "MCPGEN_TOKEN_NAME": (
        "token for the server `NAME` of `mcp.json`; `NAME` is in upper case, with `_` for other characters",
        ("--from",),
    ),
    "MCPGEN_INPUT_ID": ("value of the input `ID` of `mcp.json`, written like `NAME`", ("--from",)),
    "PATH": ("where the program of a server's command is", ("--header",)),
    "VIRTUAL_ENV": ("the environment whose SDK counts, if the project has none of its own", ("init", "build", "pull")),
    "CONDA_PREFIX": ("the same as `VIRTUAL_ENV`", ("init", "build", "pull")),
}
"""Environment variable → what it does, and the commands that read it: their names, or an option that they all have."""
COMMON_OPTION_USERS = 11
"""An option that at least so many commands have, with the same help, is described once."""


class Row(NamedTuple):
    """An argument or option as the help prints it."""

    names: str
    text: str


class Command:
    """A command of the command line, with what its help says."""

    def __init__(self, name: str, command: Any, parent: Any) -> None:
        self.name = name
        context = command.context_class(command, info_name=name, parent=parent)
        self.usage = " ".join(command.get_usage(context).split()).removeprefix("Usage: ")
        self.summary = " ".join(command.help.split())
        self.arguments, self.options = list[Row](), list[Row]()
        for parameter in command.get_params(context):
            rows = self.arguments if parameter.param_type_name == "argument" else self.options
            if (record := parameter.get_help_record(context)) is not None:
                rows.append(Row(*record))

    def has(self, option: str) -> bool:
        """Tell whether it has an option."""
        return any(option in row.names.replace(",", "").split() for row in self.options)

    @property
    def variables(self) -> list[str]:
        """The environment variables that this command reads and not all do."""
        return [
            name
            for name, (_, readers) in ENVIRONMENT.items()
            if any(reader == self.name or (reader.startswith("-") and self.has(reader)) for reader in readers)
        ]


def list_commands() -> list[Command]:
    """Return the commands, in the order of `mcpgen --help`."""
    group: Any = typer.main.get_command(app)
    parent = group.context_class(group, info_name="mcpgen", **group.context_settings)
    names = dict.fromkeys(name for names in COMMAND_GROUPS.values() for name in names)
    return [Command(name, group.commands[name], parent) for name in {**names, **group.commands}]


def render_options(note: str) -> str:
    """Return the page."""
    commands = list_commands()
    out = f"# Command-line options\n\n{note}"
    out += (
        "All arguments, options and exit codes of every command, as `mcpgen COMMAND --help` prints them.\n"
        "[Commands](commands.md) says what each command is for, [Settings](settings.md) what needs no option.\n"
    )
    users = {row: [item.name for item in commands if row in item.options] for item in commands for row in item.options}
    common = {row: names for row, names in users.items() if len(names) >= COMMON_OPTION_USERS}
    rows = [(row.names, row.text, _describe_users(names, commands)) for row, names in common.items()]
    out += "\n## Options of most commands\n\n" + _render_table(("option", "", "commands"), rows)
    out += "".join(_render_command(command, common) for command in commands)
    variables = [
        (name, text, "all" if readers == (ALL,) else _join(item.name for item in commands if name in item.variables))
        for name, (text, readers) in ENVIRONMENT.items()
    ]
    return out + "\n## Environment variables\n\n" + _render_table(("variable", "", "commands"), variables)


def _render_command(command: Command, common: Mapping[Row, Sequence[str]]) -> str:
    out = f"\n## `mcpgen {command.name}`\n\n{_escape(command.summary)}\n\nUsage: `{command.usage}`\n"
    own = [row for row in command.options if row not in common]
    for title, rows in (("argument", command.arguments), ("option", own)):
        if rows:
            out += "\n" + _render_table((title, ""), rows)
    if command.variables:
        out += f"\nEnvironment variables: {_join(command.variables)}.\n"
    codes = ", ".join(f"{code} ({meaning})" for code, meaning in list_exit_codes(command.name))
    return f"{out}\nExit codes: {_escape(codes)}.\n"


def _describe_users(names: Sequence[str], commands: Sequence[Command]) -> str:
    others = [command.name for command in commands if command.name not in names]
    return f"all but {_join(others)}" if others else "all"


def _join(names: Any) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _render_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose first column is code."""
    out = f"| {' | '.join(titles)} |\n{'|---' * len(titles)}|\n"
    for first, text, *others in rows:
        cells = [f"`{first}`".replace("|", "\\|"), _escape(" ".join(text.split())), *others]
        out += f"| {' | '.join(cells)} |\n"
    return out


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
