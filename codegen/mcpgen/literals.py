"""Quote text for Python source. Text from a schema reaches generated code only through these functions."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

LiteralValue = str | int | float | bool | None | tuple[str, ...]


@dataclass(frozen=True)
class Literal:
    """A piece of Python source that evaluates to a constant; templates print it as it is."""

    source: str

    def __str__(self) -> str:
        return self.source


def make_literal(value: LiteralValue) -> Literal:
    """Return the literal of a string (double quotes, ASCII only, no line break), a number, a bool, None or strings."""
    if isinstance(value, str):
        return Literal(_quote_string(value))
    if isinstance(value, tuple):
        items = ", ".join(map(_quote_string, value))
        return Literal(f"({items},)" if len(value) == 1 else f"({items})")
    return Literal(repr(value))


def make_annotation_literal(annotation: str) -> Literal:
    """Return the literal of an annotation, with the quotes that black prefers, so that it need not be asked."""
    is_plain = annotation.isascii() and annotation.isprintable() and not {"'", "\\"} & {*annotation}
    return Literal(f"'{annotation}'") if is_plain and '"' in annotation else make_literal(annotation)


def make_fstring(parts: Iterable[str | Literal]) -> Literal:
    """Return a string literal of text and expressions that fit (`fits_in_fstring`): an f-string if there are some."""
    parts = list(parts)
    if not any(isinstance(part, Literal) for part in parts):
        return Literal(_quote_string("".join(map(str, parts))))
    pieces: list[str] = []
    for part in parts:
        if isinstance(part, Literal):
            pieces.append(f"{{{part.source}}}")
        else:
            pieces.append(_quote_string(part.replace("{", "{{").replace("}", "}}"))[1:-1])
    return Literal(f'f"{"".join(pieces)}"')


def fits_in_fstring(expression: Literal) -> bool:
    """Check whether an expression is short, and without what f-strings must not contain until Python 3.12."""
    return len(expression.source) <= 60 and not set(expression.source) & set('"\\{}\n')


def _quote_string(value: str) -> str:
    parts = (part.encode("unicode_escape").decode() for part in value.split("\r"))
    return '"' + "\\x0d".join(parts).replace('"', '\\"') + '"'


def make_docstring(text: str, indent: int, width: int = 100) -> Literal:
    """Return a triple-quoted literal of the text, which stands at the column `indent`, filled to `width` columns.

    Line breaks of the text stay. Characters that could end the literal or that an editor does not show (three quotes,
    backslashes, controls, bidirectional marks) are escaped or dropped. Text that tools read at the start of a line
    even in a string is escaped, too: `# mypy: …`, and the markers of a merge conflict.
    """
    clean = _clean_text(text.strip().replace("\r\n", "\n").replace("\r", "\n"))
    lines: list[str] = []
    for line in clean.split("\n"):
        lines.extend(_fill_line(line.rstrip(), width - indent))
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        lines = [""]
    pad = " " * indent
    body = "\n".join([lines[0], *(pad + line if line else "" for line in lines[1:])])
    body = re.sub(r'"{3,}|"+\Z', lambda match: '\\"' * len(match[0]), body.replace("\\", "\\\\"))
    if not indent:
        body = re.sub(r"(\n *)([#<=>])", lambda match: f"{match[1]}\\x{ord(match[2]):02x}", body)
    end = f"\n{pad}" if len(lines) > 1 else ""
    return Literal(f'"""{body}{end}"""')


def make_comment(text: str) -> Literal:
    """Return the text as printable ASCII on one line, for a comment with no further `#` and no encoding in it."""
    line = " ".join(text.split())
    printable = "".join(char if " " <= char <= "~" and char != "#" else "?" for char in line)
    return Literal(re.sub(r"coding[:=]", "coding?", printable))


def make_text_comment(text: str) -> Literal:
    """Return the text on one line, in its own script, to follow a `# ` that is not at the top of a file.

    It contains no further comment, no character that an editor does not show, and nothing at its start that tools read
    as a directive (`type: ignore`, `noqa`).
    """
    clean = _clean_text(" ".join(text.split()).replace("#", "?"))
    line = " ".join(clean.split())
    return Literal(f"- {line}" if _DIRECTIVE_START.match(line) else line)


def make_typescript_literal(value: str | int | bool | None) -> Literal:
    """Return a constant as the source of a TypeScript type, or of the name of a property: JSON in ASCII is both."""
    return Literal(json.dumps(value))


def make_jsdoc(text: str, indent: int, width: int = 100) -> Literal:
    """Return a comment for TypeScript, which stands at the column `indent`; empty for a text without a character.

    The text can neither end it nor, as `@ts-ignore` would, direct a tool.
    """
    clean = _clean_text(text.strip().replace("\r\n", "\n").replace("\r", "\n"))
    escaped = re.sub(r"(?<!\w)@", r"\\@", clean.replace("*/", "*\\/"))
    pad = " " * indent
    lines = [part.rstrip() for line in escaped.split("\n") for part in _fill_line(line.rstrip(), width - indent)]
    if len(lines) == 1:
        return Literal(f"{pad}/** {lines[0]} */\n" if lines[0] else "")
    body = "".join(f"{pad} * {line}".rstrip() + "\n" for line in lines)
    return Literal(f"{pad}/**\n{body}{pad} */\n")


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


_DIRECTIVE_START = re.compile(
    r"(?:type|mypy|pyright|pyre\S*|ruff|isort|pylint|flake8|black|fmt|yapf|pragma)\s*:|no(?:qa|sec|lint)", re.IGNORECASE
)
"""Starts of comments that some tool may read as a directive."""
_HIDDEN_CHARACTERS = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
"""Controls, marks of direction and other characters that an editor does not show; a fixed list, whatever Python's
Unicode version says."""
_SPACE_CHARACTERS = re.compile("[\v\f\x1c-\x1f\x85\u2028\u2029]")


def _clean_text(text: str) -> str:
    return _HIDDEN_CHARACTERS.sub("", _SPACE_CHARACTERS.sub(" ", text.replace("\t", "    ")))
