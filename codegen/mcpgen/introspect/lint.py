"""Remarks on a tool's outputSchema: what an SDK's results may violate, and what the schema leaves open."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from mcpgen.schema.document import SchemaDocument, SchemaLocation
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12, detect_dialect, iterate_subschemas
from mcpgen.schema.values import Json
from mcpgen.targets import ANY_JSON_RESULT_SINCE
from mcpgen.words import convert_to_snake_case

MOST_NAMED_LOCATIONS = 3
"""Locations that a remark names."""
MOST_SUBSCHEMAS = 10_000
"""Subschemas of an outputSchema that is checked; nobody reads a larger one."""
_ALTERNATIVE = re.compile(r"(.*)/(?:anyOf|oneOf)/[0-9]+", re.DOTALL)
"""JSON pointer of an alternative; the group is the pointer of the schema that has it."""
_REFUSED_NULL = "which the schema does not allow here, so that a typed client raises ResultError"
_OTHER_OBJECT_KEYWORDS = frozenset(
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


@dataclass(frozen=True)
class OutputSchema:
    """Schema of a tool's results, with all its subschemas."""

    document: SchemaDocument
    locations: tuple[SchemaLocation, ...]
    """The root and all its subschemas."""

    @property
    def root(self) -> SchemaLocation:
        """Location of the outputSchema itself."""
        return self.document.root


def lint_output_schema(tool: dict[str, Json]) -> list[Remark]:
    """Return remarks on a Tool's outputSchema, the most important first."""
    schema = tool.get("outputSchema")
    dialect = detect_dialect(schema)
    if dialect is None:
        return [Remark("the outputSchema was not examined: mcpgen does not know its dialect (`$schema`)")]
    document = SchemaDocument(schema, dialect)
    output = OutputSchema(document, tuple(islice(_walk_locations(document, document.root), MOST_SUBSCHEMAS + 1)))
    if len(output.locations) > MOST_SUBSCHEMAS:
        return [Remark(f"the outputSchema was not examined: it has more than {MOST_SUBSCHEMAS:,} subschemas")]
    try:
        return [remark for rule in LINT_RULES if (remark := rule(output)) is not None]
    except (ValueError, KeyError):  # the validator refuses the schema, which `build` reports in detail
        return [Remark("the outputSchema is invalid; `mcpgen build` says where")]


def _walk_locations(document: SchemaDocument, root: SchemaLocation) -> Iterator[SchemaLocation]:
    dialect = DRAFT_07 if document.draft_07 else DRAFT_2020_12
    stack = [root]
    while stack:
        location = stack.pop()
        yield location
        if isinstance(location.schema, dict):
            paths = (path for path, _ in iterate_subschemas(location.schema, dialect))
            stack.extend(document.get_subschema(location, *path) for path in paths)


# --- rules -----------------------------------------------------------------------------------------------------------
def check_untyped_object(output: OutputSchema) -> Remark | None:
    """Report objects without any further keyword: every result is valid, and none is typed."""
    untyped = [
        location for location in output.locations if location.get("type") == "object" and _is_untyped_object(location)
    ]
    if output.root in untyped:
        advice = "; if the server is yours, annotate the return type, or let the tool's definition say more"
        return Remark(f"the schema says nothing about the object, so its results are not typed{advice}")
    return _remark_on_locations("the schema says nothing about this object, so it is not typed", untyped)


def _is_untyped_object(location: SchemaLocation) -> bool:
    additional = location.get("additionalProperties")
    is_open = additional is None or additional is True or additional == {}
    return (
        is_open
        and not location.get_object("properties")
        and not any(location.get(keyword) is not None for keyword in _OTHER_OBJECT_KEYWORDS)
    )


def check_root_type(output: OutputSchema) -> Remark | None:
    """Report a root without a literal `"type": "object"`: clients of older versions refuse the tool."""
    if output.root.get("type") == "object":
        return None
    return Remark(f'the root lacks "type": "object", which clients before {ANY_JSON_RESULT_SINCE} require')


def check_null_properties(output: OutputSchema) -> Remark | None:
    """Report optional properties that cannot be null: SDKs send null for a None.

    A property whose default is another value is left out: it is not None unless a handler says so.
    """
    not_nullable: list[SchemaLocation] = []
    for location in output.locations:
        required = location.get_array("required")
        for name in location.get_object("properties"):
            subschema = output.document.get_subschema(location, "properties", name)
            is_optional = name not in required and subschema.schema is not False
            if is_optional and subschema.get("default") is None and not output.document.is_valid(subschema, None):
                not_nullable.append(subschema)
    return _remark_on_locations(f"if the value is None, SDKs send null, {_REFUSED_NULL}", not_nullable)


def check_nan_numbers(output: OutputSchema) -> Remark | None:
    """Report numbers that cannot be null: SDKs send null for NaN and infinity."""
    locations = {location.at: location for location in output.locations}
    not_nullable = [
        location
        for location in output.locations
        if "number" in (location.get("type"), *location.get_array("type"))
        and not any(output.document.is_valid(alternative, None) for alternative in _list_unions(location, locations))
    ]
    return _remark_on_locations(f"if the number is NaN or infinite, SDKs send null, {_REFUSED_NULL}", not_nullable)


def _list_unions(location: SchemaLocation, locations: Mapping[str, SchemaLocation]) -> Iterator[SchemaLocation]:
    """Yield a location, and the schemas around it of which it is an alternative, the innermost first."""
    around: SchemaLocation | None = location
    while around is not None:
        yield around
        match = _ALTERNATIVE.fullmatch(around.at)
        around = None if match is None else locations.get(match[1])


def check_closed_aliases(output: OutputSchema) -> Remark | None:
    """Report properties of closed objects whose Python name differs: dumped by that name, they are invalid."""
    renamed = [
        output.document.get_subschema(location, "properties", name)
        for location in output.locations
        if location.get("additionalProperties") is False
        for name in location.get_object("properties")
        if convert_to_snake_case(name) != name
    ]
    return _remark_on_locations(
        "SDKs may send its Python name instead, which the schema does not allow: the object is closed", renamed
    )


LINT_RULES: tuple[Callable[[OutputSchema], Remark | None], ...] = (
    check_root_type,
    check_untyped_object,
    check_null_properties,
    check_closed_aliases,
    check_nan_numbers,
)


def _remark_on_locations(problem: str, locations: list[SchemaLocation]) -> Remark | None:
    """Return a remark on some subschemas; None if there are none."""
    pointers = sorted({location.at or "the root" for location in locations})
    return Remark(problem, tuple(pointers)) if pointers else None
