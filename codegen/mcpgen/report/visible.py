"""The one way in which text that comes from input is made fit for a terminal, a log and a JSON document.

What cannot be seen, or would move the cursor, turn the reading direction, end the line or speak to the program that
reads a log, is escaped. Everything that `Output` writes goes through here, a line at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_IGNORABLE_RANGES = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0E),
    (0xFFA0, 0xFFA0),
    (0x1BCA0, 0x1BCA3),
    (0xE0000, 0xE0FFF),
)
"""Characters that count as printable and show nothing: Unicode's default ignorable ones, and a blank pattern.

U+FE0F, which asks for the coloured form of a symbol, is one where it does not follow a character that can be seen."""
_RUNNER_COMMAND = re.compile(r"^(\s*)::|#(?=#[\w-]*\[)")
"""What runners of workflows look for: `::name` at the start of a line, `##[name]` and `##vso[name]` anywhere."""


def escape_line(text: str) -> str:
    """A line with an escape in the place of each character that is not to reach a terminal or a log as it is."""
    plain = text.isascii() and text.isprintable()
    said = text if plain else "".join(map(_escape_char, text, " " + text))
    return _RUNNER_COMMAND.sub(lambda found: f"{found[1]}\\x3a:" if found[1] is not None else "\\x23", said)


def split_text_lines(text: str) -> list[str]:
    """The lines of a text whose line breaks are its own layout, such as a file's."""
    return text.removesuffix("\n").split("\n") if text else []


def format_lines(held: Iterable[str]) -> str:
    """Lines as they are written: each escaped, each ended."""
    return "".join(f"{escape_line(line)}\n" for line in held)


def escape_json(text: str) -> str:
    """A JSON text, the same value, whose strings hold no such character either, but its escape.

    Outside of strings, JSON has none of them.
    """
    if not text.isascii() or "\x7f" in text:
        previous, out = " ", list[str]()
        for char in text:
            out.append(char if char == "\n" or _is_visible(char, previous) else _escape_json_char(char))
            previous = char
        text = "".join(out)
    return re.sub(r"#(?=#[\w-]*\[)", r"\\u0023", text)


def _escape_char(char: str, previous: str) -> str:
    if _is_visible(char, previous):
        return char
    code = ord(char)
    if char in "\t\n\r":
        return {"\t": "\\t", "\n": "\\n", "\r": "\\r"}[char]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escape_json_char(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _is_visible(char: str, previous: str) -> bool:
    code = ord(char)
    if code < 0x7F:
        return code >= 0x20
    if code == 0xFE0F:
        return ord(previous) > 0x20 and previous.isprintable() and not _is_ignorable(ord(previous))
    return char.isprintable() and not _is_ignorable(code)


def _is_ignorable(code: int) -> bool:
    return code >= 0x034F and (code == 0xFE0F or any(first <= code <= last for first, last in _IGNORABLE_RANGES))
