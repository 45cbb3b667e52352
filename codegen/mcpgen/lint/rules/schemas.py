"""Rules for schemas that some clients refuse."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.lint.rule import InsertMember, LintedDefinition, Problem, ReplaceValue
from mcpgen.lint.schema_walk import describe_place, get_types, walk_parameters, walk_places
from mcpgen.schema.object_roots import has_object_type
from mcpgen.schema.values import Json, as_array, as_object, format_pointer, get_json_type

_ROOT_KEYWORDS = {
    "anthropic": ("anyOf", "oneOf", "allOf"),
    "openai": ("anyOf", "oneOf", "allOf", "enum", "const", "not"),
}
"""API → keywords that it refuses beside the type of an inputSchema."""
_COMPOSITION = ("$ref", "anyOf", "oneOf", "allOf")
_STRICT_CHILDREN = ("properties", "anyOf", "allOf", "$defs", "definitions")


def check_root_composition(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find keywords at the root of an inputSchema that an API refuses there."""
    root = as_object(definition.value.get("inputSchema"))
    for keyword in dict.fromkeys(keyword for keywords in _ROOT_KEYWORDS.values() for keyword in keywords):
        refusing = [client for client, keywords in _ROOT_KEYWORDS.items() if client in clients and keyword in keywords]
        if keyword in root and refusing:
            titles = " and ".join({"anthropic": "Anthropic's", "openai": "OpenAI's"}[client] for client in refusing)
            message = f"{definition.label}: {keyword} at the root of the inputSchema is refused by {titles} API"
            help = "move it into a property, or check it in the handler and say it in the description"
            yield Problem(f"/inputSchema/{keyword}", message, help)


def check_boolean_schemas(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find `true` and `false` as schemas, where a client takes objects only."""
    reported = set[str]()
    for member in ("inputSchema", "outputSchema") if "typescript-sdk-1" in clients else ():
        properties = as_object(as_object(definition.value.get(member)).get("properties"))
        for name, schema in properties.items():
            if isinstance(schema, bool):
                pointer = format_pointer(member, "properties", name)
                reported.add(pointer)
                yield _make_boolean_problem(definition, pointer, schema, "the TypeScript SDK 1.x, with all tools")
    if "openai-strict" in clients and definition.input is not None:
        for place in walk_places(definition.input):
            pointer = f"/inputSchema{place.pointer}"
            if isinstance(place.schema, bool) and place.keyword in _STRICT_CHILDREN and pointer not in reported:
                yield _make_boolean_problem(definition, pointer, place.schema, "the strict mode of OpenAI's SDK")


def _make_boolean_problem(definition: LintedDefinition, pointer: str, schema: bool, refusing: str) -> Problem:
    equal: Json = {} if schema else {"not": {}}
    text, replacement = ("true", "{}") if schema else ("false", '{"not": {}}')
    message = f"{definition.label}: the schema {text} of {describe_place(pointer)} is refused by {refusing}"
    return Problem(pointer, message, f"write {replacement}, which says the same", ReplaceValue(pointer, equal))


def check_object_results(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find outputSchemas without the type that versions before 2026-07-28 require at the root."""
    if definition.output is not None and not has_object_type(definition.output.value):
        message = f'{definition.label}: the outputSchema does not say "type": "object" at its root, for which clients '
        message += "of 2025-11-25 and before refuse the whole list of tools"
        help = "servers bound by mcpgen send those clients another form of it; others have to send an object"
        yield Problem("/outputSchema", message, help)


def check_missing_types(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find parameters without a type, where an API requires one."""
    for pointer, keyword, schema in walk_parameters(definition):
        is_place = keyword in ("properties", "items", "prefixItems")
        if not is_place or "type" in schema or any(composed in schema for composed in _COMPOSITION):
            continue
        refusing = ["Google's API"] if "gemini" in clients else []
        if "anthropic-strict" in clients and "enum" not in schema and "const" not in schema:
            refusing.append("the strict mode of Anthropic's SDK")
        if refusing:
            kind = _find_type_of_values(schema)
            fix = None if kind is None else InsertMember(pointer, "type", kind)
            message = f"{definition.label}: {describe_place(pointer)} has no type; refused by {' and '.join(refusing)}"
            yield Problem(pointer, message, f'say it: "type": "{kind or "string"}"', fix)


def _find_type_of_values(schema: dict[str, Json]) -> str | None:
    """Return the one type of all values that `enum` or `const` allows, None if there is no such type."""
    values = [schema["const"]] if "const" in schema else as_array(schema.get("enum"))
    types = {get_json_type(value) for value in values}
    return types.pop() if len(types) == 1 else None


def check_missing_items(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find arrays about whose elements nothing is said."""
    for pointer, _, schema in walk_parameters(definition):
        if "array" in get_types(schema) and "items" not in schema and "prefixItems" not in schema:
            message = (
                f"{definition.label}: the array {describe_place(pointer)} has no items, for which OpenAI's API and "
            )
            yield Problem(
                pointer, message + "VS Code refuse the tool", 'say what is in it: "items": {"type": "string"}'
            )
