"""Escapes that make text from untrusted input safe for a terminal, a log and a JSON document.

Escaped are characters that are invisible, move the cursor, change the reading direction or end the line, and commands
to the program that reads a log. Everything that `CommandOutput` writes passes through here, line by line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable

_IGNORABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U0001bca0-\U0001bca3\U000e0000-\U000e0fff]"
)
"""Invisible characters that `str.isprintable` accepts: Unicode's default ignorable code points, and a blank pattern.

U+FE0F, which selects the emoji form of a symbol, is invisible only if no visible character precedes it."""
_RUNNER_COMMAND = re.compile(r"^(\s*)::|#(?=#[\w-]*\[)")
"""Commands of workflow runners: `::name` at the start of a line, `##[name]` and `##vso[name]` anywhere."""


def escape_line(text: str) -> str:
    """Escape every unsafe character of a line, and every command to a workflow runner."""
    is_safe = text.isascii() and text.isprintable()
    visible = text if is_safe else _escape_hidden(text, lambda char: char.encode("unicode_escape").decode())
    return _RUNNER_COMMAND.sub(lambda match: f"{match[1]}\\x3a:" if match[1] is not None else "\\x23", visible)


def split_text_lines(text: str) -> list[str]:
    """Split a text whose line breaks are intended, such as that of a file, into lines without their breaks."""
    return text.removesuffix("\n").split("\n") if text else []


def format_lines(lines: Iterable[str]) -> str:
    """Join lines to a text, each of them escaped and with a line break at its end."""
    return "".join(f"{escape_line(line)}\n" for line in lines)


def escape_json(text: str) -> str:
    """Escape the unsafe characters of a JSON text, which are in strings only; its value stays the same."""
    if not text.isascii() or "\x7f" in text:
        text = _escape_hidden(text, lambda char: char if char == "\n" else json.dumps(char)[1:-1])
    return re.sub(r"#(?=#[\w-]*\[)", r"\\u0023", text)


def _escape_hidden(text: str, escape: Callable[[str], str]) -> str:
    pairs = zip(text, " " + text, strict=False)
    return "".join(char if _is_visible(char, previous) else escape(char) for char, previous in pairs)


def _is_visible(char: str, previous: str) -> bool:
    if char < "\x7f":
        return char >= " "
    if char == "\ufe0f":
        return previous > " " and previous.isprintable() and not _IGNORABLE.match(previous)
    return char.isprintable() and not _IGNORABLE.match(char)
