"""The one way in which text from a schema becomes part of Python source."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

LiteralValue = str | int | bool | None


@dataclass(frozen=True)
class Literal:
    """A piece of Python source that evaluates to a constant; templates print it as it is."""

    source: str

    def __str__(self) -> str:
        return self.source


def make_literal(value: LiteralValue) -> Literal:
    """The literal of a string (double quotes, ASCII only, no line break), an integer, a bool or None."""
    if isinstance(value, str):
        return Literal(_quote_string(value))
    return Literal(repr(value))


def make_float_literal(value: float) -> Literal:
    """The literal of a finite float."""
    return Literal(repr(value))


def make_fstring(parts: Iterable[str | Literal]) -> Literal:
    """A string with expressions in it, whose text is that of `str`; an f-string where there are any.

    Until Python 3.12 an expression inside of one may hold no quotes of its kind and no backslash: see `fits`.
    """
    parts = list(parts)
    if not any(isinstance(part, Literal) for part in parts):
        return Literal(_quote_string("".join(map(str, parts))))
    out: list[str] = []
    for part in parts:
        braces = str(part).replace("{", "{{").replace("}", "}}")
        out.append(f"{{{part.source}}}" if isinstance(part, Literal) else _quote_string(braces)[1:-1])
    return Literal(f'f"{"".join(out)}"')


def fits_in_fstring(expression: Literal) -> bool:
    """Whether an expression can stand, and be read with ease, inside of an f-string."""
    return len(expression.source) <= 60 and not set(expression.source) & set('"\\{}\n')


def _quote_string(value: str) -> str:
    out = ['"']
    for char in value:
        if char in '"\\':
            out.append("\\" + char)
        elif char == "\n":
            out.append("\\n")
        elif char == "\t":
            out.append("\\t")
        elif " " <= char <= "~":
            out.append(char)
        elif ord(char) <= 0xFF:
            out.append(f"\\x{ord(char):02x}")
        elif ord(char) <= 0xFFFF:
            out.append(f"\\u{ord(char):04x}")
        else:
            out.append(f"\\U{ord(char):08x}")
    return "".join((*out, '"'))


def make_docstring(text: str, indent: int, width: int = 100) -> Literal:
    """A triple-quoted literal that reads as `text`, each paragraph filled to `width` columns.

    Lines that are indented or look like list items keep their breaks. Characters that could end the literal or
    hide in an editor (quotes in a row, backslashes, controls, bidirectional marks) are escaped or dropped. So is what
    tools read at the start of a line, string or not: `# mypy: …`, and the markers of a merge conflict.
    """
    clean = "".join(_clean_character(char) for char in text.strip().replace("\r\n", "\n").replace("\r", "\n"))
    lines: list[str] = []
    for line in clean.split("\n"):
        lines.extend(_fill_line(line.rstrip(), width - indent))
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        lines = [""]
    pad = " " * indent
    body = "\n".join([lines[0], *(pad + line if line else "" for line in lines[1:])])
    body = re.sub(r'"{3,}|"+\Z', lambda quotes: '\\"' * len(quotes[0]), body.replace("\\", "\\\\"))
    if not indent:
        body = re.sub(r"(\n *)([#<=>])", lambda at: f"{at[1]}\\x{ord(at[2]):02x}", body)
    if len(lines) > 1:
        return Literal(f'"""{body}\n{pad}"""')
    return Literal(f'"""{body}"""')


def make_comment(text: str) -> Literal:
    """`text` on one line of printable ASCII, fit to stand behind a `#`.

    It holds no comment of its own (`# type: ignore`), nor anything that Python would read as the file's encoding.
    """
    flat = " ".join(text.split())
    plain = "".join(char if " " <= char <= "~" and char != "#" else "?" for char in flat)
    return Literal(re.sub(r"coding[:=]", "coding?", plain))


def _fill_line(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    stripped = line.lstrip()
    lead = line[: len(line) - len(stripped)]
    return textwrap.wrap(
        stripped,
        max(width, 40),
        initial_indent=lead,
        subsequent_indent=lead,
        break_long_words=False,
        break_on_hyphens=False,
    )


_HIDDEN_CHARACTERS = frozenset(
    char
    for first, last in (
        (0x00, 0x1F),
        (0x7F, 0x9F),
        (0xAD, 0xAD),
        (0x061C, 0x061C),
        (0x200B, 0x200F),
        (0x202A, 0x202E),
        (0x2060, 0x206F),
        (0xD800, 0xDFFF),
        (0xFEFF, 0xFEFF),
        (0xFFF9, 0xFFFB),
        (0xE0000, 0xE007F),
    )
    for char in range(first, last + 1)
)
"""Controls, marks of direction and other characters that an editor does not show; a fixed list, whatever Python's
Unicode version says."""
_SPACE_CHARACTERS = frozenset("\t\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029")


def _clean_character(char: str) -> str:
    if char == "\n":
        return char
    if char == "\t":
        return "    "
    if char in _SPACE_CHARACTERS:
        return " "
    return "" if ord(char) in _HIDDEN_CHARACTERS else char
