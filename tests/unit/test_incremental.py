"""Runs that are recalled because their input is unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen import incremental
from mcpgen.cache.memory import Memory
from mcpgen.cache.store import CacheStore
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings
from mcpgen.incremental import generate_incrementally
from mcpgen.pipeline.outcome import GeneratedFiles, Outcome
from support.definitions import configure_package
from support.packages import tool


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return the output folders of the runs that generate, which here takes no time."""
    out_folders: list[Path] = []

    def generate(package: ConfiguredPackage, *_: object) -> Outcome:
        out_folders.append(package.out)
        file = str(package.folder / "schemas" / "tools.json")
        findings = Findings()
        findings.warn("MG105", "a warning")
        generated = GeneratedFiles({"a.py": "A = 1\n"}, tool_count=3, class_count=2)
        return Outcome(out_folders[-1], findings, generated, {file: True})

    monkeypatch.setattr(incremental, "_generate_anew", generate)
    return out_folders


def _generate(package: ConfiguredPackage, memory: Memory) -> Outcome:
    return generate_incrementally(package, 1, lambda *_: None, memory)


def test_a_run_is_recalled_until_its_input_changes(tmp_path: Path, runs: list[Path]) -> None:
    package = configure_package(tmp_path, [tool("a")])
    store = CacheStore(tmp_path / "cache")
    first, second = (_generate(package, Memory(store)) for _ in range(2))
    assert len(runs) == 1
    assert first.generated is not None
    assert second.generated is not None
    assert {**second.generated.texts} == {**first.generated.texts}
    assert [*second.findings] == [*first.findings]
    counts = (second.generated.tool_count, second.generated.class_count)
    assert counts == (3, 2)
    assert second.generated.digests is not None
    assert second.generated.digests.keys() == {"a.py"}
    configure_package(tmp_path, [tool("b")])
    _generate(package, Memory(store))
    assert len(runs) == 2


def test_without_a_store_each_run_generates(tmp_path: Path, runs: list[Path]) -> None:
    package = configure_package(tmp_path, [tool("a")])
    for memory in (Memory(), Memory(warm=True)):
        for _ in range(2):
            _generate(package, memory)
    assert len(runs) == 4


def test_the_caller_remembers_the_runs_of_a_warm_memory(tmp_path: Path, runs: list[Path]) -> None:
    package, store = configure_package(tmp_path, [tool("a")]), CacheStore(tmp_path / "cache")
    memory = Memory(store, warm=True)
    outcomes = [_generate(package, memory) for _ in range(2)]
    assert all(outcome.generated is not None and outcome.generated.is_whole for outcome in outcomes)
    incremental.remember_run(package, outcomes[-1], store)
    outcome = _generate(package, memory)
    assert outcome.generated is not None
    assert not outcome.generated.is_whole
    assert len(runs) == 2


def test_a_lost_text_is_generated_again(tmp_path: Path, runs: list[Path]) -> None:
    package = configure_package(tmp_path, [tool("a")])
    store = CacheStore(tmp_path / "cache")
    _generate(package, Memory(store))
    recalled = _generate(package, Memory(store)).generated
    for entry in (tmp_path / "cache" / "v1-text").rglob("?" * 64):
        entry.unlink()
    assert recalled is not None
    assert recalled.texts["a.py"] == "A = 1\n"
    assert len(runs) == 2
