"""Locations of shipped files, and paths as messages show them."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

PACKAGE_FOLDER = Path(__file__).resolve().parent
LIBRARY = "mcpgen_runtime"
"""The package of the run-time library, which generated packages import."""


def find_shipped_folder(name: str) -> Path:
    """Return the folder `templates` or `schemas/mcp`, in the package or a checkout; raise `FileNotFoundError`."""
    for base in (PACKAGE_FOLDER, PACKAGE_FOLDER.parent.parent):
        folder = base / name
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"this installation of mcpgen lacks its {name} folder")


def find_library_file(path: str = "") -> Path:
    """Return a file of the run-time library, or its folder, without importing it; raise `ModuleNotFoundError`."""
    spec = find_spec(LIBRARY)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{LIBRARY} is not installed, which comes with mcpgen", name=LIBRARY)
    return Path(spec.origin).parent / path


def format_path(path: Path) -> str:
    """Return a path relative to the working folder; an absolute path outside of that folder stays absolute."""
    relative = format_relative_path(path)
    return path.as_posix() if relative.startswith("..") and path.is_absolute() else relative


def format_repository_path(file: str) -> str:
    """Return a path of a message relative to the repository that a GitHub workflow has checked out."""
    top = os.environ.get("GITHUB_WORKSPACE")
    if not top or "://" in file:
        return file
    relative = format_relative_path(file, top)
    return file if relative.startswith("../") else relative


def format_relative_path(path: Path | str, start: Path | str = os.curdir) -> str:
    """Return a path relative to a folder, even if it starts with `..`; one on another Windows drive stays absolute."""
    try:
        return Path(os.path.relpath(path, start)).as_posix()
    except ValueError:
        return Path(path).as_posix()
