"""Lower `anyOf` and `oneOf`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from mcpgen.lower.normalize.constraints import (
    ALL_TYPES,
    collect_keywords,
    intersect_types,
    intersect_values,
)
from mcpgen.lower.normalize.core import (
    ANY_CORE,
    Core,
    Parts,
    Places,
    SchemaPart,
    SchemaPlace,
    join_alternatives,
    remove_duplicates,
)
from mcpgen.lower.normalize.places import (
    Alternatives,
    LowerPlaces,
    NormalizationContext,
    find_alternatives,
    remove_alternatives,
)
from mcpgen.lower.normalize.satisfiability import SatisfiabilityChecker
from mcpgen.schema.keywords import TYPED_KEYWORDS, expand_types
from mcpgen.schema.values import JSON_TYPES, get_json_type

_SHAPING_KEYWORDS = frozenset(
    ["properties", "items", "prefixItems", "enum", "const", "additionalProperties", "anyOf", "oneOf"]
)
"""Keywords with which a branch does more than require or exclude properties and name its type."""
_CONDITIONS = frozenset(["if", "dependentSchemas", "dependencies"])
_NO_PLACES: Places = ()
MAX_COMBINATIONS = 32
"""Members of a union that several `anyOf` and `oneOf` of one value may unfold into together."""
MAX_CONDITIONS = 500
"""Branches of further alternatives that are looked through for properties, counted for each member of the union."""
LowerTypes = Callable[[Places, Parts, set[str], str], Core]
"""Lowers places, with their parts, to the given JSON types; the last argument is the tag."""


class UnionLowering:
    """Lowers the `anyOf` and `oneOf` of some parts, each branch together with the keywords beside it.

    Where several of them would unfold into too many members, the exact check decides about all but the first, whose
    branches then declare properties that may be absent.
    """

    def __init__(self, context: NormalizationContext, lower: LowerPlaces, lower_types: LowerTypes) -> None:
        self._context, self._lower, self._lower_types = context, lower, lower_types
        self._satisfiability = SatisfiabilityChecker(context)

    def lower_union(self, parts: Parts, types: set[str], tag: str) -> Core:
        """Return the type of the values that satisfy all parts, of which at least one has alternatives."""
        findings = self._context.findings
        alternatives = find_alternatives(parts)
        shaping = [alternative for alternative in alternatives if self._shapes_value(alternative, types)]
        chosen = shaping[0] if shaping else alternatives[0]
        findings.require_check(*(other.keyword for other in alternatives if other is not chosen))
        branches = chosen.branches
        if len(branches) > self._context.limits.members:
            findings.leave_out_members(chosen.part.place.pointer, chosen.keyword, f"{len(branches)} members")
            branches = []
        if branches and shaping:
            is_alone = types >= ALL_TYPES and len(alternatives) == 1 and not _says_more(parts)
            base = _NO_PLACES if is_alone else _make_base(parts, chosen, alternatives, shaping)
            core = self._lower_branches(chosen, branches, base)
            if core is not None:
                return core
            if is_alone:
                return findings.widen_to_any(chosen.part.place.pointer, chosen.keyword)
        findings.require_check(chosen.keyword)
        plain = remove_alternatives(parts, alternatives)
        return self._lower_types(plain, self._context.list_parts(plain), types, tag)

    def has_shaping_alternatives(self, parts: Parts, types: set[str]) -> bool:
        """Report whether alternatives do more than require or exclude properties."""
        return any(self._shapes_value(alternative, types) for alternative in find_alternatives(parts))

    def _lower_branches(self, chosen: Alternatives, branches: list[SchemaPlace], base: Places) -> Core | None:
        findings = self._context.findings
        possible = [branch for branch in branches if self._satisfiability.is_possible((branch, *base))]
        if not possible:
            return None
        tags = find_tags(possible, base, self._context)
        types = [self._lower((branch, *base), tags[index] if tags else "") for index, branch in enumerate(possible)]
        if chosen.keyword == "oneOf" and not tags and not self._are_disjoint(possible, base):
            findings.require_check("oneOf")
        members = remove_duplicates(types)
        if ANY_CORE in members and len(members) > 1:
            findings.require_check(chosen.keyword)
        return join_alternatives(members)

    def _shapes_value(self, alternatives: Alternatives, types: set[str]) -> bool:
        """Report whether a branch does more to values of these types than require or exclude properties."""
        for branch in alternatives.branches:
            parts = self._context.flatten((branch,))
            if parts is None or not types <= expand_types(intersect_types(parts)):
                return True
            if any(
                part.schema[keyword] is not True for part in parts for keyword in _SHAPING_KEYWORDS & part.schema.keys()
            ):
                return True
        return False

    def _are_disjoint(self, branches: list[SchemaPlace], base: Places) -> bool:
        covered: set[str] = set()
        for branch in branches:
            parts = self._context.flatten((branch, *base))
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


def _make_base(
    parts: Parts, chosen: Alternatives, alternatives: Sequence[Alternatives], shaping: Sequence[Alternatives]
) -> Places:
    """Return the places for each branch; other alternatives unfold if these are few, or are conditions, or left out."""
    counts = [len(alternative.branches) for alternative in shaping]
    if prod(counts) <= MAX_COMBINATIONS:
        return remove_alternatives(parts, [chosen])
    others = [alternative for alternative in shaping if alternative is not chosen]
    if counts[0] * sum(counts[1:]) <= MAX_CONDITIONS:
        plain = [alternative for alternative in alternatives if alternative not in others]
        return remove_alternatives(parts, plain, others)
    return remove_alternatives(parts, alternatives)


def _says_more(parts: Sequence[SchemaPart]) -> bool:
    """Report whether parts constrain values of one type beside their alternatives."""
    return bool(collect_keywords(parts) & (TYPED_KEYWORDS | _CONDITIONS))


def find_tags(branches: list[SchemaPlace], base: Places, context: NormalizationContext) -> list[str]:
    """Return the constant string in each branch of a property that all require, if these differ; none without one."""
    constants_of_branches: list[dict[str, str]] = []
    for branch in branches:
        parts = context.list_parts((branch, *base))
        if intersect_types(parts) != {"object"}:
            return []
        constants_of_branches.append(_find_constants(parts, context))
    for name in constants_of_branches[0] if constants_of_branches else ():
        values = [constants[name] for constants in constants_of_branches if name in constants]
        if len(values) == len(branches) == len(set(values)):
            return values
    return []


def _find_constants(parts: Parts, context: NormalizationContext) -> dict[str, str]:
    required = {name for part in parts for name in part.required}
    constants: dict[str, str] = {}
    for part in parts:
        for name in part.properties:
            values = intersect_values(context.list_parts((part.locate("properties", name),)), JSON_TYPES) or [None]
            if len(values) == 1 and isinstance(value := values[0], str) and name in required:
                constants[name] = value
    return constants
