"""Words that the rules about schemas have in common."""

from __future__ import annotations

import json

from mcpgen.compat.gap import Gap
from mcpgen.compat.registry import Found, Words
from mcpgen.schema.values import Json

_KINDS = {
    "null": "null",
    "boolean": "a boolean",
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "integer": "an integer",
    "number": "a number that is no integer",
}
MOST = 5
LONGEST = 60


def kinds(gap: Gap) -> str:
    """The types of a gap: `a string or null`."""
    if {"integer", "number"} <= set(gap.values):
        named = ["a number", *(_KINDS[one] for one in gap.values if one not in ("integer", "number"))]
    else:
        named = [_KINDS[one] for one in gap.values]
    return listed(named, "or")


def values(gap: Gap) -> str:
    """The values of a gap, as JSON."""
    return listed([_short(one) for one in gap.values], "or")


def given(gap: Gap) -> str:
    """What the narrow schema says there, as JSON."""
    return shown(gap.given)


def shown(value: Json) -> str:
    """A JSON value in a message."""
    return _short(json.dumps(value, ensure_ascii=False))


def listed(words: list[str], last: str) -> str:
    """Words with commas, the last with a word before it; a long list is cut."""
    if len(words) > MOST:
        words = [*words[:MOST], f"{len(words) - MOST} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def changed(words: Words, word: str) -> Found | None:
    """What a rule says of an annotation that another has taken the place of."""
    old, new = words.old.get(word), words.new.get(word)
    if old is None or old == new:
        return None
    became = f"is {_short(json.dumps(new, ensure_ascii=False))} now" if new is not None else "is gone"
    return Found(f"{word} was {_short(json.dumps(old, ensure_ascii=False))}, {became}", words.at)
