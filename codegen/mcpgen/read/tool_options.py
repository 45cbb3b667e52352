"""Options of one tool: `x-mcpgen` in its definition, then its entry in the settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mcpgen.config.load import locate_setting
from mcpgen.config.models import DefinitionChoice, Formats, ToolChoice
from mcpgen.config.validation import validate_options
from mcpgen.diagnostics import Findings, Span
from mcpgen.ir.code_settings import ToolCodeSettings, copy_settings
from mcpgen.read.context import DefinitionSite, ReadContext
from mcpgen.read.definitions import TemplateReference, ToolOptions
from mcpgen.read.input_files import is_pulled
from mcpgen.schema.formats import NATIVE_FORMATS
from mcpgen.schema.values import Json, format_pointer
from mcpgen.targets import NO_SDK, PROTOCOLS, WrapMode, get_default_wrap, get_sdk

OPTIONS_KEY = "x-mcpgen"
"""Member of a definition, and keyword of a schema, with the user's choices."""


def resolve_tool_options(
    name: str, definition: dict[str, Json], site: DefinitionSite, context: ReadContext
) -> ToolOptions:
    """Return the options of a tool. Wrong ones are reported and ignored.

    Args:
        name: The tool's name on the wire.
        definition: The Tool, or the bare outputSchema that defines it.
        site: The place of the definition.
        context: The run's context.
    """
    package, findings = context.package, context.findings
    as_sdk = is_pulled(site.file) and package.settings.sdk != NO_SDK
    options = ToolOptions(
        wrap=_choose_default_wrap(definition, site, context),
        wrap_chosen=package.settings.wrap is not None or is_pulled(site.file),
        content="sdk" if as_sdk else "json",
        lenient=package.settings.lenient,
        exceptions=package.settings.exceptions,
        formats=override_formats((), package.settings.formats),
    )
    if OPTIONS_KEY in definition:
        options_site = site.descend(OPTIONS_KEY)
        choice = validate_options(DefinitionChoice, definition[OPTIONS_KEY], findings, make_locator(options_site))
        if choice is not None:
            options = _apply_choice(options, choice, lambda key: options_site.descend(key).make_span(), findings)
    if name in package.settings.tools:
        choice = package.settings.tools[name]
        options = _apply_choice(options, choice, lambda key: locate_setting(package, ("tools", name, key)), findings)
    return options


def make_locator(site: DefinitionSite) -> Callable[[tuple[str | int, ...], bool], Span]:
    """Return a function from the path of a member below a site to the span of its value, or of its name if `True`."""

    def locate(path: tuple[str | int, ...], name: bool) -> Span:
        if name:
            return site.make_span(format_pointer(*path[:-1]), str(path[-1]))
        return site.make_span(format_pointer(*path))

    return locate


def check_python_name(name: str, locate: Callable[[str], Span | None], findings: Findings) -> bool:
    """Return whether a chosen name is an ASCII identifier, and report it otherwise.

    Args:
        name: The value of the option `name`.
        locate: Returns the span of an option's value.
        findings: Receives the error.
    """
    if name.isidentifier() and name.isascii():
        return True
    findings.error("MG202", f'"{name}" is not an ASCII identifier', locate("name"))
    return False


def _apply_choice(
    options: ToolOptions, choice: DefinitionChoice, locate: Callable[[str], Span | None], findings: Findings
) -> ToolOptions:
    """Return the options overridden by a choice, unchanged if its Python name is wrong."""
    if choice.name is not None:
        if not check_python_name(choice.name, locate, findings):
            return options
        options = replace(options, name=choice.name)
    if choice.content is not None:
        options = replace(options, content=choice.content, content_chosen=True)
    if choice.template is not None:
        in_settings, span = isinstance(choice, ToolChoice), locate("template")
        if choice.content not in (None, "template"):
            message = f'a template, but the content is "{choice.content}"'
            findings.error("MG302" if in_settings else "MG006", message, span, "leave one of them out")
        reference = TemplateReference(choice.template, in_settings, span)
        options = replace(options, content="template", content_chosen=True, reference=reference)
    if choice.wrap is not None:
        options = replace(options, wrap=choice.wrap, wrap_chosen=True)
    if choice.formats is not None:
        options = replace(options, formats=override_formats(options.formats, choice.formats))
    return replace(options, **copy_settings(ToolCodeSettings, choice))


def override_formats(native: tuple[str, ...], formats: Formats | None) -> tuple[str, ...]:
    """Return the formats that become Python types after a setting, where others do by themselves."""
    if formats is None:
        return native
    if isinstance(formats, str):
        return NATIVE_FORMATS if formats == "native" else ()
    types = dict.fromkeys(native, "native") | formats
    return tuple(name for name in NATIVE_FORMATS if types.get(name) == "native")


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
    document = site.document.value
    origin = document.get("generated") if isinstance(document, dict) else None
    is_newest = isinstance(origin, dict) and origin.get("protocol") == PROTOCOLS[-1]
    return "legacy" if is_newest and "outputSchema" in definition else "always"
