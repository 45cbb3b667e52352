"""The gaps between a conjunction and the keywords of a place that speak of arrays."""

from __future__ import annotations

from mcpgen.compat.gap import WILDCARD, Gap, GapKind
from mcpgen.compat.inclusion.context import InclusionContext, ValuePath
from mcpgen.compat.inclusion.intersection import Conjunction, make_conjunction
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.values import Json


def find_array_gaps(check: InclusionContext, wide: Conjunction, narrow: SchemaLocation, way: ValuePath) -> list[Gap]:
    """Where arrays among the wide schema's are not among the narrow one's."""
    return [
        *_compare_items(check, wide, narrow, way),
        *_compare_unevaluated_items(check, wide, narrow, way),
        *_compare_item_counts(check, wide, narrow, way),
        *_compare_contains(check, wide, narrow, way),
    ]


def _compare_items(check: InclusionContext, wide: Conjunction, narrow: SchemaLocation, way: ValuePath) -> list[Gap]:
    prefix, rest = check.narrow.get_prefix(narrow), check.narrow.get_rest(narrow)
    out: list[Gap] = []
    for index in _list_indexes(wide, len(prefix)):
        asked = prefix[index] if index is not None and index < len(prefix) else rest
        if asked is not None:
            out += _compare_item(check, wide, narrow, asked, index, way)
    return out


def _list_indexes(wide: Conjunction, fixed: int) -> list[int | None]:
    """The items to look at one by one, and None for those behind them; only such as there may be."""
    count, most = max(wide.fixed, fixed), wide.item_counts[1]
    found: list[int | None] = [index for index in range(count) if most is None or index < most]
    return [*found, None] if most is None or most > count else found


def _compare_item(
    check: InclusionContext,
    wide: Conjunction,
    narrow: SchemaLocation,
    asked: SchemaLocation,
    index: int | None,
    way: ValuePath,
) -> list[Gap]:
    value = wide.item(index)
    if value.accepts_nothing():
        return []
    step = WILDCARD if index is None or not wide.fixed else str(index)
    found = check.check_place(value, asked, way.step_into(step))
    more: Json = {"minItems": max(wide.fixed if index is None else index, len(check.narrow.get_prefix(narrow))) + 1}
    word = "items" if check.narrow.has(narrow, "items") else "prefixItems"
    if found and asked.schema is False:
        return [check.make_gap(GapKind.MORE_ITEMS, wide, narrow, way, word, hint=more)]
    if found and not value.parts:
        gap = check.make_gap(GapKind.UNTYPED_ITEMS, wide, narrow, way, word, hint=more)
        return [gap if any(one.certain for one in found) else gap.as_uncertain()]
    return found


def _compare_unevaluated_items(
    check: InclusionContext, wide: Conjunction, narrow: SchemaLocation, way: ValuePath
) -> list[Gap]:
    book = check.narrow
    rest = book.get_subschema(narrow, "unevaluatedItems")
    if rest is None or rest.schema is True or rest.schema == {}:
        return []
    plain, first = True, 0
    for part in make_conjunction(book, narrow).parts:
        if book.get_rest(part) is not None or (part != narrow and book.has(part, "unevaluatedItems")):
            return []
        plain = plain and not any(book.has(part, word) for word in ("anyOf", "oneOf", "if", "contains", "not"))
        first = max(first, len(book.get_prefix(part)))
    out: list[Gap] = []
    for index in _list_indexes(wide, first):
        if index is None or index >= first:
            value = wide.item(index)
            found = [] if value.accepts_nothing() else check.check_place(value, rest, way.step_into(WILDCARD))
            if found and rest.schema is False:
                hint: Json = {"minItems": first + 1}
                found = [check.make_gap(GapKind.MORE_ITEMS, wide, narrow, way, "unevaluatedItems", hint=hint)]
            out += found
    return out if plain else [one.as_uncertain() for one in out]


def _compare_item_counts(
    check: InclusionContext, wide: Conjunction, narrow: SchemaLocation, way: ValuePath
) -> list[Gap]:
    out: list[Gap] = []
    book = check.narrow
    low, high = wide.item_counts
    least, most = book.get_number(narrow, "minItems"), book.get_number(narrow, "maxItems")
    if least is not None and low < least:
        out.append(check.make_gap(GapKind.MIN_ITEMS, wide, narrow, way, "minItems", hint={"maxItems": low}))
    if most is not None and (high is None or high > most):
        out.append(check.make_gap(GapKind.MAX_ITEMS, wide, narrow, way, "maxItems", hint={"minItems": int(most) + 1}))
    unique = any(wide.book.get(part, "uniqueItems") is True for part in wide.parts)
    if book.get(narrow, "uniqueItems") is True and not unique and (high is None or high > 1):
        gap = check.make_gap(GapKind.UNIQUE, wide, narrow, way, "uniqueItems", hint={"minItems": 2})
        out.append(gap.as_uncertain() if wide.fixed else gap)
    return out


def _compare_contains(check: InclusionContext, wide: Conjunction, narrow: SchemaLocation, way: ValuePath) -> list[Gap]:
    book = check.narrow
    wanted = book.get_subschema(narrow, "contains")
    if wanted is None or check.keeps_keywords(wide, narrow, "contains", "minContains", "maxContains"):
        return []
    least, most = book.get_number(narrow, "minContains"), book.get_number(narrow, "maxContains")
    enough = (1 if least is None else least) <= _count_sure_matches(check, wide, wanted, way)
    fewer = most is None or _has_at_most_matches(check, wide, wanted, most)
    if enough and fewer:
        return []
    return [check.make_gap(GapKind.CONTAINS, wide, narrow, way, "contains").as_uncertain()]


def _count_sure_matches(
    check: InclusionContext, wide: Conjunction, wanted: SchemaLocation, way: ValuePath
) -> int | float:
    """How many items surely satisfy a schema."""
    low, _ = wide.item_counts
    found: int | float = 0
    if all(
        not check.check_place(wide.item(index), wanted, way.step_into(WILDCARD)) for index in _list_indexes(wide, 0)
    ):
        found = low
    for part in wide.parts:
        own = wide.book.get_subschema(part, "contains")
        if own is None or check.check_place(make_conjunction(wide.book, own), wanted, way.step_into(WILDCARD)):
            continue
        count = wide.book.get_number(part, "minContains")
        found = max(found, 1 if count is None else count)
    return found


def _has_at_most_matches(check: InclusionContext, wide: Conjunction, wanted: SchemaLocation, most: int | float) -> bool:
    """Whether there surely are no more items than so many that satisfy a schema."""
    high = wide.item_counts[1]
    if high is not None and high <= most:
        return True
    for part in wide.parts:
        own, count = wide.book.get_subschema(part, "contains"), wide.book.get_number(part, "maxContains")
        if own is not None and count is not None and count <= most and check.alike.are_equivalent(own, wanted):
            return True
    other = make_conjunction(check.narrow, wanted)
    return all(check.apart.are_disjoint(wide.item(index), other) for index in _list_indexes(wide, 0))
