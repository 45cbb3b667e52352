"""Find the merge conflicts that git leaves in a text."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MARKER = re.compile(r"^(<{7}|={7}|>{7})(?:[ \t][^\n]*)?\r?$", re.MULTILINE)

CONFLICT_HELP = "keep one side or join both, remove the lines with <<<<<<<, ======= and >>>>>>>, then run this again"


@dataclass(frozen=True)
class MergeConflict:
    """Lines of a merge conflict, markers included, counted from 1."""

    first_line: int
    last_line: int

    def __str__(self) -> str:
        return f"an unresolved merge conflict, lines {self.first_line} to {self.last_line}"


def find_merge_conflict(text: str) -> MergeConflict | None:
    """Return the first merge conflict in a text, None if there is none."""
    start = middle = None
    for marker in _MARKER.finditer(text):
        match marker[1][0]:
            case "<":
                start, middle = marker.start(), None
            case "=" if start is not None:
                middle = marker.start()
            case ">" if start is not None and middle is not None:
                return MergeConflict(text.count("\n", 0, start) + 1, text.count("\n", 0, marker.start()) + 1)
            case _:
                pass
    return None
