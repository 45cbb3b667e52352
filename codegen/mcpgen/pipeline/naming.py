"""Diagnostics about names, and counts of named classes."""

from __future__ import annotations

from collections.abc import Iterable

from mcpgen.diagnostics import Findings
from mcpgen.ir.package import ANY_ROOT, Package, ToolModule
from mcpgen.ir.types import Alias, Node
from mcpgen.names.allocator import NameClash, PackageNames, ToolNames, allocate_names
from mcpgen.names.identifiers import make_class_stem, make_module_name
from mcpgen.pipeline.lowering import assemble_resource, assemble_tool
from mcpgen.read.definitions import Definitions
from mcpgen.targets import NO_SDK

MAX_NAME_LENGTH = 200
"""Characters in a module's name; file systems allow 255 bytes in a file's name."""
CHOOSE_NAME_HELP = '"x-mcpgen": {"name": "…"}, or `name` in the settings'


def check_names(definitions: Definitions, findings: Findings) -> None:
    """Report tools and resources whose names cannot become Python names."""
    for kind, entries in (("tool", definitions.tools), ("resource", definitions.resources)):
        for entry in entries:
            help = f"choose a Python name: {CHOOSE_NAME_HELP}"
            module = make_module_name(entry.name, entry.choices.name)
            if not module or not make_class_stem(entry.name, entry.choices.name):
                findings.error("MG202", f'the {kind} name "{entry.name}" holds no ASCII letter', entry.span, help)
            elif len(module) > MAX_NAME_LENGTH:
                message = f'the {kind} name "{entry.name[:40]}…" is too long for a file'
                findings.error("MG202", message, entry.span, help)


def report_early_clashes(definitions: Definitions, findings: Findings) -> None:
    """Report names that clash when other errors prevent lowering."""
    tools = tuple(assemble_tool(tool, ANY_ROOT, None) for tool in definitions.tools)
    resources = tuple(assemble_resource(resource) for resource in definitions.resources)
    _, clashes = allocate_names(Package(tools, resources, (), NO_SDK, None))
    report_clashes(clashes, definitions, findings)


def report_clashes(clashes: list[NameClash], definitions: Definitions, findings: Findings) -> None:
    """Report the pairs of definitions that get the same Python name."""
    if not clashes:
        return
    spans = {f'tool "{tool.name}"': tool.span for tool in definitions.tools}
    spans |= {f'resource "{resource.name}"': resource.span for resource in definitions.resources}
    for clash in clashes:
        other = spans.get(clash.first)
        where = f" ({other.file}:{other.line})" if other is not None else ""
        findings.error(
            "MG201",
            f"{clash.second} and {clash.first}{where} are both {clash.python} in Python",
            spans.get(clash.second),
            f"give one of them another Python name: {CHOOSE_NAME_HELP}",
        )


def count_classes(package: Package, names: PackageNames) -> int:
    """Count the classes of a package, without the names of other types."""
    payloads = [resource.payload for resource in package.resources if resource.payload is not None]
    nodes = [*package.shared, *(node for payload in payloads for node in payload.nodes)]
    in_tools = sum(count_tool_classes(tool, names.tools[tool.wire]) for tool in package.tools)
    in_resources = sum(len({*resource.nested.values(), resource.name}) for resource in names.resources.values())
    return len(names.shared) + in_resources + in_tools - _count_plain_aliases(nodes)


def count_tool_classes(tool: ToolModule, names: ToolNames) -> int:
    """Count the classes in the modules of a tool."""
    return len({*names.nested.values(), names.result, names.arguments}) - _count_plain_aliases(tool.nodes)


def _count_plain_aliases(nodes: Iterable[Node]) -> int:
    return sum(isinstance(node, Alias) and not node.recursive for node in nodes)
