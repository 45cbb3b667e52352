"""Write any text as Markdown (CommonMark, with GitHub's tables) that shows just that text."""

from __future__ import annotations

import html
import re

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>|~&#$!^@]")
_LINE_START = re.compile(r"([-+=:]|\d{1,9}(?=[.)]))")
_LINK_START = re.compile(r":(?=//)|(?<=\bwww)\.|(?<=\bmailto):|(?<=\bxmpp):", re.IGNORECASE)
"""Where renderers that make links of bare addresses are kept from it."""


def escape_text(text: str) -> str:
    """Return Markdown of a text on one line, such as in a heading."""
    return _escape_line(" ".join(text.split()))


def escape_words(text: str) -> str:
    """Return Markdown of words between others; the spaces at their ends are kept."""
    return _escape_line(" ".join(_split_lines(text)))


def escape_cell(text: str) -> str:
    """Return Markdown of a text inside a cell of a table; its lines are kept."""
    lines = [_escape_line(line.strip()) for line in _split_lines(text.strip())]
    return "<br>".join(lines)


def escape_block(text: str) -> str:
    """Return Markdown of a text: its lines as lines, its paragraphs as paragraphs."""
    lines = [_escape_line(" ".join(line.split())) for line in _split_lines(text.strip())]
    paragraphs = re.split(r"\n{2,}", "\n".join(lines))
    return "\n\n".join(paragraph.strip("\n").replace("\n", "\\\n") for paragraph in paragraphs)


def quote_code(text: str) -> str:
    """Return a code span of a text."""
    line = " ".join(_split_lines(text)) or " "
    fence = "`" * (_find_longest_run(line) + 1)
    needs_space = line[0] in " `" or line[-1] in " `"
    padding = " " if needs_space and line.strip(" ") else ""
    return f"{fence}{padding}{line}{padding}{fence}"


def quote_cell_code(text: str) -> str:
    """Return a code span of a text inside a cell of a table."""
    return quote_code(text).replace("|", "\\|")


def fence_code(text: str, language: str = "") -> str:
    """Return a block of code, ended by a fence that the text does not have."""
    fence = "`" * max(3, _find_longest_run(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def escape_html(text: str) -> str:
    """Return HTML of a text, for the few elements that Markdown has no form for."""
    return html.escape(" ".join(text.split()))


def _split_lines(text: str) -> list[str]:
    return re.split(r"\r\n|[\n\r\v\f\x85\u2028\u2029]", text)


def _find_longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def _escape_line(line: str) -> str:
    escaped = _LINK_START.sub(lambda match: "\\" + match[0], _SPECIAL.sub(lambda match: "\\" + match[0], line))
    return _LINE_START.sub(_escape_start, escaped, count=1) if _LINE_START.match(escaped) else escaped


def _escape_start(match: re.Match[str]) -> str:
    return match[0] + "\\" if match[0].isdigit() else "\\" + match[0]
