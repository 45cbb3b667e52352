"""Lowered schemas: those that the cache lacks are lowered in worker processes, as soon as they are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from mcpgen.cache.memory import Memory, store_roots
from mcpgen.cache.store import CacheStore
from mcpgen.config.models import PackageSettings
from mcpgen.ir.package import SchemaRoot
from mcpgen.lower.request import LoweringRequest
from mcpgen.pipeline.cache_keys import CacheKeys
from mcpgen.pipeline.progress import Progress
from mcpgen.workers import Workers

MOST_MODULES_AT_ONCE, CHUNKS_OF_MODULES = 32, 8
"""Modules whose types are generated together, and the parts in which a small package is lowered, for all processes."""


class CachedLowering:
    """Lowering of the schemas of modules, each of which the cache may have.

    Args:
        memory: the cache.
        workers: processes that lower what the cache lacks.
        keys: the factory of cache keys.
        progress: receives how many modules are lowered.
    """

    def __init__(self, memory: Memory, workers: Workers, keys: CacheKeys, progress: Progress) -> None:
        self._memory, self._workers, self._keys, self._progress = memory, workers, keys, progress
        self._waiting: dict[str, list[LoweringRequest]] = {}
        """Requests of modules that are not lowered yet, by cache key."""
        self._running: dict[str, Callable[[], list[SchemaRoot]]] = {}
        """Functions that wait for the roots of modules that are being lowered, by cache key."""
        self._recalled: dict[str, list[SchemaRoot]] = {}
        """Roots of announced modules that the cache has, by cache key."""

    def announce(self, requests: list[LoweringRequest], settings: PackageSettings) -> None:
        """Begin to lower the schemas of a module, if processes are running; `lower` returns the result."""
        if not self._workers.are_running:
            return
        key = self._keys.make_roots_key(requests, settings)
        if key in self._running or key in self._recalled:
            return
        roots = self._memory.load_roots(key)
        if roots is not None:
            self._recalled[key] = roots
            return
        self._waiting[key] = requests
        if len(self._waiting) == MOST_MODULES_AT_ONCE:
            self._start([*self._waiting])

    def lower(
        self, requests: Sequence[list[LoweringRequest]], settings: PackageSettings, names: Sequence[str]
    ) -> list[list[SchemaRoot]]:
        """Return the roots of each module's schemas. Those that the cache lacks are lowered in worker processes.

        `names` are the names of the modules, to show what is worked on.
        """
        memory = self._memory
        has_keys = memory.enabled or bool(self._waiting or self._running)
        keys = [self._keys.make_roots_key(schemas, settings) for schemas in requests] if has_keys else []
        results = [self._recall(key) for key in keys] or [None] * len(requests)
        missing = [index for index, roots in enumerate(results) if roots is None]
        unknown = [index for index in missing if not has_keys or keys[index] not in self._running]
        items = [(keys[index] if memory.enabled else "", requests[index]) for index in unknown]
        size = max(1, min(MOST_MODULES_AT_ONCE, len(unknown) // CHUNKS_OF_MODULES))
        lowered = self._workers.map_chunks(partial(lower_and_store, memory.store), items, size)
        is_unknown = {*unknown}
        for done_count, index in enumerate(missing, 1):
            roots = next(lowered) if index in is_unknown else self._running[keys[index]]()
            results[index] = roots
            if memory.enabled:
                memory.keep_roots(keys[index], roots)
            self._progress("lowering", done_count, len(missing), names[index])
        self._waiting, self._running, self._recalled = {}, {}, {}
        return [roots for roots in results if roots is not None]

    def _recall(self, key: str) -> list[SchemaRoot] | None:
        """Return the roots that the cache has under a key. It is not asked twice for an announced module."""
        if key in self._running or key in self._waiting:
            return None
        return self._recalled.get(key) or self._memory.load_roots(key)

    def _start(self, keys: list[str]) -> None:
        """Hand waiting modules to a process."""
        items = [(key if self._memory.enabled else "", self._waiting.pop(key)) for key in keys]
        wait = self._workers.submit(partial(lower_and_store, self._memory.store), items)
        self._running |= {key: partial(_get_item, wait, number) for number, key in enumerate(keys)}


def _get_item(wait: Callable[[], Sequence[list[SchemaRoot]]], number: int) -> list[SchemaRoot]:
    return wait()[number]


def lower_and_store(
    store: CacheStore | None, items: Sequence[tuple[str, list[LoweringRequest]]]
) -> list[list[SchemaRoot]]:
    """Lower the schemas of some modules together; store each module's roots under its key, unless that is empty."""
    lowered = lower_modules([requests for _, requests in items])
    for (key, _), roots in zip(items, lowered, strict=True):
        if key:
            store_roots(store, key, roots)
    return lowered


def lower_modules(modules: Sequence[list[LoweringRequest]]) -> list[list[SchemaRoot]]:
    """Lower the schemas of some modules; imported when it is needed, since most edits change no schema."""
    from mcpgen.lower import assemble

    return assemble.lower_modules(modules)
