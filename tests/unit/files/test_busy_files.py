"""Files that another program has open, as on Windows: a move and a removal are tried again."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcpgen.files.journal import WAITS, remove_file, replace_path


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waited: list[float] = []
    monkeypatch.setattr("mcpgen.files.journal.time.sleep", waited.append)
    return waited


def make_busy(monkeypatch: pytest.MonkeyPatch, name: str, times: int) -> None:
    """Let a function of `os` fail a number of times as on Windows."""
    real: Callable[..., Any] = getattr(os, name)
    remaining = [times]

    def operate(*paths: Any) -> None:
        if remaining[0]:
            remaining[0] -= 1
            raise PermissionError(13, "The process cannot access the file because it is being used by another process")
        real(*paths)

    monkeypatch.setattr(os, name, operate)


def test_a_busy_file_is_replaced_when_it_is_free(
    tmp_path: Path, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    (tmp_path / "new").write_text("new", "utf-8")
    (tmp_path / "old").write_text("old", "utf-8")
    make_busy(monkeypatch, "replace", 3)
    replace_path(tmp_path / "new", tmp_path / "old")
    assert (tmp_path / "old").read_text("utf-8") == "new"
    assert waits == [*WAITS[:3]]


def test_a_busy_file_is_removed_when_it_is_free(
    tmp_path: Path, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    (tmp_path / "old").write_text("old", "utf-8")
    make_busy(monkeypatch, "unlink", len(WAITS))
    remove_file(tmp_path / "old")
    assert not (tmp_path / "old").exists()
    assert waits == [*WAITS]


def test_a_file_that_stays_busy_is_an_error(
    tmp_path: Path, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    make_busy(monkeypatch, "unlink", 100)
    with pytest.raises(PermissionError):
        remove_file(tmp_path / "old")
    assert len(waits) == len(WAITS)


def test_a_missing_file_is_not_waited_for(tmp_path: Path, waits: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(FileNotFoundError):
        remove_file(tmp_path / "old")
    assert waits == []


def test_other_systems_wait_for_nothing(tmp_path: Path, waits: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    make_busy(monkeypatch, "replace", 1)
    with pytest.raises(PermissionError):
        replace_path(tmp_path / "a", tmp_path / "b")
    assert waits == []
