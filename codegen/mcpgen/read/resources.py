"""Read resources and resource templates."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import partial
from urllib.parse import quote

from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage, ResourceChoice, ResourceSettings
from mcpgen.config.validation import validate_options
from mcpgen.diagnostics import Findings, Span
from mcpgen.ir.code_settings import ResourceCodeSettings, copy_settings
from mcpgen.ir.uri_template import UriExpression, UriTemplatePart
from mcpgen.read.context import DefinitionSite, ReadContext
from mcpgen.read.definitions import ResourceDefinition, ResourceOptions
from mcpgen.read.idle_settings import report_unknown_names
from mcpgen.read.recognition import RawDefinition
from mcpgen.read.schema_choices import PlaceChoices
from mcpgen.read.schemas import NamedSchema, read_schema, read_schema_file
from mcpgen.read.tool_options import OPTIONS_KEY, check_python_name, make_locator, override_formats
from mcpgen.schema.values import Json


def read_resource(item: RawDefinition, site: DefinitionSite, context: ReadContext) -> ResourceDefinition | None:
    """Return the resource that a Resource or ResourceTemplate defines, None if it isn't valid; that is reported."""
    resource = {key: member for key, member in item.value.items() if key != OPTIONS_KEY}
    if not context.check_members(item.kind.value, resource, site):
        return None
    template: tuple[UriTemplatePart, ...] = ()
    if "uriTemplate" in resource:
        template = _read_uri_template(str(resource["uriTemplate"]), site.descend("uriTemplate"), context)
    choice = _read_choice(item.value, site, context)
    settings = merge_resource_settings(resource, context)
    payload = _read_settings_payload(settings, context) if settings.payload else _read_payload(choice, site, context)
    formats = override_formats(override_formats((), context.package.settings.formats), choice.formats)
    places = PlaceChoices() if payload is None else payload.choices.prefix("#resource")
    return ResourceDefinition(
        str(resource["name"]),
        site.file.origin,
        site.make_span("", "name"),
        resource,
        ResourceOptions(
            settings.name or choice.name,
            override_formats(formats, settings.formats),
            **copy_settings(ResourceCodeSettings, choice) | copy_settings(ResourceCodeSettings, settings),
        ),
        template,
        None if payload is None else payload.schema,
        places.class_names,
        site.document,
        site.pointer,
        formats=places.formats,
        written=None if payload is None or payload.written.is_whole_in(site.document) else payload.written,
    )


def _read_choice(value: dict[str, Json], site: DefinitionSite, context: ReadContext) -> ResourceChoice:
    """Return the user's choices for a resource, the defaults where they are wrong; that is reported."""
    defaults = ResourceChoice.model_validate({})
    if OPTIONS_KEY not in value:
        return defaults
    options_site = site.descend(OPTIONS_KEY)
    choice = validate_options(ResourceChoice, value[OPTIONS_KEY], context.findings, make_locator(options_site))
    if choice is None:
        return defaults
    if choice.name is not None and not check_python_name(
        choice.name, lambda key: options_site.descend(key).make_span(), context.findings
    ):
        return choice.model_copy(update={"name": None})
    return choice


def _read_settings_payload(settings: ResourceSettings, context: ReadContext) -> NamedSchema | None:
    """Return the schema in the file that the settings name for the JSON text of a resource."""
    assert settings.payload is not None
    tables = context.package.settings.resources
    name = next((name for name, choice in tables.items() if choice.payload == settings.payload), "")
    return read_schema_file(settings.payload, ("resources", name, "schema"), context)


def _read_payload(choice: ResourceChoice, site: DefinitionSite, context: ReadContext) -> NamedSchema | None:
    """Return the schema that was chosen for the JSON text of a resource, if there is one."""
    if choice.payload is None:
        return None
    schema: Json = {"$ref": choice.payload} if isinstance(choice.payload, str) else choice.payload
    return read_schema(schema, site.descend(OPTIONS_KEY, "schema"), context)


def _read_uri_template(text: str, site: DefinitionSite, context: ReadContext) -> tuple[UriTemplatePart, ...]:
    """Return the parts of a URI template, none if it is wrong; that is reported."""
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
    names = Counter({name: len(uris) for name, uris in uris_by_name.items()})
    return [
        replace(resource, name=resource.uri) if names[resource.wire_name] > 1 else resource for resource in resources
    ]


def merge_resource_settings(resource: dict[str, Json], context: ReadContext) -> ResourceSettings:
    """Return the choices of the settings for a resource: those under its URI win over those under its name.

    Args:
        resource: the Resource or ResourceTemplate.
        context: the run's context.
    """
    package = context.package
    merged = ResourceSettings.model_validate({})
    for member in ("name", "uri", "uriTemplate"):
        key = resource.get(member)
        if not isinstance(key, str) or key not in package.settings.resources:
            continue
        choice = package.settings.resources[key]
        locate = partial(_locate_option, package, key)
        values = {name: getattr(choice, name) for name in choice.model_fields_set}
        if choice.name is not None and not check_python_name(choice.name, locate, context.findings):
            del values["name"]
        merged = merged.model_copy(update=values)
    return merged


def _locate_option(package: ConfiguredPackage, resource: str, option: str) -> Span | None:
    return locate_setting(package, ("resources", resource, option))


def report_unknown_resources(
    resources: list[ResourceDefinition], package: ConfiguredPackage, findings: Findings
) -> None:
    """Warn about resources in the settings that nothing defines, unless errors may have hidden their definitions."""
    if findings.failed:
        return
    names = [name for resource in resources for name in (resource.wire_name, resource.uri)]
    report_unknown_names("resource", package.settings.resources, names, package, findings)


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

    Raises:
        InvalidUriTemplate: The template doesn't follow RFC 6570, or exceeds level 3.
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
