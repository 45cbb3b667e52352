"""A run is repeated for as long as nothing that it depended on has changed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcpgen.cache import repeated_runs
from mcpgen.cache.repeated_runs import MAX_AGE, RunRecord, WatchedPaths, repeat_run
from mcpgen.cache.store import CacheStore
from mcpgen.schema.values import Json

pytestmark = pytest.mark.ci

OUTPUT = ((False, "data\n"), (True, "remark \u2713\n"))


class Project:
    """A folder with a file, a folder of files and a cache, and a command that depends on them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.arguments = ["build", "--cache-dir", str(folder / "cache")]
        self.store = CacheStore(folder / "cache")
        (folder / "schemas").mkdir()
        (folder / "schemas" / "a.json").write_text("{}", "utf-8")
        (folder / "settings").write_text("", "utf-8")
        (folder / "shared").mkdir()
        self.watched = WatchedPaths(
            [str(folder / name) for name in ("settings", "nearer-settings", "schemas", "schemas/a.json")],
            [str(folder / name) for name in (".git", "settings")],
            [str(folder / "shared"), str(folder / "cache")],
        )
        self.store.put("text", "ab" * 32, "an entry")

    def remember(self) -> None:
        """Remember a run that began after the files had settled."""
        time.sleep(0.15)
        RunRecord(self.arguments).remember(self.store, self.watched, OUTPUT)

    def repeat(self) -> bool:
        return repeat_run(self.arguments)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    capsys.readouterr()  # the run has the streams of the test
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(repeated_runs, "_UNRELATED_VARIABLES", {"PYTEST_CURRENT_TEST", "SHLVL"})
    made = Project(tmp_path)
    made.remember()
    return made


def test_a_run_is_repeated_with_what_it_printed(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert project.repeat()
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("data\n", "remark \u2713\n")
    assert project.repeat()


def set_mode_of_cache(folder: Path) -> None:
    (folder / "cache").chmod(0o755)


def replace_shared_folder(folder: Path) -> None:
    (folder / "shared").rename(folder / "moved")
    (folder / "shared").symlink_to("moved")


def replace_settings(folder: Path) -> None:
    (folder / "settings").unlink()
    (folder / "settings").mkdir()


CHANGES: dict[str, Callable[[Path], Any]] = {
    "other contents of the same size": lambda folder: (folder / "schemas" / "a.json").write_text("[]", "utf-8"),
    "longer contents": lambda folder: (folder / "schemas" / "a.json").write_text("{ }", "utf-8"),
    "a new file": lambda folder: (folder / "schemas" / "b.json").write_text("{}", "utf-8"),
    "a new folder": lambda folder: os.mkdir(folder / "schemas" / "more"),
    "a file is gone": lambda folder: (folder / "schemas" / "a.json").unlink(),
    "a file becomes a folder": replace_settings,
    "settings nearer by": lambda folder: (folder / "nearer-settings").write_text("", "utf-8"),
    "a repository": lambda folder: os.mkdir(folder / ".git"),
    "a link to nothing": lambda folder: (folder / ".git").symlink_to("nothing"),
    "the shared folder moves": replace_shared_folder,
    "the shared folder is open to others": lambda folder: (folder / "shared").chmod(0o777),
    "the cache is open to others": set_mode_of_cache,
}


@pytest.mark.parametrize("name", CHANGES)
def test_after_a_change_it_is_not_repeated(project: Project, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    time.sleep(0.02)  # a tick of the clock
    CHANGES[name](project.folder)
    assert not project.repeat()
    assert capsys.readouterr() == ("", "")


def test_a_change_in_a_folder_whose_contents_do_not_count_is_none(project: Project) -> None:
    (project.folder / "shared" / "a").write_text("", "utf-8")
    assert project.repeat()


@pytest.mark.parametrize("moment", ["before", "during"])
@pytest.mark.parametrize("name", ["longer contents", "a new file", "a file is gone", "settings nearer by"])
def test_a_run_during_which_something_changes_is_not_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, moment: str
) -> None:
    monkeypatch.chdir(tmp_path)
    project = Project(tmp_path)
    time.sleep(0.15)
    if moment == "before":
        CHANGES[name](tmp_path)
    record = RunRecord(project.arguments)
    if moment == "during":
        CHANGES[name](tmp_path)
    record.remember(project.store, project.watched, OUTPUT)
    assert not project.repeat()


def test_another_command_is_another_run(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert not repeat_run([*project.arguments, "--force"])
    assert not repeat_run(["check", *project.arguments[1:]])
    assert not repeat_run([*project.arguments, "--no-cache"])
    assert not repeat_run([])
    assert not repeat_run(["pull", *project.arguments[1:]])
    monkeypatch.setenv("SHLVL", "12")
    assert project.repeat()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not project.repeat()
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert not project.repeat()


def test_a_terminal_is_another_place_than_a_file(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert not project.repeat()


def test_the_cache_of_the_environment_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    project = Project(tmp_path)
    monkeypatch.setenv("MCPGEN_CACHE_DIR", str(tmp_path / "cache"))
    project.arguments = ["check"]
    project.remember()
    assert project.repeat()
    assert repeat_run(["check"])


def test_a_run_is_forgotten_after_a_day(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    later = time.time() + MAX_AGE + 1
    monkeypatch.setattr(time, "time", lambda: later)
    assert not project.repeat()


def test_a_damaged_or_forged_entry_is_none(project: Project) -> None:
    (entry,) = [path for path in (project.folder / "cache" / "v1-repeated").rglob("*") if path.is_file()]
    intact = entry.read_bytes()
    for damaged in (intact[:-1], intact.replace(b"data", b"DATA"), b"", b"\n{}"):
        entry.write_bytes(damaged)
        assert not project.repeat()
    forged: list[Json] = [{}, [], {"time": "x"}, {"time": time.time(), "contents": 1, "presence": [], "access": []}]
    for value in forged:
        project.store.put("repeated", entry.name, value)
        assert not project.repeat()
    entry.write_bytes(intact)
    assert project.repeat()


def test_nothing_heavy_is_imported_for_it() -> None:
    """A repeated run needs neither the command line's library nor pydantic, nor what takes them half of their time."""
    code = "import sys; from mcpgen.cache.repeated_runs import repeat_run; print(*sys.modules, sep='\\n')"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert not {"dataclasses", "importlib.metadata", "inspect", "pydantic", "typer"} & {*run.stdout.split()}
