"""Merge conflicts in a text are found, and nothing else is taken for one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from mcpgen.files.definition_files import find_candidates, walk_input_folders
from mcpgen.files.text_problems import MergeConflict, explain_encoding, find_merge_conflict


def test_what_git_leaves_is_found(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, capture_output=True)

    def commit(text: str) -> None:
        (tmp_path / "a.json").write_text(text)
        git("add", ".")
        git("commit", "-qm", "x")

    git("init", "-qb", "main")
    commit("{\n1\n}\n")
    git("checkout", "-qb", "other")
    commit("{\n2\n}\n")
    git("checkout", "-q", "main")
    commit("{\n3\n}\n")
    git("merge", "other")
    text = (tmp_path / "a.json").read_text()
    assert "<<<<<<<" in text
    assert find_merge_conflict(text) == MergeConflict(2, 6)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "=======\n",
        "<<<<<<< a\n=======\n",
        "<<<<<<<< a\n=======\n>>>>>>> b\n",
        "x <<<<<<< a\n=======\n>>>>>>> b\n",
        ">>>>>>> b\n=======\n<<<<<<< a\n",
    ],
)
def test_other_texts_are_left_alone(text: str) -> None:
    assert find_merge_conflict(text) is None


def test_line_breaks_of_windows_and_the_base_of_diff3() -> None:
    text = "a\r\n<<<<<<< ours\r\n1\r\n||||||| base\r\n2\r\n=======\r\n3\r\n>>>>>>> theirs\r\n"
    assert find_merge_conflict(text) == MergeConflict(2, 8)


# --- the encoding of a file that is not UTF-8 is guessed, and no byte of it is repeated -------------------------------
@pytest.mark.parametrize(
    ("encoding", "name"),
    [("utf-16", "UTF-16"), ("utf-32", "UTF-32"), ("utf-16-le", "binary"), ("cp1252", "Windows-1252")],
)
def test_the_encoding_is_named(encoding: str, name: str) -> None:
    message, help = explain_encoding('{"title": "Größe"}'.encode(encoding))
    assert name in message
    assert "UTF-8" in help


# --- the candidates below a folder: by the ends of their names, nothing hidden, nothing generated ---------------------
def test_candidates_are_found_by_name(tmp_path: Path) -> None:
    for name in ("a.json", "b.yaml", "c.yml", "d.content.j2", "e.txt", ".hidden.json", "in/f.json", ".git/g.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "folder.json").mkdir()
    candidates = sorted(
        Path(entry.path).relative_to(tmp_path).as_posix() for entry in find_candidates(tmp_path, tmp_path / "out")
    )
    assert candidates == ["a.json", "b.yaml", "c.yml", "d.content.j2", "in/f.json"]


def test_the_generated_folder_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "tools.json").touch()
    assert list(find_candidates(tmp_path, tmp_path / "out")) == []


def test_a_folder_that_cannot_be_listed_is_told(tmp_path: Path) -> None:
    errors: list[OSError] = []
    assert list(find_candidates(tmp_path / "nothing", tmp_path, errors.append)) == []
    assert [error.filename for error in errors] == [str(tmp_path / "nothing")]


def test_folders_are_walked_with_their_candidates(tmp_path: Path) -> None:
    (tmp_path / "in" / "empty").mkdir(parents=True)
    (tmp_path / "in" / "a.json").touch()
    walks = walk_input_folders(tmp_path, tmp_path / "out")
    walked = [(folder, [entry.path for entry in candidates]) for folder, candidates in walks]
    folders = [tmp_path, tmp_path / "in", tmp_path / "in" / "empty"]
    assert walked == [(str(folder), [str(folder / "a.json")] if folder.name == "in" else []) for folder in folders]
