"""Merge conflicts in a text are found, and nothing else is taken for one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from mcpgen.files.merge_conflicts import MergeConflict, find_merge_conflict


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
