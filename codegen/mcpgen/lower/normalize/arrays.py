"""Lower arrays and tuples."""

from __future__ import annotations

from dataclasses import dataclass, field

from mcpgen.lower.normalize.constraints import intersect_lengths
from mcpgen.lower.normalize.context import LowerPlaces, NormalizationContext
from mcpgen.lower.normalize.core import ANY_CORE, Core, SchemaPart, SchemaPlace, join_alternatives
from mcpgen.schema.keywords import DRAFT_07
from mcpgen.schema.values import Json, format_pointer


@dataclass
class _ArrayItems:
    """Items of an array, as all parts together describe them."""

    positions: list[tuple[SchemaPlace, ...]] = field(default_factory=list[tuple[SchemaPlace, ...]])
    """For each of the first items, the places that it satisfies."""
    rest: tuple[SchemaPlace, ...] = ()
    """The places that the other items satisfy."""
    closed: bool = False
    """Whether there are no other items."""
    tuples: int = 0
    """The number of parts that have items by position."""


def lower_array(parts: tuple[SchemaPart, ...], context: NormalizationContext, lower: LowerPlaces) -> Core:
    """Return the type of the arrays that satisfy all parts."""
    lengths = intersect_lengths(parts, "minItems", "maxItems", context.findings)
    items = _collect_items(parts, context)
    if items is None:
        return {"type": "array", "items": {}, **lengths}
    if items.tuples:
        return _lower_tuple(items, lengths, context, lower)
    if items.closed:
        context.findings.require_check("items")
        return {"type": "array", "items": {}, **lengths}
    return {"type": "array", "items": lower(items.rest) if items.rest else ANY_CORE, **lengths}


def _collect_items(parts: tuple[SchemaPart, ...], context: NormalizationContext) -> _ArrayItems | None:
    """Return what the parts say about items, None where there are too many positions."""
    items = _ArrayItems()
    for part in parts:
        pointer = part.place.pointer
        prefix_keyword, rest_keyword = _find_item_keywords(part, context.places.dialect)
        prefix = part.schema.get(prefix_keyword)
        if isinstance(prefix, list) and len(prefix) > context.limits.members:
            context.findings.leave_out_members(pointer, prefix_keyword, f"{len(prefix)} items")
            return None
        if isinstance(prefix, list) and prefix:
            items.tuples += 1
            for index in range(len(prefix)):
                place = SchemaPlace(pointer + format_pointer(prefix_keyword, index))
                if index < len(items.positions):
                    items.positions[index] = (*items.positions[index], place)
                else:
                    items.positions.append((place,))
        if rest_keyword in part.schema:
            items.closed = items.closed or part.schema[rest_keyword] is False
            items.rest = (*items.rest, SchemaPlace(pointer + format_pointer(rest_keyword)))
    return items


def _find_item_keywords(part: SchemaPart, dialect: str) -> tuple[str, str]:
    """Return the keyword for the first items and the keyword for the others."""
    if dialect == DRAFT_07 and isinstance(part.schema.get("items"), list):
        return "items", "additionalItems"
    return "prefixItems", "items"


def _lower_tuple(items: _ArrayItems, lengths: Core, context: NormalizationContext, lower: LowerPlaces) -> Core:
    """Return a tuple type where the items are closed and all required, else an array type that accepts them."""
    types = [lower(places) for places in items.positions]
    count = len(types)
    least, most = lengths.get("minItems", 0), lengths.get("maxItems")
    single = items.tuples == 1
    ends = items.closed or (isinstance(most, int) and most <= count)
    if single and ends and least == count and most in (None, count):
        return {
            "type": "array",
            "prefixItems": list[Json](types),
            "items": False,
            "minItems": count,
            "maxItems": count,
        }
    context.findings.require_check("prefixItems")
    if not single:
        return {"type": "array", "items": {}, **lengths}
    if not ends:
        types.append(lower(items.rest) if items.rest else ANY_CORE)
    if items.closed and most is None:
        lengths = {**lengths, "maxItems": count}
    return {"type": "array", "items": join_alternatives(types), **lengths}
