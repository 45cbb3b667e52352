"""Locations of shipped files, and paths as messages show them."""

from __future__ import annotations

import ntpath
import os
from pathlib import Path, PureWindowsPath
from typing import Any

import pytest
from mcpgen import paths
from mcpgen.paths import find_shipped_folder, format_path, format_relative_path, format_repository_path


@pytest.fixture
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working folder, without links."""
    folder = tmp_path.resolve() / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_paths_are_relative_to_the_working_folder(working_folder: Path) -> None:
    assert format_path(working_folder / "a" / "b.json") == "a/b.json"
    assert format_path(working_folder.parent / "b.json") == (working_folder.parent / "b.json").as_posix()
    assert format_path(Path("../b.json")) == "../b.json"
    assert format_relative_path(working_folder.parent / "b.json") == "../b.json"


def test_github_wants_paths_from_the_top_of_the_repository(
    working_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    assert format_repository_path("a.json") == "a.json"
    monkeypatch.setenv("GITHUB_WORKSPACE", str(working_folder.parent))
    assert format_repository_path("a.json") == "here/a.json"
    assert format_repository_path("https://a.test/b") == "https://a.test/b"
    assert format_repository_path("/elsewhere/a.json") == "/elsewhere/a.json"


def test_shipped_folders_are_found() -> None:
    assert (find_shipped_folder("schemas/mcp") / "2025-06-18").is_dir()
    with pytest.raises(FileNotFoundError, match="no-such-folder"):
        find_shipped_folder("no-such-folder")


def test_a_path_on_another_drive_stays_absolute(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows knows no relative path from one drive to another: `os.path.relpath` raises an error."""

    def make_relative(path: str, start: str = os.curdir) -> str:
        return ntpath.relpath(path, r"C:\work" if start == os.curdir else start)

    monkeypatch.setattr(os.path, "relpath", make_relative)
    monkeypatch.setattr(paths, "Path", PureWindowsPath)
    elsewhere, here = PureWindowsPath(r"D:\other\a.json"), PureWindowsPath(r"C:\work\schemas\a.json")
    format_any: Any = format_path
    assert (format_any(elsewhere), format_any(here)) == ("D:/other/a.json", "schemas/a.json")
    relative: Any = format_relative_path
    assert (relative(elsewhere), relative(here)) == ("D:/other/a.json", "schemas/a.json")
    assert relative(here, r"C:\work\out") == "../schemas/a.json"
