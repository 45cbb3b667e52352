"""Items of arrays under several subschemas at once."""

from __future__ import annotations

from collections.abc import Sequence

from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.compat.inclusion.unevaluated import EvaluatedItems
from mcpgen.schema.document import SchemaLocation

ITEM_KEYWORDS = ("prefixItems", "items", "unevaluatedItems")
"""Keywords without which a subschema has no schemas for items."""


def measure_prefix(view: SchemaView, parts: Sequence[SchemaLocation]) -> int:
    """Return how many first items have a schema each."""
    return max((len(view.get_prefix_items(part)) for part in parts), default=0)


def find_item_schemas(view: SchemaView, parts: Sequence[SchemaLocation], index: int | None) -> list[SchemaLocation]:
    """Return the schemas of an item; the index None stands for the items after every prefix."""
    schemas: list[SchemaLocation] = []
    for part in parts:
        prefix = view.get_prefix_items(part)
        later = view.get_later_items(part)
        if index is not None and index < len(prefix):
            schemas.append(prefix[index])
        elif later is not None:
            schemas.append(later)
        else:
            unevaluated = view.get_subschema(part, "unevaluatedItems")
            if unevaluated is not None and not EvaluatedItems(view, part).may_contain(index):
                schemas.append(unevaluated)
    return schemas


def raise_least_by_contains(view: SchemaView, parts: Sequence[SchemaLocation], least: int) -> int:
    """Return how many items there are at least, `contains` considered."""
    for part in parts:
        if view.has(part, "contains"):
            least = max(least, 1 if view.get_number(part, "minContains") is None else 0)
    return least
