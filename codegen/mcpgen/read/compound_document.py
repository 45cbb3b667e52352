"""Write a schema and everything that it reaches as one document (2020-12 core, section 9.3)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePath
from urllib.parse import quote

from mcpgen.files.project_paths import resolve_path
from mcpgen.read.reachable import (
    POINTER_SAFE_CHARS,
    ReachableSchemas,
    ReferenceTarget,
    SchemaSource,
    is_anchor,
)
from mcpgen.schema.index import SchemaIndex, is_absolute_uri, join_uri, split_fragment
from mcpgen.schema.keywords import DRAFT_07, REFERENCE_KEYWORDS, iterate_subschemas, map_subschemas
from mcpgen.schema.values import Json, format_pointer, hash_json, parse_pointer

BUNDLE_BASE_URI = "https://mcpgen.invalid/bundle/"
"""Start of the URIs of resources without an `$id`.

Every validator resolves relative references for this scheme; `.invalid` names no host (RFC 2606, section 2).
"""
_RESOURCE_KEYWORDS = ("$id", "$anchor", "$dynamicAnchor", "$schema")
"""Keywords that are removed from a definition when it is copied: no reference uses them any more."""


def build_compound_document(reach: ReachableSchemas, root: Path) -> Json:
    """Return the schema with everything that it reaches in its `$defs` (draft-07: `definitions`).

    Args:
        reach: The schema and what it reaches.
        root: The input folder. Names and URIs are made from paths relative to it, the same on every machine.
    """
    return _CompoundDocument(reach, resolve_path(root)).build_document()


def get_definitions_keyword(dialect: str) -> str:
    """Return the keyword for definitions in a dialect."""
    return "definitions" if dialect == DRAFT_07 else "$defs"


class _CompoundDocument:
    def __init__(self, reach: ReachableSchemas, root: Path) -> None:
        self._reach, self._root, self._dialect = reach, root, reach.dialect
        self._keyword = get_definitions_keyword(reach.dialect)
        self._home = reach.home
        home_id = self._home.root.get("$id") if isinstance(self._home.root, dict) else None
        self._paths: dict[Path, str] = {}
        self._names = self._choose_names()
        self._referred: list[tuple[Path, str]] = []
        has_uri = isinstance(home_id, str) and is_absolute_uri(home_id)
        self._new_id = "" if has_uri or not self._needs_id() else self._make_root_id(home_id)
        root_schema: Json = self._home.root
        if self._new_id and isinstance(root_schema, dict):
            root_schema = {**root_schema, "$id": self._new_id}
        self._home_index = SchemaIndex(root_schema, self._dialect)
        self._uris: dict[tuple[Path | None, str], str] = {
            (None, at): uri for uri, at in self._home_index.resources.items()
        }
        self._bases: dict[tuple[Path, str], str] = {}
        self._used = set(self._home_index.resources)
        self._dynamic_targets = {
            place.key: set(self._find_dynamic_targets(place)) for place in (self._home, *reach.embedded.values())
        }
        for path in sorted(reach.embedded, key=self._make_relative):
            self._assign_uris(reach.embedded[path])

    def build_document(self) -> Json:
        """Return the whole document."""
        result = self._rewrite(self._home, "", self._home.root)
        added = self._collect_definitions()
        if not isinstance(result, dict):
            return result
        if self._new_id:
            result["$id"] = self._new_id
        if added:
            definitions = result.get(self._keyword)
            result[self._keyword] = {**(definitions if isinstance(definitions, dict) else {}), **added}
        return result

    def _collect_definitions(self) -> dict[str, Json]:
        """Return the added definitions by name, each after those that it refers to, unless they are recursive."""
        added: dict[str, Json] = {}
        visited: set[tuple[Path, str]] = set()
        stack: list[tuple[str, Json, Iterator[tuple[Path, str]]]] = [("", None, self._take_referred())]
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

    def _take_referred(self) -> Iterator[tuple[Path, str]]:
        """Return the keys of what was referred to since the last call."""
        referred, self._referred = self._referred, []
        return iter(referred)

    # --- names --------------------------------------------------------------------------------------------------
    def _choose_names(self) -> dict[tuple[Path, str], str]:
        """Return a name for each definition to add, independent of the order of references.

        A name that several definitions have, or the schema itself, is followed by the name of the file.
        """
        home = self._home.root
        definitions = home.get(self._keyword) if isinstance(home, dict) else None
        used = set(definitions) if isinstance(definitions, dict) else set[str]()
        keys = [*self._reach.copied, *((path, "") for path in self._reach.embedded)]
        preferred = {(path, at): parse_pointer(at)[-1] if at else path.name.split(".")[0] for path, at in keys}
        claims = Counter(preferred.values())
        names: dict[tuple[Path, str], str] = {}
        for key in sorted(preferred, key=lambda key: (self._make_relative(key[0]), key[1])):
            name = preferred[key]
            stem = name if claims[name] == 1 and name not in used else f"{name}_{key[0].name.split('.')[0]}"
            name, count = stem, 2
            while name in used:
                name, count = f"{stem}_{count}", count + 1
            used.add(name)
            names[key] = name
        return names

    def _make_relative(self, path: Path) -> str:
        """Return a file's path relative to the input folder."""
        if path not in self._paths:
            self._paths[path] = PurePath(os.path.relpath(resolve_path(path), self._root)).as_posix()
        return self._paths[path]

    # --- identifiers --------------------------------------------------------------------------------------------
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
        for (path, at, keyword), target in self._reach.targets.items():
            if target.place.is_home or not self._reach.is_kept(target.place, target.at):
                place = self._home if path is None else self._reach.outside_sources[path]
                is_nested = place.is_home and place.index.find_base(at) != place.index.find_base("")
                schema = place.get(at)
                ref = schema.get(keyword) if isinstance(schema, dict) else None
                if is_nested and isinstance(ref, str) and place.index.find_target(at, ref) is None:
                    return True
                if not place.is_home and self._reach.is_kept(place, at):
                    return True
        return False

    def _make_root_id(self, home_id: Json) -> str:
        """Return a URI for the root. It depends on the content, because clients may cache schemas by URI."""
        documents = {target.place.document.path: target.place.document for target in self._reach.targets.values()}
        content: Json = {self._make_relative(path): hash_json(document.value) for path, document in documents.items()}
        base = f"{BUNDLE_BASE_URI}{hash_json([self._home.root, content])[:32]}"
        return join_uri(base + "/", split_fragment(home_id)[0]) if isinstance(home_id, str) else base

    def _assign_uris(self, place: SchemaSource) -> None:
        """Give each resource of an embedded document its URI: its own, unless another resource has it already."""
        stack: list[tuple[str, Json, str]] = [("", place.root, self._find_retrieval_uri(place))]
        while stack:
            at, schema, base = stack.pop()
            if isinstance(schema, dict):
                schema_id = schema.get("$id")
                uri = split_fragment(join_uri(base, schema_id))[0] if isinstance(schema_id, str) else base
                if uri != base or not at:
                    base = self._uris[place.key, at] = self._make_unused(uri, place)
                stack.extend(
                    (at + format_pointer(*path), inner, base)
                    for path, inner in iterate_subschemas(schema, self._dialect)
                )
            self._bases[place.document.path, at] = base

    def _find_retrieval_uri(self, place: SchemaSource) -> str:
        """Return the URI by which a document was referred to. It is the base URI of a document without an `$id`."""
        retrieved = self._reach.retrieved.get(place.document.path)
        return min(retrieved) if retrieved else self._make_uri(place)

    def _make_uri(self, place: SchemaSource) -> str:
        parts = [part for part in self._make_relative(place.document.path).split("/") if part != ".."]
        return BUNDLE_BASE_URI + quote("/".join(parts), safe="/")

    def _make_unused(self, uri: str, place: SchemaSource) -> str:
        candidate, count = uri, 1
        while candidate in self._used:
            stem = self._make_uri(place)
            candidate, count = stem if count == 1 else f"{stem}/{count}", count + 1
        self._used.add(candidate)
        return candidate

    # --- writing ------------------------------------------------------------------------------------------------
    def _write_definition(self, key: tuple[Path, str]) -> Json:
        """Return a copied definition, or a whole document as a resource."""
        path, at = key
        place = self._reach.outside_sources[path]
        definition = self._rewrite(place, at, place.get(at))
        if not isinstance(definition, dict):
            return definition
        if self._reach.is_kept(place, at):
            return {"$id": self._uris[path, ""], **definition}
        if not at:
            definition.pop("$defs", None)
            definition.pop("definitions", None)
        return definition

    def _rewrite(self, place: SchemaSource, at: str, schema: Json) -> Json:
        """Return a copy of the schema at a pointer of a source, with references that stay in the new document."""
        if not isinstance(schema, dict):
            return schema
        is_kept = self._reach.is_kept(place, at)
        out = {key: value for key, value in schema.items() if is_kept or key not in _RESOURCE_KEYWORDS}
        if is_kept and not place.is_home and (place.key, at) in self._uris:
            out["$id"] = self._write_id(place, at, schema.get("$id"))
        for keyword in REFERENCE_KEYWORDS[self._dialect]:
            ref = schema.get(keyword)
            if isinstance(ref, str):
                self._write_reference(out, keyword, ref, place, at)
        return map_subschemas(
            out, self._dialect, lambda path, inner: self._rewrite(place, at + format_pointer(*path), inner)
        )

    def _write_id(self, place: SchemaSource, at: str, written: Json) -> str:
        """Return the text of an `$id`: as it was written if that resolves to the resource's URI."""
        uri = self._uris[place.key, at]
        base = self._find_base(place, at.rpartition("/")[0]) if at else self._home_index.find_base("")
        return written if isinstance(written, str) and split_fragment(join_uri(base, written))[0] == uri else uri

    def _find_base(self, place: SchemaSource, at: str) -> str:
        """Return the base URI of the schema at a pointer of a source in the new document."""
        if place.is_home:
            return self._home_index.find_base(at)
        while (place.document.path, at) not in self._bases:
            at = at.rpartition("/")[0]
        return self._bases[place.document.path, at]

    def _write_reference(self, out: dict[str, Json], keyword: str, ref: str, place: SchemaSource, at: str) -> None:
        """Write a reference into `out` with the text that it needs in the new document."""
        target = self._reach.targets.get((place.key, at, keyword))
        if target is None:
            is_built_in = place.index.is_meta(at, ref)
            out[keyword] = place.index.make_absolute(at, ref) if is_built_in and not place.is_home else ref
            return
        is_dynamic = is_anchor(ref) and self._reach.is_dynamic(target)
        if is_dynamic and keyword == "$ref" and self._reach.embedded:
            # a pointer, because validators would resolve the anchor's name dynamically
            fragment = quote(target.at.removeprefix(target.resource), safe=POINTER_SAFE_CHARS)
            ref, target = f"{split_fragment(ref)[0]}#{fragment}", replace(target, fragment=fragment)
        text = self._write_reference_text(place, at, ref, target)
        if keyword == "$ref" or is_dynamic or text == ref or "$ref" in out:
            out[keyword] = text
        else:  # without an anchor it equals $ref (2020-12 core, section 8.2.3.2), which lowering supports
            del out[keyword]
            out["$ref"] = text

    def _find_dynamic_targets(self, place: SchemaSource) -> Iterator[str]:
        """Yield the pointers of `$dynamicAnchor`s that some `$dynamicRef` names, if documents are embedded."""
        for (_, name), at in place.index.anchors.items() if self._reach.embedded else ():
            schema = place.get(at)
            if name in self._reach.dynamic_names and isinstance(schema, dict) and schema.get("$dynamicAnchor") == name:
                yield at

    def _is_entered(self, place: SchemaSource, at: str) -> bool:
        """Return whether a `$dynamicRef` in another resource may lead to this schema or to one around it."""
        targets = self._dynamic_targets.get(place.key, set[str]())
        while at and at not in targets:
            at = at.rpartition("/")[0]
        return at in targets

    def _write_reference_text(self, place: SchemaSource, at: str, ref: str, target: ReferenceTarget) -> str:
        """Return the text of a reference: as it was written if that has the same target in the new document.

        Some validators keep the base URI of the resource that they come from, so references in schemas that are reached
        dynamically are absolute.
        """
        in_full = self._reach.is_kept(place, at) and self._is_entered(place, at)
        if place.is_home and place.index.find_target(at, ref) is not None and not in_full:
            return ref
        root = self._home_index.find_base("")
        is_kept = self._reach.is_kept(place, at)
        base = self._find_base(place, at) if is_kept else root
        if not self._reach.is_kept(target.place, target.at):
            key = (target.place.document.path, target.at)
            self._referred.append(key)
            local = "#" + quote(format_pointer(self._keyword, self._names[key]), safe=POINTER_SAFE_CHARS)
            return local if base == root and not in_full else root + local
        if not target.place.is_home:
            self._referred.append((target.place.document.path, ""))
        uri = self._uris[target.place.key, target.resource]
        if is_kept and not in_full and split_fragment(join_uri(base, ref))[0] == uri:
            return ref
        fragment = "#" + target.fragment
        return fragment if uri == base == root and not in_full else uri + fragment.rstrip("#")
