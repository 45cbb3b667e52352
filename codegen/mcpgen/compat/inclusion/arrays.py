"""Gaps of the keywords for arrays."""

from __future__ import annotations

from mcpgen.compat.gap import WILDCARD, Gap, GapKind
from mcpgen.compat.inclusion.conjunction import Conjunction, make_conjunction
from mcpgen.compat.inclusion.context import InclusionContext, KeywordRule, Question, make_gap
from mcpgen.compat.inclusion.value_sets import is_empty
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.keywords import CONDITIONAL_KEYWORDS
from mcpgen.schema.values import Json


# --- items -----------------------------------------------------------------------------------------------------------
def _compare_items(context: InclusionContext, question: Question) -> list[Gap]:
    consumer = question.consumer
    prefix, later = context.consumer.get_prefix_items(consumer), context.consumer.get_later_items(consumer)
    gaps: list[Gap] = []
    for index in _list_indexes(question.producer, len(prefix)):
        item_schema = prefix[index] if index is not None and index < len(prefix) else later
        if item_schema is not None:
            gaps += _compare_item(context, question, item_schema, index)
    return gaps


def _list_indexes(producer: Conjunction, prefix_length: int) -> list[int | None]:
    """Return the indexes to compare one by one, as far as arrays reach; None stands for the items after them."""
    count, most = max(producer.arrays.prefix_length, prefix_length), producer.arrays.item_counts[1]
    indexes: list[int | None] = [index for index in range(count) if most is None or index < most]
    return [*indexes, None] if most is None or most > count else indexes


def _compare_item(
    context: InclusionContext, question: Question, item_schema: SchemaLocation, index: int | None
) -> list[Gap]:
    view, arrays = context.consumer, question.producer.arrays
    item = arrays.get_item(index)
    if is_empty(item):
        return []
    step = WILDCARD if index is None or not arrays.prefix_length else str(index)
    gaps = context.check_location(item, item_schema, question.path.step_into(step))
    if not gaps or (item.parts and item_schema.schema is not False):
        return gaps
    fewer = max(arrays.prefix_length if index is None else index, len(view.get_prefix_items(question.consumer)))
    witness_schema: Json = {"minItems": fewer + 1}
    keyword = "items" if view.has(question.consumer, "items") else "prefixItems"
    if item_schema.schema is False:
        return [make_gap(context, question, GapKind.MORE_ITEMS, keyword, witness_schema=witness_schema)]
    untyped = make_gap(context, question, GapKind.UNTYPED_ITEMS, keyword, witness_schema=witness_schema)
    return [untyped if any(gap.certain for gap in gaps) else untyped.as_uncertain()]


def _compare_unevaluated_items(context: InclusionContext, question: Question) -> list[Gap]:
    view, consumer, arrays = context.consumer, question.consumer, question.producer.arrays
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
        item, path = arrays.get_item(index), question.path.step_into(WILDCARD)
        item_gaps = [] if is_empty(item) else context.check_location(item, unevaluated, path)
        if item_gaps and unevaluated.schema is False:
            witness_schema: Json = {"minItems": prefix_length + 1}
            item_gaps = [
                make_gap(context, question, GapKind.MORE_ITEMS, "unevaluatedItems", witness_schema=witness_schema)
            ]
        gaps += item_gaps
    return gaps if unconditional else [gap.as_uncertain() for gap in gaps]


# --- counts ----------------------------------------------------------------------------------------------------------
def _compare_item_counts(context: InclusionContext, question: Question) -> list[Gap]:
    gaps: list[Gap] = []
    low, high = question.producer.arrays.item_counts
    least = context.consumer.get_number(question.consumer, "minItems")
    most = context.consumer.get_number(question.consumer, "maxItems")
    if least is not None and low < least:
        gaps.append(make_gap(context, question, GapKind.MIN_ITEMS, "minItems", witness_schema={"maxItems": low}))
    if most is not None and (high is None or high > most):
        gaps.append(
            make_gap(context, question, GapKind.MAX_ITEMS, "maxItems", witness_schema={"minItems": int(most) + 1})
        )
    return gaps


def _compare_uniqueness(context: InclusionContext, question: Question) -> list[Gap]:
    producer, high = question.producer, question.producer.arrays.item_counts[1]
    if context.consumer.get(question.consumer, "uniqueItems") is not True or (high is not None and high <= 1):
        return []
    if any(producer.view.get(part, "uniqueItems") is True for part in producer.parts_with("uniqueItems")):
        return []
    gap = make_gap(context, question, GapKind.UNIQUE, "uniqueItems", witness_schema={"minItems": 2})
    return [gap.as_uncertain() if producer.arrays.prefix_length else gap]


# --- contains --------------------------------------------------------------------------------------------------------
def _compare_contains(context: InclusionContext, question: Question) -> list[Gap]:
    view, consumer = context.consumer, question.consumer
    contained = view.get_subschema(consumer, "contains")
    if contained is None or context.keeps_keywords(question, "contains", "minContains", "maxContains"):
        return []
    least, most = view.get_number(consumer, "minContains"), view.get_number(consumer, "maxContains")
    has_enough = (1 if least is None else least) <= _count_sure_matches(context, question, contained)
    if has_enough and (most is None or _has_at_most_matches(context, question.producer, contained, most)):
        return []
    return [make_gap(context, question, GapKind.CONTAINS, "contains").as_uncertain()]


def _count_sure_matches(context: InclusionContext, question: Question, contained: SchemaLocation) -> int | float:
    """Return how many items are surely valid under the schema of a `contains`."""
    producer, item_path = question.producer, question.path.step_into(WILDCARD)
    items = [producer.arrays.get_item(index) for index in _list_indexes(producer, 0)]
    matches: int | float = 0
    if all(not context.check_location(item, contained, item_path) for item in items):
        matches = producer.arrays.item_counts[0]
    for part in producer.parts_with("contains"):
        producer_contained = producer.view.get_subschema(part, "contains")
        if producer_contained is None or context.check_location(
            make_conjunction(producer.view, producer_contained), contained, item_path
        ):
            continue
        least = producer.view.get_number(part, "minContains")
        matches = max(matches, 1 if least is None else least)
    return matches


def _has_at_most_matches(
    context: InclusionContext, producer: Conjunction, contained: SchemaLocation, most: int | float
) -> bool:
    """Return whether surely no more than `most` items are valid under the schema of a `contains`."""
    high = producer.arrays.item_counts[1]
    if high is not None and high <= most:
        return True
    for part in producer.parts_with("contains"):
        producer_contained = producer.view.get_subschema(part, "contains")
        producer_most = producer.view.get_number(part, "maxContains")
        if producer_contained is None or producer_most is None or producer_most > most:
            continue
        if context.equivalence.are_equivalent(producer_contained, contained):
            return True
    matching = make_conjunction(context.consumer, contained)
    items = [producer.arrays.get_item(index) for index in _list_indexes(producer, 0)]
    return all(context.disjointness.are_disjoint(item, matching) for item in items)


ARRAY_RULES = (
    KeywordRule(("prefixItems", "items", "additionalItems"), _compare_items),
    KeywordRule(("unevaluatedItems",), _compare_unevaluated_items),
    KeywordRule(("minItems", "maxItems"), _compare_item_counts),
    KeywordRule(("uniqueItems",), _compare_uniqueness),
    KeywordRule(("contains", "minContains", "maxContains"), _compare_contains),
)
