"""Lower `anyOf` and `oneOf`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mcpgen.lower.normalize.constraints import (
    ALL_TYPES,
    collect_keywords,
    intersect_types,
    intersect_values,
    list_required,
)
from mcpgen.lower.normalize.context import LowerPlaces, NormalizationContext
from mcpgen.lower.normalize.core import ANY_CORE, Core, SchemaPart, SchemaPlace, make_union, remove_duplicates
from mcpgen.lower.normalize.places import PlaceReader
from mcpgen.schema.keywords import TYPED_KEYWORDS
from mcpgen.schema.values import JSON_TYPES, format_pointer, get_json_type

_SHAPING_KEYWORDS = frozenset(
    ["properties", "type", "items", "prefixItems", "enum", "const", "additionalProperties", "anyOf", "oneOf"]
)
"""Keywords with which a branch says more than which properties are required or excluded."""
_NO_PLACES: tuple[SchemaPlace, ...] = ()

LowerTypes = Callable[[tuple[SchemaPlace, ...], tuple[SchemaPart, ...], set[str], str], Core]
"""Lowers places, with their parts, to the given JSON types; the last argument is the tag."""


@dataclass(frozen=True)
class Alternatives:
    """An `anyOf` or `oneOf` of a part."""

    part: SchemaPart
    keyword: str


def find_alternatives(parts: Sequence[SchemaPart]) -> list[Alternatives]:
    """Return every `anyOf` and `oneOf` of some parts."""
    return [Alternatives(part, keyword) for part in parts for keyword in ("anyOf", "oneOf") if keyword in part.schema]


def list_branches(part: SchemaPart, keyword: str) -> list[SchemaPlace]:
    """Return the places of the branches of a part's `anyOf` or `oneOf`."""
    branches = part.schema[keyword]
    assert isinstance(branches, list)
    return [SchemaPlace(f"{part.place.pointer}/{keyword}/{index}") for index in range(len(branches))]


class UnionLowering:
    """Lowers the first `anyOf` or `oneOf` of some parts; the others are left to the exact check."""

    def __init__(self, context: NormalizationContext, lower: LowerPlaces, lower_types: LowerTypes) -> None:
        self._context, self._lower, self._lower_types = context, lower, lower_types
        self._places = context.places

    def lower_union(self, parts: tuple[SchemaPart, ...], types: set[str], tag: str) -> Core:
        """Return the type of the values that satisfy all parts, of which at least one has alternatives."""
        findings = self._context.findings
        alternatives = find_alternatives(parts)
        part, keyword = alternatives[0].part, alternatives[0].keyword
        findings.require_check(*(other.keyword for other in alternatives[1:]))
        branches = list_branches(part, keyword)
        if len(branches) > self._context.limits.members:
            findings.leave_out_members(part.place.pointer, keyword, f"{len(branches)} members")
            branches = []
        constrained = not types >= ALL_TYPES or bool(collect_keywords(parts) & TYPED_KEYWORDS) or len(alternatives) > 1
        if branches and not constrained:
            return self._lower_branches(keyword, part.place, branches, _NO_PLACES)
        if any(self._shapes_value(branch) for branch in branches):
            return self._lower_branches(keyword, part.place, branches, _remove_alternatives(parts, alternatives))
        findings.require_check(keyword)
        plain = tuple(SchemaPlace(part.place.pointer, part.place.without | {"anyOf", "oneOf"}) for part in parts)
        return self._lower_types(plain, self._places.list_parts(plain), types, tag)

    def _lower_branches(
        self, keyword: str, place: SchemaPlace, branches: list[SchemaPlace], base: tuple[SchemaPlace, ...]
    ) -> Core:
        """Return the union of the branches; `base` holds for each of them."""
        findings = self._context.findings
        tags = find_tags(branches, base, self._places)
        types: list[Core] = []
        for index, branch in enumerate(branches):
            if self._is_possible((branch, *base)):
                types.append(self._lower((branch, *base), tags[index] if tags else ""))
        members = remove_duplicates(types)
        if keyword == "oneOf" and not tags and not self._are_disjoint(branches, base):
            findings.require_check("oneOf")
        if not members:
            return findings.widen_to_any(place.pointer, keyword)
        if ANY_CORE in members:
            if len(members) > 1:
                findings.require_check(keyword)
            return ANY_CORE
        return make_union(members)

    def _is_possible(self, places: tuple[SchemaPlace, ...]) -> bool:
        parts = self._places.flatten(places)
        return parts is not None and bool(intersect_types(parts))

    def _shapes_value(self, branch: SchemaPlace) -> bool:
        return any(_SHAPING_KEYWORDS & part.schema.keys() for part in self._places.list_parts((branch,)))

    def _are_disjoint(self, branches: list[SchemaPlace], base: tuple[SchemaPlace, ...]) -> bool:
        """Report whether no JSON type satisfies two branches."""
        covered: set[str] = set()
        for branch in branches:
            parts = self._places.flatten((branch, *base))
            if parts is None:
                continue
            types = intersect_types(parts)
            values = intersect_values(parts, types)
            if values is not None:
                types = {get_json_type(value) for value in values}
            if types & {"integer", "number"}:
                types |= {"integer", "number"}
            if types & covered:
                return False
            covered |= types
        return True


def _remove_alternatives(parts: tuple[SchemaPart, ...], alternatives: list[Alternatives]) -> tuple[SchemaPlace, ...]:
    """Return the places of some parts without their alternatives."""
    keywords: dict[SchemaPlace, frozenset[str]] = {}
    for each in alternatives:
        keywords[each.part.place] = keywords.get(each.part.place, frozenset()) | {each.keyword}
    return tuple(
        SchemaPlace(part.place.pointer, part.place.without | keywords.get(part.place, frozenset())) for part in parts
    )


def find_tags(branches: list[SchemaPlace], base: tuple[SchemaPlace, ...], places: PlaceReader) -> list[str]:
    """Return the values of a property that is required in every branch and a different constant string in each.

    Returns:
        One value for each branch; none where no property is like that.
    """
    constants_of_branches: list[dict[str, str]] = []
    for branch in branches:
        parts = places.list_parts((branch, *base))
        if intersect_types(parts) != {"object"}:
            return []
        constants_of_branches.append(_find_constants(parts, places))
    for name in constants_of_branches[0] if constants_of_branches else ():
        values = [constants[name] for constants in constants_of_branches if name in constants]
        if len(values) == len(branches) == len(set(values)):
            return values
    return []


def _find_constants(parts: tuple[SchemaPart, ...], places: PlaceReader) -> dict[str, str]:
    """Return the required properties that are a constant string, with that string."""
    required = {name for part in parts for name in list_required(part)}
    constants: dict[str, str] = {}
    for part in parts:
        properties = part.schema.get("properties")
        for name in properties if isinstance(properties, dict) else ():
            place = SchemaPlace(part.place.pointer + format_pointer("properties", name))
            match intersect_values(places.list_parts((place,)), JSON_TYPES):
                case [str() as value] if name in required:
                    constants[name] = value
                case _:
                    pass
    return constants
