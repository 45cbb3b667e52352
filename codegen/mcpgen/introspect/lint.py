"""What in a declared outputSchema the results of a server's own SDK can break, or what it leaves open: a rule each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from mcpgen.names.casing import convert_to_snake_case
from mcpgen.schema.document import SchemaDocument, SchemaLocation
from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect, iterate_subschemas
from mcpgen.schema.values import Json
from mcpgen.targets import ANY_JSON_RESULT_SINCE

MOST_NAMED_PLACES = 3
"""Places that a remark names."""
MOST_SUBSCHEMAS = 10_000
"""Subschemas of an outputSchema that is looked through; a larger one is no schema that somebody reads."""
_OTHER_OBJECT_KEYWORDS = frozenset(
    "$ref $dynamicRef allOf anyOf oneOf not if then else const enum patternProperties propertyNames required "
    "dependentRequired dependentSchemas dependencies minProperties maxProperties unevaluatedProperties".split()
)
"""Keywords by which an object says something of itself without `properties`."""


@dataclass(frozen=True)
class OutputSchema:
    """A tool's outputSchema, and every schema inside of it."""

    document: SchemaDocument
    places: tuple[SchemaLocation, ...]

    @property
    def root(self) -> SchemaLocation:
        """The schema itself."""
        return self.document.root


def lint_output_schema(tool: dict[str, Json]) -> list[str]:
    """What there is to say of a Tool's outputSchema, worst first; nothing where no rule finds anything."""
    schema = tool.get("outputSchema")
    dialect = detect_dialect(schema)
    if dialect is None:
        return ["its outputSchema is of a dialect that cannot be read"]
    document = SchemaDocument(schema, dialect)
    output = OutputSchema(document, tuple(islice(_walk_places(document, document.root), MOST_SUBSCHEMAS + 1)))
    if len(output.places) > MOST_SUBSCHEMAS:
        return [f"its outputSchema has more than {MOST_SUBSCHEMAS:,} subschemas, which are not looked through"]
    try:
        return [said for rule in LINT_RULES if (said := rule(output)) is not None]
    except (ValueError, KeyError):  # `build` says with its place what the validator does not like
        return ["its outputSchema is not valid; `mcpgen build` says where"]


def _walk_places(document: SchemaDocument, root: SchemaLocation) -> Iterator[SchemaLocation]:
    stack = [root]
    while stack:
        place = stack.pop()
        yield place
        if isinstance(place.schema, dict):
            dialect = "http://json-schema.org/draft-07/schema" if document.draft_07 else DRAFT_2020_12
            stack.extend(document.get_subschema(place, *path) for path, _ in iterate_subschemas(place.schema, dialect))


# --- rules -----------------------------------------------------------------------------------------------------------
def check_untyped_object(output: OutputSchema) -> str | None:
    """An object about which nothing is said: any result fits, and none is typed."""
    found = [one for one in output.places if one.get("type") == "object" and _is_untyped_object(one)]
    if output.root in found:
        return "an object about which nothing is said, so its results are not typed"
    return _format_remark("nothing is said about the object", found)


def _is_untyped_object(place: SchemaLocation) -> bool:
    more = place.get("additionalProperties")
    open_ended = more is None or more is True or more == {}
    return (
        open_ended
        and not place.get_object("properties")
        and not any(place.get(word) is not None for word in _OTHER_OBJECT_KEYWORDS)
    )


def check_root_type(output: OutputSchema) -> str | None:
    """A root that does not literally say `"type": "object"`: clients of 2025-06-18 and 2025-11-25 refuse the tool."""
    if output.root.get("type") == "object":
        return None
    return f'its root does not say "type": "object", which clients before {ANY_JSON_RESULT_SINCE} ask for'


def check_null_properties(output: OutputSchema) -> str | None:
    """An optional property that refuses null: an SDK that dumps a None sends null for it, and breaks the schema."""
    found: list[SchemaLocation] = []
    for place in output.places:
        required = place.get_array("required")
        for name in place.get_object("properties"):
            inner = output.document.get_subschema(place, "properties", name)
            if name not in required and inner.schema is not False and not output.document.is_valid(inner, None):
                found.append(inner)
    return _format_remark("a None in it is sent as null, which the schema refuses", found)


def check_nan_numbers(output: OutputSchema) -> str | None:
    """A number that refuses null: NaN and infinity are sent as null, and break the schema."""
    found = [
        place
        for place in output.places
        if "number" in (place.get("type"), *place.get_array("type")) and not output.document.is_valid(place, None)
    ]
    return _format_remark("a NaN or infinity in it is sent as null, which the schema refuses", found)


def check_closed_aliases(output: OutputSchema) -> str | None:
    """A closed object with a property that no Python attribute is called like: dumped by attribute, it is refused."""
    found = [
        output.document.get_subschema(place, "properties", name)
        for place in output.places
        if place.get("additionalProperties") is False
        for name in place.get_object("properties")
        if convert_to_snake_case(name) != name
    ]
    return _format_remark(
        "dumped by its Python name in place of this one, it is refused, as its object is closed", found
    )


LINT_RULES: tuple[Callable[[OutputSchema], str | None], ...] = (
    check_root_type,
    check_untyped_object,
    check_null_properties,
    check_closed_aliases,
    check_nan_numbers,
)


def _format_remark(what: str, places: list[SchemaLocation]) -> str | None:
    """A remark about places, of which it names the first few."""
    if not places:
        return None
    shown = sorted({place.at or "the root" for place in places})
    more = f" and {len(shown) - MOST_NAMED_PLACES} more" if len(shown) > MOST_NAMED_PLACES else ""
    return f"{', '.join(shown[:MOST_NAMED_PLACES])}{more}: {what}"
