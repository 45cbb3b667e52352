"""Words and diffs for the changes between a definition and what a server advertises."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence
from itertools import islice

from mcpgen.introspect.contract_changes import ABSENT, Change, Side
from mcpgen.report.visible import escape_line, format_lines

MOST_DIFFED_LINES = 2_000
"""Lines of a value up to which a minimal diff is computed, which takes quadratic time."""
_LONGEST_VALUE = 100
"""Characters of a value that a message shows."""
_CONTEXT = 30
"""Characters before the first difference that a message shows of two long values."""


def describe_change(change: Change) -> str:
    """Return a change in one line of visible characters."""
    return escape_line(_describe(change))


def _describe(change: Change) -> str:
    if change.before is ABSENT:
        required = ", and required" if change.is_required else ""
        return f"{change.pointer} is new on the server{required}: {_cut(_format_value(change.after), 0)}"
    if change.after is ABSENT:
        return f"{change.pointer} is missing on the server: {_cut(_format_value(change.before), 0)}"
    old, new = _format_value(change.before), _format_value(change.after)
    pairs = enumerate(zip(old, new, strict=False))
    start = next((index for index, (before, after) in pairs if before != after), min(len(old), len(new)))
    return f"{change.pointer} is {_cut(new, start)} on the server, not {_cut(old, start)}"


def _format_value(value: Side) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cut(text: str, start: int) -> str:
    """Return a text, or if it is long, the part of it around an index."""
    if len(text) <= _LONGEST_VALUE:
        return text
    first = max(0, min(start - _CONTEXT, len(text) - _LONGEST_VALUE))
    last = first + _LONGEST_VALUE
    return f"{'…' if first else ''}{text[first:last]}{'…' if last < len(text) else ''}"


def render_diff(label: str, changes: Sequence[Change], old_name: str, new_name: str) -> str:
    """Return the changes of one definition as a diff, with a JSON pointer in the place of line numbers."""
    lines = [f"--- {old_name}: {label}", f"+++ {new_name}: {label}"]
    for change in sorted(changes, key=lambda change: change.pointer):
        lines += [f"@@ {change.pointer} @@", *_diff_lines(_split_value(change.before), _split_value(change.after))]
    return format_lines(lines)


def _split_value(value: Side) -> list[str]:
    """Return the lines of a value: of a text with line breaks as it is, of others as JSON; none if there is none."""
    if value is ABSENT:
        return []
    if isinstance(value, str) and "\n" in value:
        return value.split("\n")
    return json.dumps(value, ensure_ascii=False, indent=2 if isinstance(value, dict) else None).split("\n")


def _diff_lines(old: list[str], new: list[str]) -> Iterator[str]:
    """Yield the lines of two values with their signs; lines that both have are left out if they are far away."""
    if max(len(old), len(new)) > MOST_DIFFED_LINES:
        yield from (f"-{line}" for line in old)
        yield from (f"+{line}" for line in new)
        return
    for number, line in enumerate(islice(difflib.unified_diff(old, new, n=2, lineterm=""), 2, None)):
        if not line.startswith("@@"):
            yield line
        elif number:
            yield " …"
