"""Steps that reuse what earlier runs have computed."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.cache.memory import Memory
from mcpgen.cache.store import CacheStore
from mcpgen.diagnostics import Findings
from mcpgen.ir.package import SchemaRoot
from mcpgen.lower.assemble import lower_modules
from mcpgen.lower.request import LoweringRequest
from mcpgen.pipeline import cached_lowering
from mcpgen.pipeline.cached_steps import CachedSteps
from mcpgen.pipeline.lowering import make_package
from mcpgen.pipeline.progress import ignore_progress
from mcpgen.read.definitions import Definitions
from mcpgen.workers import Workers
from support.definitions import PRICE, define_tool, make_settings


@pytest.fixture
def lowered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the sides of the schemas that are lowered from now on."""
    sides: list[str] = []

    def lower_and_record(modules: list[list[LoweringRequest]]) -> list[list[SchemaRoot]]:
        sides.extend(request.side for requests in modules for request in requests)
        return lower_modules(modules)

    monkeypatch.setattr(cached_lowering, "lower_modules", lower_and_record)
    return sides


@pytest.mark.parametrize("kind", ["none", "disk", "warm"])
def test_a_schema_is_lowered_again_only_without_a_cache(kind: str, lowered: list[str], tmp_path: Path) -> None:
    memory = Memory(CacheStore(tmp_path) if kind == "disk" else None, kind == "warm")
    tool, settings = define_tool("buy", PRICE), make_settings()
    modules = []
    for _ in range(2):
        with Workers(1) as workers:
            steps = CachedSteps(memory, workers, ignore_progress)
            modules += steps.lower_tools([tool], settings, Findings())
    assert lowered == ["input", "output"] * (2 if kind == "none" else 1)
    assert modules[0] == modules[1]
    assert (modules[0] is modules[1]) == (kind == "warm")


def test_progress_counts_what_the_cache_lacks() -> None:
    reports: list[tuple[str, int, int]] = []
    memory, settings = Memory(warm=True), make_settings()
    with Workers(1) as workers:
        steps = CachedSteps(memory, workers, lambda *report: reports.append(report))
        steps.lower_tools([define_tool("a", PRICE)], settings, Findings())
        steps.lower_tools([define_tool("a", PRICE), define_tool("b", True), define_tool("c", {})], settings, Findings())
    assert reports == [("lowering", 1, 1), ("lowering", 1, 2), ("lowering", 2, 2)]


def test_texts_are_recalled_by_the_tools_that_they_depend_on() -> None:
    memory, settings = Memory(warm=True), make_settings()
    with Workers(1) as workers:
        steps = CachedSteps(memory, workers, ignore_progress)
        recalled = []
        for tools in ([define_tool("a", PRICE)], [define_tool("a", PRICE), define_tool("b", PRICE)]):
            definitions, findings = Definitions(tools=tools), Findings()
            package = make_package(steps.lower_tools(tools, settings, findings), [], settings)
            names = steps.allocate_names(package, definitions, findings)
            keyed = steps.recall_texts(package, names, definitions, settings)
            recalled.append({*keyed.texts})
            memory.keep_text(keyed.keys["tools/a.py"], "a = 1\n")
    assert recalled == [set(), {"tools/a.py"}]


def test_nothing_is_recalled_without_a_cache() -> None:
    with Workers(1) as workers:
        steps = CachedSteps(Memory(), workers, ignore_progress)
        definitions, settings = Definitions(tools=[define_tool("a")]), make_settings()
        package = make_package(steps.lower_tools(definitions.tools, settings, Findings()), [], settings)
        names = steps.allocate_names(package, definitions, Findings())
        keyed = steps.recall_texts(package, names, definitions, settings)
    assert (keyed.texts, keyed.keys) == ({}, {})
