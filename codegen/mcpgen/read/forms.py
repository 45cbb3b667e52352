"""Read forms (elicitation): a message, and the schema of what the user enters, which MCP restricts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, repeat

from jinja2 import Environment, TemplateSyntaxError, nodes

from mcpgen.config.models import FormChoice
from mcpgen.ir.definitions import MessageValue
from mcpgen.read.choices import OPTIONS_KEY, override_formats, read_choices
from mcpgen.read.context import DefinitionSite, ReadContext
from mcpgen.read.definitions import FormDefinition
from mcpgen.read.input_files import is_pulled
from mcpgen.read.schemas import read_schema
from mcpgen.schema.document import Schema, make_protocol_check
from mcpgen.schema.values import Json, as_array, as_object, format_pointer
from mcpgen.targets import FORM_CHOICES_SINCE, FORMS_SINCE, NEWEST_PROTOCOL
from mcpgen.words import NameGuesser

_MEMBERS = ("name", "title", "description", "message", "requestedSchema", "_meta")
_SCHEMA_MEMBERS = ("$schema", "type", "properties", "required")


@dataclass(frozen=True)
class _Kind:
    """A kind of property that a form may have."""

    name: str
    definition: str
    """The definition of it in MCP's schema."""
    keywords: frozenset[str]
    """Its keywords, besides those of all kinds."""
    since: str = FORMS_SINCE


_COMMON_KEYWORDS = frozenset({"type", "title", "description", "default"})
_SEVERAL = frozenset({"items", "minItems", "maxItems"})
_TEXT = _Kind("a text", "StringSchema", frozenset({"minLength", "maxLength", "format"}))
_NUMBER = _Kind("a number", "NumberSchema", frozenset({"minimum", "maximum"}))
_BOOLEAN = _Kind("a yes or no", "BooleanSchema", frozenset())
_CHOICE = _Kind("a choice", "LegacyTitledEnumSchema", frozenset({"enum", "enumNames"}))
_TITLED_CHOICE = _Kind(
    "a choice with titles (`oneOf`)", "TitledSingleSelectEnumSchema", frozenset({"oneOf"}), FORM_CHOICES_SINCE
)
_CHOICES = _Kind("a multiple choice", "UntitledMultiSelectEnumSchema", _SEVERAL, FORM_CHOICES_SINCE)
_TITLED_CHOICES = _Kind("a multiple choice", "TitledMultiSelectEnumSchema", _SEVERAL, FORM_CHOICES_SINCE)
_KINDS_HELP = (
    'a form has texts, numbers, booleans and choices: {"type": "string", "enum": […]}, or '
    '{"type": "array", "items": {"type": "string", "enum": […]}} for several; split up what is nested'
)


def read_form(value: dict[str, Json], site: DefinitionSite, context: ReadContext) -> FormDefinition | None:
    """Return the form that an object defines, None if it isn't valid; that is reported."""
    form = {key: member for key, member in value.items() if key != OPTIONS_KEY}
    if not _check_members(form, site, context):
        return None
    schema_site = site.descend("requestedSchema")
    if not _check_schema(as_object(form["requestedSchema"]), schema_site, context):
        return None
    named = read_schema(form["requestedSchema"], schema_site, context)
    message = _read_message(str(form["message"]), site.descend("message"), context)
    if named is None or message is None:
        return None
    name, python = str(form["name"]), None
    tables = ("forms", context.package.settings.forms)
    for choice in read_choices(FormChoice, value, site, tables, (name,), context):
        if choice.options.name is not None and choice.has_valid_name(context.findings):
            python = choice.options.name
    places = named.choices.prefix("#form")
    closed = Schema(_close(as_object(named.schema.value)), named.schema.dialect)
    return FormDefinition(
        name,
        site.file.origin,
        site.make_span("", "name"),
        {**form, "requestedSchema": named.schema.value},
        closed,
        message,
        override_formats((), context.package.settings.formats),
        python,
        site.pointer,
        class_names=places.class_names,
        formats=places.formats,
        document=site.document,
    )


def _check_members(form: dict[str, Json], site: DefinitionSite, context: ReadContext) -> bool:
    """Return whether the members of a form are right; report what is wrong, and members that are unknown."""
    known = len(context.findings.errors)
    for key in form:
        if key not in _MEMBERS and not key.startswith("x-") and not is_pulled(site.file):
            close = NameGuesser().guess(key, _MEMBERS)
            help = f'did you mean "{close}"?' if close else f"it has {', '.join(_MEMBERS)}"
            context.findings.error("MG005", f'a form has no member "{key}"', site.make_span("", key), help)
    for key in ("name", "message", "title", "description"):
        if key in form and not (isinstance(form[key], str) and str(form[key]).strip()):
            context.findings.error("MG004", f'"{key}" of a form must be a text', site.make_span(format_pointer(key)))
    if "message" not in form:
        help = 'every form has one, which the client shows above it: "message": "Confirm the stay?"'
        context.findings.error("MG004", "a form without a message", site.make_span(), help)
    if not isinstance(form["requestedSchema"], dict):
        span = site.make_span("/requestedSchema")
        context.findings.error("MG004", '"requestedSchema" must be a JSON Schema of an object', span)
    return len(context.findings.errors) == known


# --- the schema ------------------------------------------------------------------------------------------------------
def _check_schema(schema: dict[str, Json], site: DefinitionSite, context: ReadContext) -> bool:
    """Return whether MCP allows a schema in a form; report what it forbids, and what clients may not show."""
    findings, known = context.findings, len(context.findings.errors)
    properties = schema.get("properties")
    if schema.get("type") != "object" or not isinstance(properties, dict):
        help = 'write {"type": "object", "properties": {…}}'
        findings.error("MG011", "the schema of a form must be an object with properties", site.make_span(), help)
        return False
    for key in schema:
        if key not in (*_SCHEMA_MEMBERS, OPTIONS_KEY):
            message = f'MCP has no "{key}" in the schema of a form, only in its properties: some clients refuse it'
            findings.warn("MG122", message, site.make_span("", key), "remove it")
    for name in as_array(schema.get("required")):
        if name not in properties:
            message = f'"{name}" is required, and the form does not ask for it'
            findings.error("MG011", message, site.make_span("/required"), "add the property, or do not require it")
    newer: dict[str, None] = {}
    for name, part in properties.items():
        newer |= dict.fromkeys(_check_property(name, as_object(part), site.descend("properties", name), context))
    if newer and len(findings.errors) == known:
        message = f"{', '.join(newer)}: new in {FORM_CHOICES_SINCE}, so older clients may not show it"
        findings.note("MG122", message, site.make_span("", "properties"))
    return len(findings.errors) == known


def _check_property(name: str, schema: dict[str, Json], site: DefinitionSite, context: ReadContext) -> Iterator[str]:
    """Report what is wrong with a property, and yield what MCP has only since `FORM_CHOICES_SINCE`."""
    kind = _find_kind(schema)
    if kind is None:
        message = f'MCP has no property like "{name}" in a form'
        context.findings.error("MG011", message, site.make_span(), _KINDS_HELP)
        return
    unknown = [key for key in schema if key not in _COMMON_KEYWORDS | kind.keywords and key != OPTIONS_KEY]
    for key in unknown:
        message = f'property "{name}": MCP has no "{key}" for {kind.name} in a form, so clients may ignore or refuse it'
        context.findings.warn("MG122", message, site.make_span("", key), "remove it")
    for problem in _find_wrong_parts(kind, schema):
        context.findings.error("MG011", f'property "{name}" is not {kind.name}: {problem}', site.make_span())
    if kind.since > FORMS_SINCE:
        yield kind.name
    if "default" in schema and kind is not _BOOLEAN:
        yield f"a default of {kind.name}"


def _close(schema: dict[str, Json]) -> dict[str, Json]:
    """Return the schema of what a user enters: without undeclared properties, and each choice as an `enum`."""
    declared = as_object(schema["properties"])
    properties: dict[str, Json] = {name: _list_options(as_object(part)) for name, part in declared.items()}
    return {**schema, "properties": properties, "additionalProperties": False}


def _list_options(schema: dict[str, Json]) -> dict[str, Json]:
    """Return the schema of a property whose options with titles are an `enum`; what they accept is the same."""
    if isinstance(options := schema.get("oneOf", schema.get("anyOf")), list):
        others = {key: value for key, value in schema.items() if key not in ("oneOf", "anyOf")}
        return {**others, "enum": [as_object(option)["const"] for option in options]}
    return {**schema, "items": _list_options(as_object(schema["items"]))} if "items" in schema else schema


def _find_kind(schema: dict[str, Json]) -> _Kind | None:
    match schema:
        case {"type": "boolean"}:
            return _BOOLEAN
        case {"type": "number" | "integer"}:
            return None if "enum" in schema else _NUMBER
        case {"type": "string", "enum": _}:
            return _CHOICE
        case {"type": "string", "oneOf": _}:
            return _TITLED_CHOICE
        case {"type": "string"}:
            return _TEXT
        case {"type": "array", "items": {"type": "string", "enum": _}}:
            return _CHOICES
        case {"type": "array", "items": {"anyOf": _}}:
            return _TITLED_CHOICES
        case _:
            return None


def list_options(schema: Mapping[str, Json]) -> list[tuple[Json, Json]] | None:
    """Return the values that a property lets people choose from, each with its title; None if it is not a choice."""
    items = as_object(schema.get("items"))
    titled, values = schema.get("oneOf", items.get("anyOf")), schema.get("enum", items.get("enum"))
    if titled is not None:
        return [(as_object(option).get("const"), as_object(option).get("title")) for option in as_array(titled)]
    names = as_array(schema.get("enumNames", values))
    return None if values is None else [*zip(as_array(values), chain(names, repeat(None)), strict=False)]


def _find_wrong_parts(kind: _Kind, schema: dict[str, Json]) -> Iterator[str]:
    """Yield what is wrong with a property by MCP's schema, and with the options of a choice."""
    _, violations = make_protocol_check(NEWEST_PROTOCOL, kind.definition)(schema)
    if violations:
        yield violations
        return
    options = list_options(schema)
    if options == []:
        yield "there is nothing to choose from"
    if options is not None and "enumNames" in schema and len(as_array(schema["enumNames"])) != len(options):
        yield "`enumNames` has one name for each option"


# --- the message -----------------------------------------------------------------------------------------------------
def _read_message(text: str, site: DefinitionSite, context: ReadContext) -> tuple[str | MessageValue, ...] | None:
    """Return the texts and the values of a message, a Jinja template with `{{ name }}` alone; None if it is wrong."""
    help = "a message has texts and values, such as {{ berth }}: compute others in the handler"
    try:
        output = Environment(autoescape=False, keep_trailing_newline=True).parse(text).body
    except TemplateSyntaxError as error:
        context.findings.error("MG501", f"the message is not a template: {error.message}", site.make_span(), help)
        return None
    parts: list[str | MessageValue] = []
    for node in [inner for outer in output for inner in (outer.nodes if isinstance(outer, nodes.Output) else [outer])]:
        match node:
            case nodes.TemplateData(data=data):
                parts.append(data)
            case nodes.Name(name=name):
                parts.append(MessageValue(name))
            case _:
                context.findings.error("MG502", "the message has more than names of values", site.make_span(), help)
                return None
    return tuple(parts)
