"""`mcpgen watch`."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcpgen.cache.store import Store
from mcpgen.commands import watch
from mcpgen.commands.build import BuildRequest, BuildResult, run_build
from mcpgen.commands.package_selection import LoadedPackages, select_packages
from mcpgen.commands.watch import CHANGED_IDENTITY, WatchedInput, Watcher, run_watch
from mcpgen.diagnostics import Findings
from mcpgen.pipeline.outcome import GeneratedFiles, Outcome
from mcpgen.report.output import CommandOutput
from support.definitions import configure_package

# --- the loop of `watch`, with changes that a test reports ------------------------------------------------------------
OUTPUT = CommandOutput("watch", quiet=True)


@pytest.fixture
def builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return for each build whether what it computes stays in this process."""
    warm: list[bool] = []

    def build(loaded: LoadedPackages, request: BuildRequest, store: Store, *_: object) -> BuildResult:
        warm.append(store.is_warm)
        return BuildResult(0, [Outcome(tmp_path / "generated", Findings(), GeneratedFiles({}))])

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(watch, "build_packages", build)
    monkeypatch.setattr(Watcher, "_warm_up", lambda self: None)
    return warm


def _report(monkeypatch: pytest.MonkeyPatch, *changes: set[str]) -> None:
    """Have the system report these changes, and then Ctrl-C."""

    def iterate(*folders: str, **options: Any) -> Iterator[set[tuple[int, str]]]:
        yield set()
        for paths in changes:
            yield {(1, path) for path in paths}
        raise KeyboardInterrupt

    monkeypatch.setattr(watch, "iterate_changes", iterate)


def _run(folder: Path) -> int:
    package = configure_package(folder, [])
    return run_watch(lambda: LoadedPackages([package], Findings()), Store(), OUTPUT, 1)


def test_a_relevant_change_is_built(tmp_path: Path, builds: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    _report(monkeypatch, {str(tmp_path / "schemas" / "notes.txt")}, {str(tmp_path / "schemas" / "new.json")})
    assert _run(tmp_path) == 0
    assert builds == [True, True]


def test_without_changes_one_build_is_enough(
    tmp_path: Path, builds: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    _report(monkeypatch)
    assert _run(tmp_path) == 0
    assert builds == [True]


@pytest.mark.parametrize("generated", [GeneratedFiles({}), None])
def test_results_are_kept_while_the_input_is_wrong(
    tmp_path: Path, builds: list[bool], monkeypatch: pytest.MonkeyPatch, generated: GeneratedFiles | None
) -> None:
    """A run over wrong input uses few results, and the next one needs them all."""
    result = BuildResult(0 if generated else 2, [Outcome(tmp_path / "generated", Findings(), generated)])
    monkeypatch.setattr(watch, "build_packages", lambda *_: result)
    ended: list[Store] = []
    monkeypatch.setattr(Store, "end_run", lambda self: ended.append(self))
    _report(monkeypatch)
    assert _run(tmp_path) == 0
    assert len(ended) == (0 if generated is None else 1)


def test_a_failure_does_not_end_the_loop(
    tmp_path: Path, builds: list[bool], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> BuildResult:
        builds.append(True)
        raise ValueError("unexpected")

    monkeypatch.setattr(watch, "build_packages", fail)
    _report(monkeypatch, {str(tmp_path / "mcpgen.toml")})
    assert _run(tmp_path) == 0
    assert len(builds) == 2
    assert "ValueError: unexpected" in capsys.readouterr().err


def test_a_build_is_not_stopped_by_warnings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "a.json").write_text('{"type": "object", "minProperties": 2, "maxProperties": 1}')
    (tmp_path / "mcpgen.toml").write_text('fail-on = "warning"\n')
    monkeypatch.chdir(tmp_path)
    _report(monkeypatch)
    assert run_build(select_packages(None, None), BuildRequest(1), Store(), OUTPUT) == 8
    assert not (tmp_path / "generated").exists()
    assert run_watch(lambda: select_packages(None, None), Store(), OUTPUT, 1) == 0
    assert (tmp_path / "generated" / "tools" / "a.py").is_file()


# --- what `watch` watches ---------------------------------------------------------------------------------------------
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
    observed: dict[str, str | bool] = {
        far: hashlib.sha256(b"{}").hexdigest(),
        str(project / "beyond" / "missing.json"): False,
    }
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
