"""Intersect the constraints of several parts: the types, values and bounds that satisfy all of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from mcpgen.lower.normalize.core import MAX_SAFE_INTEGER, Core, NormalizationFindings, SchemaPart
from mcpgen.schema.keywords import LOWER_BOUNDS, NUMBER_BOUNDS, expand_types, list_types
from mcpgen.schema.values import JSON_TYPES, Json, get_json_type, make_identity_key, make_identity_keys

ALL_TYPES: frozenset[str] = frozenset(JSON_TYPES) - {"integer"}
"""Every type; `number` includes integers."""
MIN_SAFE_FRACTION = 1e-300
"""Smaller fractions as bounds are left to the exact check: near zero, floats lose digits."""


def collect_keywords(parts: Iterable[SchemaPart]) -> set[str]:
    """Return every keyword that occurs in some of the parts."""
    return {keyword for part in parts for keyword in part.schema}


def intersect_types(parts: Iterable[SchemaPart]) -> set[str]:
    """Return the JSON types that all parts accept; where `number` is among them, `integer` is left out."""
    types: set[str] = set(JSON_TYPES)
    for part in parts:
        if accepted := list_types(part.schema):
            types &= expand_types(accepted)
    if "number" in types:
        types.discard("integer")
    return types


def intersect_values(parts: Iterable[SchemaPart], types: Iterable[str]) -> list[Json] | None:
    """Return the values of these types that `enum` and `const` allow, None when there is neither."""
    values: list[Json] | None = None
    for part in parts:
        for keyword in ("enum", "const"):
            if keyword not in part.schema:
                continue
            allowed = part.schema[keyword] if keyword == "enum" else [part.schema[keyword]]
            assert isinstance(allowed, list)
            if values is None:
                values = allowed
            else:
                keys = make_identity_keys(allowed)
                values = [value for value in values if make_identity_key(value) in keys]
    if values is None:
        return None
    accepted = expand_types(types)
    return [value for value in values if get_json_type(value) in accepted]


def intersect_lengths(parts: Iterable[SchemaPart], lower: str, upper: str, findings: NormalizationFindings) -> Core:
    """Return the bounds of a length that hold for all parts; `lower` and `upper` are the keywords."""
    bounds: Core = {}
    for part in parts:
        for keyword in (lower, upper):
            value = part.schema.get(keyword)
            if not isinstance(value, int | float):
                continue
            if value > MAX_SAFE_INTEGER:
                findings.require_check(keyword)
            else:
                _tighten(bounds, keyword, int(value))
    if bounds.get(lower) == 0:
        del bounds[lower]
    return bounds


def intersect_number_bounds(parts: Sequence[SchemaPart], whole: bool, findings: NormalizationFindings) -> Core:
    """Return the bounds of a number that hold for all parts; `whole`: of an integer."""
    bounds: Core = {}
    for part in parts:
        for keyword in NUMBER_BOUNDS:
            value = part.schema.get(keyword)
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            if not _is_exact(value):
                findings.require_check(keyword)
            elif float(value).is_integer():
                _tighten(bounds, keyword, int(value))
            elif not whole:
                _tighten(bounds, keyword, value)
            elif keyword in LOWER_BOUNDS:
                _tighten(bounds, "minimum", math.ceil(value))
            else:
                _tighten(bounds, "maximum", math.floor(value))
    return bounds


def _is_exact(bound: int | float) -> bool:
    """Report whether a bound is the same number after it has passed through the type generator."""
    tiny = isinstance(bound, float) and not bound.is_integer() and abs(bound) < MIN_SAFE_FRACTION
    return abs(bound) <= MAX_SAFE_INTEGER and not tiny


def _tighten(bounds: Core, keyword: str, value: int | float) -> None:
    tighter = max if keyword in LOWER_BOUNDS else min
    earlier = bounds.get(keyword)
    bounds[keyword] = tighter(earlier, value) if isinstance(earlier, int | float) else value
