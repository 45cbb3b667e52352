"""Writing a schema and all that it reaches as one document: the URI of each resource, the text of each `$ref`."""

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
    get_reference_keywords,
    is_anchor,
)
from mcpgen.schema.index import SchemaIndex, is_absolute_uri, join_uri, split_fragment
from mcpgen.schema.keywords import DRAFT_07, iterate_subschemas, map_subschemas
from mcpgen.schema.values import Json, format_pointer, hash_json, parse_pointer

BUNDLE_BASE_URI = "https://mcpgen.invalid/bundle/"
"""What the URIs start with that resources get which have none of their own.

Of a scheme for which every validator resolves relative references; `.invalid` names no host (RFC 2606, section 2).
"""
_RESOURCE_KEYWORDS = ("$id", "$anchor", "$dynamicAnchor", "$schema")
"""What a definition loses when it is copied out of its document: nothing refers to it by these any more."""


def build_compound_document(reach: ReachableSchemas, root: Path) -> Json:
    """The schema with everything that it reaches in its `$defs` (draft-07: `definitions`), and no reference outside.

    `root` is the input folder: files are known by their paths below it, the same on every machine.
    """
    return _CompoundDocument(reach, resolve_path(root)).build_document()


def get_definitions_keyword(dialect: str) -> str:
    """Where a dialect keeps its definitions."""
    return "definitions" if dialect == DRAFT_07 else "$defs"


class _CompoundDocument:
    def __init__(self, reach: ReachableSchemas, root: Path) -> None:
        self._reach, self._root, self._dialect = reach, root, reach.dialect
        self._keyword = get_definitions_keyword(reach.dialect)
        self._home = reach.home
        own = self._home.root.get("$id") if isinstance(self._home.root, dict) else None
        self._paths: dict[Path, str] = {}
        self._names = self._named()
        self._referred: list[tuple[Path, str]] = []
        self._new_id = (
            "" if (isinstance(own, str) and is_absolute_uri(own)) or not self._needs_id() else self._made_id(own)
        )
        root_schema: Json = self._home.root
        if self._new_id and isinstance(root_schema, dict):
            root_schema = {**root_schema, "$id": self._new_id}
        self._home_index = SchemaIndex(root_schema, self._dialect)
        self._uris: dict[tuple[Path | None, str], str] = {
            (None, at): uri for uri, at in self._home_index.resources.items()
        }
        self._bases: dict[tuple[Path, str], str] = {}
        self._used = set(self._home_index.resources)
        self._entered = {place.key: set(self._asked(place)) for place in (self._home, *reach.embedded.values())}
        for path in sorted(reach.embedded, key=self._relative):
            self._identify(reach.embedded[path])

    def build_document(self) -> Json:
        """The whole document."""
        result = self._rewritten(self._home, "", self._home.root)
        added = self._added()
        if not isinstance(result, dict):
            return result
        if self._new_id:
            result["$id"] = self._new_id
        if added:
            own = result.get(self._keyword)
            result[self._keyword] = {**(own if isinstance(own, dict) else {}), **added}
        return result

    def _added(self) -> dict[str, Json]:
        """What is taken in, by name: each after what it refers to itself, where they do not refer to one another."""
        added: dict[str, Json] = {}
        met: set[tuple[Path, str]] = set()
        stack: list[tuple[str, Json, Iterator[tuple[Path, str]]]] = [("", None, self._taken())]
        while stack:
            name, body, others = stack[-1]
            key = next((other for other in others if other not in met), None)
            if key is not None:
                met.add(key)
                inner = self._body(key)
                stack.append((self._names[key], inner, self._taken()))
                continue
            stack.pop()
            if stack:
                added[name] = body
        return added

    def _taken(self) -> Iterator[tuple[Path, str]]:
        """What was referred to in what was written last."""
        taken, self._referred = self._referred, []
        return iter(taken)

    # --- names --------------------------------------------------------------------------------------------------
    def _named(self) -> dict[tuple[Path, str], str]:
        """A name for each definition that is taken in, whatever the order in which they were met.

        One that several claim, or that the schema has itself, is followed by its file's name.
        """
        home = self._home.root
        held = home.get(self._keyword) if isinstance(home, dict) else None
        used = set(held) if isinstance(held, dict) else set[str]()
        keys = [*self._reach.copied, *((path, "") for path in self._reach.embedded)]
        wanted = {(path, at): parse_pointer(at)[-1] if at else path.name.split(".")[0] for path, at in keys}
        claims = Counter(wanted.values())
        names: dict[tuple[Path, str], str] = {}
        for key in sorted(wanted, key=lambda one: (self._relative(one[0]), one[1])):
            name = wanted[key]
            stem = name if claims[name] == 1 and name not in used else f"{name}_{key[0].name.split('.')[0]}"
            name, count = stem, 2
            while name in used:
                name, count = f"{stem}_{count}", count + 1
            used.add(name)
            names[key] = name
        return names

    def _relative(self, path: Path) -> str:
        """A file's path below the input folder."""
        if path not in self._paths:
            self._paths[path] = PurePath(os.path.relpath(resolve_path(path), self._root)).as_posix()
        return self._paths[path]

    # --- identifiers --------------------------------------------------------------------------------------------
    def _needs_id(self) -> bool:
        """Whether the root has to have a URI.

        Something inside another resource may refer to it, where `#` does not mean it; and its anchors may be wanted
        there, for which some validators do not look at a root that has none.
        """
        index = self._home.index
        if self._reach.asked & index.dynamic_anchors and (self._reach.embedded or any(index.resources.values())):
            return True
        for (path, at, keyword), target in self._reach.targets.items():
            if target.place.is_home or not self._reach.is_kept(target.place, target.at):
                place = self._home if path is None else self._reach.places[path]
                inner = place.is_home and place.index.find_base(at) != place.index.find_base("")
                schema = place.get(at)
                ref = schema.get(keyword) if isinstance(schema, dict) else None
                if inner and isinstance(ref, str) and place.index.find_target(at, ref) is None:
                    return True
                if not place.is_home and self._reach.is_kept(place, at):
                    return True
        return False

    def _made_id(self, own: Json) -> str:
        """A URI for the root: one for each content, because clients may keep schemas by it."""
        documents = {target.place.document.path: target.place.document for target in self._reach.targets.values()}
        content: Json = {self._relative(path): hash_json(document.value) for path, document in documents.items()}
        base = f"{BUNDLE_BASE_URI}{hash_json([self._home.root, content])[:32]}"
        return join_uri(base + "/", split_fragment(own)[0]) if isinstance(own, str) else base

    def _identify(self, place: SchemaSource) -> None:
        """Give each resource of an embedded document its URI: its own, unless another one has it by now."""
        stack: list[tuple[str, Json, str]] = [("", place.root, self._found_at(place))]
        while stack:
            at, schema, base = stack.pop()
            if isinstance(schema, dict):
                own = schema.get("$id")
                uri = split_fragment(join_uri(base, own))[0] if isinstance(own, str) else base
                if uri != base or not at:
                    base = self._uris[place.key, at] = self._unused(uri, place)
                stack.extend(
                    (at + format_pointer(*path), inner, base)
                    for path, inner in iterate_subschemas(schema, self._dialect)
                )
            self._bases[place.document.path, at] = base

    def _found_at(self, place: SchemaSource) -> str:
        """The URI under which a document was found, its base where it does not say one itself."""
        retrieved = self._reach.retrieved.get(place.document.path)
        return min(retrieved) if retrieved else self._made_uri(place)

    def _made_uri(self, place: SchemaSource) -> str:
        parts = [part for part in self._relative(place.document.path).split("/") if part != ".."]
        return BUNDLE_BASE_URI + quote("/".join(parts), safe="/")

    def _unused(self, uri: str, place: SchemaSource) -> str:
        found, count = uri, 1
        while found in self._used:
            made = self._made_uri(place)
            found, count = made if count == 1 else f"{made}/{count}", count + 1
        self._used.add(found)
        return found

    # --- writing ------------------------------------------------------------------------------------------------
    def _body(self, key: tuple[Path, str]) -> Json:
        """A definition by itself, or a whole document as a resource."""
        path, at = key
        place = self._reach.places[path]
        body = self._rewritten(place, at, place.get(at))
        if not isinstance(body, dict):
            return body
        if self._reach.is_kept(place, at):
            return {"$id": self._uris[path, ""], **body}
        if not at:
            body.pop("$defs", None)
            body.pop("definitions", None)
        return body

    def _rewritten(self, place: SchemaSource, at: str, schema: Json) -> Json:
        """A copy of the schema at a pointer of a place, its references turned inward."""
        if not isinstance(schema, dict):
            return schema
        kept = self._reach.is_kept(place, at)
        out = {key: value for key, value in schema.items() if kept or key not in _RESOURCE_KEYWORDS}
        if kept and not place.is_home and (place.key, at) in self._uris:
            out["$id"] = self._said_id(place, at, schema.get("$id"))
        for keyword in get_reference_keywords(self._dialect):
            ref = schema.get(keyword)
            if isinstance(ref, str):
                self._refer(out, keyword, ref, place, at)
        return map_subschemas(
            out, self._dialect, lambda path, inner: self._rewritten(place, at + format_pointer(*path), inner)
        )

    def _said_id(self, place: SchemaSource, at: str, own: Json) -> str:
        """The text of an `$id`: as it was written, if that says the resource's URI."""
        uri = self._uris[place.key, at]
        outer = self._base(place, at.rpartition("/")[0]) if at else self._home_index.find_base("")
        return own if isinstance(own, str) and split_fragment(join_uri(outer, own))[0] == uri else uri

    def _base(self, place: SchemaSource, at: str) -> str:
        """The base URI that what stands at a pointer of a place has in the new document."""
        if place.is_home:
            return self._home_index.find_base(at)
        while (place.document.path, at) not in self._bases:
            at = at.rpartition("/")[0]
        return self._bases[place.document.path, at]

    def _refer(self, out: dict[str, Json], keyword: str, ref: str, place: SchemaSource, at: str) -> None:
        """Put a reference into `out`, as it has to be said there."""
        target = self._reach.targets.get((place.key, at, keyword))
        if target is None:
            is_built_in = place.index.is_meta(at, ref)
            out[keyword] = place.index.make_absolute(at, ref) if is_built_in and not place.is_home else ref
            return
        is_dynamic = is_anchor(ref) and self._reach.is_dynamic(target)
        if is_dynamic and keyword == "$ref" and self._reach.embedded:
            # one schema is meant; validators look for the outermost of that name, were it said by the name
            fragment = quote(target.at.removeprefix(target.resource), safe=POINTER_SAFE_CHARS)
            ref, target = f"{split_fragment(ref)[0]}#{fragment}", replace(target, fragment=fragment)
        text = self._text(place, at, ref, target)
        if keyword == "$ref" or is_dynamic or text == ref or "$ref" in out:
            out[keyword] = text
        else:  # without an anchor it means what a $ref does (2020-12 core, section 8.2.3.2), which types understand
            del out[keyword]
            out["$ref"] = text

    def _asked(self, place: SchemaSource) -> Iterator[str]:
        """Where a document has a `$dynamicAnchor` that some `$dynamicRef` asks for, if it stays one."""
        for (_, name), at in place.index.anchors.items() if self._reach.embedded else ():
            schema = place.get(at)
            if name in self._reach.asked and isinstance(schema, dict) and schema.get("$dynamicAnchor") == name:
                yield at

    def _is_entered(self, place: SchemaSource, at: str) -> bool:
        """Whether a `$dynamicRef` may lead here, or around here, from any other resource."""
        found = self._entered.get(place.key, set[str]())
        while at and at not in found:
            at = at.rpartition("/")[0]
        return at in found

    def _text(self, place: SchemaSource, at: str, ref: str, target: ReferenceTarget) -> str:
        """The text of a reference, as it was written where that says the same.

        Some validators go on with the base URI of the resource that they came from: what they may come to that way
        is said in full.
        """
        in_full = self._reach.is_kept(place, at) and self._is_entered(place, at)
        if place.is_home and place.index.find_target(at, ref) is not None and not in_full:
            return ref
        root = self._home_index.find_base("")
        kept = self._reach.is_kept(place, at)
        here = self._base(place, at) if kept else root
        if not self._reach.is_kept(target.place, target.at):
            key = (target.place.document.path, target.at)
            self._referred.append(key)
            local = "#" + quote(format_pointer(self._keyword, self._names[key]), safe=POINTER_SAFE_CHARS)
            return local if here == root and not in_full else root + local
        if not target.place.is_home:
            self._referred.append((target.place.document.path, ""))
        uri = self._uris[target.place.key, target.resource]
        if kept and not in_full and split_fragment(join_uri(here, ref))[0] == uri:
            return ref
        fragment = "#" + target.fragment
        return fragment if uri == here == root and not in_full else uri + fragment.rstrip("#")
