"""A tracker knows what was read and looked for, for the whole run and for a part of it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from mcpgen.files.file_tracker import FileTracker, hash_file, is_still_same
from mcpgen.files.project_paths import PathOutsideProject
from mcpgen.files.regular_files import FileTooLarge

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
