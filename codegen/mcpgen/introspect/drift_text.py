"""Words and diffs for the changes between a definition and what a server advertises."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from mcpgen_runtime.core_schemas import ABSENT
from mcpgen_runtime.tool_contract import MOST_LISTED, Change

from mcpgen.report.visible import escape_line, format_lines

MOST_DIFFED_LINES = 2_000
"""Lines of a value up to which a minimal diff is computed, which takes quadratic time."""


LONGEST_WHOLE_VALUE = 100
"""Characters of JSON up to which `describe_change` shows a value whole."""


def describe_change(change: Change) -> str:
    """Return a change in one line of visible characters, in the words of generated clients."""
    if change.pointer.startswith("/arguments/") and ABSENT in (change.before, change.after):  # of a prompt
        is_new = change.before is ABSENT
        said = f"new on the server, and {change.after}" if is_new else "missing on the server"
        return escape_line(f"{change.pointer} is {said}")
    return escape_line(str(change))


def is_long(change: Change) -> bool:
    """Tell whether a side of a change is so long that `describe_change` cuts it, or has several lines in a diff.

    Of lists with values in common, that is so if it does not name all values that differ.
    """
    values = change.compare_lists()
    if any(values):
        return any(len(side) > MOST_LISTED or max(map(len, side)) > LONGEST_WHOLE_VALUE for side in values if side)
    sides = [_split_value(side) for side in (change.before, change.after)]
    return any(len(lines) > 1 or len(line) > LONGEST_WHOLE_VALUE for lines in sides for line in lines)


def render_diff(label: str, changes: Sequence[Change], old_name: str, new_name: str) -> str:
    """Return the changes of one definition as a diff, with a JSON pointer in the place of line numbers."""
    lines = [f"--- {old_name}: {label}", f"+++ {new_name}: {label}"]
    for change in sorted(changes, key=lambda change: change.pointer):
        lines += [f"@@ {change.pointer} @@", *_diff_lines(_split_value(change.before), _split_value(change.after))]
    return format_lines(lines)


def _split_value(value: Any) -> list[str]:
    """Return the lines of a value: of a text with line breaks as it is, of others as JSON; none if there is none.

    Each value of a long list has its own line.
    """
    if value is ABSENT:
        return []
    if isinstance(value, str) and "\n" in value:
        return value.split("\n")
    line = json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict) or (isinstance(value, list) and len(line) > LONGEST_WHOLE_VALUE):
        return json.dumps(value, ensure_ascii=False, indent=2).split("\n")
    return [line]


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
