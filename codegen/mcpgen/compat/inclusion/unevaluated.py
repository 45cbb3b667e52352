"""What the in-place parts of a place may speak of, for its `unevaluatedProperties` and `unevaluatedItems`."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.schema.document import SchemaLocation


class EvaluatedProperties:
    """Which properties the in-place parts of a place may speak of, for its `unevaluatedProperties`."""

    def __init__(self, book: SchemaView, place: SchemaLocation) -> None:
        self.names: set[str] = set()
        self.patterns: list[str] = []
        self.all = False
        self.elsewhere = False
        """Whether some of it depends on the value."""
        self._book = book
        for part in _walk_in_place(book, place):
            if part.at != place.at:
                self.all = self.all or book.has(part, "unevaluatedProperties")
                self.elsewhere = True
            self.names.update(book.get_named_subschemas(part, "properties"))
            self.patterns += book.get_named_subschemas(part, "patternProperties")
            self.all = self.all or book.has(part, "additionalProperties") or book.refers_outside(part)

    def may_have(self, name: str) -> bool:
        """Whether a property may be spoken of."""
        return self.all or name in self.names or any(self._book.matches(one, name) for one in self.patterns)


class EvaluatedItems:
    """Which items the in-place parts of a place may speak of, for its `unevaluatedItems`."""

    def __init__(self, book: SchemaView, place: SchemaLocation) -> None:
        self._first, self._all = 0, False
        for part in _walk_in_place(book, place):
            if part.at != place.at:
                self._all = self._all or book.has(part, "unevaluatedItems")
            self._first = max(self._first, len(book.get_prefix(part)))
            spoken = book.get_rest(part) is not None or book.has(part, "contains") or book.refers_outside(part)
            self._all = self._all or spoken

    def may_have(self, index: int | None) -> bool:
        """Whether an item may be spoken of; None: one behind all prefixes."""
        return self._all or (index is not None and index < self._first)


def _walk_in_place(book: SchemaView, place: SchemaLocation) -> Iterator[SchemaLocation]:
    """A place and everything in it that may speak of the same value."""
    seen: set[tuple[str, tuple[str, ...]]] = set()
    stack = [place]
    while stack:
        part = stack.pop()
        if (part.at, part.scope) in seen:
            continue
        seen.add((part.at, part.scope))
        yield part
        if not isinstance(part.schema, dict):
            continue
        if not book.refers_outside(part):
            stack += book.resolve_references(part)
        for word in ("allOf", "anyOf", "oneOf"):
            stack += book.get_subschemas(part, word)
        for word in ("if", "then", "else"):
            stack += [one] if (one := book.get_subschema(part, word)) is not None else []
        stack += [one for _, _, one in book.get_dependents(part) if one is not None]
