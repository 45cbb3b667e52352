"""Content templates of all tools: checked against their classes, with findings at their places."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from mcpgen.content.check import check
from mcpgen.content.ir import Template
from mcpgen.diagnostics import Findings, Span
from mcpgen.ir import Node, ToolModule
from mcpgen.read.definitions import TemplateFile, ToolDefinition
from mcpgen.read.source import line_column


def with_templates(
    tools: Sequence[ToolModule],
    definitions: Iterable[ToolDefinition],
    shared: Iterable[Node],
    findings: Findings,
    known: Collection[str] = (),
) -> list[ToolModule]:
    """The tools, each with what its template does; what is wrong with one goes into `findings`.

    Of the tools in `known`, whose modules are not rendered again, the template is only there, and empty.
    """
    nodes = {node.id: node for node in shared}
    files = {one.name: one.choices.template for one in definitions}
    return [_checked(tool, files.get(tool.wire), nodes, findings, tool.wire in known) for tool in tools]


def _checked(
    tool: ToolModule, file: TemplateFile | None, shared: dict[str, Node], findings: Findings, known: bool
) -> ToolModule:
    if file is None or tool.output is None:
        return tool
    if known:
        return replace(tool, template=Template(file.origin, ()))
    nodes = {**shared, **{node.id: node for node in tool.output.nodes}}
    body, problems = check(file.text, tool.output, nodes)
    lines = file.text.split("\n")
    for problem in problems:
        line, column = line_column(file.text, problem.offset)
        span = Span(file.name, line, column, "", lines[line - 1])
        findings.error(problem.code, problem.message, span, problem.help)
    return replace(tool, template=Template(file.origin, body))
