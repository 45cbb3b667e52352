"""Gaps of the keywords for objects."""

from __future__ import annotations

from dataclasses import replace

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.inclusion.context import InclusionContext, KeywordRule, Question, make_gap
from mcpgen.compat.inclusion.properties import PROPERTY_RULES
from mcpgen.compat.inclusion.property_names import PROPERTY_NAME_RULES
from mcpgen.compat.inclusion.value_sets import is_empty
from mcpgen.schema.values import Json


def _compare_required(context: InclusionContext, question: Question) -> list[Gap]:
    gaps: list[Gap] = []
    objects = question.producer.objects
    needs_others = objects.property_counts[0] > len(objects.required)
    for name in context.consumer.get_names(question.consumer, "required"):
        if name in objects.required:
            continue
        witness_schema: Json = {"not": {"required": [name]}}
        kind = GapKind.REQUIRED if objects.get_property(name).parts else GapKind.UNDECLARED
        gap = make_gap(context, question, kind, "required", name=name, witness_schema=witness_schema)
        gaps.append(gap.as_uncertain() if needs_others else gap)
    return gaps


def _compare_property_counts(context: InclusionContext, question: Question) -> list[Gap]:
    gaps: list[Gap] = []
    low, high = question.producer.objects.property_counts
    least = context.consumer.get_number(question.consumer, "minProperties")
    most = context.consumer.get_number(question.consumer, "maxProperties")
    if least is not None and low < least:
        witness_schema: Json = {"maxProperties": low}
        gaps.append(make_gap(context, question, GapKind.MIN_PROPERTIES, "minProperties", witness_schema=witness_schema))
    if most is not None and (high is None or high > most):
        witness_schema = {"minProperties": int(most) + 1}
        gaps.append(make_gap(context, question, GapKind.MAX_PROPERTIES, "maxProperties", witness_schema=witness_schema))
    return gaps


def _compare_dependents(context: InclusionContext, question: Question) -> list[Gap]:
    gaps: list[Gap] = []
    producer = question.producer
    first_keywords: dict[str, str] = {}  # so that all gaps of a property merge into one
    for trigger, names, schema, keyword in context.consumer.list_dependents(question.consumer):
        keyword = first_keywords.setdefault(trigger, keyword)
        if trigger not in producer.objects.required and is_empty(producer.objects.get_property(trigger)):
            continue
        having = producer.assume_present(trigger)
        missing = [name for name in names if name not in having.objects.required]
        is_kept = schema is None or not context.check_subschema(replace(question, producer=having), schema)
        if not missing and is_kept:
            continue
        witness_schema: dict[str, Json] = {"required": [trigger]}
        if missing:
            witness_schema["not"] = {"required": list[Json](missing[:1])}
        gap = make_gap(context, question, GapKind.DEPENDENT, keyword, name=trigger, witness_schema=witness_schema)
        certain = missing and having.objects.property_counts[0] <= len(having.objects.required)
        gaps.append(gap if certain else gap.as_uncertain())
    return gaps


OBJECT_RULES = (
    KeywordRule(("required",), _compare_required),
    *PROPERTY_RULES,
    *PROPERTY_NAME_RULES,
    KeywordRule(("minProperties", "maxProperties"), _compare_property_counts),
    KeywordRule(("dependentRequired", "dependentSchemas", "dependencies"), _compare_dependents),
)
