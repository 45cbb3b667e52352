"""What a `$ref` means: identifiers, anchors and pointers inside a document, and bundling what lies in other files."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from urllib.parse import unquote, urljoin

import jsonschema_rs

from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12, iterate_subschemas
from mcpgen.schema.panics import contained
from mcpgen.schema.values import Json, follow_pointer, format_pointer, parse_pointer

META_PREFIXES = ("https://json-schema.org/draft/2020-12/", "http://json-schema.org/draft-07/")
DEFAULT_BASE_URI = "mcpgen:/"


@cache
def _is_built_in(uri: str) -> bool:
    """Whether the validator knows what a URI means, without any document of the user's."""
    kind = jsonschema_rs.Draft7Validator if uri.startswith(META_PREFIXES[1]) else jsonschema_rs.Draft202012Validator
    try:
        with contained():
            kind({"$ref": uri}, offline=True)
    except (jsonschema_rs.ReferencingError, jsonschema_rs.ValidationError, ValueError):
        return False
    return True


@dataclass
class SchemaIndex:
    """The identifiers of one document (JSON Schema 2020-12 core, sections 8.2 and 9).

    `base` is the URI under which the document was found; pointers are relative to its root.
    """

    root: Json
    dialect: str
    base: str = DEFAULT_BASE_URI
    resources: dict[str, str] = field(default_factory=dict[str, str])
    anchors: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    bases: dict[str, str] = field(default_factory=dict[str, str])
    dynamic_anchors: set[str] = field(default_factory=set[str])
    """Every name that some `$dynamicAnchor` has."""
    clashes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Pointers of two schemas that say by `$id` that they have the same URI."""

    def __post_init__(self) -> None:
        self.resources[self.base] = ""
        stack: list[tuple[str, Json, str]] = [("", self.root, self.base)]
        while stack:
            at, schema, base = stack.pop()
            if isinstance(schema, dict):
                base = self._register(at, schema, base)
                for path, inner in iterate_subschemas(schema, self.dialect):
                    stack.append((at + format_pointer(*path), inner, base))
            self.bases[at] = base

    def _register(self, at: str, schema: dict[str, Json], base: str) -> str:
        identifier = schema.get("$id")
        if isinstance(identifier, str) and not (self.dialect == DRAFT_07 and "$ref" in schema):
            target, fragment = split_fragment(join_uri(base, identifier))
            if not fragment or self.dialect != DRAFT_07:
                if target in self.resources and target != base:
                    self.clashes.append((at, self.resources[target]))
                base = target
                self.resources.setdefault(base, at)
            else:
                self.anchors.setdefault((base, fragment), at)
        for keyword in ("$anchor", "$dynamicAnchor"):
            name = schema.get(keyword)
            if isinstance(name, str) and self.dialect == DRAFT_2020_12:
                self.anchors.setdefault((base, name), at)
                if keyword == "$dynamicAnchor":
                    self.dynamic_anchors.add(name)
        return base

    def find_base(self, at: str) -> str:
        """The base URI at a pointer."""
        while at not in self.bases:
            at = at.rpartition("/")[0]
        return self.bases[at]

    def find_target(self, at: str, ref: str) -> str | None:
        """The pointer that a `$ref` at the pointer `at` means, None when it is not inside this document."""
        uri, fragment = split_fragment(join_uri(self.find_base(at), ref))
        resource = self.resources.get(uri)
        if resource is None:
            return None
        fragment = unquote(fragment)
        if not fragment:
            return resource
        if fragment.startswith("/"):
            found = resource + fragment
            try:
                follow_pointer(self.root, parse_pointer(found))
            except KeyError:
                return None
            return found
        return self.anchors.get((uri, fragment))

    def is_meta(self, at: str, ref: str) -> bool:
        """Whether a `$ref` means one of the two built-in meta-schemas or a vocabulary of theirs."""
        absolute = join_uri(self.find_base(at), ref)
        return absolute.startswith(META_PREFIXES) and _is_built_in(absolute)

    def make_absolute(self, at: str, ref: str) -> str:
        """A `$ref` as an absolute URI."""
        return join_uri(self.find_base(at), ref)


def join_uri(base: str, ref: str) -> str:
    """RFC 3986 resolution that also keeps the base of schemes `urljoin` does not know (`urn:`, `mcpgen:`)."""
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
    if base.startswith("://", len(scheme)):  # `urljoin` joins the rest as it should if the scheme is one it knows
        return scheme + _join_hierarchical("http" + base[len(scheme) :], ref).removeprefix("http")
    joined = _join_hierarchical("http" + base[len(scheme) :].replace(":/", "://h/", 1), ref)
    return scheme + ":/" + joined.removeprefix("http://h/")


def _join_hierarchical(base: str, ref: str) -> str:
    try:
        return urljoin(base, ref)
    except ValueError:  # one of them is no URI, such as `//[`: it means itself
        return ref


def split_fragment(uri: str) -> tuple[str, str]:
    """A URI without its fragment, and the fragment, whatever the text (`urldefrag` raises for some)."""
    bare, _, fragment = uri.partition("#")
    return bare, fragment


def is_absolute_uri(ref: str) -> bool:
    """Whether a reference has a scheme (RFC 3986, section 3.1), so that it means the same from everywhere."""
    head, colon, _ = ref.partition(":")
    return bool(colon) and head[:1].isalpha() and all(c.isalnum() or c in "+.-" for c in head)
