"""A journal finds the staged files of a run that was killed, and removes only those that it wrote."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from mcpgen.files import journal, looks
from mcpgen.files.journal import StagedFile, UnfinishedRun


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(journal.STATE_DIR_VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state"


def stage(out: Path, *contents: bytes) -> UnfinishedRun:
    """Stage contents as a run does, up to the point where it is killed."""
    name = journal.make_staging_name()
    staged = tuple(StagedFile(len(data), hashlib.sha256(data).hexdigest()) for data in contents)
    journal.begin_journal(out, name, staged)
    (out / name).mkdir(parents=True)
    for number, data in enumerate(contents):
        (out / name / str(number)).write_bytes(data)
    return UnfinishedRun(out.resolve() / name, staged)


def test_a_killed_run_is_found(tmp_path: Path) -> None:
    assert journal.find_unfinished_run(tmp_path / "out") is None
    run = stage(tmp_path / "out", b"one")
    assert journal.find_unfinished_run(tmp_path / "out") == run
    assert journal.find_unfinished_run(tmp_path / "other") is None
    journal.end_journal(tmp_path / "out")
    assert journal.find_unfinished_run(tmp_path / "out") is None


def test_what_the_run_wrote_is_removed(tmp_path: Path) -> None:
    run = stage(tmp_path / "out", b"whole", b"half written")
    (run.folder / "1").write_bytes(b"half")
    journal.clear_unfinished_run(run)
    assert not run.folder.exists()


def test_what_somebody_else_wrote_stays(tmp_path: Path) -> None:
    run = stage(tmp_path / "out", b"whole")
    (run.folder / "0").write_bytes(b"other")
    (run.folder / "notes").write_bytes(b"")
    journal.clear_unfinished_run(run)
    assert sorted(path.name for path in run.folder.iterdir()) == ["0", "notes"]


@pytest.mark.parametrize("change", [{"staging": "../other"}, {"out": "/"}, {"staged": [["x", 1]]}, {"staged": None}])
def test_a_damaged_journal_is_ignored(tmp_path: Path, state: Path, change: dict[str, object]) -> None:
    stage(tmp_path / "out", b"one")
    (file,) = state.iterdir()
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), **change}), "utf-8")
    assert journal.find_unfinished_run(tmp_path / "out") is None


def test_names_of_staging_folders_are_told_apart() -> None:
    assert journal.is_staging_name(journal.make_staging_name())
    assert not journal.is_staging_name(".mcpgen-state")
    assert journal.make_staging_name() != journal.make_staging_name()


def test_an_open_state_folder_is_not_used(tmp_path: Path, state: Path) -> None:
    state.mkdir()
    state.chmod(0o755)
    assert journal.describe_state_problem().startswith(f"the state folder {state} is not used: it is open")
    stage(tmp_path / "out", b"one")
    assert list(state.iterdir()) == []


def test_what_a_run_sees_is_noted(tmp_path: Path) -> None:
    """A link in the place of the output folder can lead to another killed run."""
    run = stage(tmp_path / "out", b"one")
    with looks.take_notes() as notes:
        journal.find_unfinished_run(tmp_path / "out")
    assert notes.seen["target", str(tmp_path / "out"), 0] == str(tmp_path / "out")
    assert notes.seen["kind", str(run.folder), 0] == "folder"
