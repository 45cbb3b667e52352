"""Expansion of schemas: references are followed, and one branch is chosen of each union and condition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcpgen.samples.context import DrawContext, Unsatisfiable
from mcpgen.schema.document import META_SCHEMA_SAMPLE, SchemaDocument, SchemaLocation

_UNION_KEYWORDS = ("anyOf", "oneOf")
_SIZE_LOOKAHEAD = 4
"""References and unions that are followed to estimate the size of a branch."""


def expand_locations(
    context: DrawContext, locations: Sequence[SchemaLocation], depth: int, attempt: int
) -> list[SchemaLocation]:
    """Return the schema objects that a value has to satisfy together.

    Args:
        context: the state of the draw.
        locations: the schemas to start from.
        depth: the number of arrays and objects around the value.
        attempt: 0 for the first choice of branches, which may be the simplest one.

    Raises:
        Unsatisfiable: one of the schemas is `false`.
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
    """Estimate how many members a schema requires at least, following at most `hops` references and unions."""
    schema = location.schema
    if not isinstance(schema, dict):
        return 9 if schema is False else 0
    if "const" in schema or "enum" in schema:
        return 0
    size = (
        len(location.get_array("required"))
        + (location.get_number("minItems") or 0)
        + (location.get_number("minProperties") or 0)
    )
    return int(size) + 2 * (size > 0) + max(_estimate_nested_sizes(document, location, hops), default=0)


def _estimate_nested_sizes(document: SchemaDocument, location: SchemaLocation, hops: int) -> Iterator[int]:
    if not hops:
        yield 5
        return
    for target in (*document.follow_references(location), *_list_branches(document, location, "allOf")):
        yield _estimate_size(document, target, hops - 1)
    for keyword in _UNION_KEYWORDS:
        if branches := _list_branches(document, location, keyword):
            yield min(_estimate_size(document, branch, hops - 1) for branch in branches)
