"""A tracker knows what was read and looked for."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from mcpgen.files.file_tracker import MAX_FILE_SIZE, FileTracker, is_still_same
from mcpgen.files.project_paths import PathOutsideProject
from mcpgen.files.regular_files import FileTooLarge, NotRegularFile

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
    assert disk.is_file(file), "what was read stays known by its content"
    assert disk.observations == {str(file): DIGEST, str(file.with_name("b.json")): False}
    assert disk.read(file) == b"text"
    assert disk.bytes_read == 4, "the bytes of a file count once"


def test_looks_of_an_earlier_run_are_repeated_and_recorded(file: Path) -> None:
    disk = FileTracker(most=9)
    missing = str(file.with_name("b.json"))
    assert disk.repeat(("content", str(file), 9)) == DIGEST
    assert disk.repeat(("kind", str(file), 1)) == "file"
    assert disk.repeat(("kind", missing, 1)) == ""
    assert disk.repeat(("content", missing, 10)) is None, "another limit is that of another reader"
    assert disk.repeat(("list", str(file.parent), 0)) is None
    assert disk.observations == {str(file): DIGEST, missing: False}


def test_the_bytes_of_a_file_count_once_links_followed(file: Path) -> None:
    (link := file.with_name("link.json")).symlink_to(file)
    (other := file.with_name("other.json")).write_bytes(b"more")
    disk = FileTracker()
    for path in (link, file, other):
        assert disk.find_digest(str(path)) is not None
    assert disk.bytes_read == 0, "a digest alone is no reading"
    assert disk.count_known([str(file), str(link), "not read"], 4)
    assert disk.bytes_read == 4
    assert not disk.count_known([str(file), str(other)], 7)
    assert disk.bytes_read == 4
    disk.read(link)
    assert disk.bytes_read == 4
    assert disk.count_known([str(file), str(other)], 8)
    disk.read(other)
    assert disk.bytes_read == 8


def test_a_file_has_the_digest_of_its_bytes(file: Path) -> None:
    disk = FileTracker()
    assert disk.is_file(file)
    assert disk.find_digest(str(file)) == DIGEST
    for path in (file.with_name("b.json"), file.parent):
        assert disk.find_digest(str(path)) is None
        assert disk.observations[str(path)] is False


def test_a_change_is_noticed_even_with_the_size_and_times_as_before(file: Path) -> None:
    status = file.stat()
    for path, observation in ((file, DIGEST), (file, True), (file.with_name("b.json"), False)):
        assert is_still_same(str(path), observation)
    file.write_bytes(b"TEXT")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert not is_still_same(str(file), DIGEST)
    assert is_still_same(str(file), True)
    file.unlink()
    for observation in (DIGEST, True):
        assert not is_still_same(str(file), observation)
    assert is_still_same(str(file), False)


def test_a_file_beyond_the_usual_limit_is_compared_too(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b" " * (MAX_FILE_SIZE + 1))
    digest = FileTracker(most=2 * MAX_FILE_SIZE).find_digest(str(file))
    assert digest is not None
    assert is_still_same(str(file), digest)


def test_files_outside_links_out_and_large_files_are_refused(file: Path, tmp_path: Path) -> None:
    project = tmp_path.resolve() / "project"
    project.mkdir()
    (project / "linked.json").symlink_to(file)
    (project / "own.json").write_bytes(b"text")
    (project / "folder").mkdir()
    disk = FileTracker((project,))
    assert disk.read(project / "own.json") == b"text"
    for path in (file, project / "linked.json", project / ".." / "a.json"):
        with pytest.raises(PathOutsideProject):
            disk.read(path)
        assert disk.observations[str(path)] is False
        assert disk.find_digest(str(path)) is None
    with pytest.raises(NotRegularFile):
        disk.read(project / "folder")
    with pytest.raises(FileTooLarge):
        FileTracker(most=3).read(file)
