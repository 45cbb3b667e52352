"""Resolve references inside a document: identifiers, anchors and pointers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from urllib.parse import unquote, urljoin

import jsonschema_rs
from mcpgen_runtime.schema_keywords import contained

from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12, iterate_subschemas
from mcpgen.schema.values import Json, as_object, follow_pointer, format_pointer, has_pointer, parse_pointer

META_PREFIXES = ("https://json-schema.org/draft/2020-12/", "http://json-schema.org/draft-07/")
DEFAULT_BASE_URI = "mcpgen:/"


@cache
def _is_built_in(uri: str) -> bool:
    kind = jsonschema_rs.Draft7Validator if uri.startswith(META_PREFIXES[1]) else jsonschema_rs.Draft202012Validator
    try:
        with contained():
            kind({"$ref": uri}, offline=True)
    except (jsonschema_rs.ReferencingError, jsonschema_rs.ValidationError, ValueError):
        return False
    return True


@dataclass
class SchemaIndex:
    """Identifiers of one document (JSON Schema 2020-12 core, sections 8.2 and 9); pointers start at its root."""

    root: Json
    dialect: str
    base: str = DEFAULT_BASE_URI
    """URI under which the document was found."""
    resources: dict[str, str] = field(default_factory=dict[str, str])
    """URI → pointer of the schema that has it as `$id`."""
    anchors: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    """(base URI, anchor) → pointer."""
    bases: dict[str, str] = field(default_factory=dict[str, str])
    """Pointer of each subschema → its base URI."""
    dynamic_anchors: set[str] = field(default_factory=set[str])
    """Names of all `$dynamicAnchor`s."""
    clashes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Pointers of two schemas with the same `$id`."""

    def __post_init__(self) -> None:
        self.resources[self.base] = ""
        stack: list[tuple[str, Json, str]] = [("", self.root, self.base)]
        while stack:
            pointer, schema, base = stack.pop()
            if isinstance(schema, dict):
                base = self._register(pointer, schema, base)
                for tokens, subschema in iterate_subschemas(schema, self.dialect):
                    stack.append((pointer + format_pointer(*tokens), subschema, base))
            self.bases[pointer] = base

    def _register(self, pointer: str, schema: dict[str, Json], base: str) -> str:
        identifier = schema.get("$id")
        if isinstance(identifier, str) and not (self.dialect == DRAFT_07 and "$ref" in schema):
            target, fragment = split_fragment(join_uri(base, identifier))
            if not fragment or self.dialect != DRAFT_07:
                if target in self.resources and target != base:
                    self.clashes.append((pointer, self.resources[target]))
                base = target
                self.resources.setdefault(base, pointer)
            else:
                self.anchors.setdefault((base, fragment), pointer)
        for keyword in ("$anchor", "$dynamicAnchor"):
            name = schema.get(keyword)
            if isinstance(name, str) and self.dialect == DRAFT_2020_12:
                self.anchors.setdefault((base, name), pointer)
                if keyword == "$dynamicAnchor":
                    self.dynamic_anchors.add(name)
        return base

    def get(self, pointer: str) -> Json:
        """Return the value at a pointer; raise KeyError if there is none."""
        return follow_pointer(self.root, parse_pointer(pointer))

    def find_base(self, pointer: str) -> str:
        """Return the base URI at a pointer."""
        while pointer not in self.bases:
            pointer = pointer.rpartition("/")[0]
        return self.bases[pointer]

    def find_target(self, pointer: str, ref: str) -> str | None:
        """Return the pointer to which a `$ref` at a pointer leads, None when it leads out of this document."""
        uri, fragment = split_fragment(join_uri(self.find_base(pointer), ref))
        resource = self.resources.get(uri)
        if resource is None:
            return None
        fragment = unquote(fragment)
        if not fragment:
            return resource
        if fragment.startswith("/"):
            target = resource + fragment
            return target if has_pointer(self.root, target) else None
        return self.anchors.get((uri, fragment))

    def find_referred(self, pointer: str) -> str | None:
        """Return the pointer to which the `$ref` of the schema at a pointer leads, None if there is none in here."""
        ref = as_object(self.get(pointer)).get("$ref")
        return self.find_target(pointer, ref) if isinstance(ref, str) else None

    def is_meta(self, pointer: str, ref: str) -> bool:
        """Report whether a `$ref` leads to one of the built-in meta-schemas or to one of their vocabularies."""
        absolute = self.make_absolute(pointer, ref)
        return absolute.startswith(META_PREFIXES) and _is_built_in(absolute)

    def make_absolute(self, pointer: str, ref: str) -> str:
        """Return a `$ref` at a pointer as an absolute URI."""
        return join_uri(self.find_base(pointer), ref)


def join_uri(base: str, ref: str) -> str:
    """Resolve a reference (RFC 3986), also for schemes that `urljoin` does not know (`urn:`, `mcpgen:`)."""
    if not ref:
        return base
    if ref.startswith("#"):
        return split_fragment(base)[0] + ref
    scheme = base.partition(":")[0]
    if scheme in ("http", "https", "file", ""):
        return _join_hierarchical(base, ref)
    if "://" in ref or is_absolute_uri(ref):
        return ref
    if scheme == "urn":
        return ref
    if base.startswith("://", len(scheme)):  # `urljoin` does the rest if it knows the scheme
        return scheme + _join_hierarchical("http" + base[len(scheme) :], ref).removeprefix("http")
    joined = _join_hierarchical("http" + base[len(scheme) :].replace(":/", "://h/", 1), ref)
    return scheme + ":/" + joined.removeprefix("http://h/")


def _join_hierarchical(base: str, ref: str) -> str:
    try:
        return urljoin(base, ref)
    except ValueError:  # not a URI, such as `//[`
        return ref


def split_fragment(uri: str) -> tuple[str, str]:
    """Return a URI without its fragment, and the fragment, of any text (`urldefrag` raises for some)."""
    base, _, fragment = uri.partition("#")
    return base, fragment


def is_absolute_uri(ref: str) -> bool:
    """Report whether a reference has a scheme (RFC 3986, section 3.1) and needs no base."""
    head, colon, _ = ref.partition(":")
    return bool(colon) and head[:1].isalpha() and all(char.isalnum() or char in "+.-" for char in head)
