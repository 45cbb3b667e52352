"""Files that are the same, and files that have changed."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from mcpgen.files import file_digests
from mcpgen.files.file_digests import FileDigests
from mcpgen.files.file_identity import COARSE_CLOCK_NANOSECONDS, FINE_CLOCK_NANOSECONDS, describe_identity, is_settled
from mcpgen.files.file_tracker import FileTracker, hash_file, is_still_same
from mcpgen.files.project_paths import PathOutsideProject
from mcpgen.files.regular_files import FileTooLarge, NotRegularFile

# --- what of a file's status changes whenever its contents do ---------------------------------------------------------
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


# --- digests of files that are recalled by the identity of the file ---------------------------------------------------
MOST = 1000


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files count as settled right after they were written."""
    later = time.time_ns() + 10 * COARSE_CLOCK_NANOSECONDS
    monkeypatch.setattr(time, "time_ns", lambda: later)


@pytest.mark.usefixtures("settled")
def test_a_settled_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"one")
    first = FileDigests()
    assert first.hash_file(str(file), MOST) == _hash(b"one")
    assert first.has_changed
    again = FileDigests(first.entries)
    monkeypatch.setattr(file_digests, "read_input", lambda *_: pytest.fail("the file was read"))
    assert again.hash_file(str(file), MOST) == _hash(b"one")
    assert not again.has_changed


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("change", ["rewrite", "replace", "grow"])
def test_any_change_is_seen_even_with_the_old_size_and_mtime(tmp_path: Path, change: str) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"one")
    old_status = file.stat()
    digests = FileDigests()
    digests.hash_file(str(file), MOST)
    time.sleep(0.02)  # a tick of the clock later
    if change == "replace":
        (tmp_path / "b").write_bytes(b"two")
        (tmp_path / "b").replace(file)
    else:
        file.write_bytes(b"two" if change == "rewrite" else b"one and more")
    os.utime(file, ns=(old_status.st_atime_ns, old_status.st_mtime_ns))
    assert FileDigests(digests.entries).hash_file(str(file), MOST) == _hash(file.read_bytes())


def test_a_file_that_has_just_changed_is_read_again(tmp_path: Path) -> None:
    """Else a second change of the same size within one tick of the clock would be missed."""
    file = tmp_path / "a"
    file.write_bytes(b"one")
    digests = FileDigests()
    assert digests.hash_file(str(file), MOST) == _hash(b"one")
    assert digests.entries == {}


@pytest.mark.usefixtures("settled")
def test_limits_and_kinds_count_for_recalled_files(tmp_path: Path) -> None:
    file, link = tmp_path / "a", tmp_path / "link"
    file.write_bytes(b"one")
    link.symlink_to(file)
    digests = FileDigests()
    for path in (file, link):
        digests.hash_file(str(path), MOST)
    again = FileDigests(digests.entries)
    with pytest.raises(FileTooLarge):
        again.hash_file(str(file), 2)
    with pytest.raises(NotRegularFile):
        again.hash_file(str(link), MOST, follow=False)
    file.unlink()
    with pytest.raises(FileNotFoundError):
        again.hash_file(str(file), MOST)


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("entry", ["", "x", "0" * 64, "1 2 3 4 5 " + "0" * 64])
def test_a_forged_entry_is_not_believed(tmp_path: Path, entry: str) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"one")
    assert FileDigests({str(file): entry}).hash_file(str(file), MOST) == _hash(b"one")


# --- a tracker knows what was read and looked for, for the whole run and for a part of it -----------------------------
DIGEST = hashlib.sha256(b"text").hexdigest()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.json"
    path.write_bytes(b"text")
    return path


def test_reads_and_looks_are_observed(file: Path) -> None:
    disk = FileTracker()
    assert disk.read(file) == b"text"
    assert not disk.is_file(file.with_name("b.json"))
    assert disk.observations == {str(file): DIGEST, str(file.with_name("b.json")): False}
    assert disk.bytes_read == 4


def test_a_part_has_what_was_observed_in_it(file: Path) -> None:
    disk = FileTracker()
    disk.is_file(file.with_name("before.json"))
    with disk.track_part() as observations:
        disk.is_file(file)
        disk.note(file.with_name("before.json"))
    disk.is_file(file.with_name("after.json"))
    assert observations == {str(file): True, str(file.with_name("before.json")): False}


def test_a_change_is_noticed(file: Path) -> None:
    assert FileTracker().is_unchanged(str(file), DIGEST)
    assert is_still_same(str(file), DIGEST)
    assert hash_file(str(file)) == DIGEST
    file.write_bytes(b"other")
    assert not FileTracker().is_unchanged(str(file), DIGEST)
    assert not is_still_same(str(file), DIGEST)
    file.unlink()
    assert not FileTracker().is_unchanged(str(file), True)
    assert is_still_same(str(file), False)


def test_files_outside_and_large_files_are_refused(file: Path, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    with pytest.raises(PathOutsideProject):
        FileTracker((tmp_path / "project",)).read(file)
    with pytest.raises(FileTooLarge):
        FileTracker(most=3).read(file)
