"""Draw arrays."""

from __future__ import annotations

from collections.abc import Hashable

from mcpgen.samples.bounds import intersect_sizes
from mcpgen.samples.context import MOST_MEMBERS, DrawContext, Unsatisfiable
from mcpgen.schema.document import SchemaDocument, SchemaLocation
from mcpgen.schema.values import Json, make_identity_key

_MOST_UNIQUE_ATTEMPTS = 8
"""Attempts at an item unlike the others."""


def draw_array(context: DrawContext, locations: list[SchemaLocation], depth: int, name: str) -> Json:
    """Draw an array.

    Args:
        context: the state of the draw.
        locations: the schemas that the array has to satisfy, expanded.
        depth: the number of arrays and objects around it.
        name: the property that it is the value of.

    Raises:
        Unsatisfiable: no array was found.
    """
    least, most = intersect_sizes(locations, "minItems", "maxItems")
    size = _choose_size(context, locations, least, most, depth)
    contained = _list_contained(context, locations)
    size = max(size, len(contained))
    if (most is not None and size > most) or size > MOST_MEMBERS:
        raise Unsatisfiable
    contained_by_index = dict(zip(context.random.sample(range(size), len(contained)), contained, strict=True))
    unique = any(location.get("uniqueItems") is True for location in locations)
    items: list[Json] = []
    keys: set[Hashable] | None = set() if unique else None
    for index in range(size):
        item_locations = _list_item_locations(context.document, locations, index)
        if index in contained_by_index:
            item_locations.append(contained_by_index[index])
        try:
            items.append(_draw_item(context, item_locations, depth, name, keys))
        except Unsatisfiable:
            if index < max(least, len(contained)):
                raise
            break
    return items


def _choose_size(
    context: DrawContext, locations: list[SchemaLocation], least: int, most: int | None, depth: int
) -> int:
    prefix_size = max((len(_get_prefix(context.document, location)) for location in locations), default=0)
    size = 1
    if context.is_varied:
        size = 0 if context.should_stay_small(depth) else context.random.randint(0, 3)
    if prefix_size and not context.decide(0.3):
        size = prefix_size
    return max(least, size if most is None else min(size, most))


def _draw_item(
    context: DrawContext, locations: list[SchemaLocation], depth: int, name: str, keys: set[Hashable] | None
) -> Json:
    """Draw an item that equals none of the others; `keys` are their equality keys, None if items may be equal."""
    for _ in range(_MOST_UNIQUE_ATTEMPTS):
        value = context.draw_nested(locations, depth + 1, name)
        if keys is None:
            return value
        key = make_identity_key(value)
        if key not in keys:
            keys.add(key)
            return value
    raise Unsatisfiable


def _list_contained(context: DrawContext, locations: list[SchemaLocation]) -> list[SchemaLocation]:
    """Return the schemas of `contains`, each as often as an item has to satisfy it."""
    contained: list[SchemaLocation] = []
    for location in locations:
        if location.has("contains"):
            least, most = location.get_number("minContains"), location.get_number("maxContains")
            count = 1 if least is None or context.document.draft_07 else int(least)
            if context.decide(0.2) and (most is None or count < most):
                count += 1
            contained += [context.document.get_subschema(location, "contains")] * min(count, MOST_MEMBERS)
    return contained


def _get_prefix(document: SchemaDocument, location: SchemaLocation) -> list[Json]:
    """Return the schemas of the first items."""
    return location.get_array("items" if document.draft_07 else "prefixItems")


def _list_item_locations(document: SchemaDocument, locations: list[SchemaLocation], index: int) -> list[SchemaLocation]:
    """Return the schemas that an item has to satisfy."""
    prefix_keyword, rest_keyword = ("items", "additionalItems") if document.draft_07 else ("prefixItems", "items")
    applied: list[SchemaLocation] = []
    unevaluated: list[SchemaLocation] = []
    for location in locations:
        prefix = _get_prefix(document, location)
        if index < len(prefix):
            applied.append(document.get_subschema(location, prefix_keyword, index))
        elif document.draft_07 and location.has("items") and not isinstance(location.get("items"), list):
            applied.append(document.get_subschema(location, "items"))
        elif location.has(rest_keyword) and (prefix or not document.draft_07):
            applied.append(document.get_subschema(location, rest_keyword))
        if location.has("unevaluatedItems"):
            unevaluated.append(document.get_subschema(location, "unevaluatedItems"))
    return applied or unevaluated
