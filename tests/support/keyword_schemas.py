"""For each keyword that can refuse values: schemas that differ in the value of this keyword alone."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12, KEYWORDS_OF

STRING, INTEGER, SHORT = {"type": "string"}, {"type": "integer"}, {"type": "string", "maxLength": 1}
DEFINITIONS = {"a": STRING, "b": INTEGER, "c": True}
ABSENT: Any = object()
"""Stands for a schema without the keyword."""
BESIDE: dict[str, dict[str, Any]] = {
    "$ref": {"$defs": DEFINITIONS},
    "$dynamicRef": {"$defs": DEFINITIONS},
    "if": {"then": SHORT, "else": INTEGER},
    "then": {"if": STRING},
    "else": {"if": STRING},
    "additionalItems": {"items": [STRING]},
    "minContains": {"contains": STRING},
    "maxContains": {"contains": STRING},
    "additionalProperties": {"properties": {"a": STRING}},
    "unevaluatedProperties": {"allOf": [{"properties": {"a": STRING}}]},
    "unevaluatedItems": {"allOf": [{"prefixItems": [STRING]}]},
}
"""Keyword → what it needs to say anything."""
VALUES: dict[str, tuple[Any, ...]] = {
    "type": ("string", ["string", "integer"], "number"),
    "enum": (["a"], ["a", 1], [1.5, None]),
    "const": ("a", 1, {"a": 1}),
    "allOf": ([True], [STRING], [STRING, SHORT]),
    "anyOf": ([STRING], [STRING, INTEGER], [SHORT]),
    "oneOf": ([STRING], [STRING, INTEGER], [STRING, SHORT]),
    "not": (STRING, SHORT, INTEGER),
    "if": (STRING, INTEGER, True),
    "then": (SHORT, False, True),
    "else": (INTEGER, False, True),
    "$ref": ("#/$defs/a", "#/$defs/b", "#/$defs/c"),
    "$dynamicRef": ("#/$defs/a", "#/$defs/b", "#/$defs/c"),
    "properties": ({"a": STRING}, {"a": SHORT}, {"a": True, "b": INTEGER}),
    "required": (["a"], ["a", "b"], []),
    "additionalProperties": (True, False, STRING),
    "patternProperties": ({"^a": STRING}, {"^a": SHORT}, {"": False}),
    "propertyNames": ({"maxLength": 1}, {"enum": ["a"]}, True),
    "minProperties": (0, 1, 2),
    "maxProperties": (0, 1, 2),
    "dependencies": ({"a": ["b"]}, {"a": {"required": ["c"]}}, {}),
    "dependentRequired": ({"a": ["b"]}, {"a": ["b", "c"]}, {}),
    "dependentSchemas": ({"a": {"required": ["b"]}}, {"a": False}, {}),
    "unevaluatedProperties": (True, False, STRING),
    "items": (STRING, SHORT, False),
    "prefixItems": ([STRING], [INTEGER, STRING], [False]),
    "additionalItems": (True, False, STRING),
    "contains": (STRING, SHORT, INTEGER),
    "minContains": (0, 1, 2),
    "maxContains": (0, 1, 2),
    "minItems": (0, 1, 2),
    "maxItems": (0, 1, 2),
    "uniqueItems": (True, False),
    "unevaluatedItems": (True, False, STRING),
    "minLength": (0, 1, 2),
    "maxLength": (0, 1, 2),
    "pattern": ("^a", "b$", ""),
    "minimum": (0, 1, 1.5),
    "exclusiveMinimum": (0, 1, 1.5),
    "maximum": (0, 1, 1.5),
    "exclusiveMaximum": (0, 1, 1.5),
    "multipleOf": (1, 2, 0.5),
}
SAMPLES: list[Any] = [
    *(None, True, 0, 1, 2, 3, -1, 0.5, 1.5, "", "a", "b", "ab", "ba"),
    *([], ["a"], [1], ["a", "a"], ["a", "b"], ["ab", 1], [1, "a"], ["a", "b", "ab"], [None]),
    *({}, {"a": "a"}, {"a": "ab"}, {"a": 1}, {"b": 1}, {"a": "a", "b": 1}, {"a": "a", "c": "c"}, {"ab": "x"}),
    {"a": "a", "b": "b", "c": "c"},
]
"""Values of which each keyword refuses some."""


def make_variants(keyword: str) -> list[dict[str, Any]]:
    """Schemas with different values of a keyword, and one without it."""
    beside = BESIDE.get(keyword, {})
    return [beside if value is ABSENT else {**beside, keyword: value} for value in (*VALUES[keyword], ABSENT)]


def list_dialects(keyword: str) -> list[str]:
    """Return the dialects in which the variants of a keyword are valid schemas."""
    return [dialect for dialect in (DRAFT_07, DRAFT_2020_12) if keyword in KEYWORDS_OF[dialect]]


def list_pairs(keyword: str) -> list[tuple[dict[str, Any], dict[str, Any], str]]:
    """Every two variants of a keyword, in each dialect: the old one, the new one, the dialect."""
    return [(*pair, dialect) for dialect in list_dialects(keyword) for pair in permutations(make_variants(keyword), 2)]
