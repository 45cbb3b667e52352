"""Class names that a user chose inside a schema: `x-mcpgen: {"type": "WindReading"}`."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.diagnostics import Findings
from mcpgen.read.context import DefinitionSite
from mcpgen.read.tool_options import OPTIONS_KEY
from mcpgen.schema.keywords import iterate_subschemas, map_subschemas
from mcpgen.schema.values import Json, format_pointer


def extract_class_names(
    schema: Json, dialect: str, site: DefinitionSite, findings: Findings
) -> tuple[Json, dict[str, str]]:
    """Return a schema without `x-mcpgen`, and the class name chosen at each JSON pointer in it.

    Other uses of `x-mcpgen` inside the schema are reported.
    """
    all_options = dict(_iterate_options(schema, dialect))
    if not all_options:
        return schema, {}
    class_names: dict[str, str] = {}
    for pointer, options in all_options.items():
        if isinstance(options, dict) and set(options) == {"type"} and is_class_name(options["type"]):
            class_names[pointer] = str(options["type"])
        else:
            help = 'inside a schema only the class is chosen: {"type": "WindReading"}'
            span = site.make_span(pointer + format_pointer(OPTIONS_KEY))
            findings.error("MG006", "x-mcpgen here must name a class", span, help)
    return strip_options(schema, dialect), class_names


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
