"""Digests of files that are recalled by the identity of the file."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest
from mcpgen.files import file_digests
from mcpgen.files.file_digests import FileDigests
from mcpgen.files.file_identity import COARSE_CLOCK_NANOSECONDS
from mcpgen.files.regular_files import FileTooLarge, NotRegularFile

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
