"""What `watch` watches."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from mcpgen.commands.watched_input import CHANGED_IDENTITY, WatchedInput
from mcpgen.diagnostics import Findings
from mcpgen.files.file_tracker import hash_file
from mcpgen.pipeline.outcome import GeneratedFiles, Outcome
from support.definitions import configure_package


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a package, and a file outside of its input folder."""
    folder = tmp_path.resolve()
    configure_package(folder, [])
    (folder / "beyond").mkdir()
    (folder / "beyond" / "far.json").write_text("{}", "utf-8")
    monkeypatch.chdir(folder)
    return folder


def _watch(project: Path) -> WatchedInput:
    package = configure_package(project, [])
    far = str(project / "beyond" / "far.json")
    observed: dict[str, str | bool] = {far: hash_file(far), str(project / "beyond" / "missing.json"): False}
    generated = GeneratedFiles({"a.py": "A"})
    outcome = Outcome(project / "schemas" / "out", Findings(), generated, observed)
    return WatchedInput([package], [outcome])


def test_files_to_compare_are_those_read_and_those_to_be_read(project: Path) -> None:
    (project / "schemas" / "notes.txt").write_text("", "utf-8")
    (project / "schemas" / ".hidden.json").write_text("", "utf-8")
    identities = _watch(project).get_identities()
    assert {os.path.relpath(path, project) for path, identity in identities.items() if identity} == {
        "beyond/far.json",
        "schemas/tools.json",
    }
    assert {os.path.relpath(path, project) for path, identity in identities.items() if not identity} == {
        "beyond/missing.json",
        "mcpgen.toml",
        "pyproject.toml",
    }


def test_folders_are_those_of_the_input_and_of_other_files(project: Path) -> None:
    (project / "schemas" / "inner").mkdir()
    folders = {os.path.relpath(folder, project) for folder, _ in _watch(project).find_folders()}
    assert folders == {".", "schemas", "schemas/inner", "beyond"}


@pytest.mark.parametrize(
    ("path", "relevant"),
    [
        ("schemas/new.json", True),
        ("schemas/new.content.j2", True),
        ("schemas/notes.txt", False),
        ("schemas/.new.json", False),
        ("schemas/out/a.py", False),
        ("schemas", True),
        ("beyond/far.json", True),
        ("beyond/missing.json", True),
        ("beyond/other.json", False),
        ("mcpgen.toml", True),
        ("beyond/mcpgen.toml", False),
    ],
)
def test_a_change_is_relevant_if_a_build_may_differ(path: str, relevant: bool, project: Path) -> None:
    assert _watch(project).is_any_relevant([str(project / path)], []) == relevant


def test_a_file_that_changes_during_a_build_differs_from_what_was_read(project: Path) -> None:
    watched, far = _watch(project), str(project / "beyond" / "far.json")
    before = watched.get_identities()
    assert watched.is_unchanged()
    assert watched.get_built_identities(before) == before
    Path(far).write_text("[]", "utf-8")
    assert not watched.is_unchanged()
    assert watched.get_built_identities(before)[far] == before[far] != watched.get_identities()[far]
    del before[far]
    assert watched.get_built_identities(before)[far] == CHANGED_IDENTITY
