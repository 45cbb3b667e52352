"""Parsing of what git prints; the commands themselves are tested with repositories in `tests/commands`."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.compat import git_revision
from mcpgen.compat.git_revision import Revision, RevisionError, _list_blobs, _split_batch, export_revision


def entry(path: str, mode: str = "100644", size: str = "12") -> bytes:
    return f"{mode} blob {'a' * 40} {size}\t{path}\0".encode()


def test_only_regular_files_of_definitions_are_listed() -> None:
    listing = (
        entry("a.json") + entry("b.py") + entry("link.json", "120000") + entry("x/c.yaml", "100755") + entry("d.toml")
    )
    assert [blob.path for blob in _list_blobs(listing)] == ["a.json", "x/c.yaml", "d.toml"]


def test_paths_that_lead_out_are_refused() -> None:
    with pytest.raises(RevisionError, match="holds a file called"):
        _list_blobs(entry("x/../../a.json"))


def test_a_revision_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_revision, "MOST_BYTES", 20)
    assert len(_list_blobs(entry("a.json", size="8") + entry("b.json", size="12"))) == 2
    with pytest.raises(RevisionError, match="20 bytes"):
        _list_blobs(entry("a.json", size="9") + entry("b.json", size="12"))
    monkeypatch.setattr(git_revision, "MOST_FILES", 1)
    with pytest.raises(RevisionError, match="more than 1 such files"):
        _list_blobs(entry("a.json", size="8") + entry("b.json", size="12"))


def test_a_batch_is_split_by_its_sizes() -> None:
    first, second = b"a" * 40 + b" blob 5\nab\ncd\n", b"b" * 40 + b" blob 0\n\n"
    assert list(_split_batch(first + second)) == [b"ab\ncd", b""]


def test_paths_are_found_in_the_export(tmp_path: Path) -> None:
    top, folder = (tmp_path / "top").resolve(), (tmp_path / "out").resolve()
    top.mkdir()
    assert Revision(top, folder).locate(top / "x" / "a.json") == folder / "x" / "a.json"
    with pytest.raises(RevisionError, match="outside of the git repository top"):
        Revision(top, folder).locate(tmp_path / "other.json")


def test_an_empty_revision_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RevisionError, match="no revision is named"):
        export_revision("", tmp_path, tmp_path)
