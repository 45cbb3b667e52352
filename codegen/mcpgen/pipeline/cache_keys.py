"""Keys of what is cached."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from mcpgen.cache.memory import Memory, key_of
from mcpgen.ir.package import Package, ToolModule, mentions
from mcpgen.ir.types import Node
from mcpgen.ir.visitors import refs, types_of
from mcpgen.lower.assemble import Request
from mcpgen.names.allocator import PackageNames
from mcpgen.read.definitions import ProtocolSchema, ToolDefinition
from mcpgen.render.jobs import Job
from mcpgen.schema.document import Schema


def schemas_key(requests: Iterable[Request], memory: Memory) -> str:
    """The key of some schemas' roots: the schemas, in the order of their members, and how they are to be lowered."""
    parts: list[str] = []
    for one in requests:
        parts.append(repr((one.side, one.class_names, one.native, one.bounds)))
        parts.append(memory.memoize("schema", _schema_text, one.schema))
    return key_of("roots", *parts)


def _schema_text(schema: Schema) -> str:
    return json.dumps([schema.value, schema.dialect], separators=(",", ":"))


def job_key(job: Job) -> str:
    """The key of a file's text: all that is known when it is rendered."""
    return key_of("job", repr(replace(job, shared=frozenset())), *sorted(job.shared))


def protocol_key(package: Package, protocols: Mapping[str, ProtocolSchema]) -> str:
    """The key of `protocol.py`."""
    held = {version: one.definitions for version, one in protocols.items()}
    return key_of("protocol", package.sdk, str(package.protocol), json.dumps(held, separators=(",", ":")))


def tool_keys(
    package: Package, names: PackageNames, definitions: Iterable[ToolDefinition], memory: Memory
) -> dict[str, str]:
    """The path of each tool's module, and the key of its text.

    A module says what its tool, its names, its template and the shared classes that it reaches say; so another tool,
    or a shared class that it does not reach, may change and the module stays as it is.
    """
    shared = _Shared(package, names, memory)
    files = {one.name: one.choices.template for one in definitions}
    common = repr((package.sdk, package.protocol, package.extras))
    keys: dict[str, str] = {}
    for tool in package.tools:
        own = names.tools[tool.wire]
        file = files.get(tool.wire)
        template = "" if file is None else repr((file.origin, file.text))
        parts = (memory.memoize("digest", _digest, tool), memory.memoize("repr", repr, own), template)
        keys[own.path] = key_of("tool", common, *parts, *shared.list_reached(tool))
    return keys


def _digest(tool: ToolModule) -> str:
    """A digest of a tool without what only sharing needs, which holds sets, whose `repr` is not always the same."""
    output = None if tool.output is None else replace(tool.output, shareable=())
    bare = replace(tool, output=output, input=replace(tool.input, shareable=()))
    return hashlib.sha256(repr(bare).encode("utf-8", "surrogatepass")).hexdigest()


class _Shared:
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
        todo = [*self._memory.memoize("mentions", mentions, tool)]
        while todo:
            key = todo.pop()
            if key in self._nodes and key not in found:
                found.add(key)
                todo.extend(refs(*types_of(self._nodes[key])))
        return [self._texts[key] for key in sorted(found)]


def known(memory: Memory, keys: Mapping[str, str]) -> dict[str, str]:
    """The texts that need not be rendered, by path."""
    if not memory.on:
        return {}
    found = {path: memory.load_text(key) for path, key in keys.items()}
    return {path: text for path, text in found.items() if text is not None}


def known_tools(names: PackageNames, texts: Collection[str]) -> frozenset[str]:
    """The wire names of the tools whose modules are known."""
    return frozenset(wire for wire, own in names.tools.items() if own.path in texts)
