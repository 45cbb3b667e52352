"""Find the subschema that refuses a value or a kind of values by its own keywords, behind references and in `allOf`."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from mcpgen.compat.inclusion.keyword_reader import LocationKey, make_key
from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.compat.inclusion.value_kinds import expand_types
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.values import Json, make_identity_key


class Refusal(NamedTuple):
    """Subschema that refuses a value, and its keyword that does: `enum`, `const`, or none for another reason."""

    location: SchemaLocation
    keyword: str


def find_refusal(view: SchemaView, root: SchemaLocation, value: Json, related: Collection[str]) -> Refusal:
    """Return which `enum` or `const` refuses a value; the root, without a keyword, if that is not clear.

    No single branch of a union refuses a value. The branch is named if the other version has it with the value.

    Args:
        view: the document.
        root: a subschema that refuses the value.
        value: the value.
        related: pointers of the subschemas of the other version whose `enum` or `const` has the value.
    """
    visited: set[LocationKey] = set()
    stack = [(root, False)]
    while stack:
        location, in_union = stack.pop()
        if make_key(location) in visited or view.is_valid(location, value) is not False:
            continue
        visited.add(make_key(location))
        keyword = _find_refusing_keyword(view, location, value)
        if keyword and not in_union:
            return Refusal(location, keyword)
        if keyword and location.at in related:
            return Refusal(location, keyword if keyword == "enum" else "")  # with other branches, it is no constant
        stack += [(branch, True) for branch in _list_refusing_branches(view, location, value)][::-1]
        stack += [(inner, in_union) for inner in _list_conjuncts(view, location)][::-1]
    return Refusal(root, "")


def find_refusing_part(view: SchemaView, root: SchemaLocation, kind: str) -> SchemaLocation:
    """Return the innermost subschema that refuses all values of a kind.

    Args:
        view: the document.
        root: a subschema that refuses the kind.
        kind: one of `VALUE_KINDS`.
    """
    visited: set[LocationKey] = set()
    location: SchemaLocation | None = root
    while location is not None and make_key(location) not in visited:
        root = location
        visited.add(make_key(root))
        has_own_type = view.has(root, "type") and kind not in expand_types(view.get_names(root, "type"))
        inner = () if has_own_type else _list_conjuncts(view, root)
        location = next((part for part in inner if kind not in view.find_kinds(part)), None)
    return root


def _find_refusing_keyword(view: SchemaView, location: SchemaLocation, value: Json) -> str:
    for keyword in ("enum", "const"):
        if view.has(location, keyword) and make_identity_key(value) not in view.list_allowed_keys(location, keyword):
            return keyword
    return ""


def _list_refusing_branches(view: SchemaView, location: SchemaLocation, value: Json) -> Iterator[SchemaLocation]:
    """Yield the branches of the unions that refuse a value because each branch does."""
    for keyword in ("anyOf", "oneOf"):
        branches = view.get_subschemas(location, keyword)
        if all(view.is_valid(branch, value) is False for branch in branches):
            yield from branches


def _list_conjuncts(view: SchemaView, location: SchemaLocation) -> list[SchemaLocation]:
    """Return the subschemas that apply to the same values in any case."""
    return [*view.resolve_references(location), *view.get_subschemas(location, "allOf")]
