"""Programs on Windows: found in PATH and never in the working folder, where a stranger's repository may be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mcpgen.compat import git_revision
from mcpgen.files.programs import resolve_program


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Programs in two folders of PATH, and one of a stranger in the working folder."""
    for name in ("first/npx.CMD", "first/tool", "second/npx.EXE", "second/git.EXE", "work/git.EXE", "work/npx.CMD"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("", "utf-8")
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setattr(sys, "platform", "win32")
    path = os.pathsep.join(["", ".", str(tmp_path / "first"), str(tmp_path / "second")])
    return {"Path": path, "PATHEXT": ".EXE;.CMD"}


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("npx", "first/npx.CMD"),
        ("npx.EXE", "second/npx.EXE"),
        ("git", "second/git.EXE"),
        ("tool", None),  # no suffix of programs
        ("missing", None),
        (r".\git", None),
        ("./git.EXE", None),
        (r"C:\Tools\git.exe", None),
    ],
)
def test_where_a_program_is(program: str, found: str | None, folders: dict[str, str], tmp_path: Path) -> None:
    assert resolve_program(program, folders) == (program if found is None else str(tmp_path / found))


def test_git_is_never_that_of_the_working_folder(
    folders: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "environ", folders)
    commands: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        commands.append(command)
        return subprocess.CompletedProcess(command, 0, b"", b"")

    monkeypatch.setattr(subprocess, "run", run)
    git_revision._run_git(tmp_path, "version")
    assert commands[0][0] == str(tmp_path / "second/git.EXE")


def test_other_systems_search_by_themselves(folders: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert resolve_program("npx", folders) == "npx"
