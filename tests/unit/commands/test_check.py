"""`check`: what differs, and its exit code."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.cache.store import Store
from mcpgen.commands import generation
from mcpgen.commands.check import MOST_DIFF_LINES, report_differences, run_check, summarize_changes
from mcpgen.commands.generation import RunRequest
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.diagnostics import Findings, Span
from mcpgen.pipeline.outcome import GeneratedFiles, Outcome
from mcpgen.plan import Action, Plan, Step
from mcpgen.report.output import CommandOutput
from support.definitions import configure_package


def _make_outcome(out: Path, *actions: Action, interrupted: bool = False) -> Outcome:
    steps = tuple(Step(f"{action.value}.py", action, "A", "B") for action in actions)
    return Outcome(out, Findings(), GeneratedFiles({}), {}, Plan(out, steps), interrupted)


def test_each_kind_of_difference_has_its_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = _make_outcome(tmp_path / "out", Action.KEEP, Action.CREATE, Action.UPDATE, Action.REMOVE, Action.EDITED)
    findings = Findings()
    assert report_differences(outcome, findings)
    assert [(finding.code, finding.span and finding.span.file) for finding in findings] == [
        ("MG405", "out/create.py"),
        ("MG403", "out/update.py"),
        ("MG406", "out/remove.py"),
    ]
    assert summarize_changes(outcome) == "1 missing, 1 stale, 1 orphaned, 1 edited"


def test_a_merge_conflict_is_said_of_files_that_a_build_rewrites(tmp_path: Path) -> None:
    text = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n"
    steps = [Step(f"{action.value}.py", action, "A", text) for action in (Action.UPDATE, Action.REMOVE)]
    steps += [Step("z.py", Action.UPDATE, "A", "B")]
    outcome, findings = Outcome(tmp_path, Findings(), GeneratedFiles({}), {}, Plan(tmp_path, tuple(steps))), Findings()
    assert report_differences(outcome, findings)
    conflict, orphaned, stale = findings
    assert (conflict.code, conflict.message) == ("MG403", "has an unresolved merge conflict, lines 2 to 6")
    assert conflict.span is not None
    assert conflict.span.line == 2
    assert orphaned.message.startswith("is orphaned")
    assert stale.message.startswith("is stale")
    assert stale.help.startswith("run `")


def test_a_package_that_is_not_there_is_one_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outcome, findings = _make_outcome(tmp_path / "out", Action.CREATE, Action.CREATE), Findings()
    assert report_differences(outcome, findings)
    (finding,) = findings
    assert (finding.code, finding.message) == ("MG405", "the package is missing, with all of its 2 files")
    assert finding.span == Span("out")
    (tmp_path / "out").mkdir()
    findings = Findings()
    assert report_differences(outcome, findings)
    assert [finding.span and finding.span.file for finding in findings] == ["out/create.py", "out/create.py"]


def test_an_interrupted_build_is_a_difference(tmp_path: Path) -> None:
    outcome, findings = _make_outcome(tmp_path, Action.KEEP, interrupted=True), Findings()
    assert report_differences(outcome, findings)
    assert [finding.code for finding in findings] == ["MG407"]
    assert summarize_changes(outcome) == "a build was interrupted"


def test_files_that_are_kept_are_no_difference(tmp_path: Path) -> None:
    outcome, findings = _make_outcome(tmp_path, Action.KEEP), Findings()
    assert not report_differences(outcome, findings)
    assert (len(findings), summarize_changes(outcome)) == (0, "")


@pytest.mark.parametrize(("texts", "exit_code"), [({"a.py": "A"}, 4), ({}, 0), (None, 2)])
def test_the_exit_code_says_whether_build_would_change_something(
    texts: dict[str, str] | None, exit_code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def generate(*_: object) -> Outcome:
        findings = Findings()
        if texts is None:
            findings.error("MG101", "wrong")
        return Outcome(tmp_path / "out", findings, None if texts is None else GeneratedFiles(texts))

    monkeypatch.setattr(generation, "generate_package", generate)
    loaded = LoadedPackages([configure_package(tmp_path, [])], Findings())
    assert run_check(loaded, RunRequest(jobs=1), Store(), CommandOutput("check", "text", "never")) == exit_code
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("verbose", [False, True])
def test_the_beginning_of_long_diffs_is_printed(
    verbose: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def generate(*_: object) -> Outcome:
        return Outcome(tmp_path / "out", Findings(), GeneratedFiles({"a.py": "new\n" * 100}))

    monkeypatch.setattr(generation, "generate_package", generate)
    (tmp_path / "out").mkdir()
    loaded = LoadedPackages([configure_package(tmp_path, [])], Findings())
    output = CommandOutput("check", "text", "never", verbose=verbose)
    assert run_check(loaded, RunRequest(jobs=1), Store(), output) == 4
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == (103 if verbose else MOST_DIFF_LINES)
    assert ("43 more lines of diffs: mcpgen check -v" in err) != verbose
