"""Expansion of schemas to one branch each, and the types and constant values that these allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcpgen.samples.context import DrawContext, DrawStyle, Unsatisfiable
from mcpgen.schema.document import META_SCHEMA_SAMPLE, SchemaDocument, SchemaLocation
from mcpgen.schema.keywords import KEYWORD_TABLE, KEYWORDS_BY_TYPE, list_types
from mcpgen.schema.values import (
    JSON_TYPES,
    Json,
    as_array,
    as_object,
    get_json_type,
    make_identity_key,
    make_identity_keys,
)

_UNION_KEYWORDS = ("anyOf", "oneOf")
_SIZE_LOOKAHEAD = 4
"""References and unions that are followed to estimate the size of a branch."""


def expand_locations(
    context: DrawContext, locations: Sequence[SchemaLocation], depth: int, attempt: int
) -> list[SchemaLocation]:
    """Return the schemas that a value has to satisfy together; raise `Unsatisfiable` if one is `false`.

    At attempt 0, the branches may be the simplest.
    """
    document = context.document
    expanded: list[SchemaLocation] = []
    visited: set[tuple[str, tuple[str, ...]]] = set()
    stack = list(locations)[::-1]
    while stack:
        location = stack.pop()
        schema = location.schema
        if schema is False:
            raise Unsatisfiable
        if not isinstance(schema, dict):
            continue
        if schema is not META_SCHEMA_SAMPLE:
            if (location.at, location.scope) in visited:
                continue
            visited.add((location.at, location.scope))
        stack.extend(document.follow_references(location))
        if document.draft_07 and "$ref" in schema:
            continue
        expanded.append(location)
        stack.extend(_list_branches(document, location, "allOf"))
        for keyword in _UNION_KEYWORDS:
            if location.get_array(keyword):
                stack.append(_choose_branch(context, location, keyword, depth, attempt))
        if "if" in schema:
            stack.extend(_choose_condition(context, location))
    return expanded


def _list_branches(document: SchemaDocument, location: SchemaLocation, keyword: str) -> list[SchemaLocation]:
    return [document.get_subschema(location, keyword, index) for index in range(len(location.get_array(keyword)))]


def _choose_branch(
    context: DrawContext, location: SchemaLocation, keyword: str, depth: int, attempt: int
) -> SchemaLocation:
    branches = _list_branches(context.document, location, keyword)
    if attempt == 0 and context.should_stay_small(depth):
        return min(branches, key=lambda branch: _estimate_size(context.document, branch, _SIZE_LOOKAHEAD))
    if attempt == 0 and context.takes_first:
        return branches[0]
    return context.random.choice(branches)


def _choose_condition(context: DrawContext, location: SchemaLocation) -> Iterator[SchemaLocation]:
    for keyword in ("if", "then") if context.toss_coin() else ("else",):
        if location.has(keyword):
            yield context.document.get_subschema(location, keyword)


def _estimate_size(document: SchemaDocument, location: SchemaLocation, hops: int) -> int:
    schema = location.schema
    if not isinstance(schema, dict):
        return 9 if schema is False else 0
    if "const" in schema or "enum" in schema:
        return 0
    size = len(location.get_array("required"))
    size += int((location.get_number("minItems") or 0) + (location.get_number("minProperties") or 0))
    return size + 2 * (size > 0) + max(_estimate_nested_sizes(document, location, hops), default=0)


def _estimate_nested_sizes(document: SchemaDocument, location: SchemaLocation, hops: int) -> Iterator[int]:
    if not hops:
        yield 5
        return
    for target in (*document.follow_references(location), *_list_branches(document, location, "allOf")):
        yield _estimate_size(document, target, hops - 1)
    for keyword in _UNION_KEYWORDS:
        if branches := _list_branches(document, location, keyword):
            yield min(_estimate_size(document, branch, hops - 1) for branch in branches)


# --- types and constant values ---------------------------------------------------------------------------------------
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
    """Return the types that `type`, and `not` with nothing but `type`, leave; raise `Unsatisfiable` if none is left."""
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
    types = set(list_types(as_object(location.schema)))
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
        forbidden += as_array(negated.get("enum"))
    return allowed if allowed is None or not forbidden else _select_values(allowed, forbidden, False)


def _select_values(values: list[Json], other_values: list[Json], are_members: bool) -> list[Json]:
    keys = make_identity_keys(other_values)
    return [value for value in values if (make_identity_key(value) in keys) is are_members]


def find_examples(context: DrawContext, locations: list[SchemaLocation], types: set[str]) -> list[Json]:
    """Return an example or default of a schema that has one of the types, alone in a list; often nothing.

    For people, it is one that is valid.
    """
    is_mixed = context.style is DrawStyle.MIXED
    is_for_people = is_mixed or context.style >= DrawStyle.EXAMPLES
    if not is_for_people and not context.decide(_EXAMPLE_PROBABILITY):
        return []
    for location in locations:
        declared = [*location.get_array("examples"), *([location.get("default")] if location.has("default") else [])]
        if is_mixed:
            context.random.shuffle(declared)
        for value in declared[: _MOST_EXAMPLES if is_for_people else 1]:
            if get_json_type(value) in types and (not is_for_people or _is_valid(context.document, locations, value)):
                return [value]
    return []


def _is_valid(document: SchemaDocument, locations: list[SchemaLocation], value: Json) -> bool:
    return all(document.is_valid(location, value) for location in locations)


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
