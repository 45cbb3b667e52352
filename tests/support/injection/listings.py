"""Generated files that list modules: `__init__.py`, the indexes and `testing.py`."""

from __future__ import annotations

import re

from support.injection.text import Problems, body

LIST_LINE = re.compile(
    r" +from \.(prompts|resources|tools|types)\.[A-Za-z_0-9]+ import "
    r"(\*|(tool|entry|Any[A-Za-z0-9_]+Handler) as [A-Za-z_][A-Za-z0-9_]*)|"
    r"        [A-Za-z_][A-Za-z0-9_]*: [A-Za-z_][A-Za-z0-9_]*(Tool|Resource|Prompt)Handler"
)


def listing(text: str, harmless: str) -> Problems:
    """Yield what a file with a list of modules holds beyond the lines of that list."""
    if _without_list(text) != _without_list(harmless):
        other_lines = set(_without_list(text).split("\n")) ^ set(_without_list(harmless).split("\n"))
        yield f"holds other lines than a harmless one: {sorted(other_lines)[:3]}"


def _without_list(text: str) -> str:
    lines = body(text).split("\n")
    return "\n".join(line for line in lines if not LIST_LINE.fullmatch(line) and line.strip() != "pass")
