"""What a run need not do again: lowered schemas and rendered files, by digests of all that they are made from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple, cast

from mcpgen.cache import Store, toolchain
from mcpgen.codec import Malformed, decoded, encoded
from mcpgen.ir import Node, Package, Root, ToolModule, mentions, refs, types_of

if TYPE_CHECKING:
    from mcpgen.lower.schema import Request
    from mcpgen.names import PackageNames
    from mcpgen.read.definitions import ProtocolSchema, Schema, ToolDefinition
    from mcpgen.read.earlier import Earlier
    from mcpgen.render.package import Job

As = TypeVarTuple("As")
B = TypeVar("B")
FELL_BACK = ("$schema",)
"""The checks of a root that could not be typed. Maybe the time was up, so the next run is to try again."""


class Memory:
    """A cache on disk, if there is one, and with `warm` what this process did before.

    What is warm and was not asked for between two calls of `forget` is let go.
    """

    def __init__(self, store: Store | None = None, warm: bool = False) -> None:
        self.store = store if toolchain() is not None else None
        self._warm: dict[object, object] | None = {} if warm else None
        self._used: dict[object, object] = {}
        self._earlier: dict[str, Earlier] = {}

    def earlier(self, out: Path) -> Earlier | None:
        """What the files of the package at `out` said, where this process remembers it."""
        if self._warm is None:
            return None
        from mcpgen.read.earlier import Earlier

        return self._earlier.setdefault(str(out), Earlier())

    @property
    def warm(self) -> bool:
        """Whether this process remembers what it did."""
        return self._warm is not None

    @property
    def on(self) -> bool:
        """Whether anything can be remembered at all."""
        return self.store is not None or self._warm is not None

    def complaint(self) -> str:
        """Why the cache on disk is not used; empty when it is, when there is none, and when this was said already."""
        return "" if self.store is None else self.store.complaint()

    def forget(self) -> None:
        """Let go of what was not used since this was last called."""
        if self._warm is not None:
            self._warm, self._used = self._used, {}

    def once(self, what: str, make: Callable[[*As], B], *of: *As) -> B:
        """What is made of values that nobody changes; of the very same objects, a warm memory knows it already.

        `what` tells apart what is made of the same objects, and says all else that it depends on.
        """
        if self._warm is None:
            return make(*of)
        key = (what, *map(id, of))
        found = self._recent(key)
        if found is not None:
            return cast("tuple[object, B]", found)[1]
        made = make(*of)
        self._keep(key, (of, made))  # as long as the objects are held, no other ones have their ids
        return made

    # --- lowering -----------------------------------------------------------------------------------------------
    def roots(self, key: str) -> list[Root] | None:
        """The roots of some schemas, None when they have to be lowered."""
        found = self._recent(key)
        if isinstance(found, list):
            return cast("list[Root]", found)
        held = self.store.get("roots", key) if self.store is not None else None
        if not isinstance(held, list):
            return None
        try:
            roots = [decoded(Root, one) for one in held]
        except (Malformed, RecursionError):
            return None
        self._keep(key, roots)
        return roots

    def keep_roots(self, key: str, roots: list[Root]) -> None:
        """Remember the roots of some schemas."""
        if any(root.checks == FELL_BACK for root in roots):
            return
        self._keep(key, roots)
        if self.store is not None:
            self.store.put("roots", key, [encoded(root) for root in roots])

    # --- rendering ----------------------------------------------------------------------------------------------
    def text(self, key: str) -> str | None:
        """The text of a file, None when it has to be rendered."""
        found = self._recent(key)
        if isinstance(found, str):
            return found
        held = self.store.get("text", key) if self.store is not None else None
        if not isinstance(held, str) or not _is_text(held):
            return None
        self._keep(key, held)
        return held

    def keep_text(self, key: str, text: str) -> None:
        """Remember the text of a file."""
        self._keep(key, text)
        if self.store is not None:
            self.store.put("text", key, text)

    def _recent(self, key: object) -> object:
        if self._warm is None:
            return None
        found = self._used.get(key) or self._warm.get(key)
        if found is not None:
            self._used[key] = found
        return found

    def _keep(self, key: object, value: object) -> None:
        if self._warm is not None:
            self._used[key] = value


def _is_text(value: str) -> bool:
    """Whether a text can be written: nothing that was rendered holds a lone surrogate."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


# --- keys ------------------------------------------------------------------------------------------------------------
def key_of(*parts: str) -> str:
    """A digest of some texts, and of mcpgen itself."""
    made = hashlib.sha256((toolchain() or "").encode())
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        made.update(b"%d:" % len(data))
        made.update(data)
    return made.hexdigest()


def schemas_key(requests: Iterable[Request], memory: Memory) -> str:
    """The key of some schemas' roots: the schemas, in the order of their members, and how they are to be lowered."""
    parts: list[str] = []
    for one in requests:
        parts.append(repr((one.side, one.class_names, one.native, one.bounds)))
        parts.append(memory.once("schema", _schema_text, one.schema))
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
        parts = (memory.once("digest", _digest, tool), memory.once("repr", repr, own), template)
        keys[own.path] = key_of("tool", common, *parts, *shared.reached(tool))
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

    def reached(self, tool: ToolModule) -> list[str]:
        """The texts of the shared classes that a tool refers to, and those that these refer to."""
        if not self._nodes:
            return []
        found: set[str] = set()
        todo = [*self._memory.once("mentions", mentions, tool)]
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
    found = {path: memory.text(key) for path, key in keys.items()}
    return {path: text for path, text in found.items() if text is not None}


def known_tools(names: PackageNames, texts: Collection[str]) -> frozenset[str]:
    """The wire names of the tools whose modules are known."""
    return frozenset(wire for wire, own in names.tools.items() if own.path in texts)
