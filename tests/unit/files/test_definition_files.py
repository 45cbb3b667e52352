"""The candidates below a folder: by the ends of their names, nothing hidden, nothing generated."""

from __future__ import annotations

from pathlib import Path

from mcpgen.files.definition_files import find_candidates, walk_input_folders


def test_candidates_are_found_by_name(tmp_path: Path) -> None:
    for name in ("a.json", "b.yaml", "c.yml", "d.content.j2", "e.txt", ".hidden.json", "in/f.json", ".git/g.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "folder.json").mkdir()
    candidates = sorted(
        Path(path).relative_to(tmp_path).as_posix() for path in find_candidates(tmp_path, tmp_path / "out")
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
    walked = list(walk_input_folders(tmp_path, tmp_path / "out"))
    folders = [tmp_path, tmp_path / "in", tmp_path / "in" / "empty"]
    assert walked == [(str(folder), [str(folder / "a.json")] if folder.name == "in" else []) for folder in folders]
