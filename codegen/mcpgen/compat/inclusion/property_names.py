"""Gaps of `propertyNames`, and the names to compare one by one."""

from __future__ import annotations

from mcpgen.compat.gap import WILDCARD, Gap, GapKind
from mcpgen.compat.inclusion.conjunction import Conjunction, make_conjunction
from mcpgen.compat.inclusion.context import InclusionContext, ValuePath
from mcpgen.compat.inclusion.value_sets import is_empty
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.values import Json, canonicalize


def list_compared_names(wide: Conjunction, narrow_names: list[str]) -> tuple[list[str], bool]:
    """Return the property names to compare one by one, and whether objects have no other properties.

    Args:
        wide: the objects.
        narrow_names: the properties that the narrow schema declares.
    """
    allowed = wide.list_allowed_names()
    if allowed is not None:
        return [name for name in allowed if isinstance(name, str)], True
    return list(dict.fromkeys([*narrow_names, *wide.declared])), False


def find_property_name_gaps(
    context: InclusionContext, wide: Conjunction, narrow: SchemaLocation, path: ValuePath
) -> list[Gap]:
    """Return where property names of the wide schema may be invalid under the narrow schema's `propertyNames`."""
    view = context.narrow
    name_schema = view.get_subschema(narrow, "propertyNames")
    if name_schema is None or context.keeps_keywords(wide, narrow, "propertyNames"):
        return []
    names, complete = list_compared_names(wide, [])
    possible = [name for name in names if not is_empty(wide.get_property(name))]
    refused = [name for name in possible if not view.is_valid(name_schema, name)]
    if refused:
        texts = tuple(canonicalize(name) for name in refused)
        hint: Json = {"required": [refused[0]]}
        return [context.make_gap(GapKind.PROPERTY_NAMES, wide, narrow, path, "propertyNames", values=texts, hint=hint)]
    if complete or not wide.list_undeclared(frozenset()):
        return []
    wide_schemas = [
        schema for part in wide.parts if (schema := wide.view.get_subschema(part, "propertyNames")) is not None
    ]
    wide_names = make_conjunction(wide.view, *wide_schemas)
    if not context.check_kind(wide_names, name_schema, "string", path.step_into(WILDCARD)):
        return []
    hint = {"minProperties": len(wide.declared) + 1}
    return [context.make_gap(GapKind.PROPERTY_NAMES, wide, narrow, path, "propertyNames", hint=hint).as_uncertain()]
