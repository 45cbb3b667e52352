"""Find subschemas that had values before a change, and surely have none after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mcpgen.compat.inclusion.conjunction import Conjunction, make_conjunction
from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.compat.inclusion.value_sets import is_empty
from mcpgen.compat.pairing import pair_subschemas
from mcpgen.schema.document import Schema, SchemaLocation
from mcpgen.schema.keywords import CONDITIONAL_KEYWORDS
from mcpgen.schema.values import Json

_TESTING_KEYWORDS = (CONDITIONAL_KEYWORDS - {"anyOf", "oneOf"}) | {"contains", "propertyNames"}
"""Keywords whose subschemas may well have no value."""


@dataclass(frozen=True)
class EmptiedSchema:
    """Subschema without any value."""

    pointer: str
    reason: str
    """What leaves no value, empty if that is not evident."""


def find_emptied_schemas(old: Schema, new: Schema) -> Iterator[EmptiedSchema]:
    """Yield the subschemas that have lost all their values, without those that only contain such a one.

    Args:
        old: the schema before.
        new: the schema after.
    """
    before, after = SchemaView(old.value, old.dialect), SchemaView(new.value, new.dialect)
    emptied: dict[str, Conjunction] = {}
    for pair in pair_subschemas(old, new, _TESTING_KEYWORDS):
        values = _make_conjunction(after, pair.pointer, pair.new)
        if is_empty(values) and not is_empty(_make_conjunction(before, pair.pointer, pair.old)):
            emptied[pair.pointer] = values
    for pointer, values in emptied.items():
        impossible = _find_impossible_property(values)
        parts = [*values.parts, *(values.objects.get_property(impossible).parts if impossible else ())]
        if not any(part.at in emptied for part in parts if part.at != pointer):
            reason = f'"{impossible}" is required, but the schema allows no value for it' if impossible else ""
            yield EmptiedSchema(pointer, reason)


def _make_conjunction(view: SchemaView, pointer: str, schema: Mapping[str, Json]) -> Conjunction:
    return make_conjunction(view, SchemaLocation(pointer, view.root.scope, dict(schema)))


def _find_impossible_property(values: Conjunction) -> str:
    """Return a required property that no value fits, empty if there is none."""
    return next((name for name in sorted(values.objects.required) if is_empty(values.objects.get_property(name))), "")
