"""Whether two places, of two documents, say the same in the same words; annotations and the order of sets aside."""

from __future__ import annotations

from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.index import META_PREFIXES
from mcpgen.schema.keywords import (
    ANNOTATION_KEYWORDS,
    KEYWORDS,
    SCHEMA_LIST_KEYWORDS,
    SCHEMA_MAP_KEYWORDS,
    SINGLE_SCHEMA_KEYWORDS,
)
from mcpgen.schema.values import Json, are_equal

_NON_ASSERTIONS = (
    ANNOTATION_KEYWORDS
    | frozenset("$defs definitions $id $anchor $schema $comment $dynamicAnchor $vocabulary".split())
    | frozenset("format contentEncoding contentMediaType contentSchema".split())
)
_SET_KEYWORDS = frozenset(["enum", "required", "type"])
_DIALECT_KEYWORDS = frozenset(
    (
        "items additionalItems prefixItems contains minContains maxContains dependencies dependentRequired "
        "dependentSchemas unevaluatedItems unevaluatedProperties $ref $dynamicRef"
    ).split()
)
"""Words that mean something else, or nothing, in the other dialect."""


DEEPEST = 300
"""Places inside of each other that are compared; below them nothing counts as alike, which is always safe to say."""


class EquivalenceChecker:
    """Compares places of two documents; `True` means that they accept the same values."""

    def __init__(self, first: SchemaView, second: SchemaView) -> None:
        self._first, self._second = first, second
        self._known: dict[tuple[object, ...], bool] = {}
        self._order: list[tuple[object, ...]] = []
        self._depth = 0
        self._one_dialect = first.dialect == second.dialect
        self._wholly = self._one_dialect and are_equal(first.schema, second.schema)

    def are_equivalent(self, a: SchemaLocation, b: SchemaLocation) -> bool:
        """Whether both say the same."""
        key = (a.at, a.scope, b.at, b.scope)
        if key not in self._known:
            before = len(self._order)
            self._known[key] = True  # taken to be so while it is looked at: a difference is found elsewhere, too
            self._order.append(key)
            self._depth += 1
            alike = self._depth <= DEEPEST and self._places(a, b)
            self._depth -= 1
            if not alike:
                for one in self._order[before:]:  # what may rest on that
                    if self._known[one]:
                        del self._known[one]
                del self._order[before:]
                self._known[key] = False
        return self._known[key]

    def have_equivalent_keywords(self, a: SchemaLocation, b: SchemaLocation, words: tuple[str, ...]) -> bool:
        """Whether some keywords, at least the first of them being there, say the same in both."""
        if not self._first.has(a, words[0]):
            return False
        if not self._one_dialect and not _DIALECT_KEYWORDS.isdisjoint(words):
            return False
        return all(self._word(a, b, word) for word in words)

    def _places(self, a: SchemaLocation, b: SchemaLocation) -> bool:
        first, second = _select_keywords(self._first, a), _select_keywords(self._second, b)
        if isinstance(first, bool) or isinstance(second, bool):
            return first is second
        if "$dynamicRef" in first or "$dynamicRef" in second:
            return self._wholly and a.at == b.at and a.scope == b.scope
        if not self._one_dialect and not _DIALECT_KEYWORDS.isdisjoint(first.keys() | second.keys()):
            return False
        if first.keys() != second.keys():
            return False
        return all(self._word(a, b, word) for word in first)

    def _word(self, a: SchemaLocation, b: SchemaLocation, word: str) -> bool:
        one, other = self._first.get(a, word), self._second.get(b, word)
        if word == "$ref":
            return self._references(a, b)
        if self._first.has(a, word) != self._second.has(b, word):
            return False
        if word in SCHEMA_LIST_KEYWORDS and isinstance(one, list):
            mine, theirs = self._first.get_subschemas(a, word), self._second.get_subschemas(b, word)
            return len(mine) == len(theirs) and all(map(self.are_equivalent, mine, theirs))
        if word in SCHEMA_MAP_KEYWORDS and isinstance(one, dict) and isinstance(other, dict):
            plain = [key for key, inner in one.items() if not isinstance(inner, dict | bool)]
            if one.keys() != other.keys() or not all(are_equal(one[key], other[key]) for key in plain):
                return False
            named, others = self._first.get_named_subschemas(a, word), self._second.get_named_subschemas(b, word)
            return named.keys() == others.keys() and all(self.are_equivalent(named[key], others[key]) for key in named)
        if word in SINGLE_SCHEMA_KEYWORDS:
            x, y = self._first.get_subschema(a, word), self._second.get_subschema(b, word)
            return x is y if x is None or y is None else self.are_equivalent(x, y)
        if word in _SET_KEYWORDS:
            return _is_same_set(one, other)
        return are_equal(one, other)

    def _references(self, a: SchemaLocation, b: SchemaLocation) -> bool:
        if self._first.refers_outside(a) or self._second.refers_outside(b):
            return a.get("$ref") == b.get("$ref") and str(a.get("$ref")).startswith(META_PREFIXES)
        mine, theirs = self._first.resolve_references(a), self._second.resolve_references(b)
        return len(mine) == len(theirs) and all(map(self.are_equivalent, mine, theirs))


def _select_keywords(book: SchemaView, place: SchemaLocation) -> dict[str, Json] | bool:
    """What a place says: its keywords, or whether it admits everything or nothing."""
    schema = place.schema
    if not isinstance(schema, dict):
        return schema is not False
    if book.draft_07 and "$ref" in schema:
        return {"$ref": schema["$ref"]}
    said = {word: value for word, value in schema.items() if word in KEYWORDS and word not in _NON_ASSERTIONS}
    return said or True


def _is_same_set(one: Json, other: Json) -> bool:
    first = one if isinstance(one, list) else [one]
    second = other if isinstance(other, list) else [other]
    return all(any(are_equal(a, b) for b in second) for a in first) and all(
        any(are_equal(a, b) for a in first) for b in second
    )
