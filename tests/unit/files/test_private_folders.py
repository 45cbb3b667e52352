"""A folder is private when its owner is the user and nobody else may enter it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from mcpgen.diagnostics import Findings
from mcpgen.files.private_folders import describe_flaw, find_user_folder, prepare_folder, warn_unused_folders

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")


def test_a_new_folder_is_private(tmp_path: Path) -> None:
    assert prepare_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700
    assert describe_flaw(tmp_path / "a" / "b") == ""
    assert describe_flaw(tmp_path / "nothing") == ""


def test_an_open_folder_is_not_trusted(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o750)
    assert describe_flaw(folder) == "is open to other users (its mode is 0750)"
    assert not prepare_folder(folder)
    (tmp_path / "file").touch()
    assert describe_flaw(tmp_path / "file") == "is not a folder"


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="folders of XDG")
def test_the_environment_names_the_base(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/base")
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setattr(Path, "home", lambda: Path("/home/a"))
    assert find_user_folder("cache") == Path("/base/mcpgen")
    assert find_user_folder("state") == Path("/home/a/.local/state/mcpgen")


def test_each_complaint_is_a_warning() -> None:
    findings = Findings()
    warn_unused_folders(findings, ["", "the cache is not used"])
    assert [(finding.code, finding.message) for finding in findings] == [("MG408", "the cache is not used")]
