"""What makes a file unreadable as text: its encoding, or a merge conflict."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
"""Bytes at the start of a file → its encoding; the longer ones come first."""
ENCODING_HELP = "save the file as UTF-8; editors offer this when they save, or show the encoding in their status bar"


def explain_encoding(data: bytes) -> tuple[str, str]:
    """Return the message and the help for data that is not UTF-8; no byte of it is quoted."""
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return (
                f"not valid UTF-8: the file is {encoding}",
                f"{ENCODING_HELP}; in PowerShell, write it with `Out-File -Encoding utf8`",
            )
    if b"\0" in data[:1000]:
        return "not valid UTF-8: the file is binary, or UTF-16 without a mark", ENCODING_HELP
    message = "not valid UTF-8: from here on, the file is in an older encoding, such as Windows-1252"
    return message, ENCODING_HELP


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
