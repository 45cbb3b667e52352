"""Python names of definitions, for the rules of `diff` about programs that import the generated package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mcpgen.compat.compare import PackageSnapshot
from mcpgen.compat.python_names import PythonNames
from mcpgen.config.models import PackageSettings
from mcpgen.ir.package import Package, get_root_class
from mcpgen.ir.types import Node, ObjectClass
from mcpgen.names.allocator import PackageNames
from mcpgen.names.identifiers import make_field_names
from mcpgen.names.reserved import RESOURCE_METHODS
from mcpgen.read.definitions import Definitions, ToolDefinition
from mcpgen.schema.values import canonicalize


def find_renamed_tools(old: Definitions, new: Definitions) -> frozenset[str]:
    """Return the tools whose Python names may differ: changed tools, and those that share a definition with one.

    A shared definition is one of the same name, which may or may not become a shared class.
    """
    old_tools, new_tools = ({tool.name: tool for tool in side.tools} for side in (old, new))
    changed = {
        name
        for name in old_tools.keys() | new_tools.keys()
        if not _is_unchanged_tool(old_tools.get(name), new_tools.get(name))
    }
    tools = [*old_tools.values(), *new_tools.values()]
    definition_names = {name for tool in tools if tool.name in changed for name in _list_definition_names(tool)}
    sharing = {tool.name for tool in tools if not definition_names.isdisjoint(_list_definition_names(tool))}
    return frozenset(changed | sharing)


def _is_unchanged_tool(old: ToolDefinition | None, new: ToolDefinition | None) -> bool:
    return (
        old is not None
        and new is not None
        and old.choices.name == new.choices.name
        and old.class_names == new.class_names
        and canonicalize(old.tool) == canonicalize(new.tool)
    )


def _list_definition_names(tool: ToolDefinition) -> set[str]:
    names: set[str] = set()
    for schema in (tool.input, tool.output):
        value = None if schema is None else schema.value
        for keyword in ("$defs", "definitions"):
            definitions = value.get(keyword) if isinstance(value, dict) else None
            names |= definitions.keys() if isinstance(definitions, dict) else set()
    return names


def make_snapshot(
    definitions: Definitions, settings: PackageSettings, jobs: int, renamed: frozenset[str]
) -> PackageSnapshot:
    """Return one side of a comparison with the Python names of all resources and of the tools in `renamed`."""
    tools = [tool for tool in definitions.tools if tool.name in renamed]
    if not tools and all(resource.payload is None for resource in definitions.resources):
        return PackageSnapshot(definitions, {}, {}, frozenset())
    from mcpgen.pipeline.preview import lower_and_name

    package, names = lower_and_name(replace(definitions, tools=tools), settings, jobs)
    tool_names = _collect_tool_names(package, names)
    resource_names = _collect_resource_names(package, names)
    classes = {*names.shared.values()}
    for module_names in (*tool_names.values(), *resource_names.values()):
        classes |= module_names.classes
    return PackageSnapshot(definitions, tool_names, resource_names, frozenset(classes))


def _collect_tool_names(package: Package, names: PackageNames) -> dict[str, PythonNames]:
    collected: dict[str, PythonNames] = {}
    for tool in package.tools:
        tool_names = names.tools[tool.wire]
        nodes = [node for root in (tool.output, tool.input) if root is not None for node in root.nodes]
        main_classes = (tool_names.result, tool_names.arguments)
        collected[tool.wire] = _make_module_names(tool_names.module, main_classes, tool_names.nested, nodes, {})
    return collected


def _collect_resource_names(package: Package, names: PackageNames) -> dict[str, PythonNames]:
    collected: dict[str, PythonNames] = {}
    for resource in package.resources:
        resource_names = names.resources[resource.wire]
        root = resource.payload
        root_class = None if root is None else get_root_class(root)
        reserved = {} if root_class is None else {root_class.id: RESOURCE_METHODS}
        collected[resource.wire] = _make_module_names(
            resource_names.module,
            (resource_names.name,),
            resource_names.nested,
            () if root is None else root.nodes,
            reserved,
        )
    return collected


def _make_module_names(
    module: str,
    main_classes: tuple[str, ...],
    nested: Mapping[str, str],
    nodes: Sequence[Node],
    reserved: Mapping[str, frozenset[str]],
) -> PythonNames:
    """Return the names of a module: its classes, and the attribute of each field by class and wire name."""
    attributes: dict[tuple[str, str], str] = {}
    for node in nodes:
        if isinstance(node, ObjectClass):
            field_names = make_field_names(node.fields, reserved.get(node.id, frozenset()))
            attributes |= {(nested[node.id], wire): python for wire, python in field_names.items()}
    return PythonNames(module, main_classes, frozenset({*main_classes, *nested.values()}), attributes)
