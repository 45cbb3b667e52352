"""What the keywords of a schema say about a value, in words."""

from __future__ import annotations

import json
from collections.abc import Iterator

from mcpgen.lint.invisible_text import mark_invisible
from mcpgen.reference.model import Fact
from mcpgen.schema.values import Json, as_array

_MOST_VALUES = 60
_MOST_CHARACTERS = 240
_LIMITS = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "more than",
    "exclusiveMaximum": "less than",
    "multipleOf": "a multiple of",
    "pattern": "matches",
    "format": "format",
    "contentMediaType": "media type",
    "contentEncoding": "encoding",
}
_COUNTS = {
    "minLength": ("at least", "character"),
    "maxLength": ("at most", "character"),
    "minItems": ("at least", "item"),
    "maxItems": ("at most", "item"),
    "minProperties": ("at least", "member"),
    "maxProperties": ("at most", "member"),
}
_FLAGS = {
    "uniqueItems": "no item twice",
    "deprecated": "deprecated",
    "readOnly": "read only",
    "writeOnly": "write only",
}
SHOWN_ELSEWHERE = frozenset(
    "type title description properties required $ref $dynamicRef $defs definitions $schema $id $anchor $dynamicAnchor "
    "$comment $vocabulary prefixItems items additionalProperties anyOf oneOf allOf".split()
)
"""Keywords that the label of a type, its description and its table show."""


def format_value(value: Json) -> str:
    """Return a value as compact JSON, cut if it is long."""
    text = mark_invisible(json.dumps(value, ensure_ascii=False, separators=(", ", ": ")))
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"


def list_facts(schema: Json, unlabelled: tuple[str, ...] = ()) -> Iterator[Fact]:
    """Yield what a schema says about a value besides its type and its description.

    Args:
        schema: the schema.
        unlabelled: keywords that its label says nothing about, so that they are facts as they are.
    """
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        if keyword in unlabelled or keyword not in SHOWN_ELSEWHERE:
            yield from _describe_keyword(keyword, value)
    if schema.get("additionalProperties") is False:
        yield Fact("no other members")


def _describe_keyword(keyword: str, value: Json) -> Iterator[Fact]:
    if keyword == "enum":
        yield _make_values_fact("one of", as_array(value))
    elif keyword == "examples":
        yield _make_values_fact("for example", as_array(value)[:3])
    elif keyword in ("const", "default"):
        yield Fact("always" if keyword == "const" else "default", (format_value(value),))
    elif keyword in _LIMITS:
        text = value if isinstance(value, str) else format_value(value)
        yield Fact(_LIMITS[keyword], (mark_invisible(text)[:_MOST_CHARACTERS],))
    elif keyword in _COUNTS:
        words, noun = _COUNTS[keyword]
        yield Fact(f"{words} {format_value(value)} {noun}{'' if value == 1 else 's'}")
    elif keyword in _FLAGS:
        if value is True:
            yield Fact(_FLAGS[keyword])
    else:
        yield Fact(mark_invisible(keyword), (format_value(value),))


def _make_values_fact(words: str, values: list[Json]) -> Fact:
    shown = tuple(format_value(value) for value in values[:_MOST_VALUES])
    more = (f"… {len(values) - _MOST_VALUES} more",) if len(values) > _MOST_VALUES else ()
    return Fact(words, shown + more)
