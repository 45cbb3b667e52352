"""Checks of definitions and names: that there is something to generate, and that names are free."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.definition_files import find_candidates
from mcpgen.ir.package import ANY_ROOT, Package, ResourceModule, SchemaRoot, ToolModule
from mcpgen.ir.types import Alias, NameOrigin, Node
from mcpgen.names.allocator import allocate_names
from mcpgen.names.identifiers import make_module_name
from mcpgen.names.package_names import NameClash, PackageNames, ToolNames
from mcpgen.names.reserved import RESERVED_NAMES
from mcpgen.paths import format_relative_path
from mcpgen.pipeline.lowering import assemble_form, assemble_prompt, assemble_resource, assemble_tool
from mcpgen.read.definitions import Definitions, ResourceDefinition, ToolDefinition
from mcpgen.targets import EXAMPLE_SDK, NO_SDK, get_sdk
from mcpgen.words import convert_to_snake_case


def check_definitions(definitions: Definitions, package: ConfiguredPackage, findings: Findings) -> bool:
    """Check names, and that there is something to generate; return whether the definitions can be lowered."""
    settings = package.settings
    needs = {"testing": (settings.testing, "run handlers"), "stubs": (settings.stubs, "call tools")}
    for key, (is_chosen, purpose) in needs.items():
        if is_chosen and get_sdk(settings.sdk) is None:
            help = f'choose one, as in `sdk = "{EXAMPLE_SDK.name}"`, or remove `{key}`'
            findings.error("MG302", f"`{key}` needs an SDK to {purpose} with", locate_setting(package, (key,)), help)
    if settings.app_types is not None and not any(tool.is_for_apps for tool in definitions.tools):
        help = 'name the view of one: "_meta": {"ui": {"resourceUri": "ui://…"}}; or remove the setting'
        where = locate_setting(package, ("app-types",))
        findings.warn("MG302", "`app-types` has no types: no tool has `_meta.ui`", where, help)
    check_names(definitions, findings)
    if not findings.failed and not any(
        (definitions.tools, definitions.resources, definitions.prompts, definitions.forms)
    ):
        for folder in package.inputs:
            message, help = _explain_nothing(folder, package.out)
            findings.error("MG007", message, Span(format_relative_path(folder)), help)
    if findings.failed:
        report_early_clashes(definitions, findings)
    return not findings.failed


def _explain_nothing(folder: Path, out: Path) -> tuple[str, str]:
    """Return the message and the help for an input that defines nothing."""
    message = "no tool, resource, prompt or form is defined here"
    if next(iter(find_candidates(folder, out)), None) is not None:
        help = "add a Tool, or a JSON Schema named after its tool; shared definitions and templates define none"
        return f"{message}: no file here is a definition", help
    first = f'write {format_relative_path(folder)}/get_weather.json with {{"type": "object", "properties": {{…}}}}'
    help = f"{first}; or let `mcpgen init` write a first one, or `mcpgen pull` fetch those of a server"
    entries = sorted(folder.iterdir()) if folder.is_dir() else []
    names = [f"{entry.name}{'/' * entry.is_dir()}" for entry in entries if not entry.name.startswith(".")]
    if not names:
        return f"{message}: the folder is empty", help
    named = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return f"{message}: the folder has only {named}", f"definitions are .json, .yaml and .yml files; {help}"


MAX_NAME_LENGTH = 200
"""Characters in a module's name; file systems allow 255 bytes in a file's name."""
CHOOSE_NAME_HELP = '"x-mcpgen": {"name": "…"}, or `name` in the settings'


def check_names(definitions: Definitions, findings: Findings) -> None:
    """Report definitions whose names cannot become Python names."""
    for tool in definitions.tools:
        _check_name("tool", tool.name, tool.choices.name, tool.span, findings)
    for resource in definitions.resources:
        _check_name("resource", resource.wire_name, resource.choices.name, resource.span, findings)
    for prompt in definitions.prompts:
        _check_name("prompt", prompt.name, prompt.python, prompt.span, findings)
    for form in definitions.forms:
        _check_name("form", form.name, form.python, form.span, findings)


def _check_name(kind: str, name: str, chosen: str | None, span: Span, findings: Findings) -> None:
    source = f'the {kind} name "{name[:40]}{"…" * (len(name) > 40)}"' if chosen is None else f'the name "{chosen[:40]}"'
    help = f"choose a Python name: {CHOOSE_NAME_HELP}"
    if not _has_words(name, chosen):
        findings.error("MG202", f"{source} holds no ASCII letter or digit", span, help)
    elif len(make_module_name(name, chosen)) > MAX_NAME_LENGTH:
        findings.error("MG202", f"{source} is too long for a file", span, help)


def _has_words(name: str, chosen: str | None) -> bool:
    return bool(convert_to_snake_case(chosen or name))


def report_early_clashes(definitions: Definitions, findings: Findings) -> None:
    """Report names that clash when other errors prevent lowering."""
    tools = [assemble_tool(tool, *[ANY_ROOT] * len(tool.schemas)) for tool in definitions.tools]
    resources = [assemble_resource(resource) for resource in definitions.resources]
    prompts = [assemble_prompt(prompt) for prompt in definitions.prompts]
    forms = [assemble_form(form, ANY_ROOT) for form in definitions.forms]
    package = Package(
        tuple(tool for tool in tools if _has_words(tool.wire, tool.python)),
        tuple(resource for resource in resources if _has_words(resource.wire, resource.python)),
        (),
        NO_SDK,
        None,
        prompts=tuple(prompt for prompt in prompts if _has_words(prompt.wire, prompt.python)),
        forms=tuple(form for form in forms if _has_words(form.wire, form.python)),
    )
    report_clashes(allocate_names(package)[1], definitions, findings)


def report_clashes(clashes: list[NameClash], definitions: Definitions, findings: Findings) -> None:
    """Report the pairs of definitions that get the same Python name."""
    if not clashes:
        return
    spans = {f'tool "{tool.name}"': tool.span for tool in definitions.tools}
    spans |= {f'resource "{resource.name}"': resource.span for resource in definitions.resources}
    spans |= {f'prompt "{prompt.name}"': prompt.span for prompt in definitions.prompts}
    spans |= {f'form "{form.name}"': form.span for form in definitions.forms}
    for clash in clashes:
        other_span = spans.get(clash.first)
        where = f" ({other_span.file}:{other_span.line})" if other_span is not None else ""
        both = f"{clash.second} and {clash.first}{where}"
        is_file = f"{both} are one file on Windows and macOS, {clash.python}: file systems there ignore the case"
        findings.error(
            "MG201",
            is_file if clash.differs_in_case else f"{both} are both {clash.python} in Python",
            spans.get(clash.second),
            f"give one of them another Python name: {CHOOSE_NAME_HELP}",
        )


def count_classes(package: Package, names: PackageNames) -> int:
    """Count the classes of a package, without the names of other types."""
    payloads = [resource.payload for resource in package.resources if resource.payload is not None]
    nodes = [*package.shared, *(node for payload in payloads for node in payload.nodes)]
    in_tools = sum(count_tool_classes(tool, names.tools[tool.wire]) for tool in package.tools)
    in_resources = sum(len({*resource.nested.values(), resource.name}) for resource in names.resources.values())
    in_package = len(names.shared) + in_resources + in_tools + len(names.prompts) + len(names.forms)
    return in_package - _count_plain_aliases(nodes)


def count_tool_classes(tool: ToolModule, names: ToolNames) -> int:
    """Count the classes in the modules of a tool."""
    roots = (names.result, names.arguments, names.error)
    return len({*names.nested.values(), *filter(None, roots)}) - _count_plain_aliases(tool.nodes)


def _count_plain_aliases(nodes: Iterable[Node]) -> int:
    return sum(isinstance(node, Alias) and not node.recursive for node in nodes)


def check_named_places(
    tools: Sequence[ToolModule],
    resources: Sequence[ResourceModule],
    definitions: Definitions,
    package: ConfiguredPackage,
    findings: Findings,
) -> None:
    """Report each entry of the settings whose place is not that of a class or an alias."""
    if not package.settings.types:
        return
    keys: list[str] = []
    for tool, tool_module in zip(definitions.tools, tools, strict=True):
        roots = {"input": tool_module.input, "output": tool_module.output, "error": tool_module.error}
        keys += _list_misplaced(tool.type_settings, roots)
    for resource, resource_module in zip(definitions.resources, resources, strict=True):
        keys += _list_misplaced(resource.type_settings, {"resource": resource_module.payload})
    for key in keys:
        help = "only objects with properties and definitions that are more than a plain scalar have a name"
        message = f'"{key}" is not the place of a class'
        findings.error("MG302", message, locate_setting(package, ("types", key)), help)


def _list_misplaced(settings: Mapping[str, str], roots: Mapping[str, SchemaRoot | None]) -> Iterator[str]:
    """Yield the keys of the settings that name a place without a class or alias."""
    for place, key in settings.items():
        side, _, pointer = place.removeprefix("#").partition("/")
        root = roots[side]
        if root is not None and not root.untyped and all(node.pointer != f"/{pointer}" for node in root.nodes):
            yield key


def check_chosen_names(
    ir: Package, names: PackageNames, definitions: Definitions, package: ConfiguredPackage, findings: Findings
) -> None:
    """Report each name of the settings that something else in the same module has already."""
    if not package.settings.types:
        return
    all_definitions: list[ToolDefinition | ResourceDefinition] = [*definitions.tools, *definitions.resources]
    refused = {*_list_refused(ir.shared, names.shared)}
    _report_refused(refused, all_definitions, package, findings)
    for tool in ir.tools:
        refused = {*_list_refused(tool.nodes, names.tools[tool.wire].nested)}
        _report_refused(
            refused, [definition for definition in definitions.tools if definition.name == tool.wire], package, findings
        )
    for resource in ir.resources:
        nodes = [] if resource.payload is None else [*resource.payload.nodes]
        refused = {*_list_refused(nodes, names.resources[resource.id].nested)}
        resource_definitions = [definition for definition in definitions.resources if definition.name == resource.id]
        _report_refused(refused, resource_definitions, package, findings)


def _list_refused(nodes: Iterable[Node], names: Mapping[str, str]) -> Iterator[str]:
    """Yield the names that the settings choose for a class and that another class got."""
    for node in nodes:
        if node.name_origin is NameOrigin.CHOSEN and node.name_candidates[0] != (names[node.id],):
            yield "".join(node.name_candidates[0])


def _report_refused(
    refused: set[str],
    definitions: Iterable[ToolDefinition | ResourceDefinition],
    package: ConfiguredPackage,
    findings: Findings,
) -> None:
    if not refused:
        return
    for definition in definitions:
        for place, key in definition.type_settings.items():
            name = definition.class_names[place]
            if name in refused:
                reason = "generated code needs that name" if name in RESERVED_NAMES else "another class has that name"
                message = f'"{key}" cannot be {name}: {reason}'
                code = "MG202" if name in RESERVED_NAMES else "MG201"
                findings.error(code, message, locate_setting(package, ("types", key)), "choose another name")
