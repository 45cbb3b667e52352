"""Content strategies and content templates, checked against the types of the tools that use them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from mcpgen.diagnostics import Findings, Span
from mcpgen.ir.package import TABLES, Package, ToolModule
from mcpgen.ir.template import Statement, Template
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
        elif tool.is_table:
            tool = replace(
                tool, template=Template(None, () if tool.wire in rendered_tools else _compile_table(tool, shared))
            )
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


def _compile_table(tool: ToolModule, shared: Mapping[str, Node]) -> tuple[Statement, ...]:
    """Return the statements of a table; none if the result is no table, which `check_content_strategy` reports."""
    from mcpgen.content.table_statements import compile_table
    from mcpgen.content.tables import NoTable

    assert tool.output is not None
    nodes = {**shared, **{node.id: node for node in tool.output.nodes}}
    try:
        return compile_table(tool.content, tool.output, nodes)
    except NoTable:
        return ()


def check_content_strategy(module: ToolModule, tool: ToolDefinition, sdk: str, findings: Findings) -> None:
    """Report a strategy that a tool cannot have: items and tables need an array, binary a media type, `sdk` an SDK."""
    if module.content in TABLES:
        _check_table(module, tool, findings)
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


def _check_table(module: ToolModule, tool: ToolDefinition, findings: Findings) -> None:
    """Report a result that is no table."""
    from mcpgen.content.tables import NoTable, lay_out_table

    try:
        if module.output is None:
            raise NoTable("it declares no outputSchema", "its handler passes content of its own")
        lay_out_table(module.output, {node.id: node for node in module.output.nodes})
    except NoTable as error:
        message = f'the content of tool "{tool.name}" is "{module.content}", but {error}'
        findings.error("MG509", message, tool.span, error.help)
