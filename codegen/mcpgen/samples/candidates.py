"""Types and constant values that all schemas of a value allow, and the choice among them."""

from __future__ import annotations

from mcpgen.samples.context import DrawContext, DrawStyle, Unsatisfiable
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.keywords import KEYWORD_TABLE, KEYWORDS_BY_TYPE
from mcpgen.schema.values import JSON_TYPES, Json, get_json_type, make_identity_key, make_identity_keys

_KEYWORDS_BY_TYPE = {
    type_name: [keyword.name for keyword in KEYWORD_TABLE.values() if keyword.type == type_name]
    for type_name in KEYWORDS_BY_TYPE
}
"""Keywords that suggest a type where `type` is missing."""
_EXAMPLE_PROBABILITY = 0.04
_MOST_EXAMPLES = 20
"""Examples of one schema that are looked at."""
_SUGGESTED_TYPE_PROBABILITY = 0.85


def find_allowed_types(context: DrawContext, locations: list[SchemaLocation]) -> set[str]:
    """Return the types that `type`, and `not` with nothing but `type`, leave.

    Raises:
        Unsatisfiable: no type is left.
    """
    allowed = set[str](JSON_TYPES)
    for location in locations:
        if location.has("type"):
            allowed &= _get_types(location)
        if location.get_object("not").keys() == {"type"}:
            allowed -= _get_types(context.document.get_subschema(location, "not"))
    if not allowed:
        raise Unsatisfiable
    return allowed


def _get_types(location: SchemaLocation) -> set[str]:
    """Return the types that a schema names; number includes integer."""
    named = location.get("type")
    types = {str(name) for name in named} if isinstance(named, list) else {str(named)}
    return types | ({"integer"} if "number" in types else set[str]())


def find_allowed_values(locations: list[SchemaLocation]) -> list[Json] | None:
    """Return the values that `enum`, `const` and their negations leave; None where all schemas lack both."""
    allowed: list[Json] | None = None
    forbidden: list[Json] = []
    for location in locations:
        for keyword in ("enum", "const"):
            if location.has(keyword):
                values = location.get_array("enum") if keyword == "enum" else [location.get("const")]
                allowed = values if allowed is None else _select_values(allowed, values, True)
        negated = location.get_object("not")
        if "const" in negated:
            forbidden.append(negated["const"])
        enum = negated.get("enum")
        forbidden += enum if isinstance(enum, list) else []
    return allowed if allowed is None or not forbidden else _select_values(allowed, forbidden, False)


def _select_values(values: list[Json], other_values: list[Json], are_members: bool) -> list[Json]:
    """Return the values that are among others, or those that are not."""
    keys = make_identity_keys(other_values)
    return [value for value in values if (make_identity_key(value) in keys) is are_members]


def find_examples(context: DrawContext, locations: list[SchemaLocation], types: set[str]) -> list[Json]:
    """Return an example or default of a schema that has one of the types, alone in a list; often nothing.

    For people, it is one that is valid.
    """
    if context.style >= DrawStyle.EXAMPLES:
        return _find_valid_examples(context, locations, types)[:1]
    if not context.decide(_EXAMPLE_PROBABILITY):
        return []
    for location in locations:
        examples = location.get_array("examples") or ([location.get("default")] if location.has("default") else [])
        if examples and get_json_type(examples[0]) in types:
            return examples[:1]
    return []


def _find_valid_examples(context: DrawContext, locations: list[SchemaLocation], types: set[str]) -> list[Json]:
    """Return the examples and the default of the first schema that has valid ones."""
    for location in locations:
        declared = [*location.get_array("examples"), *([location.get("default")] if location.has("default") else [])]
        valid = [
            value
            for value in declared[:_MOST_EXAMPLES]
            if get_json_type(value) in types and all(context.document.is_valid(place, value) for place in locations)
        ]
        if valid:
            return valid
    return []


def choose_type(context: DrawContext, types: set[str], locations: list[SchemaLocation]) -> str:
    """Choose one of the allowed types, one that the keywords suggest where any type is allowed."""
    candidates = [name for name in JSON_TYPES if name in types]
    if len(types) == len(JSON_TYPES):
        suggested = [
            name
            for name, keywords in _KEYWORDS_BY_TYPE.items()
            if any(location.has(keyword) for location in locations for keyword in keywords)
        ]
        if suggested and (not context.is_varied or context.random.random() < _SUGGESTED_TYPE_PROBABILITY):
            candidates = suggested
        elif not context.is_varied:
            candidates = ["string"]
    if context.takes_first:
        return candidates[0] if candidates[0] != "null" else candidates[-1]
    return context.random.choice(candidates)
