"""Diagnostics about names, and counts of named classes."""

from __future__ import annotations

from collections.abc import Iterable

from mcpgen.diagnostics import Findings, Span
from mcpgen.ir.package import ANY_ROOT, Package, ToolModule
from mcpgen.ir.types import Alias, Node
from mcpgen.names.allocator import allocate_names
from mcpgen.names.identifiers import make_module_name
from mcpgen.names.package_names import NameClash, PackageNames, ToolNames
from mcpgen.pipeline.lowering import assemble_prompt, assemble_resource, assemble_tool
from mcpgen.read.definitions import Definitions
from mcpgen.targets import NO_SDK
from mcpgen.words import convert_to_snake_case

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
    tools = [assemble_tool(tool, ANY_ROOT, None) for tool in definitions.tools]
    resources = [assemble_resource(resource) for resource in definitions.resources]
    prompts = [assemble_prompt(prompt) for prompt in definitions.prompts]
    package = Package(
        tuple(tool for tool in tools if _has_words(tool.wire, tool.python)),
        tuple(resource for resource in resources if _has_words(resource.wire, resource.python)),
        (),
        NO_SDK,
        None,
        prompts=tuple(prompt for prompt in prompts if _has_words(prompt.wire, prompt.python)),
    )
    report_clashes(allocate_names(package)[1], definitions, findings)


def report_clashes(clashes: list[NameClash], definitions: Definitions, findings: Findings) -> None:
    """Report the pairs of definitions that get the same Python name."""
    if not clashes:
        return
    spans = {f'tool "{tool.name}"': tool.span for tool in definitions.tools}
    spans |= {f'resource "{resource.name}"': resource.span for resource in definitions.resources}
    spans |= {f'prompt "{prompt.name}"': prompt.span for prompt in definitions.prompts}
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
    in_package = len(names.shared) + in_resources + in_tools + len(names.prompts)
    return in_package - _count_plain_aliases(nodes)


def count_tool_classes(tool: ToolModule, names: ToolNames) -> int:
    """Count the classes in the modules of a tool."""
    return len({*names.nested.values(), names.result, names.arguments}) - _count_plain_aliases(tool.nodes)


def _count_plain_aliases(nodes: Iterable[Node]) -> int:
    return sum(isinstance(node, Alias) and not node.recursive for node in nodes)
