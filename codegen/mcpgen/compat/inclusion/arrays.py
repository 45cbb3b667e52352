"""Gaps of the keywords for arrays."""

from __future__ import annotations

from mcpgen.compat.gap import WILDCARD, Gap, GapKind
from mcpgen.compat.inclusion.conjunction import Conjunction, make_conjunction
from mcpgen.compat.inclusion.context import InclusionContext, ValuePath
from mcpgen.compat.inclusion.value_sets import is_empty
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.keywords import CONDITIONAL_KEYWORDS
from mcpgen.schema.values import Json


def find_array_gaps(context: InclusionContext, wide: Conjunction, narrow: SchemaLocation, path: ValuePath) -> list[Gap]:
    """Return where arrays of the wide schema may be invalid under the narrow one."""
    return [
        *_compare_items(context, wide, narrow, path),
        *_compare_unevaluated_items(context, wide, narrow, path),
        *_compare_item_counts(context, wide, narrow, path),
        *_compare_contains(context, wide, narrow, path),
    ]


def _compare_items(context: InclusionContext, wide: Conjunction, narrow: SchemaLocation, path: ValuePath) -> list[Gap]:
    prefix, later = context.narrow.get_prefix_items(narrow), context.narrow.get_later_items(narrow)
    gaps: list[Gap] = []
    for index in _list_indexes(wide, len(prefix)):
        item_schema = prefix[index] if index is not None and index < len(prefix) else later
        if item_schema is not None:
            gaps += _compare_item(context, wide, narrow, item_schema, index, path)
    return gaps


def _list_indexes(wide: Conjunction, prefix_length: int) -> list[int | None]:
    """Return the indexes to compare one by one, as far as arrays reach; None stands for the items after them."""
    count, most = max(wide.prefix_length, prefix_length), wide.item_counts[1]
    indexes: list[int | None] = [index for index in range(count) if most is None or index < most]
    return [*indexes, None] if most is None or most > count else indexes


def _compare_item(
    context: InclusionContext,
    wide: Conjunction,
    narrow: SchemaLocation,
    item_schema: SchemaLocation,
    index: int | None,
    path: ValuePath,
) -> list[Gap]:
    item = wide.get_item(index)
    if is_empty(item):
        return []
    step = WILDCARD if index is None or not wide.prefix_length else str(index)
    gaps = context.check_location(item, item_schema, path.step_into(step))
    if not gaps or (item.parts and item_schema.schema is not False):
        return gaps
    fewer = max(wide.prefix_length if index is None else index, len(context.narrow.get_prefix_items(narrow)))
    hint: Json = {"minItems": fewer + 1}
    keyword = "items" if context.narrow.has(narrow, "items") else "prefixItems"
    if item_schema.schema is False:
        return [context.make_gap(GapKind.MORE_ITEMS, wide, narrow, path, keyword, hint=hint)]
    untyped = context.make_gap(GapKind.UNTYPED_ITEMS, wide, narrow, path, keyword, hint=hint)
    return [untyped if any(gap.certain for gap in gaps) else untyped.as_uncertain()]


def _compare_unevaluated_items(
    context: InclusionContext, wide: Conjunction, narrow: SchemaLocation, path: ValuePath
) -> list[Gap]:
    view = context.narrow
    unevaluated = view.get_subschema(narrow, "unevaluatedItems")
    if unevaluated is None or unevaluated.schema is True or unevaluated.schema == {}:
        return []
    unconditional, prefix_length = True, 0
    for part in make_conjunction(view, narrow).parts:
        if view.get_later_items(part) is not None or (part != narrow and view.has(part, "unevaluatedItems")):
            return []
        if any(view.has(part, keyword) for keyword in (*CONDITIONAL_KEYWORDS, "contains")):
            unconditional = False
        prefix_length = max(prefix_length, len(view.get_prefix_items(part)))
    gaps: list[Gap] = []
    for index in _list_indexes(wide, prefix_length):
        if index is not None and index < prefix_length:
            continue
        item = wide.get_item(index)
        item_gaps = [] if is_empty(item) else context.check_location(item, unevaluated, path.step_into(WILDCARD))
        if item_gaps and unevaluated.schema is False:
            hint: Json = {"minItems": prefix_length + 1}
            item_gaps = [context.make_gap(GapKind.MORE_ITEMS, wide, narrow, path, "unevaluatedItems", hint=hint)]
        gaps += item_gaps
    return gaps if unconditional else [gap.as_uncertain() for gap in gaps]


def _compare_item_counts(
    context: InclusionContext, wide: Conjunction, narrow: SchemaLocation, path: ValuePath
) -> list[Gap]:
    gaps: list[Gap] = []
    view = context.narrow
    low, high = wide.item_counts
    least, most = view.get_number(narrow, "minItems"), view.get_number(narrow, "maxItems")
    if least is not None and low < least:
        gaps.append(context.make_gap(GapKind.MIN_ITEMS, wide, narrow, path, "minItems", hint={"maxItems": low}))
    if most is not None and (high is None or high > most):
        hint: Json = {"minItems": int(most) + 1}
        gaps.append(context.make_gap(GapKind.MAX_ITEMS, wide, narrow, path, "maxItems", hint=hint))
    unique = any(wide.view.get(part, "uniqueItems") is True for part in wide.parts)
    if view.get(narrow, "uniqueItems") is True and not unique and (high is None or high > 1):
        gap = context.make_gap(GapKind.UNIQUE, wide, narrow, path, "uniqueItems", hint={"minItems": 2})
        gaps.append(gap.as_uncertain() if wide.prefix_length else gap)
    return gaps


def _compare_contains(
    context: InclusionContext, wide: Conjunction, narrow: SchemaLocation, path: ValuePath
) -> list[Gap]:
    view = context.narrow
    contained = view.get_subschema(narrow, "contains")
    if contained is None or context.keeps_keywords(wide, narrow, "contains", "minContains", "maxContains"):
        return []
    least, most = view.get_number(narrow, "minContains"), view.get_number(narrow, "maxContains")
    has_enough = (1 if least is None else least) <= _count_sure_matches(context, wide, contained, path)
    if has_enough and (most is None or _has_at_most_matches(context, wide, contained, most)):
        return []
    return [context.make_gap(GapKind.CONTAINS, wide, narrow, path, "contains").as_uncertain()]


def _count_sure_matches(
    context: InclusionContext, wide: Conjunction, contained: SchemaLocation, path: ValuePath
) -> int | float:
    """Return how many items are surely valid under the schema of a `contains`."""
    item_path = path.step_into(WILDCARD)
    matches: int | float = 0
    if all(not context.check_location(wide.get_item(index), contained, item_path) for index in _list_indexes(wide, 0)):
        matches = wide.item_counts[0]
    for part in wide.parts:
        wide_contained = wide.view.get_subschema(part, "contains")
        if wide_contained is None or context.check_location(
            make_conjunction(wide.view, wide_contained), contained, item_path
        ):
            continue
        least = wide.view.get_number(part, "minContains")
        matches = max(matches, 1 if least is None else least)
    return matches


def _has_at_most_matches(
    context: InclusionContext, wide: Conjunction, contained: SchemaLocation, most: int | float
) -> bool:
    """Return whether surely no more than `most` items are valid under the schema of a `contains`."""
    high = wide.item_counts[1]
    if high is not None and high <= most:
        return True
    for part in wide.parts:
        wide_contained = wide.view.get_subschema(part, "contains")
        wide_most = wide.view.get_number(part, "maxContains")
        if wide_contained is None or wide_most is None or wide_most > most:
            continue
        if context.equivalence.are_equivalent(wide_contained, contained):
            return True
    matching = make_conjunction(context.narrow, contained)
    return all(context.disjointness.are_disjoint(wide.get_item(index), matching) for index in _list_indexes(wide, 0))
