"""Collect the schemas that a schema reaches in other files, and decide which files are embedded whole.

A definition of another file can usually be copied into the schema's `$defs`, because each `$ref` has one target, which
is known here. A `$dynamicRef` doesn't: it refers to the outermost `$dynamicAnchor` of its name among the resources in
the dynamic scope (2020-12 core, section 8.2.3.2). So a file with an anchor that some `$dynamicRef` names is embedded as
a resource (section 9.3), and definitions of all other files are copied one by one.
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
from mcpgen.read.old_dialects import resolve_dialect
from mcpgen.schema.index import DEFAULT_BASE_URI, SchemaIndex, split_fragment
from mcpgen.schema.keywords import iterate_references, iterate_subschemas
from mcpgen.schema.values import Json, as_object, format_pointer

POINTER_SAFE_CHARS = "/~!$&'()*+,;=:@?"
"""Characters of a JSON pointer that need no percent-encoding in a fragment."""
META_ANCHOR = "meta"
"""`$dynamicAnchor` of the 2020-12 meta-schema, which its own references name."""


@dataclass(frozen=True, eq=False)
class SchemaSource:
    """Schema to read: `index` has its identifiers, `offset` is the pointer of its root in the document."""

    document: SourceDocument
    offset: str
    index: SchemaIndex
    is_home: bool = False
    """True for the schema that is bundled, false for schemas that it reaches."""

    @property
    def root(self) -> Json:
        """The schema's JSON value."""
        return self.index.root

    @property
    def key(self) -> Path | None:
        """Identity of the source: the file, None for the home schema."""
        return None if self.is_home else self.document.path

    def get(self, pointer: str) -> Json:
        """Return the subschema at a pointer."""
        return self.index.get(pointer)


@dataclass(frozen=True)
class ReferenceTarget:
    """Target of a reference: the schema at the pointer `at` of `source`.

    The reference has the `fragment`, as it was written, of the resource at the pointer `resource`.
    """

    source: SchemaSource
    at: str
    resource: str
    fragment: str


ReferenceFinder: TypeAlias = Callable[[SchemaSource, str, str, str], tuple[SchemaSource, str] | None]
"""Resolves a reference to another document: (source, pointer, keyword, text) → the document and the pointer in it, or
None if there is no target and that was reported."""


class ReachableSchemas:
    """Collection of everything that a schema reaches, its own parts included. `find` reports missing targets."""

    def __init__(self, home: SchemaSource, find: ReferenceFinder) -> None:
        self.home = home
        self.dialect = home.index.dialect
        self.targets: dict[tuple[Path | None, str, str], ReferenceTarget] = {}
        """(document, pointer, keyword) → target of the reference, except for those to built-in schemas."""
        self.retrieved: dict[Path, set[str]] = defaultdict(set)
        """URIs that refer to each outside document."""
        self.outside_sources: dict[Path, SchemaSource] = {}
        """Outside documents that are reached."""
        self.embedded: dict[Path, SchemaSource] = {}
        """Outside documents that are embedded whole, as resources."""
        self.mismatched: list[tuple[SchemaSource, str]] = []
        """Outside schemas that switch to the other dialect, with their pointers."""
        self._find = find
        self._outside_targets: dict[tuple[Path, str], SchemaSource] = {}
        self.dynamic_names: set[str] = set()
        """Names of anchors in the `$dynamicRef`s that are reached."""
        self._anchored: dict[str, list[SchemaSource]] = defaultdict(list)
        self._visited: set[tuple[Path | None, str]] = set()
        self._pending: list[tuple[SchemaSource, str]] = [(home, "")]
        while self._pending:
            self._visit(*self._pending.pop())

    @cached_property
    def copied(self) -> dict[tuple[Path, str], SchemaSource]:
        """Definitions that are copied one by one, by document and pointer."""
        return {key: source for key, source in self._outside_targets.items() if not self.is_kept(source, key[1])}

    def is_kept(self, source: SchemaSource, pointer: str) -> bool:
        """Return whether the schema at a pointer stays at that place in its document, which is embedded or the home."""
        return source.is_home or (source.document.path in self.embedded and pointer in source.index.bases)

    def is_dynamic(self, target: ReferenceTarget) -> bool:
        """Return whether a `$dynamicRef` with this target is resolved dynamically."""
        anchor = as_object(target.source.get(target.at)).get("$dynamicAnchor")
        return anchor == unquote(target.fragment) and self.is_kept(target.source, target.at)

    # --- the walk -----------------------------------------------------------------------------------------------
    def _visit(self, source: SchemaSource, pointer: str) -> None:
        if (source.key, pointer) in self._visited:
            return
        self._visited.add((source.key, pointer))
        schema = source.get(pointer)
        if not isinstance(schema, dict):
            return
        resolved = resolve_dialect(schema, self.dialect, is_part=True)
        if not source.is_home and pointer and resolved not in (self.dialect, None):
            self.mismatched.append((source, pointer))
        for keyword, ref in iterate_references(schema, self.dialect):
            self._follow(source, pointer, keyword, ref)
        self._pending.extend(
            (source, pointer + format_pointer(*path)) for path, _ in iterate_subschemas(schema, self.dialect)
        )

    def _follow(self, source: SchemaSource, pointer: str, keyword: str, ref: str) -> None:
        fragment = split_fragment(ref)[1]
        if keyword == "$dynamicRef" and is_anchor(ref):
            self._note_dynamic_name(unquote(fragment))
        if source.index.is_meta(pointer, ref):
            self._note_dynamic_name(META_ANCHOR)
            return
        target = self._find_inside(source, pointer, ref) or self._find_outside(source, pointer, keyword, ref)
        if target is None:
            return
        self.targets[source.key, pointer, keyword] = target
        if not target.source.is_home:
            self._outside_targets[target.source.document.path, target.at] = target.source
            self._note_document(target.source)
        self._pending.append((target.source, target.at))

    def _find_inside(self, source: SchemaSource, pointer: str, ref: str) -> ReferenceTarget | None:
        """Return the target in the same document, or in the home schema if that has the `$id` in the reference."""
        absolute = source.index.make_absolute(pointer, ref)
        uri, fragment = split_fragment(absolute)
        for candidate in (source, self.home):
            is_same = candidate is source
            if not is_same and uri.startswith(DEFAULT_BASE_URI):
                continue  # no identifier, but a name inside each document
            target = candidate.index.find_target(pointer if is_same else "", ref if is_same else absolute)
            if target is not None:
                return ReferenceTarget(candidate, target, candidate.index.resources[uri], fragment)
        return None

    def _find_outside(self, source: SchemaSource, place: str, keyword: str, ref: str) -> ReferenceTarget | None:
        resolved = self._find(source, place, keyword, ref)
        if resolved is None:
            return None
        other_source, target = resolved
        fragment = split_fragment(ref)[1]
        home = self.home
        if other_source.document is home.document and (target + "/").startswith(home.offset + "/"):
            pointer = target.removeprefix(home.offset)
            if home.offset:  # the schema is a part of the file, so its pointers are shorter than the file's
                fragment = quote(pointer, safe=POINTER_SAFE_CHARS)
            return ReferenceTarget(home, pointer, "", fragment)
        absolute = split_fragment(source.index.make_absolute(place, ref))[0]
        if not absolute.startswith(DEFAULT_BASE_URI):
            self.retrieved[other_source.document.path].add(absolute)
        return ReferenceTarget(other_source, target, "", fragment)

    # --- dynamic anchors ----------------------------------------------------------------------------------------
    def _note_dynamic_name(self, name: str) -> None:
        if name not in self.dynamic_names:
            self.dynamic_names.add(name)
            for source in self._anchored[name]:
                self._embed(source)

    def _note_document(self, source: SchemaSource) -> None:
        if source.document.path in self.outside_sources:
            return
        self.outside_sources[source.document.path] = source
        for name in source.index.dynamic_anchors:
            self._anchored[name].append(source)
            if name in self.dynamic_names:
                self._embed(source)

    def _embed(self, source: SchemaSource) -> None:
        if source.document.path not in self.embedded:
            self.embedded[source.document.path] = source
            self._pending.append((source, ""))


def is_anchor(ref: str) -> bool:
    """Return whether a reference names an anchor, not a pointer or a whole resource."""
    fragment = ref.partition("#")[2]
    return bool(fragment) and not fragment.startswith("/")
