"""Keys of what is cached."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from mcpgen.cache.memory import Memory, make_key
from mcpgen.config.models import PackageSettings
from mcpgen.config.settings_table import CachedResult
from mcpgen.ir.package import Package, ToolModule, collect_module_references
from mcpgen.ir.types import Node
from mcpgen.ir.visitors import collect_refs, list_node_types
from mcpgen.lower.assemble import LoweringRequest
from mcpgen.names.allocator import PackageNames
from mcpgen.read.definitions import ProtocolSchema, ToolDefinition
from mcpgen.render.jobs import Job
from mcpgen.schema.document import Schema


def make_schemas_key(requests: Iterable[LoweringRequest], settings: PackageSettings, memory: Memory) -> str:
    """Return the key of the roots of some schemas: the schemas with the order of their members, and the settings."""
    parts = [_serialize_settings(settings, CachedResult.IR)]
    for request in requests:
        parts.append(repr((request.side, request.class_names)))
        parts.append(memory.memoize("schema", _serialize_schema, request.schema))
    return make_key("roots", *parts)


def _serialize_settings(settings: PackageSettings, result: CachedResult) -> str:
    """Return the settings that affect a result, by the declarations of their keys."""
    return json.dumps(settings.select(result), separators=(",", ":"))


def _serialize_schema(schema: Schema) -> str:
    return json.dumps([schema.value, schema.dialect], separators=(",", ":"))


def make_job_key(job: Job) -> str:
    """The key of a file's text: all that is known when it is rendered."""
    return make_key("job", repr(replace(job, shared=frozenset())), *sorted(job.shared))


def make_protocol_key(settings: PackageSettings, protocols: Mapping[str, ProtocolSchema]) -> str:
    """Return the key of `protocol.py`."""
    definitions = {version: schema.definitions for version, schema in protocols.items()}
    settings_text = _serialize_settings(settings, CachedResult.OTHER_FILES)
    return make_key("protocol", settings_text, json.dumps(definitions, separators=(",", ":")))


def make_tool_keys(
    package: Package,
    names: PackageNames,
    definitions: Iterable[ToolDefinition],
    settings: PackageSettings,
    memory: Memory,
) -> dict[str, str]:
    """The path of each tool's module, and the key of its text.

    A module says what its tool, its names, its template and the shared classes that it reaches say; so another tool,
    or a shared class that it does not reach, may change and the module stays as it is.
    """
    shared = _SharedClasses(package, names, memory)
    files = {one.name: one.choices.template for one in definitions}
    common = _serialize_settings(settings, CachedResult.TOOL_MODULES)
    keys: dict[str, str] = {}
    for tool in package.tools:
        own = names.tools[tool.wire]
        file = files.get(tool.wire)
        template = "" if file is None else repr((file.origin, file.text))
        parts = (memory.memoize("digest", _digest_tool, tool), memory.memoize("repr", repr, own), template)
        keys[own.path] = make_key("tool", common, *parts, *shared.list_reached(tool))
    return keys


def _digest_tool(tool: ToolModule) -> str:
    """A digest of a tool without what only sharing needs, which holds sets, whose `repr` is not always the same."""
    output = None if tool.output is None else replace(tool.output, shareable=())
    bare = replace(tool, output=output, input=replace(tool.input, shareable=()))
    return hashlib.sha256(repr(bare).encode("utf-8", "surrogatepass")).hexdigest()


class _SharedClasses:
    """The shared classes of a package, each with its names as one text."""

    def __init__(self, package: Package, names: PackageNames, memory: Memory) -> None:
        self._memory = memory
        self._nodes: dict[str, Node] = {node.id: node for node in package.shared}
        self._texts = {
            key: repr((node, names.shared[key], names.shared_twins.get(key))) for key, node in self._nodes.items()
        }

    def list_reached(self, tool: ToolModule) -> list[str]:
        """The texts of the shared classes that a tool refers to, and those that these refer to."""
        if not self._nodes:
            return []
        found: set[str] = set()
        todo = [*self._memory.memoize("mentions", collect_module_references, tool)]
        while todo:
            key = todo.pop()
            if key in self._nodes and key not in found:
                found.add(key)
                todo.extend(collect_refs(*list_node_types(self._nodes[key])))
        return [self._texts[key] for key in sorted(found)]


def find_cached_texts(memory: Memory, keys: Mapping[str, str]) -> dict[str, str]:
    """The texts that need not be rendered, by path."""
    if not memory.on:
        return {}
    found = {path: memory.load_text(key) for path, key in keys.items()}
    return {path: text for path, text in found.items() if text is not None}


def find_cached_tools(names: PackageNames, texts: Collection[str]) -> frozenset[str]:
    """The wire names of the tools whose modules are known."""
    return frozenset(wire for wire, own in names.tools.items() if own.path in texts)
