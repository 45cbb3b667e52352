"""What each keyword concerns."""

from __future__ import annotations

from mcpgen.lower.normalize.core import SchemaPlace
from mcpgen.schema.keywords import SCHEMA_MAP_KEYWORDS
from mcpgen.schema.values import Json

KEYWORDS_BY_TYPE: dict[str, frozenset[str]] = {
    "object": frozenset(
        (
            "additionalProperties dependencies dependentRequired dependentSchemas maxProperties minProperties "
            "patternProperties properties propertyNames required unevaluatedProperties"
        ).split()
    ),
    "array": frozenset(
        (
            "additionalItems contains items maxContains maxItems minContains minItems prefixItems "
            "unevaluatedItems uniqueItems"
        ).split()
    ),
    "string": frozenset(["maxLength", "minLength", "pattern"]),
    "number": frozenset(["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"]),
}


KEYWORDS_OF_TYPES: frozenset[str] = frozenset[str]().union(*KEYWORDS_BY_TYPE.values())


NEVER_IN_TYPES = frozenset(
    (
        "$dynamicRef contains dependencies dependentRequired dependentSchemas if maxContains "
        "maxProperties minContains minProperties multipleOf not pattern propertyNames unevaluatedItems "
        "unevaluatedProperties"
    ).split()
)
"""Keywords that no type says: wherever one stands, the exact check is needed."""


KNOWN_KEYWORDS: frozenset[str] = (
    KEYWORDS_OF_TYPES
    | NEVER_IN_TYPES
    | (SCHEMA_MAP_KEYWORDS - {"$defs", "definitions"})
    | frozenset(
        ["type", "enum", "const", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref", "$dynamicRef"]
    )
)


def collect_keywords(parts: list[tuple[SchemaPlace, dict[str, Json]]]) -> set[str]:
    """Every keyword that stands in some of the parts."""
    return {word for _, schema in parts for word in schema}


def list_names(value: Json) -> list[Json]:
    """Return the names that a keyword lists; none where its value is no list."""
    return value if isinstance(value, list) else []


def allows_everything(word: str, value: Json) -> bool:
    """Whether the keyword allows everything: true equals 1 in Python, so the kinds are told apart first."""
    if word in ("propertyNames", "unevaluatedItems", "unevaluatedProperties"):
        return value is True or value == {}
    if word in ("dependencies", "dependentRequired", "dependentSchemas"):
        return value == {}
    return word == "minProperties" and value == 0
