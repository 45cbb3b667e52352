"""Content strategies and content templates, checked against the types of the tools that use them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from mcpgen.diagnostics import Findings, Span
from mcpgen.ir.package import Package, ToolModule
from mcpgen.ir.template import Statement, Template
from mcpgen.ir.types import Node
from mcpgen.names.package_names import PackageNames
from mcpgen.read.definitions import TemplateFile, ToolDefinition
from mcpgen.read.json_parser import LineIndex
from mcpgen.render.content_view import explain_unsuitable


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
    for problem in problems:
        findings.error(problem.code, problem.message, _make_span(file, problem.offset), problem.help)
    return Template(file.origin, body)


def _make_span(file: TemplateFile, offset: int) -> Span:
    line, column = LineIndex(file.text).locate(offset)
    return Span(file.name, line, column, "", file.text.split("\n")[line - 1])


def note_printed_nulls(package: Package, definitions: Iterable[ToolDefinition], findings: Findings) -> None:
    """Report where the content templates of some tools print values that may be null."""
    from mcpgen.content.statements import find_printed_nulls

    shared = {node.id: node for node in package.shared}
    outputs = {tool.wire: tool.output for tool in package.tools}
    for definition in definitions:
        file, output = definition.choices.template, outputs[definition.name]
        if file is not None and output is not None:
            nodes = {**shared, **{node.id: node for node in output.nodes}}
            for problem in find_printed_nulls(file.text, output, nodes):
                findings.note(problem.code, problem.message, _make_span(file, problem.offset), problem.help)


def _compile_table(tool: ToolModule, shared: Mapping[str, Node]) -> tuple[Statement, ...]:
    """Return the statements of a table; none if the result is not a table, which `check_content_strategy` reports."""
    from mcpgen.content.tables import NoTable, compile_table

    assert tool.output is not None
    nodes = {**shared, **{node.id: node for node in tool.output.nodes}}
    try:
        return compile_table(tool.content, tool.output, nodes)
    except NoTable:
        return ()


def check_content_strategy(module: ToolModule, tool: ToolDefinition, sdk: str, findings: Findings) -> None:
    """Report a content strategy that a tool cannot have."""
    problem = explain_unsuitable(module, sdk)
    if problem is not None:
        reason, help = problem
        message = f'the content of tool "{tool.name}" is "{module.content}", but {reason}'
        findings.error("MG509", message, tool.span, help)
