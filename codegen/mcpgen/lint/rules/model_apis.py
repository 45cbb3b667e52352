"""Rules for the APIs of models, which know a part of JSON Schema, and a smaller one in their strict modes."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.lint.rule import LintedDefinition, Problem
from mcpgen.lint.schema_walk import describe_place, get_types, walk_input_objects, walk_places
from mcpgen.schema.document import Schema
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import DEFINITION_KEYWORDS, iterate_subschemas
from mcpgen.schema.values import as_array, as_object, follow_pointer, format_pointer, get_json_type, parse_pointer

_OPENAI_FORMATS = frozenset("date-time time date duration email hostname ipv4 ipv6 uuid".split())
_STRICT_FORMATS = {"anthropic-strict": _OPENAI_FORMATS | {"uri"}, "openai-strict": _OPENAI_FORMATS}
_STRICT_TITLES = {"anthropic-strict": "Anthropic's", "openai-strict": "OpenAI's"}
MAX_PROPERTIES = 5_000
MAX_ENUM_VALUES = 1_000
MAX_DEPTH = 10
"""Objects inside each other."""
_MOST_CHARACTERS = {
    "openai": (1_024, "OpenAI's API refuses more than"),
    "claude-code": (2_048, "Claude Code cuts it after"),
}
"""Client → the longest description of a tool, and what happens to a longer one."""


# --- all calls --------------------------------------------------------------------------------------------------------
def check_old_tuples(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find tuples in the form of draft-07, where an API reads 2020-12 only."""
    for pointer, _, schema in walk_input_objects(definition):
        if isinstance(schema.get("items"), list):
            message = f"{definition.label}: {describe_place(pointer)} has a list in items, the form of draft-07, which "
            message += "Anthropic's API refuses: it reads 2020-12"
            help = 'write the schema in 2020-12: "prefixItems" for the list, "items" for "additionalItems"'
            yield Problem(f"{pointer}/items", message, help)


def check_enums(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find values of an `enum` that an API refuses: it takes texts only, and no empty one."""
    for pointer, _, schema in walk_input_objects(definition):
        values = as_array(schema.get("enum"))
        refused = [index for index, value in enumerate(values) if value == "" or not isinstance(value, str | None)]
        if refused:
            index = refused[0]
            kind = "an empty text" if values[index] == "" else f"a value of type {get_json_type(values[index])}"
            message = f"{definition.label}: the enum of {describe_place(pointer)} has {kind}, which Google's API "
            help = "leave it out, and let the property be absent instead"
            if values[index] != "":
                help = "list the values in the description, with minimum and maximum for a range; or as texts"
            yield Problem(f"{pointer}/enum/{index}", f"{message}refuses: it takes texts that are not empty", help)


def check_long_descriptions(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find descriptions of tools that a client refuses or cuts."""
    description = definition.value.get("description")
    if definition.kind != "tool" or not isinstance(description, str):
        return
    for client, (most, effect) in _MOST_CHARACTERS.items():
        if client in clients and len(description) > most:
            message = f"{definition.label}: its description has {len(description):,} characters; {effect} {most:,}"
            help = "say the most important first, and the rest in the descriptions of the parameters"
            yield Problem("/description", message, help)


# --- strict modes -----------------------------------------------------------------------------------------------------
def check_formats(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find formats of strings that a strict mode does not know."""
    for pointer, _, schema in walk_input_objects(definition):
        format = schema.get("format")
        if not isinstance(format, str) or "string" not in get_types(schema):
            continue
        unaware = [client for client, formats in _STRICT_FORMATS.items() if client in clients and format not in formats]
        if unaware:
            titles = " and ".join(_STRICT_TITLES[client] for client in unaware)
            message = (
                f'{definition.label}: {describe_place(pointer)} has the format "{format}", which the strict mode of '
            )
            help = "say it in the description, and check it in the handler"
            yield Problem(f"{pointer}/format", f"{message}{titles} API does not know", help)


def check_recursion(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find the first reference by which an inputSchema contains itself."""
    if definition.input is not None and (pointer := find_recursive_reference(definition.input)) is not None:
        message = (
            f"{definition.label}: the inputSchema contains itself, which the strict mode of Anthropic's API refuses"
        )
        help = "write out each level that you need, or leave the strict mode off for this tool"
        yield Problem(f"/inputSchema{pointer}/$ref", message, help)


def find_recursive_reference(schema: Schema) -> str | None:
    """Return the pointer of the first schema found whose `$ref` leads to one around it, None if there is none."""
    index = SchemaIndex(schema.value, schema.dialect)
    entered, finished = set[str](), set[str]()
    stack: list[tuple[str, str | None]] = [("", "")]  # a pointer and where it was reached from, None to leave it
    while stack:
        pointer, origin = stack.pop()
        if origin is None:
            entered.discard(pointer)
            finished.add(pointer)
        elif pointer in entered:
            return origin
        elif pointer not in finished:
            entered.add(pointer)
            stack.append((pointer, None))
            stack.extend((target, pointer) for target in _list_targets(pointer, index))
    return None


def _list_targets(pointer: str, index: SchemaIndex) -> list[str]:
    """Return the pointers of the schemas that the check of a value goes to from one: inside it, or by its reference."""
    schema = follow_pointer(index.root, parse_pointer(pointer))
    if not isinstance(schema, dict):
        return []
    targets = [
        pointer + format_pointer(*path)
        for path, _ in iterate_subschemas(schema, index.dialect)
        if path[0] not in DEFINITION_KEYWORDS
    ]
    ref = schema.get("$ref")
    target = index.find_target(pointer, ref) if isinstance(ref, str) else None
    return targets if target is None else [*targets, target]


def check_limits(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find inputSchemas that are larger than a strict mode allows."""
    if definition.input is None:
        return
    schemas = [place.schema for place in walk_places(definition.input) if isinstance(place.schema, dict)]
    counts = (
        ("properties", sum(len(as_object(schema.get("properties"))) for schema in schemas), MAX_PROPERTIES),
        ("values of enums", sum(len(as_array(schema.get("enum"))) for schema in schemas), MAX_ENUM_VALUES),
        ("objects inside each other", measure_depth(definition.input), MAX_DEPTH),
    )
    for subject, count, most in counts:
        if count > most:
            message = (
                f"{definition.label}: {count} {subject} are more than the {most} that the strict mode of OpenAI's API"
            )
            yield Problem("/inputSchema", f"{message} takes", "split the tool, or leave the strict mode off for it")


def measure_depth(schema: Schema) -> int:
    """Return how many objects are inside each other at most; a reference back to a schema around it is not followed."""
    index = SchemaIndex(schema.value, schema.dialect)
    depths: dict[str, int] = {}
    entered = set[str]()
    stack: list[tuple[str, bool]] = [("", False)]
    while stack:
        pointer, is_left = stack.pop()
        targets = _list_targets(pointer, index)
        if is_left:
            entered.discard(pointer)
            is_object = bool(as_object(follow_pointer(index.root, parse_pointer(pointer))).get("properties"))
            depths[pointer] = is_object + max((depths.get(target, 0) for target in targets), default=0)
        elif pointer not in depths and pointer not in entered:
            entered.add(pointer)
            stack.append((pointer, True))
            stack.extend((target, False) for target in targets)
    return depths[""]


def check_open_objects(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find objects that take further properties, where a strict mode takes none."""
    for pointer, _, schema in walk_input_objects(definition):
        if schema.get("additionalProperties", False) is not False and get_types(schema) in (["object"], []):
            message = (
                f"{definition.label}: {describe_place(pointer)} takes further properties, which the strict mode of "
            )
            help = "declare the properties, or a list of objects with a name and a value; or leave strict off"
            yield Problem(f"{pointer}/additionalProperties", f"{message}OpenAI's API refuses", help)
