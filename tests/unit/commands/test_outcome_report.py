"""Reports on one package."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.cache.recorded_runs import record_run
from mcpgen.cache.store import Store
from mcpgen.commands import generation
from mcpgen.commands.generation import (
    build_outcome_json,
    generate_packages,
    make_diff,
    make_diffs,
    print_summary,
    store_idle_run,
)
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings
from mcpgen.pipeline.outcome import GeneratedFiles, Outcome
from mcpgen.plan import Action, Plan, Step
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count
from support.definitions import configure_package

STEPS = (
    Step("a.py", Action.UPDATE, "A = 2\n", "A = 1\n"),
    Step("b.py", Action.CREATE, "B = 1"),
    Step("c.py", Action.FOREIGN, "C = 1\n", "MINE = 1\n"),
    Step("d.py", Action.REMOVE, None, "D = 1\n"),
    Step("e.py", Action.KEEP),
)


@pytest.fixture
def outcome(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Outcome:
    """A package with a file of each kind."""
    monkeypatch.chdir(tmp_path)
    generated = GeneratedFiles({}, tool_count=1, class_count=3)
    return Outcome(tmp_path / "out", Findings(), generated, plan=Plan(tmp_path / "out", STEPS))


@pytest.mark.parametrize(
    ("step", "lines"),
    [
        (STEPS[0], ["--- out/a.py", "+++ out/a.py", "@@ -1 +1 @@", "-A = 1", "+A = 2"]),
        (STEPS[1], ["--- /dev/null", "+++ out/a.py", "@@ -0,0 +1 @@", "+B = 1", "\\ No newline at end of file"]),
        (STEPS[2], []),
        (STEPS[3], ["--- out/a.py", "+++ /dev/null", "@@ -1 +0,0 @@", "-D = 1"]),
    ],
)
def test_a_diff_is_one_that_patch_applies(step: Step, lines: list[str]) -> None:
    assert make_diff(step, "out/a.py").splitlines() == lines


def test_the_diffs_of_a_package_leave_foreign_files_out(outcome: Outcome) -> None:
    names = [line for line in make_diffs(outcome) if line.startswith("+++")]
    assert names == ["+++ out/a.py", "+++ out/b.py", "+++ /dev/null"]


def test_the_json_has_each_change(outcome: Outcome) -> None:
    value = build_outcome_json(outcome, with_diffs=False)
    assert value == {
        "out": "out",
        "tools": 1,
        "classes": 3,
        "interrupted": False,
        "written": False,
        "files": [
            {"path": "out/a.py", "action": "update"},
            {"path": "out/b.py", "action": "create"},
            {"path": "out/c.py", "action": "foreign"},
            {"path": "out/d.py", "action": "remove"},
        ],
    }


def test_the_summary_counts_diagnostics(outcome: Outcome, capsys: pytest.CaptureFixture[str]) -> None:
    outcome.findings.note("MG107", "a")
    outcome.findings.note("MG107", "b")
    outcome.findings.note("MG107", "b")  # a place that two tools share is printed once
    outcome.findings.warn("MG105", "c")
    output = CommandOutput("build", "text", "never")
    print_summary(outcome, "up to date", output)
    assert capsys.readouterr().err == "out: 1 tool, 3 classes, up to date, 1 warning, 2 notes\n"


def test_nouns_have_plurals() -> None:
    assert [format_count(*item) for item in ((1, "class"), (2, "class"), (0, "file"))] == [
        "1 class",
        "2 classes",
        "0 files",
    ]


# --- generation of all packages of a run ------------------------------------------------------------------------------
def test_findings_of_every_package_are_collected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs: list[int] = []

    def generate(package: ConfiguredPackage, jobs_count: int, *_: object) -> Outcome:
        jobs.append(jobs_count)
        findings = Findings()
        findings.error("MG101", package.folder.name)
        return Outcome(package.folder, findings)

    monkeypatch.setattr(generation, "generate_package", generate)
    loaded = LoadedPackages([configure_package(tmp_path / name, []) for name in ("a", "b")], Findings())
    outcomes = generate_packages(loaded, Store(), CommandOutput("build"), 3)
    assert [outcome.out for outcome in outcomes] == [tmp_path / "a", tmp_path / "b"]
    assert [finding.message for finding in loaded.findings] == ["a", "b"]
    assert jobs == [3, 3]


def test_a_cache_that_is_not_used_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    store, loaded = Store(), LoadedPackages([], Findings())
    monkeypatch.setattr(store, "describe_problem", lambda: "the cache is not used")
    assert generate_packages(loaded, store, CommandOutput("build"), 1) == []
    assert [(finding.code, finding.message) for finding in loaded.findings] == [("MG408", "the cache is not used")]


# --- runs that are stored to be repeated ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("action", "output", "is_stored"),
    [
        *((action, CommandOutput("build"), action is Action.KEEP) for action in Action),
        (Action.KEEP, CommandOutput("build", "json"), False),
        (Action.KEEP, CommandOutput("build", verbose=True), False),
    ],
)
def test_only_a_run_that_found_no_difference_is_stored(
    action: Action, output: CommandOutput, is_stored: bool, tmp_path: Path
) -> None:
    outcome = Outcome(tmp_path, Findings(), plan=Plan(tmp_path, (Step("tools/a.py", action),)))
    with record_run(["build"]) as record:
        store_idle_run(record, [outcome], Store(tmp_path / "cache"), output)
    assert (tmp_path / "cache" / "v1-run").exists() == is_stored


def test_a_run_over_wrong_input_is_not_stored(tmp_path: Path) -> None:
    with record_run(["build"]) as record:
        store_idle_run(record, [Outcome(tmp_path, Findings())], Store(tmp_path / "cache"), CommandOutput("build"))
    assert not (tmp_path / "cache").exists()
