"""Equivalence of subschemas: the same assertions, apart from annotations and the order of sets."""

from __future__ import annotations

from collections.abc import Hashable

from mcpgen.compat.inclusion.schema_view import LocationKey, SchemaView, make_key
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.index import META_PREFIXES
from mcpgen.schema.keywords import (
    CONSTRAINING_KEYWORDS,
    DIALECT_KEYWORDS,
    DRAFT_2020_12,
    REFERENCE_KEYWORDS,
    SCHEMA_LIST_KEYWORDS,
    SCHEMA_MAP_KEYWORDS,
    SINGLE_SCHEMA_KEYWORDS,
)
from mcpgen.schema.values import Json, are_equal, make_identity_key, make_identity_keys

_SET_KEYWORDS = frozenset(["enum", "required", "type"])
DEEPEST = 300
"""Levels of subschemas that are compared; deeper ones count as different, which is always safe."""


class EquivalenceChecker:
    """Comparison of subschemas of two documents; `True` means that they surely accept the same values."""

    def __init__(self, first: SchemaView, second: SchemaView) -> None:
        self._first, self._second = first, second
        self._verdicts: dict[tuple[LocationKey, LocationKey], bool] = {}
        self._order: list[tuple[LocationKey, LocationKey]] = []
        """Pairs with the verdict `True`, in the order in which they were assumed to be equivalent."""
        self._depth = 0
        self._same_dialect = first.dialect == second.dialect
        self._same_document = self._same_dialect and are_equal(first.schema, second.schema)

    def are_equivalent(self, a: SchemaLocation, b: SchemaLocation) -> bool:
        """Return whether a subschema of the first document and one of the second have the same assertions."""
        key = (make_key(a), make_key(b))
        if key not in self._verdicts:
            mark = len(self._order)
            self._verdicts[key] = True  # assumed while it is compared: a difference is found elsewhere in the cycle
            self._order.append(key)
            self._depth += 1
            equivalent = self._depth <= DEEPEST and self._compare_locations(a, b)
            self._depth -= 1
            if not equivalent:
                self._retract(mark)
                self._verdicts[key] = False
        return self._verdicts[key]

    def _retract(self, mark: int) -> None:
        """Forget the verdicts since a mark: they may rest on an assumption that proved false."""
        for key in self._order[mark:]:
            if self._verdicts[key]:
                del self._verdicts[key]
        del self._order[mark:]

    def have_equivalent_keywords(self, a: SchemaLocation, b: SchemaLocation, keywords: tuple[str, ...]) -> bool:
        """Return whether keywords, the first of which is present, have equivalent values in both subschemas."""
        if not self._first.has(a, keywords[0]):
            return False
        if not self._same_dialect and not DIALECT_KEYWORDS.isdisjoint(keywords):
            return False
        return all(self._compare_keyword(a, b, keyword) for keyword in keywords)

    def _compare_locations(self, a: SchemaLocation, b: SchemaLocation) -> bool:
        first, second = _select_assertions(self._first, a), _select_assertions(self._second, b)
        if isinstance(first, bool) or isinstance(second, bool):
            return first is second
        if "$dynamicRef" in first or "$dynamicRef" in second:
            return self._same_document and make_key(a) == make_key(b)
        if not self._same_dialect and not DIALECT_KEYWORDS.isdisjoint(first.keys() | second.keys()):
            return False
        if first.keys() != second.keys():
            return False
        return all(self._compare_keyword(a, b, keyword) for keyword in first)

    def _compare_keyword(self, a: SchemaLocation, b: SchemaLocation, keyword: str) -> bool:
        if keyword == "$ref":
            return self._compare_references(a, b)
        if self._first.has(a, keyword) != self._second.has(b, keyword):
            return False
        first, second = self._first.get(a, keyword), self._second.get(b, keyword)
        if keyword in SCHEMA_LIST_KEYWORDS and isinstance(first, list):
            return self._compare_lists(self._first.get_subschemas(a, keyword), self._second.get_subschemas(b, keyword))
        if keyword in SCHEMA_MAP_KEYWORDS and isinstance(first, dict) and isinstance(second, dict):
            return self._compare_maps(a, b, keyword, first, second)
        if keyword in SINGLE_SCHEMA_KEYWORDS:
            inner, other_inner = self._first.get_subschema(a, keyword), self._second.get_subschema(b, keyword)
            return (
                inner is other_inner
                if inner is None or other_inner is None
                else self.are_equivalent(inner, other_inner)
            )
        if keyword in _SET_KEYWORDS:
            return _are_equal_sets(first, second)
        return are_equal(first, second)

    def _compare_lists(self, first: list[SchemaLocation], second: list[SchemaLocation]) -> bool:
        return len(first) == len(second) and all(map(self.are_equivalent, first, second))

    def _compare_maps(
        self, a: SchemaLocation, b: SchemaLocation, keyword: str, first: dict[str, Json], second: dict[str, Json]
    ) -> bool:
        name_lists = [name for name, value in first.items() if not isinstance(value, dict | bool)]
        if first.keys() != second.keys() or not all(are_equal(first[name], second[name]) for name in name_lists):
            return False
        inner, other_inner = self._first.get_named_subschemas(a, keyword), self._second.get_named_subschemas(b, keyword)
        return inner.keys() == other_inner.keys() and all(
            self.are_equivalent(inner[name], other_inner[name]) for name in inner
        )

    def _compare_references(self, a: SchemaLocation, b: SchemaLocation) -> bool:
        if self._first.refers_outside(a) or self._second.refers_outside(b):
            return a.get("$ref") == b.get("$ref") and str(a.get("$ref")).startswith(META_PREFIXES)
        return self._compare_lists(self._first.resolve_references(a), self._second.resolve_references(b))


def make_outline(view: SchemaView, location: SchemaLocation) -> Hashable:
    """Return what is cheap to compare of a subschema: equivalent ones have the same outline."""
    assertions = _select_assertions(view, location)
    if isinstance(assertions, bool):
        return assertions
    return frozenset((keyword, _outline_value(keyword, value)) for keyword, value in assertions.items())


def _outline_value(keyword: str, value: Json) -> Hashable:
    if keyword in REFERENCE_KEYWORDS[DRAFT_2020_12]:
        return None
    if keyword in SCHEMA_LIST_KEYWORDS and isinstance(value, list):
        return len(value)
    if keyword in SCHEMA_MAP_KEYWORDS and isinstance(value, dict):
        return frozenset(value)
    if keyword in SINGLE_SCHEMA_KEYWORDS:
        return None
    if keyword in _SET_KEYWORDS:
        return frozenset(make_identity_keys(value if isinstance(value, list) else [value]))
    return make_identity_key(value)


def _select_assertions(view: SchemaView, location: SchemaLocation) -> dict[str, Json] | bool:
    schema = location.schema
    if not isinstance(schema, dict):
        return schema is not False
    if view.draft_07 and "$ref" in schema:
        return {"$ref": schema["$ref"]}
    return {keyword: value for keyword, value in schema.items() if keyword in CONSTRAINING_KEYWORDS} or True


def _are_equal_sets(first: Json, second: Json) -> bool:
    """Return whether two lists have the same elements; a single value counts as a list."""
    values = first if isinstance(first, list) else [first]
    others = second if isinstance(second, list) else [second]
    return make_identity_keys(values) == make_identity_keys(others)
