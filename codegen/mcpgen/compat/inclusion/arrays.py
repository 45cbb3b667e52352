"""Gaps of the keywords for arrays."""

from __future__ import annotations

from mcpgen.compat.gap import WILDCARD, Gap, GapKind
from mcpgen.compat.inclusion.certainty import is_empty
from mcpgen.compat.inclusion.checker import KeywordRule, Question
from mcpgen.compat.inclusion.conjunction import Conjunction, make_conjunction
from mcpgen.compat.inclusion.scalars import make_size_rule
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.keywords import CONDITIONAL_KEYWORDS
from mcpgen.schema.values import Json


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
