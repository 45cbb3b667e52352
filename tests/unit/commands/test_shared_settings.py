"""Settings for a tool at the top of several packages: a warning only if none of them has the tool."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcpgen.commands.shared_settings import drop_names_of_other_packages
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings, Span
from support.packages import mcpgen, tool

SHARED = """
[tools."buy"]
content = "json"
[tools."pay"]
content = "json"
[tools."nowhere"]
content = "json"
"""
PACKAGES = """
[[package]]
schemas = ["shop"]
out = "shop_gen"
[[package]]
schemas = ["bank"]
out = "bank_gen"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the definitions of two packages, each of one tool."""
    for name, member in (("shop", "buy"), ("bank", "pay")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tools.json").write_text(json.dumps(tool(member, {"type": "object"})), "utf-8")
    return tmp_path


def run(folder: Path, settings: str, *command: str) -> str:
    (folder / "mcpgen.toml").write_text(settings, "utf-8")
    options = [] if command == ("lint",) else ["--jobs", "1", "--cache-dir", str(folder / "cache")]
    run = mcpgen(*command, *options, cwd=folder)
    assert run.returncode == 0, run.stderr
    return run.stderr


def _configure(folder: Path, *names: str) -> ConfiguredPackage:
    settings = PackageSettings.model_validate({"tools": {name: {"content": "json"} for name in names}})
    return ConfiguredPackage(settings=settings, folder=folder)


def _report(*names: str) -> Findings:
    findings = Findings()
    for name in names:
        span = Span("mcpgen.toml", 1, 1, f"tools.{name}")
        findings.warn("MG308", f'the settings name a tool "{name}" that nothing defines', span)
    return findings


def test_packages_that_failed_may_define_a_tool(tmp_path: Path) -> None:
    """Their errors may have hidden the tool, so nobody knows; packages without the setting do not count."""
    packages = [_configure(tmp_path, "a.b"), _configure(tmp_path, "a.b")]
    for is_failed in (True, False):
        reports = [_report("a.b"), _report()]
        if is_failed:
            reports[1].error("MG001", "cannot be read")
        kept = drop_names_of_other_packages([*zip(packages, reports, strict=True)])
        assert not kept[0]
    reports = [_report("a.b"), _report("a.b")]
    reports[1].error("MG001", "cannot be read")
    assert [len(kept) for kept in drop_names_of_other_packages([*zip(packages, reports, strict=True)])] == [0, 1]
    unrelated = [packages[0], _configure(tmp_path)]
    kept = drop_names_of_other_packages([*zip(unrelated, [_report("a.b"), _report()], strict=True)])
    assert len(kept[0]) == 1


def test_a_shared_setting_needs_the_tool_in_one_package(folder: Path) -> None:
    for command in ("build", "build", "check", "check"):  # also when a run is repeated
        said = run(folder, SHARED + PACKAGES, command)
        assert said.count("MG308") == said.count('a tool "nowhere" that nothing defines') == 1, said
    tools = folder / "bank" / "tools.json"
    tools.write_text(tools.read_text("utf-8").replace('"pay"', '"send"'), "utf-8")
    for command in ("build", "build", "check"):
        said = run(folder, SHARED + PACKAGES, command)
        assert said.count("MG308") == 2, said
        assert 'a tool "pay" that nothing defines' in said
    tools.write_text(tools.read_text("utf-8").replace('"send"', '"pay"'), "utf-8")
    assert run(folder, SHARED + PACKAGES, "build").count("MG308") == 1


def test_the_most_similar_name_of_all_packages_is_proposed(folder: Path) -> None:
    """The warning is counted on the package that has it; without a similar name, on the one with its file."""
    said = run(folder, '[tools."pays"]\ncontent = "json"\n' + PACKAGES, "build")
    assert 'help: did you mean "pay"? If not, remove the table' in said
    assert [line.endswith("1 warning") for line in said.splitlines() if "_gen: " in line] == [False, True]
    said = run(folder, '[tools."nowhere"]\ncontent = "json"\n' + PACKAGES, "build")
    assert "help: no package has a tool of a similar name: correct the name, or remove the table" in said
    (folder / "bank" / "learned").mkdir()
    (folder / "bank" / "learned" / "nowhere.json").write_text('{"type": "object"}', "utf-8")
    said = run(folder, '[tools."nowhere"]\noutputSchema = "bank/learned/nowhere.json"\n' + PACKAGES, "build")
    assert [line.endswith("1 warning") for line in said.splitlines() if "_gen: " in line] == [False, True]
    assert "has no effect, and bank/learned/nowhere.json is not used" in said


def test_a_package_alone_still_warns(folder: Path) -> None:
    """With the same cache, so that what is stored of a package has the warning."""
    run(folder, SHARED + PACKAGES, "build")
    alone = SHARED + PACKAGES.partition('[[package]]\nschemas = ["bank"]')[0]
    said = run(folder, alone, "build")
    assert said.count("MG308") == 2, said
    assert 'a tool "pay" that nothing defines' in said


def test_a_setting_of_one_package_needs_the_tool_there(folder: Path) -> None:
    own = PACKAGES.replace('out = "shop_gen"', 'out = "shop_gen"\n[package.tools."pay"]\ncontent = "json"')
    said = run(folder, own, "build")
    assert said.count('a tool "pay" that nothing defines') == 1, said


def test_lint_says_the_same_as_build(folder: Path) -> None:
    right = SHARED.replace('[tools."nowhere"]\ncontent = "json"\n', "")
    assert "MG308" not in run(folder, 'lint.ignore = ["MG9"]\n' + right + PACKAGES, "lint")  # exit code 0
    (folder / "mcpgen.toml").write_text(SHARED + PACKAGES, "utf-8")
    linted = mcpgen("lint", cwd=folder)
    assert linted.returncode == 7
    wrong = [line for line in linted.stderr.splitlines() if "MG308" in line]
    assert wrong == [line for line in run(folder, SHARED + PACKAGES, "build").splitlines() if "MG308" in line]
    assert len(wrong) == 1
