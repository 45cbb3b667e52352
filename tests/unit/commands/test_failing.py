"""Warnings make a command fail if an option or the settings ask for it, and nothing else does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcpgen.commands.package_selection import has_warning, must_fail
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from support.packages import files, mcpgen

pytestmark = pytest.mark.ci

WARNED = {"type": "object", "properties": {"a": {"type": "number", "minimum": 2, "maximum": 1}}}
CLEAN = {"type": "object", "properties": {"a": {"type": "number"}}, "x-mcpgen": {"content": "json"}}


def run(folder: Path, schema: object, setting: str, *words: str) -> int:
    (folder / "schemas").mkdir(exist_ok=True)
    (folder / "schemas/a.json").write_text(json.dumps(schema), "utf-8")
    (folder / "mcpgen.toml").write_text(f'fail-on = "{setting}"\n' if setting else "", "utf-8")
    return mcpgen(*words, "--cache-dir", str(folder / "cache"), cwd=folder).returncode


@pytest.mark.parametrize(
    ("setting", "option", "fails"),
    [("", "", False), ("", "warning", True), ("warning", "", True), ("warning", "error", False)],
)
def test_the_option_wins_over_the_setting(setting: str, option: str, fails: bool, tmp_path: Path) -> None:
    options = ["--fail-on", option] if option else []
    assert run(tmp_path, CLEAN, setting, "build", *options) == 0
    assert run(tmp_path, CLEAN, setting, "check", *options) == 0
    before = files(tmp_path / "generated")
    assert run(tmp_path, WARNED, setting, "build", *options) == (8 if fails else 0)
    assert (files(tmp_path / "generated") == before) == fails  # a run that fails writes nothing
    run(tmp_path, WARNED, setting, "build", "--fail-on", "error")
    for _ in range(2):  # the second run may be a repeated one
        assert run(tmp_path, WARNED, setting, "check", *options) == (8 if fails else 0)


@pytest.mark.parametrize(
    ("setting", "option", "exit_code"), [("", "", 7), ("warning", "", 7), ("error", "", 0), ("error", "warning", 7)]
)
def test_lint_fails_on_warnings_unless_it_is_told_otherwise(
    setting: str, option: str, exit_code: int, tmp_path: Path
) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/a.json").write_text(json.dumps(WARNED), "utf-8")
    (tmp_path / "mcpgen.toml").write_text(f'fail-on = "{setting}"\n' if setting else "", "utf-8")
    completed = mcpgen("lint", *(["--fail-on", option] if option else []), cwd=tmp_path)
    assert completed.returncode == exit_code
    assert "warning[MG119]" in completed.stderr


def test_warnings_that_fail_are_shown_even_if_it_is_quiet(tmp_path: Path) -> None:
    run(tmp_path, WARNED, "", "build")
    for command in (["check", "--no-cache"], ["lint"]):
        for option, is_shown in (("warning", True), ("error", False)):
            completed = mcpgen(*command, "--quiet", "--fail-on", option, cwd=tmp_path)
            assert ("warning[MG119]" in completed.stderr) == is_shown
            assert bool(completed.returncode) == bool(completed.stderr) == is_shown


def test_differences_win_over_warnings(tmp_path: Path) -> None:
    run(tmp_path, CLEAN, "", "build")
    assert run(tmp_path, WARNED, "warning", "check") == 4


def test_each_package_decides_about_its_own_warnings(tmp_path: Path) -> None:
    strict, lax = (
        ConfiguredPackage(settings=PackageSettings.model_validate({"fail-on": choice}), folder=tmp_path)
        for choice in ("warning", "error")
    )
    warned, clean = Findings(), Findings()
    warned.note("MG107", "a note")
    assert not has_warning(warned)
    warned.warn("MG119", "a warning")
    assert must_fail(None, [(strict, warned), (lax, clean)], Findings())
    assert not must_fail(None, [(lax, warned), (strict, clean)], Findings())
    assert must_fail("warning", [(lax, warned)], Findings())
    assert must_fail("warning", [(lax, clean)], warned)
    assert not must_fail("error", [(strict, warned)], Findings())
    open_choice = ConfiguredPackage(settings=PackageSettings.model_validate({}), folder=tmp_path)
    assert not must_fail(None, [(open_choice, warned)], Findings())
    assert must_fail(None, [(open_choice, warned)], Findings(), default="warning")
    assert not must_fail(None, [(lax, warned), (open_choice, clean)], Findings(), default="warning")


@pytest.mark.parametrize(("lax", "exit_code"), [("a", 0), ("b", 7)])
def test_lint_fails_on_the_warnings_of_a_package_that_does_not_allow_them(
    lax: str, exit_code: int, tmp_path: Path
) -> None:
    tables = []
    for name, schema in (("a", WARNED), ("b", CLEAN)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "schema.json").write_text(json.dumps(schema), "utf-8")
        choice = 'fail-on = "error"\n' if name == lax else ""
        tables.append(f'[[package]]\nschemas = ["{name}"]\nout = "{name}_gen"\n{choice}')
    (tmp_path / "mcpgen.toml").write_text("".join(tables), "utf-8")
    completed = mcpgen("lint", cwd=tmp_path)
    assert completed.returncode == exit_code
    assert "warning[MG119]" in completed.stderr


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_a_build_that_fails_on_warnings_says_that_it_wrote_nothing(quiet: list[str], tmp_path: Path) -> None:
    said = "nothing was written: {} makes warnings fail"
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/a.json").write_text(json.dumps(WARNED), "utf-8")
    completed = mcpgen("build", "--fail-on", "warning", *quiet, cwd=tmp_path)
    assert completed.stderr.splitlines()[-1] == said.format("--fail-on warning")
    (tmp_path / "mcpgen.toml").write_text('fail-on = "warning"\n', "utf-8")
    completed = mcpgen("build", *quiet, cwd=tmp_path)
    assert completed.stderr.splitlines()[-1] == said.format('fail-on = "warning"')
    assert not (tmp_path / "generated").exists()
    assert "nothing was written" not in mcpgen("build", "--fail-on", "error", cwd=tmp_path).stderr
