"""Links are followed, and a project is the repository around a folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.files.project_paths import find_project, is_within, resolve_path


def test_a_link_out_of_a_folder_is_outside(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret").touch()
    (folder / "link").symlink_to(tmp_path / "secret")
    assert is_within(folder, [folder])
    assert is_within(folder / "new", [folder])
    assert not is_within(folder / "link", [folder])
    assert not is_within(folder / ".." / "secret", [folder])
    assert resolve_path(folder / "link") == (tmp_path / "secret").resolve()


def test_a_nul_character_stays(tmp_path: Path) -> None:
    assert resolve_path(f"{tmp_path}/a\0b") == Path(f"{tmp_path}/a\0b")


@pytest.mark.parametrize("marker", [".git", ".hg", ".jj"])
def test_the_project_is_the_repository(tmp_path: Path, marker: str) -> None:
    inner = tmp_path / "repository" / "a" / "b"
    inner.mkdir(parents=True)
    assert find_project(inner) == inner.resolve()
    (tmp_path / "repository" / marker).mkdir()
    assert find_project(inner) == (tmp_path / "repository").resolve()


def test_a_repository_of_the_whole_home_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "home" / "work"
    inner.mkdir(parents=True)
    (tmp_path / "home" / ".git").mkdir()
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    assert find_project(inner) == inner.resolve()
