"""Content templates of all tools: checked against their classes, with findings at their places."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from mcpgen.content.statements import check_template
from mcpgen.diagnostics import Findings, Span
from mcpgen.ir.package import ToolModule
from mcpgen.ir.template import Template
from mcpgen.ir.types import Node
from mcpgen.read.definitions import TemplateFile, ToolDefinition
from mcpgen.read.json_positions import locate_offset
from mcpgen.render.normalize_method import render_items_expression


def attach_templates(
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
    return [_check_template(tool, files.get(tool.wire), nodes, findings, tool.wire in known) for tool in tools]


def _check_template(
    tool: ToolModule, file: TemplateFile | None, shared: dict[str, Node], findings: Findings, known: bool
) -> ToolModule:
    if file is None or tool.output is None:
        return tool
    if known:
        return replace(tool, template=Template(file.origin, ()))
    nodes = {**shared, **{node.id: node for node in tool.output.nodes}}
    body, problems = check_template(file.text, tool.output, nodes)
    lines = file.text.split("\n")
    for problem in problems:
        line, column = locate_offset(file.text, problem.offset)
        span = Span(file.name, line, column, "", lines[line - 1])
        findings.error(problem.code, problem.message, span, problem.help)
    return replace(tool, template=Template(file.origin, body))


def check_content_strategy(module: ToolModule, tool: ToolDefinition, sdk: str, findings: Findings) -> None:
    """Content as items needs an array, as binary data the data's type, as an SDK's decorators have it an SDK."""
    if module.content == "items" and (module.output is None or render_items_expression(module.output) is None):
        message = f'the content of tool "{tool.name}" is "items", but its result is no array'
        findings.error("MG509", message, tool.span, 'the outputSchema\'s root has to say `"type": "array"`')
    if module.content == "sdk" and sdk == "none":
        message = f'the content of tool "{tool.name}" is "sdk", but the package is for none'
        findings.error("MG509", message, tool.span, 'say which in the settings, such as `sdk = "mcp"`, or with --sdk')
    if module.content == "binary" and (module.output is None or module.output.media_type is None):
        message = f'the content of tool "{tool.name}" is "binary", but its result is no binary data'
        help = 'the outputSchema\'s root has to be a string with `"contentEncoding": "base64"` and a `contentMediaType`'
        findings.error("MG509", message, tool.span, help)
