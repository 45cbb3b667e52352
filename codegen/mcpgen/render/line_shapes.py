"""Replace names and strings in lines of Python, since their spelling does not matter for the layout."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_TOKEN = re.compile(r'(?P<text>"[^"\\\n]*")|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|[0-9.]+|[^"\'#\\A-Za-z0-9_]')
_PLAIN_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?![A-Za-z0-9_.])")
_STRING = re.compile(r""""[^"\\\n]*"|'[^'\\\n]*'""")
_BLANKED_TOKEN = re.compile(r'\bn+\b|"s*"')
_KEPT_NAMES = frozenset((*keyword.kwlist, *keyword.softkwlist, "print", "exec"))
"""Names that are part of the syntax, in this or an older Python that black knows."""
_FREE_NAME = re.compile(rf"\b(?!(?:{'|'.join(sorted(_KEPT_NAMES))})\b)[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_SIMPLE_LINE = re.compile(
    r"""(?>(?<![A-Za-z0-9_"'])(?:"[^"\\\n]*"|'[^'"\\\n]*"[^'\\\n]*')|[A-Za-z_][A-Za-z0-9_]*|[0-9.]+"""
    r"""|[^"'#\\A-Za-z0-9_])*+""",
    re.ASCII,
)
"""A line of tokens that are simple: it has no comment, and no string with a prefix or a backslash.

A string with single quotes has double quotes in it, as otherwise black would give it double quotes.
"""


@dataclass(frozen=True)
class BlankedText:
    """Lines whose names and strings have their length, but not their letters."""

    text: str
    tokens: tuple[str, ...]
    """The names and strings, in order."""


def get_indent(line: str) -> str:
    """Return the spaces that a line begins with."""
    return line[: len(line) - len(line.lstrip(" "))]


def find_shape(lines: list[str]) -> str | None:
    """Return a statement with `a` for each name, `"0"` for each string and `0` for each plain number.

    It has each different line once. Lines that only differ in that are laid out alike as long as they are not too long,
    so one stands for all. The indentation is relative to the first line. None: a token is not simple, so that spelling
    may matter.
    """
    indent = len(get_indent(lines[0]))
    shapes = [_find_line_shape(line[indent:]) for line in lines]
    simple = [shape for shape in shapes if shape is not None]
    return "\n".join(dict.fromkeys(simple)) + "\n" if len(simple) == len(shapes) else None


def _find_line_shape(line: str) -> str | None:
    if _SIMPLE_LINE.fullmatch(line) is None:
        return None
    return _PLAIN_NUMBER.sub("0", _FREE_NAME.sub("a", _STRING.sub('"0"', line)))


def blank_lines(lines: Iterable[str]) -> BlankedText | None:
    """Replace names and strings by others of the same length; None where a token is not simple."""
    blanked: list[str] = []
    tokens: list[str] = []
    for line in lines:
        blanked_line = ""
        for token in _split_tokens(line):
            if token is None:
                return None
            is_text = token["text"] is not None
            if is_text or _is_free_name(token):
                tokens.append(token[0])
                size = len(token[0])
                blanked_line += f'"{"s" * (size - 2)}"' if is_text else "n" * size
            else:
                blanked_line += token[0]
        blanked.append(blanked_line)
    return BlankedText("\n".join(blanked), tuple(tokens))


def restore_blanks(text: str, tokens: tuple[str, ...]) -> str | None:
    """Put names and strings back into blanked text that was formatted; None where their number has changed."""
    if len(_BLANKED_TOKEN.findall(text)) != len(tokens):
        return None
    remaining = iter(tokens)
    return _BLANKED_TOKEN.sub(lambda _: next(remaining), text)


def _is_free_name(token: re.Match[str]) -> bool:
    return token["name"] is not None and token[0] not in _KEPT_NAMES


def _split_tokens(line: str) -> Iterator[re.Match[str] | None]:
    """Return the tokens of a line, with spaces; None ends them at one that is not simple: a comment, an f-string."""
    offset = 0
    while offset < len(line):
        token = _TOKEN.match(line, offset)
        if token is None or (token["text"] and offset and (line[offset - 1].isalnum() or line[offset - 1] == '"')):
            yield None
            return
        offset = token.end()
        yield token
