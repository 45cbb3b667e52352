"""Words that the rules about schemas have in common."""

from __future__ import annotations

import json

from mcpgen.compat.gap import Gap
from mcpgen.compat.registry import RuleMatch, SubschemaPair
from mcpgen.schema.values import Json

_KIND_NAMES = {
    "null": "null",
    "boolean": "a boolean",
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "integer": "an integer",
    "number": "a number that is no integer",
}
MOST_LISTED = 5
LONGEST_VALUE = 60


def format_kinds(gap: Gap) -> str:
    """The types of a gap: `a string or null`."""
    if {"integer", "number"} <= set(gap.values):
        named = ["a number", *(_KIND_NAMES[one] for one in gap.values if one not in ("integer", "number"))]
    else:
        named = [_KIND_NAMES[one] for one in gap.values]
    return join_words(named, "or")


def format_values(gap: Gap) -> str:
    """The values of a gap, as JSON."""
    return join_words([_cut_text(one) for one in gap.values], "or")


def format_constraint(gap: Gap) -> str:
    """What the narrow schema says there, as JSON."""
    return format_value(gap.given)


def format_value(value: Json) -> str:
    """A JSON value in a message."""
    return _cut_text(json.dumps(value, ensure_ascii=False))


def join_words(words: list[str], last: str) -> str:
    """Words with commas, the last with a word before it; a long list is cut."""
    if len(words) > MOST_LISTED:
        words = [*words[:MOST_LISTED], f"{len(words) - MOST_LISTED} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _cut_text(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"


def describe_keyword_change(words: SubschemaPair, word: str) -> RuleMatch | None:
    """What a rule says of an annotation that another has taken the place of."""
    old, new = words.old.get(word), words.new.get(word)
    if old is None or old == new:
        return None
    became = f"is {_cut_text(json.dumps(new, ensure_ascii=False))} now" if new is not None else "is gone"
    return RuleMatch(f"{word} was {_cut_text(json.dumps(old, ensure_ascii=False))}, {became}", words.at)
