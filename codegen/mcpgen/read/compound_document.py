"""Write a schema and everything that it reaches as one document (2020-12 core, section 9.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

from mcpgen.read.definition_names import (
    DefinitionKey,
    RelativePaths,
    choose_definition_names,
    get_definitions_keyword,
)
from mcpgen.read.reachable import (
    POINTER_SAFE_CHARS,
    ReachableSchemas,
    ReferenceTarget,
    SchemaSource,
    is_anchor,
)
from mcpgen.read.resource_uris import ResourceUris
from mcpgen.read.written_schema import WrittenPlace
from mcpgen.schema.index import join_uri, split_fragment
from mcpgen.schema.keywords import REFERENCE_KEYWORDS, map_subschemas
from mcpgen.schema.values import Json, format_pointer

_RESOURCE_KEYWORDS = ("$id", "$anchor", "$dynamicAnchor", "$schema")
"""Keywords that are removed from a definition when it is copied: no reference uses them any more."""


@dataclass(frozen=True)
class CompoundDocument:
    """A self-contained schema."""

    value: Json
    copies: dict[str, WrittenPlace] = field(default_factory=dict[str, WrittenPlace])
    """Pointer of each definition that was added → where it was copied from."""


def build_compound_document(reach: ReachableSchemas, root: Path) -> CompoundDocument:
    """Return the schema with everything that it reaches in its `$defs` (draft-07: `definitions`).

    Args:
        reach: The schema and what it reaches.
        root: The input folder. Names and URIs are made from paths relative to it, the same on every machine.
    """
    return _CompoundWriter(reach, RelativePaths(root)).build_document()


class _CompoundWriter:
    def __init__(self, reach: ReachableSchemas, paths: RelativePaths) -> None:
        self._reach, self._home, self._dialect = reach, reach.home, reach.dialect
        self._keyword = get_definitions_keyword(reach.dialect)
        self._names = choose_definition_names(reach, paths)
        self._uris = ResourceUris(reach, paths)
        self._referred: list[DefinitionKey] = []
        self._copies: dict[str, WrittenPlace] = {}
        self._dynamic_targets = {
            source.key: set(self._find_dynamic_targets(source)) for source in (self._home, *reach.embedded.values())
        }

    def build_document(self) -> CompoundDocument:
        """Return the whole document."""
        result = self._rewrite(self._home, "", self._home.root)
        added = self._collect_definitions()
        if not isinstance(result, dict):
            return CompoundDocument(result)
        if self._uris.new_id:
            result["$id"] = self._uris.new_id
        if added:
            definitions = result.get(self._keyword)
            result[self._keyword] = {**(definitions if isinstance(definitions, dict) else {}), **added}
        return CompoundDocument(result, self._copies)

    def _collect_definitions(self) -> dict[str, Json]:
        """Return the added definitions by name, each after those that it refers to, unless they are recursive."""
        added: dict[str, Json] = {}
        visited: set[DefinitionKey] = set()
        stack: list[tuple[str, Json, Iterator[DefinitionKey]]] = [("", None, self._take_referred())]
        while stack:
            name, definition, referred = stack[-1]
            key = next((referred_key for referred_key in referred if referred_key not in visited), None)
            if key is not None:
                visited.add(key)
                stack.append((self._names[key], self._write_definition(key), self._take_referred()))
                continue
            stack.pop()
            if stack:
                added[name] = definition
        return added

    def _take_referred(self) -> Iterator[DefinitionKey]:
        """Return the keys of what was referred to since the last call."""
        referred, self._referred = self._referred, []
        return iter(referred)

    # --- writing ------------------------------------------------------------------------------------------------
    def _write_definition(self, key: DefinitionKey) -> Json:
        """Return a copied definition, or a whole document as a resource."""
        path, pointer = key
        source = self._reach.outside_sources[path]
        self._copies[format_pointer(self._keyword, self._names[key])] = WrittenPlace(source.document, pointer)
        definition = self._rewrite(source, pointer, source.get(pointer))
        if not isinstance(definition, dict):
            return definition
        if self._reach.is_kept(source, pointer):
            return {"$id": self._uris.get(path, ""), **definition}
        if not pointer:
            definition.pop("$defs", None)
            definition.pop("definitions", None)
        return definition

    def _rewrite(self, source: SchemaSource, pointer: str, schema: Json) -> Json:
        """Return a copy of the schema at a pointer of a source, with references that stay in the new document."""
        if not isinstance(schema, dict):
            return schema
        is_kept = self._reach.is_kept(source, pointer)
        out = {key: value for key, value in schema.items() if is_kept or key not in _RESOURCE_KEYWORDS}
        if is_kept and not source.is_home and self._uris.is_resource(source, pointer):
            out["$id"] = self._write_id(source, pointer, schema.get("$id"))
        for keyword in REFERENCE_KEYWORDS[self._dialect]:
            ref = schema.get(keyword)
            if isinstance(ref, str):
                self._write_reference(out, keyword, ref, source, pointer)
        return map_subschemas(
            out, self._dialect, lambda path, inner: self._rewrite(source, pointer + format_pointer(*path), inner)
        )

    def _write_id(self, source: SchemaSource, pointer: str, written: Json) -> str:
        """Return the text of an `$id`: as it was written if that resolves to the resource's URI."""
        uri = self._uris.get(source.key, pointer)
        base = self._uris.find_base(source, pointer.rpartition("/")[0]) if pointer else self._uris.root_base
        return written if isinstance(written, str) and split_fragment(join_uri(base, written))[0] == uri else uri

    def _write_reference(
        self, out: dict[str, Json], keyword: str, ref: str, source: SchemaSource, pointer: str
    ) -> None:
        """Write a reference into `out` with the text that it needs in the new document."""
        target = self._reach.targets.get((source.key, pointer, keyword))
        if target is None:
            is_built_in = source.index.is_meta(pointer, ref)
            out[keyword] = source.index.make_absolute(pointer, ref) if is_built_in and not source.is_home else ref
            return
        is_dynamic = is_anchor(ref) and self._reach.is_dynamic(target)
        if is_dynamic and keyword == "$ref" and self._reach.embedded:
            # a pointer, because validators would resolve the anchor's name dynamically
            fragment = quote(target.at.removeprefix(target.resource), safe=POINTER_SAFE_CHARS)
            ref, target = f"{split_fragment(ref)[0]}#{fragment}", replace(target, fragment=fragment)
        text = self._write_reference_text(source, pointer, ref, target)
        if keyword == "$ref" or is_dynamic or text == ref or "$ref" in out:
            out[keyword] = text
        else:  # without an anchor it equals $ref (2020-12 core, section 8.2.3.2), which lowering supports
            del out[keyword]
            out["$ref"] = text

    def _find_dynamic_targets(self, source: SchemaSource) -> Iterator[str]:
        """Yield the pointers of `$dynamicAnchor`s that some `$dynamicRef` names, if documents are embedded."""
        for (_, name), pointer in source.index.anchors.items() if self._reach.embedded else ():
            schema = source.get(pointer)
            if name in self._reach.dynamic_names and isinstance(schema, dict) and schema.get("$dynamicAnchor") == name:
                yield pointer

    def _is_entered(self, source: SchemaSource, pointer: str) -> bool:
        """Return whether a `$dynamicRef` in another resource may lead to this schema or to one around it."""
        targets = self._dynamic_targets.get(source.key, set[str]())
        while pointer and pointer not in targets:
            pointer = pointer.rpartition("/")[0]
        return pointer in targets

    def _write_reference_text(self, source: SchemaSource, pointer: str, ref: str, target: ReferenceTarget) -> str:
        """Return the text of a reference: as it was written if that has the same target in the new document.

        Some validators keep the base URI of the resource that they come from, so references in schemas that are reached
        dynamically are absolute.
        """
        in_full = self._reach.is_kept(source, pointer) and self._is_entered(source, pointer)
        if source.is_home and source.index.find_target(pointer, ref) is not None and not in_full:
            return ref
        root = self._uris.root_base
        is_kept = self._reach.is_kept(source, pointer)
        base = self._uris.find_base(source, pointer) if is_kept else root
        if not self._reach.is_kept(target.source, target.at):
            key = (target.source.document.path, target.at)
            self._referred.append(key)
            local = "#" + quote(format_pointer(self._keyword, self._names[key]), safe=POINTER_SAFE_CHARS)
            return local if base == root and not in_full else root + local
        if not target.source.is_home:
            self._referred.append((target.source.document.path, ""))
        uri = self._uris.get(target.source.key, target.resource)
        if is_kept and not in_full and split_fragment(join_uri(base, ref))[0] == uri:
            return ref
        fragment = "#" + target.fragment
        return fragment if uri == base == root and not in_full else uri + fragment.rstrip("#")
