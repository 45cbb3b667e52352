"""Texts of rendered files: those that the cache lacks are rendered in worker processes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from mcpgen_runtime.tool_contract import contract_hash

from mcpgen.cache.keys import make_key
from mcpgen.cache.memory import Memory, store_text
from mcpgen.cache.render_cache import RenderCache
from mcpgen.cache.store import CacheStore
from mcpgen.files.ownership import get_record_path
from mcpgen.names.package_names import ToolNames
from mcpgen.pipeline.cache_keys import make_job_key
from mcpgen.pipeline.progress import Progress
from mcpgen.pipeline.rendering import render_tool_definition
from mcpgen.read.definitions import ToolDefinition
from mcpgen.render.jobs import Job, render_job
from mcpgen.render.json_files import record_module
from mcpgen.schema.values import Json
from mcpgen.workers import Workers

_CONTRACT_MEMBERS = ("name", "inputSchema", "outputSchema")
"""Members of a Tool that its contract depends on."""
MIN_STORED_CONTRACT = 2**15
"""Characters of a contract's JSON from which on its hash is stored: smaller ones are hashed faster than an entry is."""


@dataclass(frozen=True)
class ToolJsonJob:
    """JSON file of a tool to render: picklable."""

    path: str
    tool: ToolDefinition
    names: ToolNames


FileJob = Job | ToolJsonJob


@dataclass
class KeyedTexts:
    """Texts of rendered files, and the key of each in the cache, both by path. Without a cache there are no keys."""

    texts: dict[str, str] = field(default_factory=dict[str, str])
    keys: dict[str, str] = field(default_factory=dict[str, str])

    def merge(self, other: KeyedTexts) -> KeyedTexts:
        """Return these texts and others."""
        return KeyedTexts(self.texts | other.texts, self.keys | other.keys)


def record_modules(files: KeyedTexts, memory: Memory) -> KeyedTexts:
    """Return files, each JSON file of which has the hash of the module beside it."""
    texts, keys = {**files.texts}, {**files.keys}
    for path, module in files.texts.items():
        record = get_record_path(path)
        if record is None or record not in texts:
            continue
        texts[record] = record_module(texts[record], module)
        if record in keys:
            keys[record] = make_key("record", keys[record], keys[path])
            memory.keep_text(keys[record], texts[record])
            store_text(memory.store, keys[record], texts[record])
    return KeyedTexts(texts, keys)


class CachedTexts:
    """Texts of rendered files in the cache; those that it lacks are rendered and kept."""

    def __init__(self, memory: Memory, workers: Workers, progress: Progress) -> None:
        self._memory, self._workers, self._progress = memory, workers, progress

    def recall(self, keys: dict[str, str]) -> KeyedTexts:
        """Return the texts that the cache has, with the keys of all files."""
        cached = {path: self._memory.load_text(key) for path, key in keys.items()}
        return KeyedTexts({path: text for path, text in cached.items() if text is not None}, keys)

    def start_rendering(
        self, jobs: Mapping[str, Callable[[], FileJob]], keys: Mapping[str, str]
    ) -> Callable[[], KeyedTexts]:
        """Begin to render files in worker processes; return a function that waits for their texts.

        Args:
            jobs: a function that makes the job of each file, by path. Jobs are large: each is made when it is needed.
            keys: the keys of files that are known not to be in the cache. The others are looked up there.
        """
        memory, result = self._memory, KeyedTexts(keys={path: key for path, key in keys.items() if path in jobs})
        missing: dict[str, Callable[[], tuple[str, FileJob]]] = {}
        for path, make_job in jobs.items():
            if memory.enabled and path not in keys:
                job = make_job()
                assert isinstance(job, Job)
                result.keys[path] = make_job_key(job)
                if (text := memory.load_text(result.keys[path])) is not None:
                    result.texts[path] = text
                    continue
            missing[path] = partial(_make_item, result.keys.get(path, ""), make_job)
        rendered = self._workers.map_made(
            partial(_render_and_store, memory.for_rendering, memory.store), [*missing.values()]
        )

        def wait() -> KeyedTexts:
            for path, text in rendered:
                result.texts[path] = text
                if memory.enabled:
                    memory.keep_text(result.keys[path], text)
                self._progress("rendering", len(result.texts), len(jobs), path)
            return result

        return wait


def _make_item(key: str, make_job: Callable[[], FileJob]) -> tuple[str, FileJob]:
    return key, make_job()


def _render_and_store(cache: RenderCache, store: CacheStore | None, item: tuple[str, FileJob]) -> tuple[str, str]:
    """Return the path and the text of a file; the text is stored under its key, unless that is empty."""
    key, job = item
    if isinstance(job, ToolJsonJob):
        text = render_tool_definition(job.tool, job.names, _find_contract_hash(job.tool, store))
    else:
        text = render_job(job, cache)
    if key:
        store_text(store, key, text)
    return job.path, text


def _find_contract_hash(tool: ToolDefinition, store: CacheStore | None) -> str:
    """Return the hash of a tool's contract. That of a large one is looked up first: most edits don't change it."""
    members: dict[str, Json] = {key: tool.tool[key] for key in _CONTRACT_MEMBERS if key in tool.tool}
    text = json.dumps(members) if store is not None else ""
    if store is None or len(text) < MIN_STORED_CONTRACT:
        return contract_hash(members)
    key = make_key("contract", text)
    stored = store.get("text", key)
    if isinstance(stored, str):
        return stored
    computed = contract_hash(members)
    store_text(store, key, computed)
    return computed
