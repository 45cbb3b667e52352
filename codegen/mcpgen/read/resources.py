"""Read resources and resource templates."""

from __future__ import annotations

from dataclasses import replace

from mcpgen.config.models import ResourceChoice, ResourceSettings
from mcpgen.config.validation import validate_options
from mcpgen.ir.code_settings import ResourceCodeSettings, copy_settings
from mcpgen.ir.definitions import UriTemplatePart
from mcpgen.read.context import DefinitionSite, ReadContext
from mcpgen.read.definitions import ResourceDefinition, ResourceOptions
from mcpgen.read.recognition import RawDefinition
from mcpgen.read.resource_settings import merge_resource_settings
from mcpgen.read.schema_choices import PlaceChoices
from mcpgen.read.schemas import NamedSchema, read_schema, read_schema_file
from mcpgen.read.tool_options import OPTIONS_KEY, check_python_name, make_locator, override_formats
from mcpgen.read.uri_templates import InvalidUriTemplate, parse_uri_template
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
