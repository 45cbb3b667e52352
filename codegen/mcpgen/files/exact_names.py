"""Names of files as they are written on the disk. Windows and macOS find a file under its name in any case."""

from __future__ import annotations

import sys
from pathlib import Path

from mcpgen.files.looks import list_folder

IGNORES_CASE = sys.platform in ("win32", "darwin")
"""Whether file systems of this system usually ignore the case of names."""


def is_spelled_exactly(folder: Path, relative: str) -> bool:
    """Check whether a path that leads to a file has the case of the names on the disk, so that it does everywhere.

    Args:
        folder: where the path starts.
        relative: the path, with slashes.
    """
    if not IGNORES_CASE:
        return True
    for part in relative.split("/"):
        if part == "..":
            folder = folder.parent
        elif part not in ("", "."):
            if part not in _list_names(folder):
                return False
            folder /= part
    return True


def find_other_case(folder: Path, relative: str) -> str:
    """Return a path whose last name is that on the disk, where it differs in case alone; empty if there is none."""
    parent, _, name = relative.rpartition("/")
    matches = sorted(other for other in _list_names(folder / parent) if other.lower() == name.lower() and other != name)
    return f"{parent}/{matches[0]}".lstrip("/") if matches else ""


def _list_names(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in list_folder(folder)]
    except (OSError, ValueError):
        return []
