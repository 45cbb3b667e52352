"""Folders that belong to the user alone: where they are, and whether nobody else can have written there."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from mcpgen.diagnostics import Findings

FolderKind = Literal["cache", "state"]
_MAC_FOLDERS = {"cache": "Library/Caches", "state": "Library/Application Support"}
_XDG_FOLDERS = {"cache": ("XDG_CACHE_HOME", ".cache"), "state": ("XDG_STATE_HOME", ".local/state")}


def find_user_folder(kind: FolderKind) -> Path | None:
    """The user's folder for mcpgen's cache or state; None where the system has no home for the user."""
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
    """Why a folder that is there may hold what others wrote; empty where none is there, or it is the user's alone.

    Others are kept out by the owner and mode 0700. Windows says neither; the user's profile is private there.
    """
    try:
        found = os.stat(folder)
    except OSError:
        return ""
    if not stat.S_ISDIR(found.st_mode):
        return "is no folder"
    if os.name == "nt":
        return ""
    if found.st_uid != os.geteuid():
        return "belongs to another user"
    mode = stat.S_IMODE(found.st_mode)
    return f"is open to other users (its mode is {mode:04o})" if mode & 0o077 else ""


def prepare_folder(folder: Path) -> bool:
    """Make a folder for the user alone where there is none; whether there is one now that can be trusted."""
    try:
        folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    except OSError:
        return False
    return not describe_flaw(folder)


def warn_unused_folders(findings: Findings, complaints: Iterable[str]) -> None:
    """Warn of each folder that is not used; `complaints` that are empty say nothing."""
    for message in filter(None, complaints):
        help = "make it yours alone (chown, chmod 700), or remove it: it is made anew; or name another folder"
        findings.warn("MG408", message, None, help)
