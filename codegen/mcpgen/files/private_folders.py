"""Private folders of the user: find them, create them, and check that nobody else can have written there."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mcpgen.files.looks import note

if TYPE_CHECKING:
    from mcpgen.diagnostics import Findings

FolderKind = Literal["cache", "state"]
_MAC_FOLDERS = {"cache": "Library/Caches", "state": "Library/Application Support"}
_XDG_FOLDERS = {"cache": ("XDG_CACHE_HOME", ".cache"), "state": ("XDG_STATE_HOME", ".local/state")}


def find_user_folder(kind: FolderKind) -> Path | None:
    """Return the user's folder for mcpgen's cache or state, None where the user has no home folder."""
    try:
        if sys.platform == "win32":
            base = Path(os.environ["LOCALAPPDATA"]) if "LOCALAPPDATA" in os.environ else Path.home() / "AppData/Local"
            return base / "mcpgen" if kind == "cache" else base / "mcpgen" / kind
        if sys.platform == "darwin":
            return Path.home() / _MAC_FOLDERS[kind] / "mcpgen"
        variable, usual = _XDG_FOLDERS[kind]
        named = os.environ.get(variable, "")
        return (Path(named) if os.path.isabs(named) else Path.home() / usual) / "mcpgen"
    except RuntimeError:
        return None


def describe_flaw(folder: Path) -> str:
    """Return why an existing folder may contain files written by others, "" if it is private or doesn't exist.

    A folder is private if the user owns it and its mode is 0700. Neither can be checked on Windows, where the user's
    profile is private.
    """
    flaw = _find_flaw(folder)
    note("flaw", folder, flaw)
    return flaw


def _find_flaw(folder: Path) -> str:
    try:
        status = os.stat(folder)
    except OSError:
        return ""
    if not stat.S_ISDIR(status.st_mode):
        return "is not a folder"
    if os.name == "nt":
        return ""
    if status.st_uid != os.geteuid():
        return "belongs to another user"
    mode = stat.S_IMODE(status.st_mode)
    return f"is open to other users (its mode is {mode:04o})" if mode & 0o077 else ""


def prepare_folder(folder: Path) -> bool:
    """Create a private folder unless it exists, and return whether it exists now and can be trusted."""
    try:
        folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    except OSError:
        return False
    return not describe_flaw(folder)


def warn_unused_folders(findings: Findings, complaints: Iterable[str]) -> None:
    """Warn about each folder that is not used. Empty `complaints` are skipped."""
    for message in filter(None, complaints):
        help = "make it yours alone (chown, chmod 700), or remove it: mcpgen makes it again; or name another folder"
        findings.warn("MG408", message, None, help)
