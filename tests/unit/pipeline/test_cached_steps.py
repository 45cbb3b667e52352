"""Steps that reuse what earlier runs have computed."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from mcpgen.cache.memory import Memory
from mcpgen.cache.store import CacheStore
from mcpgen.diagnostics import Findings
from mcpgen.ir.package import SchemaRoot
from mcpgen.lower.assemble import lower_modules
from mcpgen.lower.request import LoweringRequest
from mcpgen.names.package_names import ToolNames
from mcpgen.pipeline import cached_lowering, cached_texts
from mcpgen.pipeline.cached_steps import CachedSteps
from mcpgen.pipeline.cached_texts import MIN_STORED_CONTRACT, CachedTexts, KeyedTexts, ToolJsonJob
from mcpgen.pipeline.lowering import make_package
from mcpgen.pipeline.preview import lower_and_name
from mcpgen.pipeline.progress import ignore_progress
from mcpgen.read.definitions import Definitions, ToolDefinition
from mcpgen.render.jobs import Job
from mcpgen.schema.contract import hash_contract
from mcpgen.workers import MIN_PARALLEL_ITEMS, Workers
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
    reports: list[tuple[object, ...]] = []
    memory, settings = Memory(warm=True), make_settings()
    with Workers(1) as workers:
        steps = CachedSteps(memory, workers, lambda *report: reports.append(report))
        steps.lower_tools([define_tool("a", PRICE)], settings, Findings())
        steps.lower_tools([define_tool("a", PRICE), define_tool("b", True), define_tool("c", {})], settings, Findings())
    assert reports == [("lowering", 1, 1, "a"), ("lowering", 1, 2, "b"), ("lowering", 2, 2, "c")]


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


# --- files are rendered unless the cache has their texts, and the process that renders one stores it ------------------
COPIED = Job("runtime/missing_values.py", "runtime/missing_values.py", "mcpgen")


def get_names(tool: ToolDefinition) -> ToolNames:
    return lower_and_name(Definitions(tools=[tool]), make_settings(), 1).names.tools[tool.name]


def render(memory: Memory, jobs: dict[str, Any], keys: dict[str, str], processes: int = 1) -> KeyedTexts:
    with Workers(processes) as workers:
        return CachedTexts(memory, workers, ignore_progress).start_rendering(jobs, keys)()


@pytest.mark.parametrize("processes", [1, 2])
def test_texts_are_stored_under_the_keys_of_their_files(tmp_path: Path, processes: int) -> None:
    memory, tool = Memory(CacheStore(tmp_path)), define_tool("buy", {"type": "object"})
    count, names = 2 * MIN_PARALLEL_ITEMS, get_names(tool)
    paths = [f"tools/buy{number}.json" for number in range(count)]
    jobs = {path: partial(ToolJsonJob, path, tool, names) for path in paths}
    keys = {path: f"{number:064}" for number, path in enumerate(paths)}
    rendered = render(memory, jobs, {**keys, "tools/other.json": "f" * 64}, processes)
    assert rendered.keys == keys
    text = rendered.texts[paths[0]]
    assert json.loads(text)["contract"] == hash_contract(tool.tool)
    assert rendered.texts == dict.fromkeys(paths, text)
    assert CachedTexts(Memory(CacheStore(tmp_path)), Workers(1), ignore_progress).recall(keys).texts == rendered.texts


def test_a_file_without_a_key_is_looked_up_by_its_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = {COPIED.path: lambda: COPIED}
    first = render(Memory(CacheStore(tmp_path)), jobs, {})
    assert [*first.keys] == [COPIED.path]
    monkeypatch.setattr(cached_texts, "render_job", lambda *_: pytest.fail("it was rendered before"))
    assert render(Memory(CacheStore(tmp_path)), jobs, {}) == first


def test_without_a_cache_there_are_no_keys() -> None:
    rendered = render(Memory(), {COPIED.path: lambda: COPIED}, {})
    assert ([*rendered.texts], rendered.keys) == ([COPIED.path], {})


def test_only_the_hash_of_a_large_contract_is_stored(tmp_path: Path) -> None:
    """Smaller ones are hashed faster than an entry is written."""
    for size in (10, MIN_STORED_CONTRACT):
        store = CacheStore(tmp_path / str(size))
        tool = define_tool("buy", {"type": "object", "description": "x" * size})
        jobs = {"tools/buy.json": partial(ToolJsonJob, "tools/buy.json", tool, get_names(tool))}
        texts = [render(Memory(store), jobs, {"tools/buy.json": f"{number:064}"}).texts for number in range(2)]
        assert texts[0] == texts[1]
        entries = [path for path in (tmp_path / str(size)).rglob("*") if path.is_file() and len(path.name) == 64]
        assert len(entries) == (2 if size == 10 else 3)
        assert json.loads(texts[0]["tools/buy.json"])["contract"] == hash_contract(tool.tool)
