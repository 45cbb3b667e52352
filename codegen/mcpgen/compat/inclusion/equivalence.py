"""Whether two places, of two documents, say the same in the same words; annotations and the order of sets aside."""

from __future__ import annotations

from mcpgen.compat.inclusion.schema_view import Book
from mcpgen.schema.document import Place
from mcpgen.schema.index import META_PREFIXES
from mcpgen.schema.keywords import ANNOTATIONS, KEYWORDS, MANY, NAMED, ONE
from mcpgen.schema.values import Json, same

_SILENT = (
    ANNOTATIONS
    | frozenset("$defs definitions $id $anchor $schema $comment $dynamicAnchor $vocabulary".split())
    | frozenset("format contentEncoding contentMediaType contentSchema".split())
)
_SETS = frozenset(["enum", "required", "type"])
_BY_DIALECT = frozenset(
    (
        "items additionalItems prefixItems contains minContains maxContains dependencies dependentRequired "
        "dependentSchemas unevaluatedItems unevaluatedProperties $ref $dynamicRef"
    ).split()
)
"""Words that mean something else, or nothing, in the other dialect."""


DEEPEST = 300
"""Places inside of each other that are compared; below them nothing counts as alike, which is always safe to say."""


class Likeness:
    """Compares places of two documents; `True` means that they accept the same values."""

    def __init__(self, first: Book, second: Book) -> None:
        self._first, self._second = first, second
        self._known: dict[tuple[object, ...], bool] = {}
        self._order: list[tuple[object, ...]] = []
        self._depth = 0
        self._one_dialect = first.dialect == second.dialect
        self._wholly = self._one_dialect and same(first.schema, second.schema)

    def are_equivalent(self, a: Place, b: Place) -> bool:
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

    def have_equivalent_keywords(self, a: Place, b: Place, words: tuple[str, ...]) -> bool:
        """Whether some keywords, at least the first of them being there, say the same in both."""
        if not self._first.has(a, words[0]):
            return False
        if not self._one_dialect and not _BY_DIALECT.isdisjoint(words):
            return False
        return all(self._word(a, b, word) for word in words)

    def _places(self, a: Place, b: Place) -> bool:
        first, second = _said(self._first, a), _said(self._second, b)
        if isinstance(first, bool) or isinstance(second, bool):
            return first is second
        if "$dynamicRef" in first or "$dynamicRef" in second:
            return self._wholly and a.at == b.at and a.scope == b.scope
        if not self._one_dialect and not _BY_DIALECT.isdisjoint(first.keys() | second.keys()):
            return False
        if first.keys() != second.keys():
            return False
        return all(self._word(a, b, word) for word in first)

    def _word(self, a: Place, b: Place, word: str) -> bool:
        one, other = self._first.get(a, word), self._second.get(b, word)
        if word == "$ref":
            return self._references(a, b)
        if self._first.has(a, word) != self._second.has(b, word):
            return False
        if word in MANY and isinstance(one, list):
            mine, theirs = self._first.get_subschemas(a, word), self._second.get_subschemas(b, word)
            return len(mine) == len(theirs) and all(map(self.are_equivalent, mine, theirs))
        if word in NAMED and isinstance(one, dict) and isinstance(other, dict):
            plain = [key for key, inner in one.items() if not isinstance(inner, dict | bool)]
            if one.keys() != other.keys() or not all(same(one[key], other[key]) for key in plain):
                return False
            named, others = self._first.get_named_subschemas(a, word), self._second.get_named_subschemas(b, word)
            return named.keys() == others.keys() and all(self.are_equivalent(named[key], others[key]) for key in named)
        if word in ONE:
            x, y = self._first.get_subschema(a, word), self._second.get_subschema(b, word)
            return x is y if x is None or y is None else self.are_equivalent(x, y)
        if word in _SETS:
            return _same_set(one, other)
        return same(one, other)

    def _references(self, a: Place, b: Place) -> bool:
        if self._first.refers_outside(a) or self._second.refers_outside(b):
            return a.get("$ref") == b.get("$ref") and str(a.get("$ref")).startswith(META_PREFIXES)
        mine, theirs = self._first.resolve_references(a), self._second.resolve_references(b)
        return len(mine) == len(theirs) and all(map(self.are_equivalent, mine, theirs))


def _said(book: Book, place: Place) -> dict[str, Json] | bool:
    """What a place says: its keywords, or whether it admits everything or nothing."""
    schema = place.schema
    if not isinstance(schema, dict):
        return schema is not False
    if book.draft_07 and "$ref" in schema:
        return {"$ref": schema["$ref"]}
    said = {word: value for word, value in schema.items() if word in KEYWORDS and word not in _SILENT}
    return said or True


def _same_set(one: Json, other: Json) -> bool:
    first = one if isinstance(one, list) else [one]
    second = other if isinstance(other, list) else [other]
    return all(any(same(a, b) for b in second) for a in first) and all(any(same(a, b) for a in first) for b in second)
