"""Check the class names that `types` of the settings chooses: there is such a class, and the name is free."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings
from mcpgen.ir.package import Package, ResourceModule, SchemaRoot, ToolModule
from mcpgen.ir.types import NameOrigin, Node
from mcpgen.names.allocator import PackageNames
from mcpgen.names.reserved import RESERVED_NAMES
from mcpgen.read.definitions import Definitions, ResourceDefinition, ToolDefinition


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
        roots = {"input": tool_module.input, "output": tool_module.output}
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
