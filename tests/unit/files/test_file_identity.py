"""What of a file's status changes whenever its contents do."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from mcpgen.files.file_identity import (
    COARSE_CLOCK_NANOSECONDS,
    FINE_CLOCK_NANOSECONDS,
    describe_identity,
    is_settled,
)

FINE, COARSE = 1_700_000_000_123_456_789, 1_700_000_000_000_000_000
"""A time with digits below the millisecond, and one of a clock that counts in seconds."""


def make_status(changed: int, modified: int) -> os.stat_result:
    return cast(os.stat_result, SimpleNamespace(st_mtime_ns=modified, st_ctime_ns=changed))


@pytest.mark.parametrize(
    ("changed", "modified", "tick"),
    [
        (FINE, FINE, FINE_CLOCK_NANOSECONDS),
        (COARSE, COARSE, COARSE_CLOCK_NANOSECONDS),
        (COARSE, FINE, COARSE_CLOCK_NANOSECONDS),  # the times of a file can be set to anything
        (FINE, COARSE, COARSE_CLOCK_NANOSECONDS),
    ],
)
def test_a_file_settles_after_a_tick_of_its_clock(changed: int, modified: int, tick: int) -> None:
    status, last = make_status(changed, modified), max(changed, modified)
    assert not is_settled(status, last)
    assert not is_settled(status, last + tick)
    assert is_settled(status, last + tick + 1)


def change_contents(file: Path) -> None:
    file.write_bytes(b"two")


def change_mode(file: Path) -> None:
    file.chmod(0o600)


def replace_file(file: Path) -> None:
    (file.parent / "other").write_bytes(b"one")
    (file.parent / "other").replace(file)


def change_folder(file: Path) -> None:
    (file.parent / "other").write_bytes(b"")


@pytest.mark.parametrize(
    ("change", "subject"),
    [(change_contents, "file"), (change_mode, "file"), (replace_file, "file"), (change_folder, "")],
)
def test_every_change_changes_the_identity(tmp_path: Path, change: Any, subject: str) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"one")
    old_status = os.stat(tmp_path / subject)
    time.sleep(0.02)  # a tick of the clock
    change(file)
    os.utime(tmp_path / subject, ns=(old_status.st_atime_ns, old_status.st_mtime_ns))
    assert describe_identity(os.stat(tmp_path / subject)) != describe_identity(old_status)
