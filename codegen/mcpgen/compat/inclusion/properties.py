"""Gaps of the keywords for the values of properties: `properties`, `additionalProperties` and the like."""

from __future__ import annotations

from mcpgen.compat.gap import WILDCARD, Gap, GapKind
from mcpgen.compat.inclusion.conjunction import Conjunction, make_conjunction
from mcpgen.compat.inclusion.context import InclusionContext, KeywordRule, Question, make_gap
from mcpgen.compat.inclusion.property_names import list_compared_names
from mcpgen.compat.inclusion.value_sets import is_empty
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.keywords import CONDITIONAL_KEYWORDS
from mcpgen.schema.values import Json


# --- properties, patternProperties and additionalProperties ----------------------------------------------------------
def _compare_properties(context: InclusionContext, question: Question) -> list[Gap]:
    view, consumer, objects = context.consumer, question.consumer, question.producer.objects
    declared = view.get_named_subschemas(consumer, "properties")
    patterns = view.get_named_subschemas(consumer, "patternProperties")
    additional = view.get_subschema(consumer, "additionalProperties")
    gaps: list[Gap] = []
    names, complete = list_compared_names(objects, declared, bool(patterns) or additional is not None)
    for name in names:
        if is_empty(objects.get_property(name)):
            continue
        schemas = [declared[name]] if name in declared else []
        schemas += [schema for pattern, schema in patterns.items() if view.matches_pattern(pattern, name)]
        for schema in schemas:
            gaps += _compare_declared(context, question, schema, name)
        if not schemas and additional is not None:
            gaps += _compare_additional(context, question, additional, name)
    if complete:
        return gaps
    gaps += _compare_pattern_properties(context, question, patterns)
    return gaps + _compare_undeclared(context, question, frozenset(patterns), additional)


def _compare_declared(context: InclusionContext, question: Question, schema: SchemaLocation, name: str) -> list[Gap]:
    """Return the gaps of a property that the consumer's schema declares, by name or by pattern."""
    objects = question.producer.objects
    value = objects.get_property(name)
    gaps = context.check_location(value, schema, question.path.step_into(name))
    if not gaps or value.parts:
        return gaps
    if name in context.consumer.get_names(question.consumer, "required") and name not in objects.required:
        return []  # `required` has a gap already
    witness_schema: Json = {"required": [name]}
    untyped = make_gap(context, question, GapKind.UNTYPED, "properties", name=name, witness_schema=witness_schema)
    return [untyped if any(gap.certain for gap in gaps) else untyped.as_uncertain()]


def _compare_additional(
    context: InclusionContext, question: Question, additional: SchemaLocation, name: str
) -> list[Gap]:
    """Return the gaps of a property that only the producer's schema declares."""
    value = question.producer.objects.get_property(name)
    if additional.schema is not False:
        return context.check_location(value, additional, question.path.step_into(name))
    witness_schema: Json = {"required": [name]}
    gap = make_gap(context, question, GapKind.EXTRA, "additionalProperties", name=name, witness_schema=witness_schema)
    return [gap.as_uncertain() if value.unsure else gap]


def _compare_pattern_properties(
    context: InclusionContext, question: Question, patterns: dict[str, SchemaLocation]
) -> list[Gap]:
    """Return the gaps of undeclared properties whose names match a pattern of the consumer's schema."""
    gaps: list[Gap] = []
    for pattern, schema in patterns.items():
        producer_schemas = _find_pattern_schemas(question.producer, pattern)
        for undeclared in question.producer.objects.list_undeclared(frozenset(patterns) - {pattern}):
            value = undeclared.intersect(producer_schemas)
            if is_empty(value):
                continue
            value_gaps = context.check_location(value, schema, question.path.step_into(WILDCARD))
            if value_gaps and not value.parts:
                witness_schema: Json = {"minProperties": 1}
                value_gaps = [
                    make_gap(
                        context, question, GapKind.UNTYPED_OTHERS, "patternProperties", witness_schema=witness_schema
                    )
                ]
            gaps += [gap.as_uncertain() for gap in value_gaps]
    return gaps


def _find_pattern_schemas(producer: Conjunction, pattern: str) -> list[SchemaLocation]:
    """Return the producer's schemas for the same pattern."""
    parts = producer.parts_with("patternProperties")
    schemas = (producer.view.get_named_subschemas(part, "patternProperties").get(pattern) for part in parts)
    return [schema for schema in schemas if schema is not None]


def _compare_undeclared(
    context: InclusionContext, question: Question, patterns: frozenset[str], additional: SchemaLocation | None
) -> list[Gap]:
    """Return the gaps of properties that neither schema declares, by name or by pattern."""
    if additional is None:
        return []
    gaps: list[Gap] = []
    objects = question.producer.objects
    for value in objects.list_undeclared(patterns):
        if is_empty(value):
            continue
        witness_schema: Json = {"minProperties": len(objects.declared) + 1}
        if additional.schema is False:
            value_gaps = [
                make_gap(context, question, GapKind.OPEN, "additionalProperties", witness_schema=witness_schema)
            ]
        else:
            value_gaps = context.check_location(value, additional, question.path.step_into(WILDCARD))
            if value_gaps and not value.parts:
                value_gaps = [
                    make_gap(
                        context, question, GapKind.UNTYPED_OTHERS, "additionalProperties", witness_schema=witness_schema
                    )
                ]
        gaps += [gap.as_uncertain() if value.unsure or patterns else gap for gap in value_gaps]
    return gaps


# --- unevaluatedProperties -------------------------------------------------------------------------------------------
def _compare_unevaluated_properties(context: InclusionContext, question: Question) -> list[Gap]:
    """Return the gaps of `unevaluatedProperties`; properties that the consumer surely evaluates are left out."""
    view, consumer = context.consumer, question.consumer
    unevaluated = view.get_subschema(consumer, "unevaluatedProperties")
    if unevaluated is None or unevaluated.schema is True or unevaluated.schema == {}:
        return []
    unconditional = True
    evaluated: set[str] = set()
    patterns: list[str] = []
    for part in make_conjunction(view, consumer).parts:
        if view.has(part, "additionalProperties") or (part != consumer and view.has(part, "unevaluatedProperties")):
            return []
        if any(view.has(part, keyword) for keyword in CONDITIONAL_KEYWORDS):
            unconditional = False
        evaluated.update(view.get_named_subschemas(part, "properties"))
        patterns += view.get_named_subschemas(part, "patternProperties")
    gaps: list[Gap] = []
    names, complete = list_compared_names(question.producer.objects, ())
    for name in names:
        if name not in evaluated and not any(view.matches_pattern(pattern, name) for pattern in patterns):
            gaps += _compare_unevaluated_name(context, question, unevaluated, name)
    if not complete:
        gaps += _compare_unevaluated_others(context, question, unevaluated, frozenset(patterns))
    return gaps if unconditional else [gap.as_uncertain() for gap in gaps]


def _compare_unevaluated_name(
    context: InclusionContext, question: Question, unevaluated: SchemaLocation, name: str
) -> list[Gap]:
    value = question.producer.objects.get_property(name)
    if is_empty(value):
        return []
    gaps = context.check_location(value, unevaluated, question.path.step_into(name))
    if not gaps or unevaluated.schema is not False:
        return gaps
    witness_schema: Json = {"required": [name]}
    return [
        make_gap(context, question, GapKind.EXTRA, "unevaluatedProperties", name=name, witness_schema=witness_schema)
    ]


def _compare_unevaluated_others(
    context: InclusionContext, question: Question, unevaluated: SchemaLocation, patterns: frozenset[str]
) -> list[Gap]:
    """Return the gaps of properties that neither schema declares."""
    gaps: list[Gap] = []
    objects, path = question.producer.objects, question.path.step_into(WILDCARD)
    for value in objects.list_undeclared(patterns):
        value_gaps = [] if is_empty(value) else context.check_location(value, unevaluated, path)
        if value_gaps and unevaluated.schema is False:
            witness_schema: Json = {"minProperties": len(objects.declared) + 1}
            value_gaps = [
                make_gap(context, question, GapKind.OPEN, "unevaluatedProperties", witness_schema=witness_schema)
            ]
        gaps += [gap.as_uncertain() if value.unsure or patterns else gap for gap in value_gaps]
    return gaps


PROPERTY_RULES = (
    KeywordRule(("properties", "patternProperties", "additionalProperties"), _compare_properties),
    KeywordRule(("unevaluatedProperties",), _compare_unevaluated_properties),
)
