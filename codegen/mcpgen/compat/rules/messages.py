"""Wording that the rules about schemas share: values, types and keywords as text."""

from __future__ import annotations

import json
from collections.abc import Sequence

from mcpgen.compat.gap import Gap
from mcpgen.diagnostics import join_words

_KIND_NAMES = {
    "null": "null",
    "boolean": "a boolean",
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "integer": "an integer",
    "number": "a number that is not an integer",
}
LONGEST_VALUE = 60
"""Characters of a value in a message."""


class GapFields:
    """Fields of a gap for message templates, as text."""

    def __init__(self, gap: Gap) -> None:
        self._gap = gap
        self.keyword = gap.keyword
        self.name = gap.name

    @property
    def types(self) -> str:
        """The new types of values: `a string or null`."""
        return format_kinds(self._gap.values)

    @property
    def changed_result(self) -> str:
        """What a result was and what it may be now, for a gap about its type."""
        new, old = self._gap.kinds
        if self._gap.is_disjoint:
            return f"was {format_kinds(old)}, is {format_kinds(new)} now"
        return f"was {format_kinds(old)}, may now also be {self.types}"

    @property
    def changed_argument(self) -> str:
        """What an argument was and what it has to be now, for a gap about its type."""
        old, new = self._gap.kinds
        if self._gap.is_disjoint:
            return f"was {format_kinds(old)}, must be {format_kinds(new)} now"
        return f"{self.types} is no longer accepted, only {format_kinds(new)}"

    @property
    def values(self) -> str:
        """The new values, as JSON."""
        return join_words([cut_text(value) for value in self._gap.values], "or")

    @property
    def constraint(self) -> str:
        """The keyword's value in the consumer's schema, as JSON."""
        return format_value(self._gap.constraint)


def format_kinds(kinds: Sequence[str]) -> str:
    """Format kinds of values: `a string or null`."""
    if {"integer", "number"} <= set(kinds):
        return join_words(
            ["a number", *(_KIND_NAMES[kind] for kind in kinds if kind not in ("integer", "number"))], "or"
        )
    return join_words([_KIND_NAMES[kind] for kind in kinds], "or")


def format_value(value: object) -> str:
    """Format a JSON value for a message; a long one is cut."""
    return cut_text(json.dumps(value, ensure_ascii=False))


def cut_text(text: str) -> str:
    """Cut a text to `LONGEST_VALUE` characters, an ellipsis included."""
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"


def describe_keyword_change(keyword: str, old: object, new: object) -> str | None:
    """Describe a keyword whose value was replaced or removed.

    Args:
        keyword: the keyword's name.
        old: its value before, None if it was absent.
        new: its value after, None if it is absent.

    Returns:
        The message, None if the keyword was absent before or has not changed.
    """
    if old is None or old == new:
        return None
    outcome = f"is {format_value(new)} now" if new is not None else "is gone"
    return f"{keyword} was {format_value(old)}, {outcome}"
