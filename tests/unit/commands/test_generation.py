"""Generation of all packages of a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.cache.memory import Memory
from mcpgen.commands import generation
from mcpgen.commands.generation import generate_packages
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings
from mcpgen.pipeline.outcome import Outcome
from mcpgen.report.output import CommandOutput
from support.definitions import configure_package


def test_findings_of_every_package_are_collected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs: list[int] = []

    def generate(package: ConfiguredPackage, jobs_count: int, *_: object) -> Outcome:
        jobs.append(jobs_count)
        findings = Findings()
        findings.error("MG101", package.folder.name)
        return Outcome(package.folder, findings)

    monkeypatch.setattr(generation, "generate_incrementally", generate)
    loaded = LoadedPackages([configure_package(tmp_path / name, []) for name in ("a", "b")], Findings())
    outcomes = generate_packages(loaded, Memory(), CommandOutput("build"), 3)
    assert [outcome.out for outcome in outcomes] == [tmp_path / "a", tmp_path / "b"]
    assert [finding.message for finding in loaded.findings] == ["a", "b"]
    assert jobs == [3, 3]


def test_a_cache_that_is_not_used_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    memory, loaded = Memory(), LoadedPackages([], Findings())
    monkeypatch.setattr(memory, "describe_problem", lambda: "the cache is not used")
    assert generate_packages(loaded, memory, CommandOutput("build"), 1) == []
    assert [(finding.code, finding.message) for finding in loaded.findings] == [("MG408", "the cache is not used")]
