"""Content strategies and content templates, checked against the types of the tools that use them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from mcpgen.diagnostics import Findings, Span
from mcpgen.ir.package import Package, ToolModule
from mcpgen.ir.template import Template
from mcpgen.ir.types import Node
from mcpgen.names.allocator import PackageNames
from mcpgen.read.definitions import TemplateFile, ToolDefinition
from mcpgen.read.json_positions import locate_offset
from mcpgen.render.normalize_method import render_items_expression
from mcpgen.targets import EXAMPLE_SDK, NO_SDK


def attach_templates(
    package: Package, definitions: Iterable[ToolDefinition], findings: Findings, rendered_tools: Collection[str] = ()
) -> Package:
    """Return the package with the compiled content template of each tool; errors in a template go into `findings`.

    The modules of `rendered_tools`, given by wire name, need no rendering, so their templates were correct and are not
    compiled again: they are present, but empty.
    """
    shared = {node.id: node for node in package.shared}
    files = {definition.name: definition.choices.template for definition in definitions}
    tools: list[ToolModule] = []
    for tool in package.tools:
        file = files.get(tool.wire)
        if file is not None and tool.output is not None:
            is_rendered = tool.wire in rendered_tools
            template = Template(file.origin, ()) if is_rendered else _compile_template(tool, file, shared, findings)
            tool = replace(tool, template=template)
        tools.append(tool)
    return replace(package, tools=tuple(tools))


def find_rendered_tools(names: PackageNames, paths: Collection[str]) -> frozenset[str]:
    """Return the wire names of the tools whose modules are among these paths."""
    return frozenset(wire for wire, tool_names in names.tools.items() if tool_names.path in paths)


def _compile_template(tool: ToolModule, file: TemplateFile, shared: Mapping[str, Node], findings: Findings) -> Template:
    from mcpgen.content.statements import check_template

    assert tool.output is not None
    nodes = {**shared, **{node.id: node for node in tool.output.nodes}}
    body, problems = check_template(file.text, tool.output, nodes)
    lines = file.text.split("\n")
    for problem in problems:
        line, column = locate_offset(file.text, problem.offset)
        span = Span(file.name, line, column, "", lines[line - 1])
        findings.error(problem.code, problem.message, span, problem.help)
    return Template(file.origin, body)


def check_content_strategy(module: ToolModule, tool: ToolDefinition, sdk: str, findings: Findings) -> None:
    """Report a strategy that a tool cannot have: items need an array, binary a media type, `sdk` an SDK."""
    if module.content == "items" and (module.output is None or render_items_expression(module.output) is None):
        message = f'the content of tool "{tool.name}" is "items", but its result is no array'
        findings.error("MG509", message, tool.span, 'the outputSchema\'s root has to say `"type": "array"`')
    if module.content == "sdk" and sdk == NO_SDK:
        message = f'the content of tool "{tool.name}" is "sdk", but the package is for none'
        help = f'say which in the settings, such as `sdk = "{EXAMPLE_SDK.name}"`, or with --sdk'
        findings.error("MG509", message, tool.span, help)
    if module.content == "binary" and (module.output is None or module.output.media_type is None):
        message = f'the content of tool "{tool.name}" is "binary", but its result is no binary data'
        help = 'the outputSchema\'s root has to be a string with `"contentEncoding": "base64"` and a `contentMediaType`'
        findings.error("MG509", message, tool.span, help)
