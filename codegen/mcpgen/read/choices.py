"""Choices of a user: `x-mcpgen` in definitions and in schemas, and tables of the settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, TypeVar

from mcpgen.config.load import locate_setting
from mcpgen.config.models import DefinitionChoice, Formats, FormChoice, PromptChoice, ResourceChoice, ResourceSettings
from mcpgen.config.validation import COMMENT_KEY, validate_options
from mcpgen.diagnostics import Findings, Span
from mcpgen.read.context import DefinitionSite, ReadContext
from mcpgen.read.document import WrittenSchema
from mcpgen.schema.formats import NATIVE_FORMATS
from mcpgen.schema.keywords import map_subschemas, walk_subschemas
from mcpgen.schema.values import Json, format_pointer

OPTIONS_KEY = "x-mcpgen"
"""Member of a definition, and keyword of a schema, with the user's choices."""
OptionsT = TypeVar("OptionsT", bound=DefinitionChoice | ResourceChoice | ResourceSettings | PromptChoice | FormChoice)
TableT = TypeVar("TableT", bound=DefinitionChoice | ResourceSettings | PromptChoice | FormChoice)


# --- choices for definitions -----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Choice(Generic[OptionsT]):
    """What a user chose for a definition, in one place."""

    options: OptionsT
    locate: Callable[..., Span | None]
    """Returns the place of the member that some keys lead to."""
    setting: tuple[str, ...] = ()
    """The keys of the table in the settings; empty for `x-mcpgen`."""

    def has_valid_name(self, findings: Findings) -> bool:
        """Return whether the Python name, if one is chosen, is an ASCII identifier, and report it otherwise."""
        name = self.options.name
        is_valid = name is None or (name.isidentifier() and name.isascii())
        if not is_valid:
            findings.error("MG202", f'"{name}" is not an ASCII identifier', self.locate("name"))
        return is_valid


def read_choices(
    model: type[OptionsT],
    value: dict[str, Json],
    site: DefinitionSite,
    tables: tuple[str, Mapping[str, TableT]],
    names: Iterable[Json],
    context: ReadContext,
) -> list[Choice[OptionsT | TableT]]:
    """Return the choices for a definition; each wins over those before it. A wrong one is reported and left out.

    `model` has the members of its `x-mcpgen`; `tables` are a key of the settings and the tables there, of which those
    of some names are for the definition.
    """
    key, settings = tables
    choices: list[Choice[OptionsT | TableT]] = []
    if OPTIONS_KEY in value:
        inner_site = site.descend(OPTIONS_KEY)
        options = validate_options(model, value[OPTIONS_KEY], context.findings, partial(_locate_member, inner_site))
        if options is not None:
            choices.append(Choice(options, lambda *path: inner_site.make_span(format_pointer(*path))))
    for name in names:
        if isinstance(name, str) and name in settings:
            path = (key, name)
            choices.append(Choice(settings[name], partial(_locate_option, context, path), path))
    return choices


def _locate_member(site: DefinitionSite, path: tuple[str | int, ...], is_name: bool) -> Span:
    if is_name:
        return site.make_span(format_pointer(*path[:-1]), str(path[-1]))
    return site.make_span(format_pointer(*path))


def _locate_option(context: ReadContext, setting: tuple[str, ...], *path: str) -> Span | None:
    return locate_setting(context.package, (*setting, *path))


def override_formats(native: tuple[str, ...], formats: Formats | None) -> tuple[str, ...]:
    """Return the formats that become Python types after a setting, where others do by themselves."""
    if formats is None:
        return native
    if isinstance(formats, str):
        return NATIVE_FORMATS if formats == "native" else ()
    types = dict.fromkeys(native, "native") | formats
    return tuple(name for name in NATIVE_FORMATS if types.get(name) == "native")


# --- choices inside schemas ------------------------------------------------------------------------------------------
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
    choices, has_options = PlaceChoices(), False
    for pointer, subschema in walk_subschemas(schema, dialect):
        if isinstance(subschema, dict) and OPTIONS_KEY in subschema:
            has_options = True
            problem, help = _read_options(subschema[OPTIONS_KEY], pointer, subschema, choices)
            if problem:
                span = written.find(pointer + format_pointer(OPTIONS_KEY)).make_span()
                findings.error("MG006", problem, span, help)
    return strip_options(schema, dialect) if has_options else schema, choices


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


def is_class_name(value: Json) -> bool:
    """Return whether a value can be the name of a class."""
    return isinstance(value, str) and value.isascii() and value.isidentifier() and value[0].isupper()


def strip_options(schema: Json, dialect: str) -> Json:
    """Return a schema without the options for mcpgen in it and in its subschemas."""
    if not isinstance(schema, dict):
        return schema
    keywords = {key: value for key, value in schema.items() if key != OPTIONS_KEY}
    return map_subschemas(keywords, dialect, lambda _, subschema: strip_options(subschema, dialect))
