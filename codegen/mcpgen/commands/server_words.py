"""Advice for a server's command on the command line whose words are read as mcpgen's own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import typer

from mcpgen.words import NameGuesser

SERVER_OPTIONS = ("--server", "--against-server")
_PULL_HELP = "write -- before the server's command: mcpgen pull -- npx -y some-server"
_PULL_SERVER_HELP = "pull takes the server without an option: mcpgen pull URL, or mcpgen pull -- COMMAND"
_PULL_OPTION_HELP = "If it is an option of the server's command, write -- before that command"
_LEAST_SIMILARITY = 0.8
"""Similarity of two options from which one is taken for a slip in the other; many servers have options of their own."""
_SCRIPT_SUFFIXES = frozenset((".py", ".js", ".mjs", ".cjs", ".ts", ".sh", ".jar"))


def _format_quote_help(option: str) -> str:
    return f'put the whole command in quotes: {option} "npx -y some-server"'


def advise_about_option(command: str, arguments: Sequence[str], option: str, options: Sequence[str] = ()) -> str:
    """Return what to do about an option that a command does not have; empty if it is not about a server.

    Args:
        command: the command of mcpgen.
        arguments: the words after it, whose values may be secret and are not quoted.
        option: the option.
        options: options of the command with similar names.
    """
    if command == "pull":
        if option == "--server":
            return _PULL_SERVER_HELP
        if similar := NameGuesser().guess(option, options, _LEAST_SIMILARITY):
            return f"did you mean {similar}? {_PULL_OPTION_HELP}"
        place = next((number for number, word in enumerate(arguments) if word.partition("=")[0] == option), 0)
        return _PULL_HELP if any(not word.startswith("-") for word in arguments[:place]) else ""
    used = next((word for word in arguments if word in SERVER_OPTIONS), "")
    return _format_quote_help(used) if used else ""


def _find_unquoted_command(option: str, server: str | None, paths: Sequence[Path]) -> str:
    """Return advice if the words of a server's command are read as files; empty if they are not.

    Args:
        option: the option with the server.
        server: its value.
        paths: the files and folders of the command line.
    """
    if server is None or not paths or re.search(r"\s|://|^[\w.]+:[\w.]+$", server):
        return ""
    is_command = server == "--" or any(path.suffix in _SCRIPT_SUFFIXES or not path.exists() for path in paths)
    return _format_quote_help(option) if is_command else ""


def check_is_quoted(option: str, server: str | None, paths: Sequence[Path]) -> None:
    """Check that no word of a server's command is read as a file.

    Raises:
        typer.BadParameter: one is.
    """
    if advice := _find_unquoted_command(option, server, paths):
        raise typer.BadParameter(advice, param_hint=option)
