"""What a schema reaches in other files, and which of those files have to stay schema resources of their own.

A definition of another file can be copied into the schema's `$defs` as it is, because each `$ref` has one meaning,
which is known here. A `$dynamicRef` has not: it takes the outermost `$dynamicAnchor` of its name among the resources
through which evaluation came (2020-12 core, section 8.2.3.2). So a file with an anchor that some `$dynamicRef` asks
for is embedded whole, as a resource (section 9.3), and all others are copied a definition at a time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote, unquote

from mcpgen.read.document import SourceDocument
from mcpgen.schema.index import DEFAULT_BASE_URI, SchemaIndex, split_fragment
from mcpgen.schema.keywords import DRAFT_07, detect_dialect, iterate_subschemas
from mcpgen.schema.values import Json, follow_pointer, format_pointer, parse_pointer

POINTER_SAFE_CHARS = "/~!$&'()*+,;=:@?"
"""What a JSON pointer may hold in a fragment as it is."""
META_ANCHOR = "meta"
"""The `$dynamicAnchor` of the 2020-12 meta-schema, which its own references ask for."""


@dataclass(frozen=True, eq=False)
class SchemaSource:
    """A schema to read: `index` holds its identifiers, `offset` is where its root stands in the document."""

    document: SourceDocument
    offset: str
    index: SchemaIndex
    is_home: bool = False
    """Whether it is the schema that is bundled, not one that it reaches."""

    @property
    def root(self) -> Json:
        """The schema itself."""
        return self.index.root

    @property
    def key(self) -> Path | None:
        """What tells places apart."""
        return None if self.is_home else self.document.path

    def get(self, at: str) -> Json:
        """The schema at a pointer."""
        return follow_pointer(self.root, parse_pointer(at))


@dataclass(frozen=True)
class ReferenceTarget:
    """What a reference means: the schema at the pointer `at` of `place`.

    It is said by the `fragment`, as it was written, of the resource at the pointer `resource`.
    """

    place: SchemaSource
    at: str
    resource: str
    fragment: str


ReferenceFinder: TypeAlias = Callable[[SchemaSource, str, str, str], tuple[SchemaSource, str] | None]
"""Looks up a reference that leads out of its document: (its place, the pointer, its keyword, its text) → the document
and the pointer that it means, or None where there is none and that was recorded."""


class ReachableSchemas:
    """Everything that a schema reaches, its own parts included. What cannot be found is left to `find` to record."""

    def __init__(self, home: SchemaSource, find: ReferenceFinder) -> None:
        self.home = home
        self.dialect = home.index.dialect
        self.targets: dict[tuple[Path | None, str, str], ReferenceTarget] = {}
        """(document, pointer, keyword) → what that reference means; built-in schemas are not there."""
        self.retrieved: dict[Path, set[str]] = defaultdict(set)
        """The URIs under which an outside document was referred to."""
        self.places: dict[Path, SchemaSource] = {}
        """Every outside document that is reached."""
        self.embedded: dict[Path, SchemaSource] = {}
        """The outside documents that stay resources of their own."""
        self.mismatched: list[tuple[SchemaSource, str]] = []
        """Where an outside schema changes to the other dialect."""
        self._find = find
        self._met: dict[tuple[Path, str], SchemaSource] = {}
        self.asked: set[str] = set()
        """The names that some `$dynamicRef` asks for."""
        self._anchored: dict[str, list[SchemaSource]] = defaultdict(list)
        self._seen: set[tuple[Path | None, str]] = set()
        self._todo: list[tuple[SchemaSource, str]] = [(home, "")]
        while self._todo:
            self._visit(*self._todo.pop())

    @cached_property
    def copied(self) -> dict[tuple[Path, str], SchemaSource]:
        """The definitions, by document and pointer, that are copied one by one."""
        return {key: place for key, place in self._met.items() if not self.is_kept(place, key[1])}

    def is_kept(self, place: SchemaSource, at: str) -> bool:
        """Whether what stands at a pointer keeps its place in the document: that is kept, and knows it as a schema."""
        return place.is_home or (place.document.path in self.embedded and at in place.index.bases)

    def is_dynamic(self, target: ReferenceTarget) -> bool:
        """Whether a `$dynamicRef` with this target has to look for the outermost one."""
        schema = target.place.get(target.at)
        return (
            isinstance(schema, dict)
            and schema.get("$dynamicAnchor") == unquote(target.fragment)
            and self.is_kept(target.place, target.at)
        )

    # --- the walk -----------------------------------------------------------------------------------------------
    def _visit(self, place: SchemaSource, at: str) -> None:
        if (place.key, at) in self._seen:
            return
        self._seen.add((place.key, at))
        schema = place.get(at)
        if not isinstance(schema, dict):
            return
        if not place.is_home and at and detect_dialect(schema, self.dialect) not in (self.dialect, None):
            self.mismatched.append((place, at))
        for keyword in get_reference_keywords(self.dialect):
            ref = schema.get(keyword)
            if isinstance(ref, str):
                self._refer(place, at, keyword, ref)
        self._todo.extend((place, at + format_pointer(*path)) for path, _ in iterate_subschemas(schema, self.dialect))

    def _refer(self, place: SchemaSource, at: str, keyword: str, ref: str) -> None:
        fragment = split_fragment(ref)[1]
        if keyword == "$dynamicRef" and is_anchor(ref):
            self._ask(unquote(fragment))
        if place.index.is_meta(at, ref):
            self._ask(META_ANCHOR)
            return
        target = self._inside(place, at, ref) or self._outside(place, at, keyword, ref)
        if target is None:
            return
        self.targets[place.key, at, keyword] = target
        if not target.place.is_home:
            self._met[target.place.document.path, target.at] = target.place
            self._know(target.place)
        self._todo.append((target.place, target.at))

    def _inside(self, place: SchemaSource, at: str, ref: str) -> ReferenceTarget | None:
        """The target in the same document, or in the home schema where that has the `$id` that is meant."""
        absolute = place.index.make_absolute(at, ref)
        uri, fragment = split_fragment(absolute)
        for one in (place, self.home):
            if one is not place and uri.startswith(DEFAULT_BASE_URI):
                continue  # no identifier of anything, but a name within each document
            found = one.index.find_target(at if one is place else "", ref if one is place else absolute)
            if found is not None:
                return ReferenceTarget(one, found, one.index.resources[uri], fragment)
        return None

    def _outside(self, place: SchemaSource, at: str, keyword: str, ref: str) -> ReferenceTarget | None:
        found = self._find(place, at, keyword, ref)
        if found is None:
            return None
        other, target = found
        fragment = split_fragment(ref)[1]
        home = self.home
        if other.document is home.document and (target + "/").startswith(home.offset + "/"):
            inner = target.removeprefix(home.offset)
            if home.offset:  # a pointer into the file is a longer one than that into the schema
                fragment = quote(inner, safe=POINTER_SAFE_CHARS)
            return ReferenceTarget(home, inner, "", fragment)
        absolute = split_fragment(place.index.make_absolute(at, ref))[0]
        if not absolute.startswith(DEFAULT_BASE_URI):
            self.retrieved[other.document.path].add(absolute)
        return ReferenceTarget(other, target, "", fragment)

    # --- dynamic anchors ----------------------------------------------------------------------------------------
    def _ask(self, name: str) -> None:
        """Note that a `$dynamicRef` asks for a name."""
        if name not in self.asked:
            self.asked.add(name)
            for place in self._anchored[name]:
                self._embed(place)

    def _know(self, place: SchemaSource) -> None:
        """Note the `$dynamicAnchor`s of an outside document."""
        if place.document.path in self.places:
            return
        self.places[place.document.path] = place
        for name in place.index.dynamic_anchors:
            self._anchored[name].append(place)
            if name in self.asked:
                self._embed(place)

    def _embed(self, place: SchemaSource) -> None:
        if place.document.path not in self.embedded:
            self.embedded[place.document.path] = place
            self._todo.append((place, ""))


def get_reference_keywords(dialect: str) -> tuple[str, ...]:
    """The keywords of a dialect that refer to a schema."""
    return ("$ref",) if dialect == DRAFT_07 else ("$ref", "$dynamicRef")


def is_anchor(ref: str) -> bool:
    """Whether a reference names an anchor, not a pointer or a whole resource."""
    fragment = ref.partition("#")[2]
    return bool(fragment) and not fragment.startswith("/")
