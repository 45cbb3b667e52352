"""The line of the user's code at which an exception began."""

from __future__ import annotations

import linecache
import sysconfig
import traceback
from pathlib import Path

from mcpgen.files.ownership import may_have_header
from mcpgen.files.project_paths import is_within, resolve_path
from mcpgen.paths import format_path

_HEADER_LINES = 2


def locate_failure(error: BaseException) -> str:
    """Return the last line of an exception's traceback that the user wrote, as `file:line`; empty if there is none.

    Such a line is in the working folder, and neither in an installed library nor in a generated package.
    """
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if _is_written_by_user(frame.filename):
            return f"{format_path(Path(frame.filename))}:{frame.lineno}"
    return ""


def _is_written_by_user(file: str) -> bool:
    installed = [resolve_path(folder) for folder in {*sysconfig.get_paths().values()} - {sysconfig.get_path("data")}]
    if not is_within(file, [resolve_path(Path.cwd())]) or is_within(file, installed):
        return False
    return not _is_generated(file)


def _is_generated(file: str) -> bool:
    start = "".join(linecache.getline(file, number) for number in range(1, _HEADER_LINES + 1))
    return may_have_header(start.encode())
