"""Rules for outputSchemas of servers: what an SDK's results may violate, and what the schema leaves open."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from mcpgen.lint.linter import lint_schema
from mcpgen.lint.rule import LintedSchema, LintRule, Problem
from mcpgen.schema.keywords import detect_dialect, list_types
from mcpgen.schema.object_roots import has_object_type
from mcpgen.schema.values import Json, as_array, as_object, format_pointer
from mcpgen.targets import ANY_JSON_RESULT_SINCE
from mcpgen.words import convert_to_snake_case

MOST_NAMED_LOCATIONS = 3
"""Locations that a remark names."""
MOST_SUBSCHEMAS = 10_000
"""Subschemas of an outputSchema that is checked; nobody reads a larger one."""
_ALTERNATIVE = re.compile(r"(.*)/(?:anyOf|oneOf)/[0-9]+", re.DOTALL)
"""JSON pointer of an alternative; the group is the pointer of the schema that has it."""
_REFUSED_NULL = "which the schema does not allow here, so that a typed client raises ResultError"
_OTHER_OBJECT_KEYWORDS = tuple(
    "$ref $dynamicRef allOf anyOf oneOf not if then else const enum patternProperties propertyNames required "
    "dependentRequired dependentSchemas dependencies minProperties maxProperties unevaluatedProperties".split()
)
"""Keywords other than `properties` that describe an object."""


@dataclass(frozen=True)
class Remark:
    """Weakness of an outputSchema."""

    problem: str
    pointers: tuple[str, ...] = ()
    """JSON pointers of the subschemas that have it, sorted; empty if it is the schema as a whole."""

    def __str__(self) -> str:
        """Return the problem after the first few pointers."""
        if not self.pointers:
            return self.problem
        more = len(self.pointers) - MOST_NAMED_LOCATIONS
        suffix = f" and {more} more" if more > 0 else ""
        return f"{', '.join(self.pointers[:MOST_NAMED_LOCATIONS])}{suffix}: {self.problem}"


def lint_output_schema(tool: dict[str, Json]) -> list[Remark]:
    """Return remarks on a Tool's outputSchema, the most important first."""
    dialect = detect_dialect(tool.get("outputSchema"))
    if dialect is None:
        return [Remark("the outputSchema was not examined: mcpgen does not know its dialect (`$schema`)")]
    schema = LintedSchema(tool.get("outputSchema"), dialect)
    if len(schema.places) > MOST_SUBSCHEMAS:
        return [Remark(f"the outputSchema was not examined: it has more than {MOST_SUBSCHEMAS:,} subschemas")]
    pointers: defaultdict[str, set[str]] = defaultdict(set)
    try:
        for finding in lint_schema(schema, OUTPUT_RULES):
            pointers[finding.problem.message] |= {finding.problem.pointer} - {WHOLE}
    except (ValueError, KeyError):  # the validator refuses the schema, which `build` reports in detail
        return [Remark("the outputSchema is invalid; `mcpgen build` says where")]
    return [Remark(message, tuple(sorted(found))) for message, found in pointers.items()]


# --- rules -----------------------------------------------------------------------------------------------------------
WHOLE = ""
"""Pointer of a problem of the schema as a whole."""


def check_root_type(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find a root without a literal `"type": "object"`: clients of older versions refuse the tool."""
    if not has_object_type(schema.value):
        message = f'the root lacks "type": "object", which clients before {ANY_JSON_RESULT_SINCE} require'
        yield Problem(WHOLE, message)


def check_untyped_objects(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find objects without any further keyword: every result is valid, and none is typed."""
    untyped = [place.pointer for place in schema.objects if _is_untyped_object(place.schema)]
    if "" in untyped:
        advice = "if the server is yours, annotate the return type, or let the tool's definition say more"
        yield Problem(WHOLE, f"the schema says nothing about the object, so its results are not typed; {advice}")
    for pointer in untyped if "" not in untyped else ():
        yield Problem(pointer, "the schema says nothing about this object, so it is not typed")


def _is_untyped_object(schema: dict[str, Json]) -> bool:
    others = [value for value in map(schema.get, _OTHER_OBJECT_KEYWORDS) if value is not None]
    additional = schema.get("additionalProperties")
    is_open = additional is None or additional is True or additional == {}
    return schema.get("type") == "object" and is_open and not as_object(schema.get("properties")) and not others


def check_null_properties(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find optional properties that cannot be null: SDKs send null for a None.

    A property whose default is another value is left out: it is not None unless a handler says so.
    """
    for place in schema.objects:
        for name, value in as_object(place.schema.get("properties")).items():
            pointer = place.pointer + format_pointer("properties", name)
            is_optional = name not in as_array(place.schema.get("required")) and value is not False
            may_be_none = is_optional and as_object(value).get("default") is None
            if may_be_none and not schema.validators.is_valid(pointer, None):
                yield Problem(pointer, f"if the value is None, SDKs send null, {_REFUSED_NULL}")


def check_closed_aliases(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find properties of closed objects whose Python name differs: dumped by that name, they are invalid."""
    for place in schema.objects:
        for name in as_object(place.schema.get("properties")):
            if place.schema.get("additionalProperties") is False and convert_to_snake_case(name) != name:
                message = "SDKs may send its Python name instead, which the schema does not allow: the object is closed"
                yield Problem(place.pointer + format_pointer("properties", name), message)


def check_nan_numbers(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find numbers that cannot be null: SDKs send null for NaN and infinity."""
    for place in schema.objects:
        unions = [*_list_unions(place.pointer)] if "number" in list_types(place.schema) else []
        if unions and not any(schema.validators.is_valid(pointer, None) for pointer in unions):
            message = f"if the number is NaN or infinite, SDKs send null, {_REFUSED_NULL}"
            yield Problem(place.pointer or "the root", message)


def _list_unions(pointer: str) -> Iterator[str]:
    """Yield a pointer, and those of the schemas around it of which it is an alternative, the innermost first."""
    yield pointer
    while match := _ALTERNATIVE.fullmatch(pointer):
        pointer = match[1]
        yield pointer


OUTPUT_RULES = tuple(
    LintRule("", check_schema=check)
    for check in (
        check_root_type,
        check_untyped_objects,
        check_null_properties,
        check_closed_aliases,
        check_nan_numbers,
    )
)
"""The rules, the most important first. They have no codes: a pull prints what they find."""
