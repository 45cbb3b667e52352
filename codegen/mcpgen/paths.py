"""Where the templates and the shipped MCP schemas are, and how paths are shown."""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE_FOLDER = Path(__file__).resolve().parent


def find_shipped_folder(name: str) -> Path:
    """The folder `name` (`templates`, `schemas/mcp`): beside the package in a wheel, at the top of a checkout.

    Raises:
        FileNotFoundError: the installation lacks it.
    """
    for base in (PACKAGE_FOLDER, PACKAGE_FOLDER.parent.parent):
        folder = base / name
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"this installation of mcpgen lacks its {name} folder")


def format_path(path: Path) -> str:
    """A path as messages show it: relative to the working folder, absolute when it lies elsewhere."""
    relative = os.path.relpath(path)
    return path.as_posix() if relative.startswith("..") and path.is_absolute() else Path(relative).as_posix()


def format_repository_path(file: str) -> str:
    """A path that messages show as GitHub wants it: from the top of the repository that a workflow has checked out."""
    top = os.environ.get("GITHUB_WORKSPACE")
    if not top or "://" in file:
        return file
    try:
        relative = Path(os.path.relpath(file, top)).as_posix()
    except ValueError:  # another drive
        return file
    return file if relative.startswith("../") else relative


def format_relative_path(path: Path) -> str:
    """A path relative to the working folder, wherever it lies."""
    return Path(os.path.relpath(path)).as_posix()


class RealPathCache:
    """Paths without links. Each folder is looked at once, so this is for one run, not for longer."""

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}

    def resolve_path(self, path: Path | str) -> str:
        """What `os.path.realpath` says of a path."""
        folder, name = os.path.split(path)
        if name in ("", ".", ".."):
            return os.path.realpath(path)
        if folder not in self._folders:
            self._folders[folder] = os.path.realpath(folder)
        found = os.path.join(self._folders[folder], name)
        return os.path.realpath(found) if os.path.islink(found) else found
