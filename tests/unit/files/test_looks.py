"""Looks at the file system, and the notes of what was seen."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from mcpgen.files import looks
from mcpgen.files.looks import Entry, PathResolver, take_notes
from mcpgen.files.regular_files import read_input, read_regular


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder, without links in its path, with something of each kind."""
    folder = tmp_path.resolve()
    (folder / "inner").mkdir()
    (folder / "file").write_text("text", "utf-8")
    (folder / "inner" / "a").write_text("", "utf-8")
    (folder / "to file").symlink_to("file")
    (folder / "to inner").symlink_to("inner")
    (folder / "to nothing").symlink_to("nothing")
    if os.name != "nt":
        os.mkfifo(folder / "pipe")
    return folder


KINDS = {
    "file": ("file", "file"),
    "inner": ("folder", "folder"),
    "to file": ("file", "link"),
    "to inner": ("folder", "link"),
    "to nothing": ("", "link"),
    "pipe": ("other", "other"),
    "nothing": ("", ""),
    "file/below": ("", ""),
    "\0": ("", ""),
}
"""What is at each path, with links followed, and itself."""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no FIFOs")
@pytest.mark.parametrize("name", KINDS)
def test_each_path_has_a_kind(folder: Path, name: str) -> None:
    path, (kind, own_kind) = folder / name, KINDS[name]
    with take_notes() as notes:
        assert (looks.find_kind(path), looks.find_kind(path, follow=False)) == (kind, own_kind)
        assert looks.exists(path) == (kind != "")
        assert looks.is_file(path) == (kind == "file")
        assert looks.is_folder(path) == (kind == "folder")
        assert looks.is_link(path) == (own_kind == "link")
        assert looks.is_taken(path) == (own_kind != "")
    assert notes.seen == {("kind", str(path), 1): kind, ("kind", str(path), 0): own_kind}


def test_a_folder_is_listed_by_name(folder: Path) -> None:
    entries = looks.list_folder(folder)
    names = [*os.listdir(folder)]
    assert [entry.name for entry in entries] == sorted(names)
    assert {entry: KINDS[entry.name][1] for entry in entries} == {entry: entry.kind for entry in entries}
    assert looks.list_folder(folder / "inner") == [Entry("a", str(folder / "inner" / "a"), "file")]
    for name in ("file", "nothing"):
        with pytest.raises(OSError, match=r"Not a directory|No such file"):
            looks.list_folder(folder / name)


def test_folders_that_differ_are_described_differently() -> None:
    folders = [[], [Entry("a", "", "file")], [Entry("a", "", "folder")], [Entry("b", "", "file")]]
    folders += [[Entry("a", "", "file"), Entry("b", "", "file")], [Entry("file", "", ""), Entry("a", "", "")]]
    folders += [[Entry("\udcff", "", "file")]]
    assert len({looks.describe_entries(entries) for entries in folders}) == len(folders)


def test_links_are_resolved(folder: Path) -> None:
    resolver = PathResolver()
    for name in ("to inner/a", "to file", "inner/a", "to inner", "nothing/x", "inner/..", "to nothing", "to inner/"):
        path = f"{folder}/{name}"
        assert looks.resolve(path) == resolver.resolve(path) == os.path.realpath(path)


# --- notes -----------------------------------------------------------------------------------------------------------
LOOKS: dict[str, Callable[[Path], object]] = {
    "kind": lambda folder: looks.find_kind(folder / "file"),
    "own kind": lambda folder: looks.find_kind(folder / "file", follow=False),
    "content": lambda folder: read_input(folder / "file", 100),
    "own content": lambda folder: read_input(folder / "file", 100, follow=False),
    "start": lambda folder: read_regular(folder / "file", 2),
    "all": lambda folder: read_regular(folder / "file"),
    "list": lambda folder: looks.list_folder(folder),
    "target": lambda folder: looks.resolve(folder / "file"),
}


@pytest.mark.parametrize("name", LOOKS)
def test_each_look_is_noted_once_and_a_change_is_inconsistent(folder: Path, name: str) -> None:
    look = LOOKS[name]
    look(folder)  # nothing takes notes yet
    with take_notes() as notes:
        look(folder)
        look(folder)
    assert (len(notes.seen), notes.is_consistent) == (1, True)
    with take_notes() as notes:
        look(folder)
        (folder / "file").unlink()
        (folder / "file").symlink_to("inner")
        try:
            look(folder)
        except OSError:
            assert name in ("content", "own content", "start", "all")
    assert not notes.is_consistent


def test_each_kind_of_look_is_noted_apart(folder: Path) -> None:
    with take_notes() as notes:
        for look in LOOKS.values():
            look(folder)
    assert notes.is_consistent
    assert len(notes.seen) == len(LOOKS)


def test_a_failure_is_noted_with_its_reason(folder: Path) -> None:
    with take_notes() as notes:
        for path in ("nothing", "inner"):
            with pytest.raises(OSError, match=r"No such file|not a regular file"):
                read_input(folder / path, 100)
        with pytest.raises(OSError, match="No such file"):
            looks.list_folder(folder / "nothing")
    missing, other, missing_folder = notes.seen.values()
    assert missing == missing_folder == "2 No such file or directory"
    assert other == "22 it is a folder, not a regular file"


def test_notes_are_those_of_one_run(folder: Path) -> None:
    """Check that a thread has notes of its own, and that the outer notes have what the inner ones have."""
    with take_notes() as outer:
        with take_notes() as inner:
            looks.exists(folder / "a")
        thread = threading.Thread(target=lambda: looks.exists(folder / "b"))
        thread.start()
        thread.join()
        looks.exists(folder / "c")
    looks.exists(folder / "d")
    assert [path for _, path, _ in inner.seen] == [str(folder / "a")]
    assert [path for _, path, _ in outer.seen] == [str(folder / "a"), str(folder / "c")]
