"""Gaps of the keywords for the values of properties: `properties`, `additionalProperties` and the like."""

from __future__ import annotations

from mcpgen.compat.gap import WILDCARD, Gap, GapKind
from mcpgen.compat.inclusion.conjunction import Conjunction, make_conjunction
from mcpgen.compat.inclusion.context import InclusionContext, ValuePath
from mcpgen.compat.inclusion.property_names import list_compared_names
from mcpgen.compat.inclusion.value_sets import is_empty
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.keywords import CONDITIONAL_KEYWORDS
from mcpgen.schema.values import Json


def find_property_gaps(
    context: InclusionContext, wide: Conjunction, narrow: SchemaLocation, path: ValuePath
) -> list[Gap]:
    """Return where properties of the wide schema's objects may be invalid under the narrow one."""
    return [
        *_compare_properties(context, wide, narrow, path),
        *_compare_unevaluated_properties(context, wide, narrow, path),
    ]


# --- properties, patternProperties and additionalProperties ----------------------------------------------------------
def _compare_properties(
    context: InclusionContext, wide: Conjunction, narrow: SchemaLocation, path: ValuePath
) -> list[Gap]:
    view = context.narrow
    declared = view.get_named_subschemas(narrow, "properties")
    patterns = view.get_named_subschemas(narrow, "patternProperties")
    additional = view.get_subschema(narrow, "additionalProperties")
    if not declared and not patterns and additional is None:
        return []
    gaps: list[Gap] = []
    names, complete = list_compared_names(wide, list(declared))
    for name in names:
        value = wide.get_property(name)
        if is_empty(value):
            continue
        schemas = [declared[name]] if name in declared else []
        schemas += [schema for pattern, schema in patterns.items() if view.matches_pattern(pattern, name)]
        for schema in schemas:
            gaps += _compare_declared(context, wide, narrow, schema, name, path)
        if not schemas and additional is not None:
            gaps += _compare_additional(context, wide, narrow, additional, name, path)
    if complete:
        return gaps
    gaps += _compare_pattern_properties(context, wide, narrow, patterns, path)
    return gaps + _compare_undeclared(context, wide, narrow, frozenset(patterns), additional, path)


def _compare_declared(
    context: InclusionContext,
    wide: Conjunction,
    narrow: SchemaLocation,
    schema: SchemaLocation,
    name: str,
    path: ValuePath,
) -> list[Gap]:
    """Return the gaps of a property that the narrow schema declares, by name or by pattern."""
    value = wide.get_property(name)
    gaps = context.check_location(value, schema, path.step_into(name))
    if not gaps or value.parts:
        return gaps
    if name in context.narrow.get_names(narrow, "required") and name not in wide.required:
        return []  # `required` has a gap already
    hint: Json = {"required": [name]}
    untyped = context.make_gap(GapKind.UNTYPED, wide, narrow, path, "properties", name=name, hint=hint)
    return [untyped if any(gap.certain for gap in gaps) else untyped.as_uncertain()]


def _compare_additional(
    context: InclusionContext,
    wide: Conjunction,
    narrow: SchemaLocation,
    additional: SchemaLocation,
    name: str,
    path: ValuePath,
) -> list[Gap]:
    """Return the gaps of a property that only the wide schema declares."""
    value = wide.get_property(name)
    if additional.schema is not False:
        return context.check_location(value, additional, path.step_into(name))
    hint: Json = {"required": [name]}
    gap = context.make_gap(GapKind.EXTRA, wide, narrow, path, "additionalProperties", name=name, hint=hint)
    return [gap.as_uncertain() if value.unsure else gap]


def _compare_pattern_properties(
    context: InclusionContext,
    wide: Conjunction,
    narrow: SchemaLocation,
    patterns: dict[str, SchemaLocation],
    path: ValuePath,
) -> list[Gap]:
    """Return the gaps of undeclared properties whose names match a pattern of the narrow schema."""
    gaps: list[Gap] = []
    for pattern, schema in patterns.items():
        wide_schemas = _find_pattern_schemas(wide, pattern)
        for undeclared in wide.list_undeclared(frozenset(patterns) - {pattern}):
            value = undeclared.intersect(wide_schemas)
            if is_empty(value):
                continue
            value_gaps = context.check_location(value, schema, path.step_into(WILDCARD))
            if value_gaps and not value.parts:
                hint: Json = {"minProperties": 1}
                kind = GapKind.UNTYPED_OTHERS
                value_gaps = [context.make_gap(kind, wide, narrow, path, "patternProperties", hint=hint)]
            gaps += [gap.as_uncertain() for gap in value_gaps]
    return gaps


def _find_pattern_schemas(wide: Conjunction, pattern: str) -> list[SchemaLocation]:
    """Return the wide schema's schemas for the same pattern."""
    schemas = (wide.view.get_named_subschemas(part, "patternProperties").get(pattern) for part in wide.parts)
    return [schema for schema in schemas if schema is not None]


def _compare_undeclared(
    context: InclusionContext,
    wide: Conjunction,
    narrow: SchemaLocation,
    patterns: frozenset[str],
    additional: SchemaLocation | None,
    path: ValuePath,
) -> list[Gap]:
    """Return the gaps of properties that neither schema declares, by name or by pattern."""
    if additional is None:
        return []
    gaps: list[Gap] = []
    for value in wide.list_undeclared(patterns):
        if is_empty(value):
            continue
        hint: Json = {"minProperties": len(wide.declared) + 1}
        if additional.schema is False:
            value_gaps = [context.make_gap(GapKind.OPEN, wide, narrow, path, "additionalProperties", hint=hint)]
        else:
            value_gaps = context.check_location(value, additional, path.step_into(WILDCARD))
            if value_gaps and not value.parts:
                kind = GapKind.UNTYPED_OTHERS
                value_gaps = [context.make_gap(kind, wide, narrow, path, "additionalProperties", hint=hint)]
        gaps += [gap.as_uncertain() if value.unsure or patterns else gap for gap in value_gaps]
    return gaps


# --- unevaluatedProperties -------------------------------------------------------------------------------------------
def _compare_unevaluated_properties(
    context: InclusionContext, wide: Conjunction, narrow: SchemaLocation, path: ValuePath
) -> list[Gap]:
    """Return the gaps of `unevaluatedProperties`; properties that the narrow schema surely evaluates are left out."""
    view = context.narrow
    unevaluated = view.get_subschema(narrow, "unevaluatedProperties")
    if unevaluated is None or unevaluated.schema is True or unevaluated.schema == {}:
        return []
    unconditional = True
    evaluated: set[str] = set()
    patterns: list[str] = []
    for part in make_conjunction(view, narrow).parts:
        if view.has(part, "additionalProperties") or (part != narrow and view.has(part, "unevaluatedProperties")):
            return []
        if any(view.has(part, keyword) for keyword in CONDITIONAL_KEYWORDS):
            unconditional = False
        evaluated.update(view.get_named_subschemas(part, "properties"))
        patterns += view.get_named_subschemas(part, "patternProperties")
    gaps: list[Gap] = []
    names, complete = list_compared_names(wide, [])
    for name in names:
        if name not in evaluated and not any(view.matches_pattern(pattern, name) for pattern in patterns):
            gaps += _compare_unevaluated_name(context, wide, narrow, unevaluated, name, path)
    if not complete:
        gaps += _compare_unevaluated_others(context, wide, narrow, unevaluated, frozenset(patterns), path)
    return gaps if unconditional else [gap.as_uncertain() for gap in gaps]


def _compare_unevaluated_name(
    context: InclusionContext,
    wide: Conjunction,
    narrow: SchemaLocation,
    unevaluated: SchemaLocation,
    name: str,
    path: ValuePath,
) -> list[Gap]:
    value = wide.get_property(name)
    if is_empty(value):
        return []
    gaps = context.check_location(value, unevaluated, path.step_into(name))
    if not gaps or unevaluated.schema is not False:
        return gaps
    hint: Json = {"required": [name]}
    return [context.make_gap(GapKind.EXTRA, wide, narrow, path, "unevaluatedProperties", name=name, hint=hint)]


def _compare_unevaluated_others(
    context: InclusionContext,
    wide: Conjunction,
    narrow: SchemaLocation,
    unevaluated: SchemaLocation,
    patterns: frozenset[str],
    path: ValuePath,
) -> list[Gap]:
    """Return the gaps of properties that neither schema declares."""
    gaps: list[Gap] = []
    for value in wide.list_undeclared(patterns):
        value_gaps = [] if is_empty(value) else context.check_location(value, unevaluated, path.step_into(WILDCARD))
        if value_gaps and unevaluated.schema is False:
            hint: Json = {"minProperties": len(wide.declared) + 1}
            value_gaps = [context.make_gap(GapKind.OPEN, wide, narrow, path, "unevaluatedProperties", hint=hint)]
        gaps += [gap.as_uncertain() if value.unsure or patterns else gap for gap in value_gaps]
    return gaps
