"""Write a schema and everything that it reaches as one document (2020-12 core, section 9.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote

from mcpgen.files.definition_files import get_stem
from mcpgen.files.project_paths import resolve_path
from mcpgen.paths import format_relative_path
from mcpgen.read.document import WrittenPlace
from mcpgen.read.reachable import POINTER_SAFE_CHARS, ReachableSchemas, ReferenceTarget, SchemaSource, is_anchor
from mcpgen.schema.index import SchemaIndex, is_absolute_uri, join_uri, split_fragment
from mcpgen.schema.keywords import DRAFT_07, iterate_references, iterate_subschemas, map_subschemas
from mcpgen.schema.values import Json, as_object, format_pointer, hash_json, parse_pointer

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

    Names and URIs are made from paths relative to the input folder, `root`, the same on every machine.
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
        result = self._rewrite(self._home, "", self._home.root)
        added = self._collect_definitions()
        if not isinstance(result, dict):
            return CompoundDocument(result)
        if self._uris.new_id:
            result["$id"] = self._uris.new_id
        if added:
            result[self._keyword] = {**as_object(result.get(self._keyword)), **added}
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
        referred, self._referred = self._referred, []
        return iter(referred)

    # --- writing ------------------------------------------------------------------------------------------------
    def _write_definition(self, key: DefinitionKey) -> Json:
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
        if not isinstance(schema, dict):
            return schema
        is_kept = self._reach.is_kept(source, pointer)
        out = {key: value for key, value in schema.items() if is_kept or key not in _RESOURCE_KEYWORDS}
        if is_kept and not source.is_home and self._uris.is_resource(source, pointer):
            out["$id"] = self._write_id(source, pointer, schema.get("$id"))
        for keyword, ref in iterate_references(schema, self._dialect):
            self._write_reference(out, keyword, ref, source, pointer)
        return map_subschemas(
            out, self._dialect, lambda path, inner: self._rewrite(source, pointer + format_pointer(*path), inner)
        )

    def _write_id(self, source: SchemaSource, pointer: str, written: Json) -> str:
        uri = self._uris.get(source.key, pointer)
        base = self._uris.find_base(source, pointer.rpartition("/")[0]) if pointer else self._uris.root_base
        return written if isinstance(written, str) and split_fragment(join_uri(base, written))[0] == uri else uri

    def _write_reference(
        self, out: dict[str, Json], keyword: str, ref: str, source: SchemaSource, pointer: str
    ) -> None:
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
        for (_, name), pointer in source.index.anchors.items() if self._reach.embedded else ():
            if name in self._reach.dynamic_names and as_object(source.get(pointer)).get("$dynamicAnchor") == name:
                yield pointer

    def _is_entered(self, source: SchemaSource, pointer: str) -> bool:
        """Return whether a `$dynamicRef` in another resource may lead to this schema or to one around it."""
        targets = self._dynamic_targets.get(source.key, set[str]())
        while pointer and pointer not in targets:
            pointer = pointer.rpartition("/")[0]
        return pointer in targets

    def _write_reference_text(self, source: SchemaSource, pointer: str, ref: str, target: ReferenceTarget) -> str:
        is_kept = self._reach.is_kept(source, pointer)
        # some validators keep the base URI of the resource that they come from when a reference is dynamic
        in_full = is_kept and self._is_entered(source, pointer)
        if source.is_home and source.index.find_target(pointer, ref) is not None and not in_full:
            return ref
        root = self._uris.root_base
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


# --- names and URIs ---------------------------------------------------------------------------------------------------
DefinitionKey: TypeAlias = tuple[Path, str]
"""File and pointer of a definition."""


class RelativePaths:
    """Paths relative to the input folder, so that what is made of them is the same on every machine."""

    def __init__(self, root: Path) -> None:
        self._root = resolve_path(root)
        self._relative: dict[Path, str] = {}

    def get(self, path: Path) -> str:
        """Return a file's path relative to the input folder."""
        if path not in self._relative:
            self._relative[path] = format_relative_path(resolve_path(path), self._root)
        return self._relative[path]


def get_definitions_keyword(dialect: str) -> str:
    """Return the keyword for definitions in a dialect."""
    return "definitions" if dialect == DRAFT_07 else "$defs"


def choose_definition_names(reach: ReachableSchemas, paths: RelativePaths) -> dict[DefinitionKey, str]:
    """Return a name for each definition to add, independent of the order of references.

    A name that several definitions have, or the schema itself, is followed by the name of the file.
    """
    used = set(as_object(as_object(reach.home.root).get(get_definitions_keyword(reach.dialect))))
    keys = [*reach.copied, *((path, "") for path in reach.embedded)]
    preferred = {
        (path, pointer): parse_pointer(pointer)[-1] if pointer else get_stem(path.name) for path, pointer in keys
    }
    claims = Counter(preferred.values())
    names: dict[DefinitionKey, str] = {}
    for key in sorted(preferred, key=lambda key: (paths.get(key[0]), key[1])):
        name = preferred[key]
        stem = name if claims[name] == 1 and name not in used else f"{name}_{get_stem(key[0].name)}"
        name, count = stem, 2
        while name in used:
            name, count = f"{stem}_{count}", count + 1
        used.add(name)
        names[key] = name
    return names


BUNDLE_BASE_URI = "https://mcpgen.invalid/bundle/"
"""Start of the URIs of resources without an `$id`.

Every validator resolves relative references for this scheme; `.invalid` names no host (RFC 2606, section 2).
"""


class ResourceUris:
    """URIs of the home schema's resources and of the embedded documents'."""

    def __init__(self, reach: ReachableSchemas, paths: RelativePaths) -> None:
        self._reach, self._paths, self._home = reach, paths, reach.home
        root_schema = self._home.root
        home_id = as_object(root_schema).get("$id")
        has_uri = isinstance(home_id, str) and is_absolute_uri(home_id)
        self.new_id = "" if has_uri or not self._needs_id() else self._make_root_id(home_id)
        """The URI that the root gets in place of its `$id`; empty: it keeps what it has."""
        if self.new_id and isinstance(root_schema, dict):
            root_schema = {**root_schema, "$id": self.new_id}
        self._home_index = SchemaIndex(root_schema, reach.dialect)
        self._uris: dict[tuple[Path | None, str], str] = {
            (None, pointer): uri for uri, pointer in self._home_index.resources.items()
        }
        self._bases: dict[tuple[Path, str], str] = {}
        self._used = set(self._home_index.resources)
        for path in sorted(reach.embedded, key=paths.get):
            self._assign_uris(reach.embedded[path])

    @property
    def root_base(self) -> str:
        """The base URI of the new document."""
        return self._home_index.find_base("")

    def get(self, path: Path | None, pointer: str) -> str:
        """Return the URI of the resource at a pointer of a file, of the home schema if the file is None."""
        return self._uris[path, pointer]

    def is_resource(self, source: SchemaSource, pointer: str) -> bool:
        """Return whether the schema at a pointer of a source is a resource, with a URI of its own."""
        return (source.key, pointer) in self._uris

    def find_base(self, source: SchemaSource, pointer: str) -> str:
        """Return the base URI of the schema at a pointer of a source in the new document."""
        if source.is_home:
            return self._home_index.find_base(pointer)
        while (source.document.path, pointer) not in self._bases:
            pointer = pointer.rpartition("/")[0]
        return self._bases[source.document.path, pointer]

    # --- the root -----------------------------------------------------------------------------------------------
    def _needs_id(self) -> bool:
        """Return whether the root needs a URI.

        It does if a reference inside another resource leads to it, where `#` means that resource. It also does if a
        `$dynamicRef` there names one of its anchors: some validators don't consider a root without a URI.
        """
        index = self._home.index
        if self._reach.dynamic_names & index.dynamic_anchors and (
            self._reach.embedded or any(index.resources.values())
        ):
            return True
        for (path, pointer, keyword), target in self._reach.targets.items():
            if target.source.is_home or not self._reach.is_kept(target.source, target.at):
                source = self._home if path is None else self._reach.outside_sources[path]
                is_nested = source.is_home and source.index.find_base(pointer) != source.index.find_base("")
                ref = as_object(source.get(pointer)).get(keyword)
                if is_nested and isinstance(ref, str) and source.index.find_target(pointer, ref) is None:
                    return True
                if not source.is_home and self._reach.is_kept(source, pointer):
                    return True
        return False

    def _make_root_id(self, home_id: Json) -> str:
        """Return a URI for the root. It depends on the content, because clients may cache schemas by URI."""
        documents = {target.source.document.path: target.source.document for target in self._reach.targets.values()}
        content: Json = {self._paths.get(path): hash_json(document.value) for path, document in documents.items()}
        base = f"{BUNDLE_BASE_URI}{hash_json([self._home.root, content])[:32]}"
        return join_uri(base + "/", split_fragment(home_id)[0]) if isinstance(home_id, str) else base

    # --- embedded documents -------------------------------------------------------------------------------------
    def _assign_uris(self, source: SchemaSource) -> None:
        stack: list[tuple[str, Json, str]] = [("", source.root, self._find_retrieval_uri(source))]
        while stack:
            pointer, schema, base = stack.pop()
            if isinstance(schema, dict):
                schema_id = schema.get("$id")
                uri = split_fragment(join_uri(base, schema_id))[0] if isinstance(schema_id, str) else base
                if uri != base or not pointer:
                    base = self._uris[source.key, pointer] = self._make_unused(uri, source)
                stack.extend(
                    (pointer + format_pointer(*path), inner, base)
                    for path, inner in iterate_subschemas(schema, self._reach.dialect)
                )
            self._bases[source.document.path, pointer] = base

    def _find_retrieval_uri(self, source: SchemaSource) -> str:
        retrieved = self._reach.retrieved.get(source.document.path)
        return min(retrieved) if retrieved else self._make_uri(source)

    def _make_uri(self, source: SchemaSource) -> str:
        parts = [part for part in self._paths.get(source.document.path).split("/") if part != ".."]
        return BUNDLE_BASE_URI + quote("/".join(parts), safe="/")

    def _make_unused(self, uri: str, source: SchemaSource) -> str:
        candidate, count = uri, 1
        while candidate in self._used:
            stem = self._make_uri(source)
            candidate, count = stem if count == 1 else f"{stem}/{count}", count + 1
        self._used.add(candidate)
        return candidate
