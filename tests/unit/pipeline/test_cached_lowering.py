"""Schemas are lowered while files are still being read, once each; the process that lowers them stores the roots."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.cache.memo import Memo
from mcpgen.cache.memory import Memory
from mcpgen.cache.store import CacheStore
from mcpgen.ir.package import SchemaRoot
from mcpgen.lower import assemble
from mcpgen.lower.request import LoweringRequest
from mcpgen.pipeline import cached_lowering
from mcpgen.pipeline.cache_keys import CacheKeys
from mcpgen.pipeline.cached_lowering import MOST_MODULES_AT_ONCE, CachedLowering, lower_and_store
from mcpgen.pipeline.lowering import make_tool_requests
from mcpgen.pipeline.progress import ignore_progress
from mcpgen.workers import Workers
from support.definitions import define_tool, make_settings

SETTINGS = make_settings()
COUNT = 2 * MOST_MODULES_AT_ONCE + 5
NAMES = [f"tool{number}" for number in range(COUNT)]


def make_requests(count: int) -> list[list[LoweringRequest]]:
    schemas = [{"type": "object", "properties": {f"p{number}": {"type": "string"}}} for number in range(count)]
    return [make_tool_requests(define_tool(f"tool{number}", schema), SETTINGS) for number, schema in enumerate(schemas)]


def make_lowering(memory: Memory, workers: Workers) -> CachedLowering:
    return CachedLowering(memory, workers, CacheKeys(Memo(False)), ignore_progress)


@pytest.fixture(scope="module")
def expected() -> list[list[SchemaRoot]]:
    return assemble.lower_modules(make_requests(COUNT))


@pytest.mark.parametrize("has_store", [True, False])
def test_what_was_announced_comes_in_order_with_the_rest(
    has_store: bool, tmp_path: Path, expected: list[list[SchemaRoot]]
) -> None:
    requests, memory = make_requests(COUNT), Memory(CacheStore(tmp_path / "cache") if has_store else None)
    reports: list[tuple[str, int, int, str]] = []

    def collect(step: str, done_count: int, total: int, item: str = "", /) -> None:
        reports.append((step, done_count, total, item))

    with Workers(2) as workers:
        workers.start()
        lowering = CachedLowering(memory, workers, CacheKeys(Memo(False)), collect)
        for schemas in requests[5:][::-1]:
            lowering.announce(schemas, SETTINGS)
            lowering.announce(schemas, SETTINGS)
        assert lowering.lower(requests, SETTINGS, NAMES) == expected
    assert reports == [("lowering", done, COUNT, name) for done, name in enumerate(NAMES, 1)]
    if has_store:
        again = Memory(CacheStore(tmp_path / "cache"))
        keys = CacheKeys(Memo(False))
        stored = [again.load_roots(keys.make_roots_key(schemas, SETTINGS)) for schemas in requests]
        assert stored == expected


def test_what_was_announced_is_lowered_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requests, here = make_requests(COUNT), list[int]()

    def lower_and_count(modules: list[list[LoweringRequest]]) -> list[list[SchemaRoot]]:
        here.append(len(modules))
        return assemble.lower_modules(modules)

    with Workers(2) as workers:
        workers.start()
        list(workers.map(str, range(100)))  # the processes are there, as they were before the next line
        monkeypatch.setattr(cached_lowering, "lower_modules", lower_and_count)
        lowering = make_lowering(Memory(), workers)
        for schemas in requests[: 2 * MOST_MODULES_AT_ONCE]:
            lowering.announce(schemas, SETTINGS)
        lowering.lower(requests[: 2 * MOST_MODULES_AT_ONCE], SETTINGS, NAMES[: 2 * MOST_MODULES_AT_ONCE])
    assert here == []


def test_what_the_cache_has_is_not_lowered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requests, store = make_requests(COUNT), CacheStore(tmp_path / "cache")
    with Workers(2) as workers:
        expected = make_lowering(Memory(store), workers).lower(requests, SETTINGS, NAMES)

    def refuse(*_: object) -> None:
        raise AssertionError("it was lowered before")

    asked: list[str] = []

    class CountingMemory(Memory):
        def load_roots(self, key: str) -> list[SchemaRoot] | None:
            asked.append(key)
            return super().load_roots(key)

    monkeypatch.setattr(cached_lowering, "lower_modules", refuse)
    with Workers(2) as workers:
        workers.start()
        lowering = make_lowering(CountingMemory(store), workers)
        for schemas in requests:
            lowering.announce(schemas, SETTINGS)
        assert lowering.lower(requests, SETTINGS, NAMES) == expected
    assert len(asked) == len({*asked}) == COUNT


def test_an_announced_module_that_is_not_asked_for_is_dropped(expected: list[list[SchemaRoot]]) -> None:
    """Settings may change a definition after its file was read."""
    with Workers(2) as workers:
        workers.start()
        lowering = make_lowering(Memory(), workers)
        for schemas in make_requests(MOST_MODULES_AT_ONCE + 3):
            lowering.announce(schemas, SETTINGS)
        assert lowering.lower(make_requests(2), SETTINGS, NAMES[:2]) == expected[:2]
        assert lowering.lower(make_requests(3), SETTINGS, NAMES[:3]) == expected[:3]


def test_without_processes_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CacheKeys, "make_roots_key", lambda *_: pytest.fail("no key is needed"))
    with Workers(1) as workers:
        make_lowering(Memory(), workers).announce(make_requests(1)[0], SETTINGS)


def test_roots_without_a_key_are_not_stored(tmp_path: Path) -> None:
    store = CacheStore(tmp_path / "cache")
    (schemas,) = make_requests(1)
    lower_and_store(store, [("", schemas)])
    assert not (tmp_path / "cache").exists()
    lower_and_store(store, [("ab" * 32, schemas)])
    assert Memory(store).load_roots("ab" * 32) == assemble.lower_modules([schemas])[0]
