"""The rules of all keywords: how each compares the values of a producer's conjunction with a consumer's subschema."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial

from mcpgen.compat.gap import WILDCARD, Gap, GapKind
from mcpgen.compat.inclusion.certainty import is_empty
from mcpgen.compat.inclusion.checker import InclusionChecker, KeywordRule, Question, RuleTable
from mcpgen.compat.inclusion.conjunction import Conjunction, NumberBound, ObjectValues, make_conjunction
from mcpgen.compat.inclusion.schema_view import SchemaView, has_member
from mcpgen.schema.document import SchemaLocation, matches_pattern
from mcpgen.schema.keywords import CONDITIONAL_KEYWORDS, LOWER_NUMBER_BOUNDS, REFERENCE_KEYWORDS, UPPER_NUMBER_BOUNDS
from mcpgen.schema.values import Json, canonicalize


def find_gaps(producer: SchemaView, consumer: SchemaView) -> list[Gap]:
    """Return where values of the producer's schema may be invalid under the consumer's; none: all are valid."""
    return InclusionChecker(producer, consumer, KEYWORD_RULES).find_gaps()


# --- constants, and combined schemas ---------------------------------------------------------------------------------
def _compare_conjunction(question: Question) -> list[Gap]:
    conjuncts = question.view.get_subschemas(question.consumer, "allOf")
    return [gap for conjunct in conjuncts for gap in question.check_subschema(conjunct)]


def _compare_constants(question: Question) -> list[Gap]:
    view, consumer = question.view, question.consumer
    gaps: list[Gap] = []
    for keyword in ("enum", "const"):
        if view.has(consumer, keyword) and not question.keeps_keywords(keyword):
            witness_schema: Json = {"type": question.kind, "not": {"enum": view.list_allowed_values(consumer, keyword)}}
            gaps.append(question.make_gap(GapKind.FREE, keyword, witness_schema))
    return gaps


def _compare_union(keyword: str, question: Question) -> list[Gap]:
    if question.keeps_keywords(keyword):
        return []
    branches = question.view.get_subschemas(question.consumer, keyword)
    candidates = [branch for branch in branches if not question.is_disjoint_from(branch)]
    witness_schema: Json = {"type": question.kind}
    if not candidates:
        return [question.make_gap(GapKind.VARIANT, keyword, witness_schema)]
    attempts: list[list[Gap]] = []
    for branch in candidates:
        gaps = question.check_subschema(branch)
        if gaps:
            attempts.append(gaps)
        elif keyword == "anyOf" or len(candidates) == 1:
            return []
        else:
            return [question.make_gap(GapKind.OVERLAP, keyword, witness_schema, certain=False)]
    closest = min(attempts, key=len)
    return closest if len(candidates) == 1 else [gap.as_uncertain() for gap in closest]


def _compare_negation(question: Question) -> list[Gap]:
    negated = question.view.get_subschema(question.consumer, "not")
    if negated is None or question.keeps_keywords("not"):
        return []
    are_equivalent = question.checker.equivalence.are_equivalent
    if any(are_equivalent(location, negated) for location in question.producer.excluded):
        return []
    if question.is_disjoint_from(negated):
        return []
    return [question.make_gap(GapKind.EXCLUDED, "not", _quote_schema(question, negated), certain=False)]


def _compare_condition(question: Question) -> list[Gap]:
    condition, consequence, alternative = (
        question.view.get_subschema(question.consumer, keyword) for keyword in ("if", "then", "else")
    )
    if condition is None or question.keeps_keywords("if", "then", "else"):
        return []
    never_holds = question.is_disjoint_from(condition)
    if not never_holds and consequence is not None and question.check_subschema(consequence):
        quoted = _quote_schema(question, condition)
        refused: Json = {"not": _quote_schema(question, consequence) or False}
        witness_schema: Json = None if quoted is None else {"allOf": [quoted, refused]}
        return [question.make_gap(GapKind.CONDITION, "if", witness_schema, certain=False)]
    if alternative is None:
        return []
    always_holds = not never_holds and not question.check_subschema(condition)
    if not always_holds and question.check_subschema(alternative):
        return [question.make_gap(GapKind.CONDITION, "if", certain=False)]
    return []


def _quote_schema(question: Question, location: SchemaLocation) -> Json:
    """Return a subschema of the consumer for use inside the producer's, None if it means something else there."""
    dialect = question.view.dialect
    if question.producer.view.dialect != dialect or has_member(location.schema, frozenset(REFERENCE_KEYWORDS[dialect])):
        return None
    return location.schema


COMBINATOR_RULES = (
    KeywordRule(("anyOf",), partial(_compare_union, "anyOf")),
    KeywordRule(("oneOf",), partial(_compare_union, "oneOf")),
    KeywordRule(("not",), _compare_negation),
    KeywordRule(("if", "then", "else"), _compare_condition),
)


# --- sizes -----------------------------------------------------------------------------------------------------------
def make_size_rule(least_keyword: str, most_keyword: str, fewer: GapKind, more: GapKind) -> KeywordRule:
    """Return the rule of the keywords that bound a length, or a number of items or properties."""

    def compare_sizes(question: Question) -> list[Gap]:
        low, high = question.producer.find_sizes(question.kind)
        least = question.view.get_number(question.consumer, least_keyword)
        most = question.view.get_number(question.consumer, most_keyword)
        gaps: list[Gap] = []
        if least is not None and low < least:
            size = math.ceil(least) - 1 if question.kind == "string" else low  # no pattern may match so short a string
            gaps.append(question.make_gap(fewer, least_keyword, {most_keyword: size}))
        if most is not None and (high is None or high > most):
            gaps.append(question.make_gap(more, most_keyword, {least_keyword: int(most) + 1}))
        return gaps

    return KeywordRule((least_keyword, most_keyword), compare_sizes)


# --- strings ---------------------------------------------------------------------------------------------------------
def _compare_pattern(question: Question) -> list[Gap]:
    pattern = question.view.get(question.consumer, "pattern")
    if not isinstance(pattern, str) or not pattern or question.keeps_keywords("pattern"):
        return []
    return [question.make_gap(GapKind.PATTERN, "pattern", certain=False)]


# --- numbers ---------------------------------------------------------------------------------------------------------
def _compare_bounds(question: Question) -> list[Gap]:
    low, high = question.producer.bounds
    below, above = ("exclusiveMaximum", "maximum"), ("exclusiveMinimum", "minimum")
    return [
        *_compare_bound(question, low, LOWER_NUMBER_BOUNDS, 1, GapKind.MINIMUM, below),
        *_compare_bound(question, high, UPPER_NUMBER_BOUNDS, -1, GapKind.MAXIMUM, above),
    ]


def _compare_bound(
    question: Question,
    bound: NumberBound | None,
    keywords: Mapping[str, bool],
    sign: int,
    kind: GapKind,
    beyond: tuple[str, str],
) -> Iterator[Gap]:
    """Yield the gaps of lower (`sign` 1) or upper bounds (-1); `beyond` describes the numbers beyond a bound."""
    for keyword, excluded in keywords.items():
        limit = question.view.get_number(question.consumer, keyword)
        if limit is None:
            continue
        other = NumberBound(Fraction(limit), excluded)
        if bound is None or not _is_as_tight(bound, other, question.kind == "integer", sign):
            yield question.make_gap(kind, keyword, {"type": question.kind, beyond[excluded]: limit})


def _is_as_tight(bound: NumberBound, other: NumberBound, integral: bool, sign: int) -> bool:
    value, other_value = bound.value * sign, other.value * sign
    if integral:
        return _round_up(value, bound.excluded) >= _round_up(other_value, other.excluded)
    return value > other_value or (value == other_value and (bound.excluded or not other.excluded))


def _round_up(value: Fraction, excluded: bool) -> int:
    return math.floor(value) + 1 if excluded else math.ceil(value)


def _compare_steps(question: Question) -> list[Gap]:
    step = question.view.get_number(question.consumer, "multipleOf")
    if step is None or _are_multiples(question.producer, step, question.kind == "integer"):
        return []
    return [question.make_gap(GapKind.MULTIPLE, "multipleOf", {"type": question.kind})]


def _are_multiples(producer: Conjunction, step: int | float, integral: bool) -> bool:
    steps = [*producer.list_numbers("multipleOf"), *([1] if integral else [])]
    return any(known == step or _is_integral_multiple(known, step) for known in steps)


def _is_integral_multiple(number: int | float, step: int | float) -> bool:
    return float(step).is_integer() and float(number).is_integer() and int(number) % int(step) == 0


STRING_RULES = (
    make_size_rule("minLength", "maxLength", GapKind.MIN_LENGTH, GapKind.MAX_LENGTH),
    KeywordRule(("pattern",), _compare_pattern),
)
NUMBER_RULES = (
    KeywordRule((*LOWER_NUMBER_BOUNDS, *UPPER_NUMBER_BOUNDS), _compare_bounds),
    KeywordRule(("multipleOf",), _compare_steps),
)


# --- required properties ---------------------------------------------------------------------------------------------
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
        schemas = view.list_matching(consumer, name)
        for schema in schemas:
            gaps += _compare_declared(question, schema, name)
        if not schemas and additional is not None:
            gaps += _compare_additional(question, additional, name, "additionalProperties")
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


def _compare_additional(question: Question, additional: SchemaLocation, name: str, keyword: str) -> list[Gap]:
    value = question.producer.objects.get_property(name)
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
        is_evaluated = name in evaluated or any(matches_pattern(pattern, name) for pattern in patterns)
        if not is_evaluated and not is_empty(question.producer.objects.get_property(name)):
            gaps += _compare_additional(question, unevaluated, name, "unevaluatedProperties")
    if not complete:
        gaps += _compare_undeclared(question, frozenset(patterns), unevaluated, "unevaluatedProperties")
    return gaps if unconditional else [gap.as_uncertain() for gap in gaps]


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


# --- items -----------------------------------------------------------------------------------------------------------
def _compare_items(question: Question) -> list[Gap]:
    consumer = question.consumer
    prefix, later = question.view.get_prefix_items(consumer), question.view.get_later_items(consumer)
    gaps: list[Gap] = []
    for index in _list_indexes(question.producer, len(prefix)):
        item_schema = prefix[index] if index is not None and index < len(prefix) else later
        if item_schema is not None:
            gaps += _compare_item(question, item_schema, index)
    return gaps


def _list_indexes(producer: Conjunction, prefix_length: int) -> list[int | None]:
    """Return the indexes to compare one by one, as far as arrays reach; None stands for the items after them."""
    count, most = max(producer.arrays.prefix_length, prefix_length), producer.arrays.item_counts[1]
    indexes: list[int | None] = [index for index in range(count) if most is None or index < most]
    return [*indexes, None] if most is None or most > count else indexes


def _compare_item(question: Question, item_schema: SchemaLocation, index: int | None) -> list[Gap]:
    arrays = question.producer.arrays
    item = arrays.get_item(index)
    if is_empty(item):
        return []
    step = WILDCARD if index is None or not arrays.prefix_length else str(index)
    gaps = question.check_member(item, item_schema, step)
    if not gaps or (item.parts and item_schema.schema is not False):
        return gaps
    prefix = question.view.get_prefix_items(question.consumer)
    witness_schema: Json = {"minItems": max(arrays.prefix_length if index is None else index, len(prefix)) + 1}
    keyword = "items" if question.view.has(question.consumer, "items") else "prefixItems"
    if item_schema.schema is False:
        return [question.make_gap(GapKind.MORE_ITEMS, keyword, witness_schema)]
    certain = any(gap.certain for gap in gaps)
    return [question.make_gap(GapKind.UNTYPED_ITEMS, keyword, witness_schema, certain=certain)]


def _compare_unevaluated_items(question: Question) -> list[Gap]:
    view, consumer, arrays = question.view, question.consumer, question.producer.arrays
    unevaluated = view.get_subschema(consumer, "unevaluatedItems")
    if unevaluated is None or unevaluated.schema is True or unevaluated.schema == {}:
        return []
    unconditional, prefix_length = True, 0
    for part in make_conjunction(view, consumer).parts:
        if view.get_later_items(part) is not None or (part != consumer and view.has(part, "unevaluatedItems")):
            return []
        if any(view.has(part, keyword) for keyword in (*CONDITIONAL_KEYWORDS, "contains")):
            unconditional = False
        prefix_length = max(prefix_length, len(view.get_prefix_items(part)))
    gaps: list[Gap] = []
    for index in _list_indexes(question.producer, prefix_length):
        if index is not None and index < prefix_length:
            continue
        item = arrays.get_item(index)
        item_gaps = [] if is_empty(item) else question.check_member(item, unevaluated, WILDCARD)
        if item_gaps and unevaluated.schema is False:
            item_gaps = [question.make_gap(GapKind.MORE_ITEMS, "unevaluatedItems", {"minItems": prefix_length + 1})]
        gaps += item_gaps
    return gaps if unconditional else [gap.as_uncertain() for gap in gaps]


def _compare_uniqueness(question: Question) -> list[Gap]:
    producer, high = question.producer, question.producer.arrays.item_counts[1]
    if question.view.get(question.consumer, "uniqueItems") is not True or (high is not None and high <= 1):
        return []
    if any(producer.view.get(part, "uniqueItems") is True for part in producer.parts_with("uniqueItems")):
        return []
    certain = not producer.arrays.prefix_length
    return [question.make_gap(GapKind.UNIQUE, "uniqueItems", {"minItems": 2}, certain=certain)]


# --- contains --------------------------------------------------------------------------------------------------------
def _compare_contains(question: Question) -> list[Gap]:
    view, consumer = question.view, question.consumer
    contained = view.get_subschema(consumer, "contains")
    if contained is None or question.keeps_keywords("contains", "minContains", "maxContains"):
        return []
    least, most = view.get_number(consumer, "minContains"), view.get_number(consumer, "maxContains")
    has_enough = (1 if least is None else least) <= _count_sure_matches(question, contained)
    if has_enough and (most is None or _has_at_most_matches(question, contained, most)):
        return []
    return [question.make_gap(GapKind.CONTAINS, "contains", certain=False)]


def _count_sure_matches(question: Question, contained: SchemaLocation) -> int | float:
    producer, view = question.producer, question.producer.view
    items = [producer.arrays.get_item(index) for index in _list_indexes(producer, 0)]
    matches: int | float = 0
    if all(not question.check_member(item, contained, WILDCARD) for item in items):
        matches = producer.arrays.item_counts[0]
    for part in producer.parts_with("contains"):
        schema, least = view.get_subschema(part, "contains"), view.get_number(part, "minContains")
        if schema is not None and not question.check_member(make_conjunction(view, schema), contained, WILDCARD):
            matches = max(matches, 1 if least is None else least)
    return matches


def _has_at_most_matches(question: Question, contained: SchemaLocation, most: int | float) -> bool:
    producer, are_equivalent = question.producer, question.checker.equivalence.are_equivalent
    high = producer.arrays.item_counts[1]
    if high is not None and high <= most:
        return True
    for part in producer.parts_with("contains"):
        schema, limit = producer.view.get_subschema(part, "contains"), producer.view.get_number(part, "maxContains")
        if schema is not None and limit is not None and limit <= most and are_equivalent(schema, contained):
            return True
    matching = make_conjunction(question.view, contained)
    items = [producer.arrays.get_item(index) for index in _list_indexes(producer, 0)]
    return all(question.checker.disjointness.are_disjoint(item, matching) for item in items)


ARRAY_RULES = (
    KeywordRule(("prefixItems", "items", "additionalItems"), _compare_items),
    KeywordRule(("unevaluatedItems",), _compare_unevaluated_items),
    make_size_rule("minItems", "maxItems", GapKind.MIN_ITEMS, GapKind.MAX_ITEMS),
    KeywordRule(("uniqueItems",), _compare_uniqueness),
    KeywordRule(("contains", "minContains", "maxContains"), _compare_contains),
)


KEYWORD_RULES = RuleTable(
    (
        KeywordRule(("allOf",), _compare_conjunction),
        KeywordRule(("enum", "const"), _compare_constants),
        *COMBINATOR_RULES,
        *OBJECT_RULES,
        *ARRAY_RULES,
        *STRING_RULES,
        *NUMBER_RULES,
    )
)
