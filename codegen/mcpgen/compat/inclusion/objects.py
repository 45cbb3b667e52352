"""Gaps of the keywords for objects."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from mcpgen.compat.gap import WILDCARD, Gap, GapKind
from mcpgen.compat.inclusion.certainty import is_empty
from mcpgen.compat.inclusion.checker import KeywordRule, Question
from mcpgen.compat.inclusion.conjunction import Conjunction, ObjectValues, make_conjunction
from mcpgen.compat.inclusion.scalars import make_size_rule
from mcpgen.schema.document import SchemaLocation, matches_pattern
from mcpgen.schema.keywords import CONDITIONAL_KEYWORDS
from mcpgen.schema.values import Json, canonicalize


def _compare_required(question: Question) -> list[Gap]:
    gaps: list[Gap] = []
    objects = question.producer.objects
    needs_others = objects.property_counts[0] > len(objects.required)
    for name in question.view.get_names(question.consumer, "required"):
        if name not in objects.required:
            kind = GapKind.REQUIRED if objects.get_property(name).parts else GapKind.UNDECLARED
            witness_schema: Json = {"not": {"required": [name]}}
            gaps.append(question.make_gap(kind, "required", witness_schema, name=name, certain=not needs_others))
    return gaps


def list_compared_names(
    objects: ObjectValues, consumer_names: Collection[str], others: bool = True
) -> tuple[list[str], bool]:
    """Return the consumer's property names, with `others` the producer's, too, and whether these are all."""
    allowed = objects.list_allowed_names()
    if allowed is not None:
        return [name for name in allowed if isinstance(name, str) and (others or name in consumer_names)], True
    return list(dict.fromkeys([*consumer_names, *objects.declared])) if others else [*consumer_names], False


# --- properties, patternProperties and additionalProperties ----------------------------------------------------------
def _compare_properties(question: Question) -> list[Gap]:
    view, consumer, objects = question.view, question.consumer, question.producer.objects
    declared = view.get_named_subschemas(consumer, "properties")
    patterns = view.get_named_subschemas(consumer, "patternProperties")
    additional = view.get_subschema(consumer, "additionalProperties")
    gaps: list[Gap] = []
    names, complete = list_compared_names(objects, declared, bool(patterns) or additional is not None)
    for name in names:
        if is_empty(objects.get_property(name)):
            continue
        schemas = [declared[name]] if name in declared else []
        schemas += [schema for pattern, schema in patterns.items() if matches_pattern(pattern, name)]
        for schema in schemas:
            gaps += _compare_declared(question, schema, name)
        if not schemas and additional is not None:
            gaps += _compare_additional(question, additional, name)
    if complete:
        return gaps
    gaps += _compare_pattern_properties(question, patterns)
    return gaps + ([] if additional is None else _compare_undeclared(question, frozenset(patterns), additional))


def _compare_declared(question: Question, schema: SchemaLocation, name: str) -> list[Gap]:
    objects = question.producer.objects
    value = objects.get_property(name)
    gaps = question.check_member(value, schema, name)
    if not gaps or value.parts:
        return gaps
    if name in question.view.get_names(question.consumer, "required") and name not in objects.required:
        return []  # `required` has a gap already
    certain = any(gap.certain for gap in gaps)
    return [question.make_gap(GapKind.UNTYPED, "properties", {"required": [name]}, name=name, certain=certain)]


def _compare_additional(question: Question, additional: SchemaLocation, name: str) -> list[Gap]:
    value, keyword = question.producer.objects.get_property(name), "additionalProperties"
    if additional.schema is not False:
        return question.check_member(value, additional, name)
    return [question.make_gap(GapKind.EXTRA, keyword, {"required": [name]}, name=name, certain=not value.unsure)]


def _compare_pattern_properties(question: Question, patterns: Mapping[str, SchemaLocation]) -> list[Gap]:
    gaps: list[Gap] = []
    for pattern, schema in patterns.items():
        producer_schemas = _find_pattern_schemas(question.producer, pattern)
        for undeclared in question.producer.objects.list_undeclared(frozenset(patterns) - {pattern}):
            value = undeclared.intersect(producer_schemas)
            value_gaps = [] if is_empty(value) else question.check_member(value, schema, WILDCARD)
            if value_gaps and not value.parts:
                value_gaps = [question.make_gap(GapKind.UNTYPED_OTHERS, "patternProperties", {"minProperties": 1})]
            gaps += [gap.as_uncertain() for gap in value_gaps]
    return gaps


def _find_pattern_schemas(producer: Conjunction, pattern: str) -> list[SchemaLocation]:
    parts = producer.parts_with("patternProperties")
    schemas = (producer.view.get_named_subschemas(part, "patternProperties").get(pattern) for part in parts)
    return [schema for schema in schemas if schema is not None]


def _compare_undeclared(
    question: Question, patterns: frozenset[str], additional: SchemaLocation, keyword: str = "additionalProperties"
) -> list[Gap]:
    gaps: list[Gap] = []
    objects = question.producer.objects
    witness_schema: Json = {"minProperties": len(objects.declared) + 1}
    for value in objects.list_undeclared(patterns):
        value_gaps = [] if is_empty(value) else question.check_member(value, additional, WILDCARD)
        if value_gaps and additional.schema is False:
            value_gaps = [question.make_gap(GapKind.OPEN, keyword, witness_schema)]
        elif value_gaps and not value.parts and keyword == "additionalProperties":
            value_gaps = [question.make_gap(GapKind.UNTYPED_OTHERS, keyword, witness_schema)]
        gaps += [gap.as_uncertain() if value.unsure or patterns else gap for gap in value_gaps]
    return gaps


# --- unevaluatedProperties -------------------------------------------------------------------------------------------
def _compare_unevaluated_properties(question: Question) -> list[Gap]:
    """Return the gaps of `unevaluatedProperties`; properties that the consumer surely evaluates are left out."""
    view, consumer = question.view, question.consumer
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
        if name not in evaluated and not any(matches_pattern(pattern, name) for pattern in patterns):
            gaps += _compare_unevaluated_name(question, unevaluated, name)
    if not complete:
        gaps += _compare_undeclared(question, frozenset(patterns), unevaluated, "unevaluatedProperties")
    return gaps if unconditional else [gap.as_uncertain() for gap in gaps]


def _compare_unevaluated_name(question: Question, unevaluated: SchemaLocation, name: str) -> list[Gap]:
    value = question.producer.objects.get_property(name)
    gaps = [] if is_empty(value) else question.check_member(value, unevaluated, name)
    if not gaps or unevaluated.schema is not False:
        return gaps
    return [question.make_gap(GapKind.EXTRA, "unevaluatedProperties", {"required": [name]}, name=name)]


# --- names and numbers of properties ---------------------------------------------------------------------------------
def _compare_property_names(question: Question) -> list[Gap]:
    view, producer, objects = question.view, question.producer, question.producer.objects
    name_schema, keyword = view.get_subschema(question.consumer, "propertyNames"), "propertyNames"
    if name_schema is None or question.keeps_keywords(keyword):
        return []
    names, complete = list_compared_names(objects, ())
    possible = [name for name in names if not is_empty(objects.get_property(name))]
    refused = [name for name in possible if not view.is_valid(name_schema, name)]
    if refused:
        texts = tuple(canonicalize(name) for name in refused)
        return [question.make_gap(GapKind.PROPERTY_NAMES, keyword, {"required": [refused[0]]}, values=texts)]
    if complete or not objects.list_undeclared(frozenset()):
        return []
    producer_names = make_conjunction(producer.view, *producer.list_subschemas(keyword))
    path = question.path.step_into(WILDCARD)
    if not question.checker.check_kind(Question(question.checker, producer_names, name_schema, "string", path)):
        return []
    witness_schema: Json = {"minProperties": len(objects.declared) + 1}
    return [question.make_gap(GapKind.PROPERTY_NAMES, keyword, witness_schema, certain=False)]


def _compare_dependents(question: Question) -> list[Gap]:
    gaps: list[Gap] = []
    producer = question.producer
    first_keywords: dict[str, str] = {}  # so that all gaps of a property merge into one
    for trigger, names, schema, keyword in question.view.list_dependents(question.consumer):
        keyword = first_keywords.setdefault(trigger, keyword)
        if trigger not in producer.objects.required and is_empty(producer.objects.get_property(trigger)):
            continue
        having = producer.assume_present(trigger)
        missing = [name for name in names if name not in having.objects.required]
        is_kept = schema is None or not replace(question, producer=having).check_subschema(schema)
        if not missing and is_kept:
            continue
        witness_schema: dict[str, Json] = {"required": [trigger]}
        if missing:
            witness_schema["not"] = {"required": list[Json](missing[:1])}
        certain = bool(missing) and having.objects.property_counts[0] <= len(having.objects.required)
        gaps.append(question.make_gap(GapKind.DEPENDENT, keyword, witness_schema, name=trigger, certain=certain))
    return gaps


OBJECT_RULES = (
    KeywordRule(("required",), _compare_required),
    KeywordRule(("properties", "patternProperties", "additionalProperties"), _compare_properties),
    KeywordRule(("unevaluatedProperties",), _compare_unevaluated_properties),
    KeywordRule(("propertyNames",), _compare_property_names),
    make_size_rule("minProperties", "maxProperties", GapKind.MIN_PROPERTIES, GapKind.MAX_PROPERTIES),
    KeywordRule(("dependentRequired", "dependentSchemas", "dependencies"), _compare_dependents),
)
