"""Choices of a user inside a schema: `x-mcpgen: {"type": "WindReading"}` and `{"format": "native"}`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mcpgen.config.validation import COMMENT_KEY
from mcpgen.diagnostics import Findings
from mcpgen.read.tool_options import OPTIONS_KEY
from mcpgen.read.written_schema import WrittenSchema
from mcpgen.schema.formats import NATIVE_FORMATS
from mcpgen.schema.keywords import iterate_subschemas, map_subschemas
from mcpgen.schema.values import Json, as_object, follow_pointer, format_pointer, parse_pointer

_FORMAT_TYPES = {"native": True, "string": False}
_HELP = 'inside a schema there are {"type": "WindReading"} and {"format": "native"}'


@dataclass(frozen=True)
class PlaceChoices:
    """What a user chose inside a schema, by JSON pointer."""

    class_names: dict[str, str] = field(default_factory=dict[str, str])
    formats: dict[str, bool] = field(default_factory=dict[str, bool])
    """Whether a formatted string becomes a Python type."""

    def prefix(self, side: str) -> PlaceChoices:
        """Return the choices by pointers that start with a side of the definition, such as `#output`."""
        return PlaceChoices(
            {side + pointer: name for pointer, name in self.class_names.items()},
            {side + pointer: is_native for pointer, is_native in self.formats.items()},
        )

    def join(self, other: PlaceChoices) -> PlaceChoices:
        """Return these choices and others."""
        return PlaceChoices(self.class_names | other.class_names, self.formats | other.formats)


def extract_choices(
    schema: Json, dialect: str, written: WrittenSchema, findings: Findings
) -> tuple[Json, PlaceChoices]:
    """Return a schema without `x-mcpgen`, and the class name and the type of a format chosen at each place in it.

    Other uses of `x-mcpgen` inside the schema are reported.
    """
    all_options = dict(_iterate_options(schema, dialect))
    choices = PlaceChoices()
    if not all_options:
        return schema, choices
    for pointer, options in all_options.items():
        subschema = as_object(follow_pointer(schema, parse_pointer(pointer)))
        problem, help = _read_options(options, pointer, subschema, choices)
        if problem:
            span = written.find(pointer + format_pointer(OPTIONS_KEY)).make_span()
            findings.error("MG006", problem, span, help)
    return strip_options(schema, dialect), choices


def _read_options(options: Json, pointer: str, schema: dict[str, Json], choices: PlaceChoices) -> tuple[str, str]:
    """Add the choices of one `x-mcpgen` to others; return a message and a help if it is wrong, else empty texts."""
    if not isinstance(options, dict) or not options or not options.keys() <= {"type", "format", COMMENT_KEY}:
        return "x-mcpgen here must name a class or choose the type of a format", _HELP
    if not isinstance(options.get(COMMENT_KEY, ""), str):
        return f'"{COMMENT_KEY}" in x-mcpgen must be a text', ""
    if "type" in options:
        if not is_class_name(options["type"]):
            return "x-mcpgen here must name a class", 'such as {"type": "WindReading"}'
        choices.class_names[pointer] = str(options["type"])
    if "format" in options:
        is_native = _FORMAT_TYPES.get(str(options["format"]))
        if is_native is None:
            return '"format" in x-mcpgen must be "native" or "string"', ""
        if problem := _find_obstacle(schema):
            return f'"format" in x-mcpgen has no effect: {problem[0]}', problem[1]
        choices.formats[pointer] = is_native
    return "", ""


def _find_obstacle(schema: dict[str, Json]) -> tuple[str, str] | None:
    """Return why a choice of the type has no effect on the strings of a schema, with a help; None where it has one."""
    types = schema.get("type")
    if "format" not in schema:
        return 'there is no "format" with it', "write it into the schema that has the format"
    if schema["format"] not in NATIVE_FORMATS:
        return f'"{schema["format"]}" has no Python type', f"these have one: {', '.join(NATIVE_FORMATS)}"
    if types != "string" and not (isinstance(types, list) and {*map(str, types)} <= {"string", "null"}):
        return "the schema is not one of strings", 'write "type": "string" with it'
    if keyword := next((keyword for keyword in ("enum", "const", "contentEncoding") if keyword in schema), ""):
        return f'"{keyword}" decides the Python type', "leave it out"
    return None


def _iterate_options(schema: Json, dialect: str) -> Iterator[tuple[str, Json]]:
    """Yield the JSON pointer of each subschema with `x-mcpgen`, and the value of that."""
    stack: list[tuple[str, Json]] = [("", schema)]
    while stack:
        pointer, subschema = stack.pop()
        if isinstance(subschema, dict):
            if OPTIONS_KEY in subschema:
                yield pointer, subschema[OPTIONS_KEY]
            children = iterate_subschemas(subschema, dialect)
            stack.extend((pointer + format_pointer(*path), child) for path, child in children)


def is_class_name(value: Json) -> bool:
    """Return whether a value can be the name of a class."""
    return isinstance(value, str) and value.isascii() and value.isidentifier() and value[0].isupper()


def strip_options(schema: Json, dialect: str) -> Json:
    """Return a copy of a schema without the `x-mcpgen` keywords in it."""
    if not isinstance(schema, dict):
        return schema
    keywords = {key: value for key, value in schema.items() if key != OPTIONS_KEY}
    return map_subschemas(keywords, dialect, lambda _, subschema: strip_options(subschema, dialect))
