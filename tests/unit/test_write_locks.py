"""The lock of Windows, over a stand-in for `msvcrt` that locks with `fcntl`."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from mcpgen import write

fcntl = pytest.importorskip("fcntl")


def lock(handle: int, mode: int, size: int) -> None:
    """Lock as `msvcrt.locking` does: bytes from the position on, and a lock that cannot be had is an OSError."""
    assert os.lseek(handle, 0, os.SEEK_CUR) == 0
    assert size == 1
    if mode == 0:
        fcntl.flock(handle, fcntl.LOCK_UN)
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OSError(errno.EACCES, "Permission denied") from None


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(write, "windows_locks", SimpleNamespace(LK_NBLCK=2, LK_UNLCK=0, locking=lock))
    monkeypatch.setattr(write, "fcntl", None)
    folder = tmp_path / "state"
    monkeypatch.setenv("MCPGEN_STATE_DIR", str(folder))
    return folder


def test_a_second_build_waits_for_the_first(state: Path, tmp_path: Path) -> None:
    out, order = tmp_path / "out", list[str]()

    def build_again() -> None:
        with write.lock_output(out):
            order.append("second")

    second = threading.Thread(target=build_again)
    with write.lock_output(out):
        second.start()
        second.join(5 * write.RETRY_SECONDS)
        assert second.is_alive()
        order.append("first")
    second.join(60)
    assert order == ["first", "second"]
    assert [path.name.partition("-")[0] for path in state.iterdir()] == ["lock"]
    assert not list(out.iterdir())


def test_other_folders_are_not_locked(state: Path, tmp_path: Path) -> None:
    with write.lock_output(tmp_path / "one"), write.lock_output(tmp_path / "two"):
        assert len(list(state.iterdir())) == 2


def test_a_folder_has_one_lock_whichever_way_it_is_written(state: Path, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "one")
    with write.lock_output(tmp_path / "one"):
        pass
    with write.lock_output(tmp_path / "link" / ".." / "one"):
        pass
    assert len(list(state.iterdir())) == 1


def test_the_lock_of_a_killed_build_is_gone(state: Path, tmp_path: Path) -> None:
    with write.lock_output(tmp_path / "out"):
        pass
    (file,) = state.iterdir()
    code = f"import fcntl, os; fcntl.flock(os.open({str(file)!r}, os.O_RDWR), fcntl.LOCK_EX); os.kill(os.getpid(), 9)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == -9
    with write.lock_output(tmp_path / "out"):
        pass


@pytest.mark.parametrize("folder", ["", "file"])
def test_without_a_state_folder_builds_go_on(
    folder: str, state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    monkeypatch.setenv("MCPGEN_STATE_DIR", folder and str(tmp_path / folder))
    with write.lock_output(tmp_path / "out"):
        assert (tmp_path / "out").is_dir()


def test_an_error_of_the_build_unlocks(state: Path, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), write.lock_output(tmp_path / "out"):
        raise RuntimeError
    with write.lock_output(tmp_path / "out"):
        pass
