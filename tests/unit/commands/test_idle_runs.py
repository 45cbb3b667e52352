"""Which files and folders an idle run depended on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from mcpgen.cache.memory import Memory
from mcpgen.cache.repeated_runs import RunRecord, WatchedPaths
from mcpgen.cache.store import CacheStore
from mcpgen.commands.idle_runs import remember_idle_run
from mcpgen.commands.package_selection import LoadedPackages, select_packages
from mcpgen.diagnostics import Findings
from mcpgen.pipeline.outcome import Outcome
from mcpgen.plan import Action, Plan, Step
from mcpgen.report.output import CommandOutput

OUTPUT = CommandOutput("build", "text", "never")


class Record(RunRecord):
    """A record that only notes what it is given."""

    def __init__(self) -> None:
        super().__init__([])
        self.remembered: list[WatchedPaths] = []

    def remember(self, store: CacheStore, watched: WatchedPaths, output: Sequence[tuple[bool, str]]) -> None:
        self.remembered.append(watched)


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LoadedPackages:
    project = tmp_path / "project"
    for folder in ("schemas/more", "generated/tools/__pycache__", "service", ".git"):
        (project / folder).mkdir(parents=True)
    for file in ("pyproject.toml", "schemas/more/a.json", "generated/tools/a.py", "generated/tools/__pycache__/a.pyc"):
        (project / file).write_text("[tool.mcpgen]\n" if file == "pyproject.toml" else "", "utf-8")
    monkeypatch.chdir(project / "service")
    return select_packages(None, None)


def remember(loaded: LoadedPackages, tmp_path: Path, action: Action, output: CommandOutput = OUTPUT) -> Record:
    record, out = Record(), tmp_path / "project" / "generated"
    observed = {str(tmp_path / "project" / "schemas" / "more" / "a.json"): "0" * 64}
    outcome = Outcome(out, Findings(), observed=observed, plan=Plan(out, (Step("tools/a.py", action),)))
    remember_idle_run(record, loaded, [outcome], Memory(CacheStore(tmp_path / "cache")), output)
    return record


def test_files_folders_and_settings_that_would_be_nearer_count(loaded: LoadedPackages, tmp_path: Path) -> None:
    (watched,) = remember(loaded, tmp_path, Action.KEEP).remembered
    project = tmp_path / "project"
    contents = {path.relative_to(project).as_posix() for path in map(Path, watched.contents) if project in path.parents}
    assert contents == {
        *("mcpgen.toml", "pyproject.toml", "service/mcpgen.toml", "service/pyproject.toml"),
        *("schemas", "schemas/more", "schemas/more/a.json", "generated", "generated/tools", "generated/tools/a.py"),
        *("setup.cfg", "setup.py", "Pipfile", "requirements.txt", "requirements.in", "requirements"),
    }
    assert str(project / ".git") in watched.presence
    assert str(tmp_path / ".git") not in watched.presence
    assert any("journal-" in path for path in watched.presence)
    assert {str(project), str(project / "schemas"), str(project / "generated"), str(tmp_path / "cache")} <= {
        *watched.access
    }


@pytest.mark.parametrize("action", [action for action in Action if action is not Action.KEEP])
def test_a_run_that_found_a_difference_is_not_remembered(
    loaded: LoadedPackages, tmp_path: Path, action: Action
) -> None:
    assert remember(loaded, tmp_path, action).remembered == []


def test_only_text_is_remembered(loaded: LoadedPackages, tmp_path: Path) -> None:
    assert remember(loaded, tmp_path, Action.KEEP, CommandOutput("build", "json")).remembered == []
