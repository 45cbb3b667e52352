"""Read tools: Tool objects, and bare output schemas in files of their own."""

from __future__ import annotations

import json
from dataclasses import replace

from mcpgen.config.load import locate_setting
from mcpgen.config.models import DeclaredToolChoice, ToolChoice
from mcpgen.config.toml import format_header, get_settings_path
from mcpgen.diagnostics import Findings
from mcpgen.files.definition_files import get_stem
from mcpgen.ir.code_settings import ContentStrategy, ToolCodeSettings, copy_settings
from mcpgen.paths import format_path
from mcpgen.read.choices import OPTIONS_KEY, Choice, PlaceChoices, override_formats, read_choices
from mcpgen.read.content_templates import ToolLocation
from mcpgen.read.context import DefinitionSite, ReadContext
from mcpgen.read.definitions import SIDE_POINTERS, TemplateReference, ToolDefinition, ToolOptions
from mcpgen.read.foreign_definitions import UNTYPED_INPUT
from mcpgen.read.input_files import is_pulled
from mcpgen.read.schemas import NamedSchema, read_schema, read_schema_file
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.object_roots import implies_object
from mcpgen.schema.values import Json, as_object
from mcpgen.targets import ANY_JSON_RESULT_SINCE, NO_SDK, PROTOCOLS, WrapMode, get_default_wrap, get_sdk


def read_tool(value: dict[str, Json], site: DefinitionSite, context: ReadContext) -> ToolDefinition | None:
    """Return the tool that a Tool object defines, None if it is wrong; then that is reported."""
    tool = {key: member for key, member in value.items() if key != OPTIONS_KEY}
    name = tool.get("name")
    if not isinstance(name, str) or "inputSchema" not in tool:
        context.check_members("Tool", tool, site)
        return None
    options = resolve_tool_options(name, value, site, context)
    known = len(context.findings)
    input_schema = read_schema(tool["inputSchema"], site.descend("inputSchema"), context)
    output_schema = _read_output_schema(name, tool, site, context)
    is_valid = context.check_members("Tool", tool, site, known)
    span = site.make_span("", "name")
    location = ToolLocation(site.document.path, site.file.root, span)
    options = context.templates.attach_template(name, options, _has_output_schema(name, tool, context), location)
    is_output_wrong = "outputSchema" in tool and output_schema is None
    if not is_valid or input_schema is None or is_output_wrong:
        return None
    definition = ToolDefinition(name, site.file.origin, span, tool, input_schema.schema, None, options, site.pointer)
    is_from_settings = output_schema is not None and "outputSchema" not in value
    definition = replace(definition, is_output_from_settings=is_from_settings, document=site.document)
    error_schema = _read_error_schema(value, site, context)
    return _add_schemas(definition, site, {"input": input_schema, "output": output_schema, "error": error_schema})


def read_bare_schema(value: dict[str, Json], site: DefinitionSite, context: ReadContext) -> ToolDefinition | None:
    """Return the tool whose output schema a file is, None if the schema is wrong; then that is reported."""
    name = get_stem(site.document.path.name)
    options = resolve_tool_options(name, value, site, context)
    bare_schema: Json = {key: member for key, member in value.items() if key != OPTIONS_KEY}
    output_schema = read_schema(bare_schema, site, context)
    span = site.document.make_span()
    location = ToolLocation(site.document.path, site.file.root, span)
    options = context.templates.attach_template(name, options, True, location)
    if output_schema is None:
        return None
    tool: dict[str, Json] = {"name": name, "inputSchema": UNTYPED_INPUT}
    definition = ToolDefinition(
        name, site.file.origin, span, tool, Schema(UNTYPED_INPUT, DRAFT_2020_12), None, options, document=site.document
    )
    error_schema = _read_error_schema(value, site, context)
    return _add_schemas(definition, site, {"output": output_schema, "error": error_schema})


def _add_schemas(tool: ToolDefinition, site: DefinitionSite, schemas: dict[str, NamedSchema | None]) -> ToolDefinition:
    """Return a tool with its schemas by side, without `x-mcpgen`, and what the user chose in them."""
    given = {side: schema for side, schema in schemas.items() if schema is not None}
    places = PlaceChoices()
    for side, schema in given.items():
        places = places.join(schema.choices.prefix(f"#{side}"))
    output, error = given.get("output"), given.get("error")
    elsewhere = (side for side, schema in given.items() if not schema.written.is_whole_in(site.document))
    return replace(
        tool,
        tool={**tool.tool, **{f"{side}Schema": it.schema.value for side, it in given.items() if side != "error"}},
        output=None if output is None else output.schema,
        class_names=places.class_names,
        formats=places.formats,
        written={SIDE_POINTERS[side]: given[side].written for side in elsewhere},
        error=None if error is None else error.schema,
    )


def _read_error_schema(definition: dict[str, Json], site: DefinitionSite, context: ReadContext) -> NamedSchema | None:
    """Return the schema of the data of a tool's errors; None if there is none, or it is wrong, which is reported."""
    declared = as_object(definition.get(OPTIONS_KEY)).get("error")
    if not isinstance(declared, dict):  # `resolve_tool_options` reports other values
        return None
    error_site = site.descend(OPTIONS_KEY, "error")
    schema = read_schema(declared, error_site, context)
    if schema is not None and not implies_object(schema.schema.value, schema.schema.dialect):
        help = f'before {ANY_JSON_RESULT_SINCE}, structuredContent is an object: write {{"type": "object", …}}'
        context.findings.error("MG006", '"error" of x-mcpgen must describe an object', error_site.make_span(), help)
        return None
    return schema


def _has_output_schema(name: str, tool: dict[str, Json], context: ReadContext) -> bool:
    choice = context.package.settings.tools.get(name)
    return "outputSchema" in tool or (choice is not None and choice.output_schema is not None)


def _read_output_schema(
    name: str, tool: dict[str, Json], site: DefinitionSite, context: ReadContext
) -> NamedSchema | None:
    choice = context.package.settings.tools.get(name)
    path = None if choice is None else choice.output_schema
    setting = ("tools", name, "outputSchema")
    if "outputSchema" not in tool:
        return None if path is None else read_schema_file(path, setting, context)
    output_schema = read_schema(tool["outputSchema"], site.descend("outputSchema"), context)
    if path is not None:
        span = locate_setting(context.package, setting)
        file = format_path(site.document.path)
        message = f'"tools.{name}.outputSchema": the tool declares an outputSchema itself, in {file}'
        help = "remove the setting: the tool's own schema is what its server declares"
        if context.package.table and "tools" in context.package.shared:
            packages = (*get_settings_path(context.package.file), "package")
            table = format_header((*packages, "tools", json.dumps(name, ensure_ascii=False)))
            help += "; or if it is for the tool of another package, move it below the "
            help += f"{format_header(packages, is_list=True)} of that: {table}"
        context.findings.error("MG302", message, span, help)
    return output_schema


# --- options ---------------------------------------------------------------------------------------------------------
def resolve_tool_options(
    name: str, definition: dict[str, Json], site: DefinitionSite, context: ReadContext
) -> ToolOptions:
    """Return the options of a tool: those of its definition, a Tool or a bare outputSchema, and of the settings.

    Wrong ones are reported and ignored.
    """
    settings = context.package.settings
    as_sdk = is_pulled(site.file) and settings.sdk != NO_SDK
    options = ToolOptions(
        wrap=_choose_default_wrap(definition, site, context),
        wrap_chosen=settings.wrap is not None or is_pulled(site.file),
        content="sdk" if as_sdk else "json",
        content_only=tuple(settings.content_only),
        lenient=settings.lenient,
        exceptions=settings.exceptions,
        formats=override_formats((), settings.formats),
    )
    for choice in read_choices(DeclaredToolChoice, definition, site, ("tools", settings.tools), (name,), context):
        if choice.has_valid_name(context.findings):
            options = _apply_choice(options, choice, context.findings)
    if options.content_only:
        from mcpgen.hosts.table import expand_client_names

        options = replace(options, content_only=expand_client_names(options.content_only))
    return options


def _apply_choice(
    options: ToolOptions, choice: Choice[DeclaredToolChoice | ToolChoice], findings: Findings
) -> ToolOptions:
    chosen = choice.options
    if chosen.name is not None:
        options = replace(options, name=chosen.name)
    if chosen.content is not None:
        options = replace(options, content=chosen.content, content_chosen=True)
    if chosen.template is not None:
        in_settings, span = bool(choice.setting), choice.locate("template")
        if chosen.content not in (None, "template", "link"):
            message = f'a template, but the content is "{chosen.content}"'
            findings.error("MG302" if in_settings else "MG006", message, span, "leave one of them out")
        reference = TemplateReference(chosen.template, in_settings, span)
        content: ContentStrategy = "link" if options.content == "link" else "template"
        options = replace(options, content=content, content_chosen=True, reference=reference)
    if chosen.wrap is not None:
        options = replace(options, wrap=chosen.wrap, wrap_chosen=True)
    formats = override_formats(options.formats, chosen.formats)
    return replace(options, formats=formats, **copy_settings(ToolCodeSettings, chosen))


def _choose_default_wrap(definition: dict[str, Json], site: DefinitionSite, context: ReadContext) -> WrapMode:
    """Return when a tool's result is wrapped, if nobody chose it for this tool.

    A pulled tool keeps its wire format. SDKs that wrap do so under every protocol version, so a schema from the
    settings is always wrapped, and so is a root that is not an object if the tool was pulled under a version without
    such roots. Under the newest version the server sends such a root as it is, so it stays unwrapped there.
    """
    settings = context.package.settings
    if settings.wrap is not None:
        return settings.wrap
    if not is_pulled(site.file):
        return get_default_wrap(get_sdk(settings.sdk))
    origin = as_object(as_object(site.document.value).get("generated"))
    is_newest = origin.get("protocol") == PROTOCOLS[-1]
    return "legacy" if is_newest and "outputSchema" in definition else "always"
