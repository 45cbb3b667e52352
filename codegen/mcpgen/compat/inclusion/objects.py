"""Gaps of the keywords for objects."""

from __future__ import annotations

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.inclusion.conjunction import Conjunction
from mcpgen.compat.inclusion.context import InclusionContext, ValuePath
from mcpgen.compat.inclusion.properties import find_property_gaps
from mcpgen.compat.inclusion.property_names import find_property_name_gaps
from mcpgen.compat.inclusion.value_sets import is_empty
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.values import Json


def find_object_gaps(
    context: InclusionContext, wide: Conjunction, narrow: SchemaLocation, path: ValuePath
) -> list[Gap]:
    """Return where objects of the wide schema may be invalid under the narrow one."""
    return [
        *_compare_required(context, wide, narrow, path),
        *find_property_gaps(context, wide, narrow, path),
        *find_property_name_gaps(context, wide, narrow, path),
        *_compare_property_counts(context, wide, narrow, path),
        *_compare_dependents(context, wide, narrow, path),
    ]


def _compare_required(
    context: InclusionContext, wide: Conjunction, narrow: SchemaLocation, path: ValuePath
) -> list[Gap]:
    gaps: list[Gap] = []
    needs_others = wide.property_counts[0] > len(wide.required)
    for name in context.narrow.get_names(narrow, "required"):
        if name in wide.required:
            continue
        hint: Json = {"not": {"required": [name]}}
        kind = GapKind.REQUIRED if wide.get_property(name).parts else GapKind.UNDECLARED
        gap = context.make_gap(kind, wide, narrow, path, "required", name=name, hint=hint)
        gaps.append(gap.as_uncertain() if needs_others else gap)
    return gaps


def _compare_property_counts(
    context: InclusionContext, wide: Conjunction, narrow: SchemaLocation, path: ValuePath
) -> list[Gap]:
    gaps: list[Gap] = []
    low, high = wide.property_counts
    least = context.narrow.get_number(narrow, "minProperties")
    most = context.narrow.get_number(narrow, "maxProperties")
    if least is not None and low < least:
        hint: Json = {"maxProperties": low}
        gaps.append(context.make_gap(GapKind.MIN_PROPERTIES, wide, narrow, path, "minProperties", hint=hint))
    if most is not None and (high is None or high > most):
        hint = {"minProperties": int(most) + 1}
        gaps.append(context.make_gap(GapKind.MAX_PROPERTIES, wide, narrow, path, "maxProperties", hint=hint))
    return gaps


def _compare_dependents(
    context: InclusionContext, wide: Conjunction, narrow: SchemaLocation, path: ValuePath
) -> list[Gap]:
    gaps: list[Gap] = []
    first_keywords: dict[str, str] = {}  # so that all gaps of a property merge into one
    for trigger, names, schema, keyword in context.narrow.list_dependents(narrow):
        keyword = first_keywords.setdefault(trigger, keyword)
        if trigger not in wide.required and is_empty(wide.get_property(trigger)):
            continue
        objects = wide.assume_present(trigger)
        missing = [name for name in names if name not in objects.required]
        if not missing and (schema is None or not context.check_kind(objects, schema, "object", path)):
            continue
        hint: dict[str, Json] = {"required": [trigger]}
        if missing:
            hint["not"] = {"required": list[Json](missing[:1])}
        gap = context.make_gap(GapKind.DEPENDENT, wide, narrow, path, keyword, name=trigger, hint=hint)
        certain = missing and objects.property_counts[0] <= len(objects.required)
        gaps.append(gap if certain else gap.as_uncertain())
    return gaps
