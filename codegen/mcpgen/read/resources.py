"""Read resources and resource templates, with their URI templates, and prompts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import quote

from mcpgen_runtime.sdk import uri_templates

from mcpgen.config.models import Formats, PromptChoice, ResourceChoice, suggest_raising
from mcpgen.diagnostics import Findings
from mcpgen.ir.code_settings import ResourceCodeSettings, copy_settings
from mcpgen.ir.definitions import PromptArgument, UriExpression, UriTemplatePart
from mcpgen.read.choices import OPTIONS_KEY, Choice, PlaceChoices, override_formats, read_choices
from mcpgen.read.context import DefinitionSite, ReadContext
from mcpgen.read.definitions import PromptDefinition, ResourceDefinition, ResourceOptions
from mcpgen.read.recognition import RawDefinition
from mcpgen.read.schemas import NamedSchema, read_schema, read_schema_file
from mcpgen.schema.values import Json, as_array, as_object, format_pointer
from mcpgen.words import NameGuesser


def read_resource(item: RawDefinition, site: DefinitionSite, context: ReadContext) -> ResourceDefinition | None:
    """Return the resource that a Resource or ResourceTemplate defines, None if it isn't valid; that is reported."""
    resource = {key: member for key, member in item.value.items() if key != OPTIONS_KEY}
    if not context.check_members(item.kind.value, resource, site):
        return None
    template: tuple[UriTemplatePart, ...] = ()
    if "uriTemplate" in resource:
        template = _read_uri_template(str(resource["uriTemplate"]), site.descend("uriTemplate"), context)
    options, payload = _read_choices(item.value, site, context)
    places = PlaceChoices() if payload is None else payload.choices.prefix("#resource")
    return ResourceDefinition(
        str(resource["name"]),
        site.file.origin,
        site.make_span("", "name"),
        resource,
        options,
        template,
        None if payload is None else payload.schema,
        site.pointer,
        class_names=places.class_names,
        formats=places.formats,
        document=site.document,
        written=None if payload is None or payload.written.is_whole_in(site.document) else payload.written,
    )


def _read_choices(
    value: dict[str, Json], site: DefinitionSite, context: ReadContext
) -> tuple[ResourceOptions, NamedSchema | None]:
    """Return the options, and the schema of the text; in the settings, the URI wins over the name."""
    settings = context.package.settings
    names = [value.get(member) for member in ("name", "uri", "uriTemplate")]
    options, read_payload = ResourceOptions(), None
    formats: dict[str, Formats] = {"package": settings.formats}
    for choice in read_choices(ResourceChoice, value, site, ("resources", settings.resources), names, context):
        chosen = choice.options
        name = chosen.name if choice.has_valid_name(context.findings) else None
        options = replace(options, name=name or options.name, **copy_settings(ResourceCodeSettings, chosen))
        if chosen.formats is not None:
            formats["settings" if choice.setting else "definition"] = chosen.formats
        if chosen.payload is not None:
            read_payload = partial(_read_payload, chosen.payload, choice.setting, site, context)
    for choice_of_formats in formats.values():
        options = replace(options, formats=override_formats(options.formats, choice_of_formats))
    return options, None if read_payload is None else read_payload()


def _read_payload(
    payload: dict[str, Json] | bool | str, setting: tuple[str, ...], site: DefinitionSite, context: ReadContext
) -> NamedSchema | None:
    if setting:
        return read_schema_file(str(payload), (*setting, "schema"), context)
    schema: Json = {"$ref": payload} if isinstance(payload, str) else payload
    return read_schema(schema, site.descend(OPTIONS_KEY, "schema"), context)


def _read_uri_template(text: str, site: DefinitionSite, context: ReadContext) -> tuple[UriTemplatePart, ...]:
    try:
        return parse_uri_template(text)
    except InvalidUriTemplate as error:
        span = site.make_span()
        column = span.column - span.start
        start = span.text.find(text, column)
        if column <= start <= column + 1:  # written literally in the file, perhaps in quotes
            span = replace(span, column=span.start + start + error.offset)
        context.findings.error("MG010", f"{text}: {error.message}", span, error.help)
        return ()


def distinguish_resources(resources: list[ResourceDefinition]) -> list[ResourceDefinition]:
    """Return resources whose names tell them apart: those that share one have their URI or URI template instead.

    Only URIs are unique on a server, and a server often gives a resource and a template the same name.
    """
    uris_by_name: dict[str, set[str]] = {}
    for resource in resources:
        uris_by_name.setdefault(resource.wire_name, set()).add(resource.uri)
    shared = {name for name, uris in uris_by_name.items() if len(uris) > 1}
    return [replace(it, name=it.uri) if it.wire_name in shared else it for it in resources]


# --- URI templates (RFC 6570) of levels 1 to 3 ------------------------------------------------------------------------
EXPRESSION_OPERATORS = "+#./;?&"
_RESERVED_OPERATORS = "=,!@|"
_URI_VARIABLE = re.compile(r"(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*")
_NOT_LITERAL = re.compile(r'[\x00-\x20"<>\\^`|}\x7f-\x9f\ud800-\udfff]|%(?![0-9A-Fa-f]{2})')
_LITERAL_SAFE_CHARS = "%:/?#[]@!$&'()*+,;="


class InvalidUriTemplate(Exception):
    """Template that doesn't follow RFC 6570, or exceeds level 3; `offset` and `text` are the faulty part."""

    def __init__(self, message: str, offset: int, text: str, help: str = "") -> None:
        super().__init__(message)
        self.message, self.offset, self.text, self.help = message, offset, text, help

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.offset, self.text, self.help), self.__dict__


def parse_uri_template(template: str) -> tuple[UriTemplatePart, ...]:
    """Return the literals of a template, percent-encoded as in its URIs, and its expressions, in their order.

    Raise `InvalidUriTemplate` if it doesn't follow RFC 6570, or exceeds level 3.
    """
    if not template:
        raise InvalidUriTemplate("a template of no URI", 0, "", "a resource's URI is absolute: scheme://…")
    parts: list[UriTemplatePart] = []
    offset = 0
    while offset < len(template):
        start = template.find("{", offset)
        end = start if start >= 0 else len(template)
        if offset < end:
            parts.append(_encode_literal(template[offset:end], offset))
        if start < 0:
            break
        close = template.find("}", start)
        if close < 0:
            raise InvalidUriTemplate(
                "an expression is not closed", start, template[start:], "write } behind its variables"
            )
        parts.append(_parse_expression(template[start + 1 : close], start + 1))
        offset = close + 1
    return tuple(parts)


def expand_uri_template(template: Sequence[UriTemplatePart], values: Mapping[str, str]) -> str:
    """Return the URI of a template with values for its variables; those without one are left out."""
    return "".join(part if isinstance(part, str) else _expand_expression(part, values) for part in template)


def _expand_expression(part: UriExpression, values: Mapping[str, str]) -> str:
    operator, given = part.operator, [(name, values[name]) for name in part.names if name in values]
    if operator in ("?", "&"):
        return uri_templates.query(operator, *given)
    if operator == ";":
        return "".join(f";{uri_templates.parameter(name, value)}" for name, value in given)
    encode = uri_templates.reserved if operator in ("+", "#") else uri_templates.unreserved
    lead, separator = (operator if operator in ("#", ".", "/") else ""), (operator if operator in (".", "/") else ",")
    return (lead if given else "") + separator.join(encode(value) for _, value in given)


def _encode_literal(text: str, offset: int) -> str:
    if wrong := _NOT_LITERAL.search(text):
        char = wrong[0]
        message = "a } that nothing opens" if char == "}" else f"{char!r} is not allowed in a URI"
        raise InvalidUriTemplate(message, offset + wrong.start(), char, "" if char == "}" else "percent-encode it")
    return quote(text, safe=_LITERAL_SAFE_CHARS)


def _parse_expression(text: str, offset: int) -> UriExpression:
    operator = text[:1] if text[:1] and text[0] in EXPRESSION_OPERATORS else ""
    if text[:1] and text[0] in _RESERVED_OPERATORS:
        raise InvalidUriTemplate(
            f"the operator {text[0]} means nothing yet", offset, text[0], f"known are {EXPRESSION_OPERATORS}"
        )
    names: dict[str, None] = {}
    position = offset + len(operator)
    for name in text[len(operator) :].split(","):
        _check_name(name, position)
        if name in names:
            raise InvalidUriTemplate(f"{name} stands twice in one expression", position, name)
        names[name] = None
        position += len(name) + 1
    return UriExpression(operator, tuple(names))


def _check_name(name: str, offset: int) -> None:
    match = _URI_VARIABLE.match(name)
    end = match.end() if match else 0
    modifier = name[end:]
    if match and not modifier:
        return
    if match and (modifier == "*" or re.fullmatch(r":[0-9]*", modifier)):
        kind = "the explode modifier" if modifier == "*" else "a prefix"
        help = "levels 1 to 3 of RFC 6570 are read: leave it out"
        raise InvalidUriTemplate(f"{kind} ({modifier}) is level 4", offset + end, modifier, help)
    help = "letters, digits, _ and dots between them" if name else "write the name of a variable"
    if not name:
        raise InvalidUriTemplate("an expression lacks a variable", offset, "", help)
    raise InvalidUriTemplate(f"{name!r} is not a name of a variable", offset + end, modifier[:1], help)


# --- prompts ---------------------------------------------------------------------------------------------------------
def read_prompt(value: dict[str, Json], site: DefinitionSite, context: ReadContext) -> PromptDefinition | None:
    """Return the prompt that a Prompt object defines, None if it isn't valid; that is reported."""
    prompt = {key: member for key, member in value.items() if key != OPTIONS_KEY}
    if not context.check_members("Prompt", prompt, site):
        return None
    name = str(prompt["name"])
    members, most = as_array(prompt.get("arguments")), context.package.settings.limits.members
    if len(members) > most:
        message = f'the prompt "{name}" has more than {most} arguments (`limits.members`)'
        context.findings.error("MG009", message, site.make_span("/arguments"), suggest_raising("members"))
        return None
    arguments: dict[str, PromptArgument] = {}
    for index, member in enumerate(members):
        argument = as_object(member)
        wire = str(argument["name"])
        if wire in arguments:
            span = site.make_span(format_pointer("arguments", index, "name"))
            context.findings.error("MG203", f'the prompt "{name}" has two arguments "{wire}"', span)
        arguments[wire] = PromptArgument(wire, argument.get("required") is True)
    python: str | None = None
    tables = ("prompts", context.package.settings.prompts)
    for choice in read_choices(PromptChoice, value, site, tables, (name,), context):
        arguments = _apply_values(arguments, choice, name, context.findings)
        if choice.options.name is not None and choice.has_valid_name(context.findings):
            python = choice.options.name
    return PromptDefinition(
        name, site.file.origin, site.make_span("", "name"), prompt, tuple(arguments.values()), python, site.document
    )


def _apply_values(
    arguments: Mapping[str, PromptArgument], choice: Choice[PromptChoice], prompt: str, findings: Findings
) -> dict[str, PromptArgument]:
    applied = dict(arguments)
    for name, values in choice.options.arguments.items():
        if name not in arguments:
            close = NameGuesser().guess(name, [*arguments])
            help = f'did you mean "{close}"?' if close else f"it has {', '.join(arguments) or 'none'}"
            message = f'the prompt "{prompt}" has no argument "{name}"'
            findings.error("MG006", message, choice.locate("arguments", name), help)
            continue
        applied[name] = PromptArgument(name, arguments[name].required, tuple(dict.fromkeys(values.enum)))
    return applied
