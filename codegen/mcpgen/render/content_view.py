"""Render `to_content`: the blocks of each content strategy, and what a tool needs for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from mcpgen.ir.content_strategies import BUILDERS
from mcpgen.ir.package import SchemaRoot, ToolModule
from mcpgen.literals import Literal, make_literal
from mcpgen.render.class_views import is_string
from mcpgen.render.normalize_method import render_inner_expression, render_items_expression
from mcpgen.render.scope import Scope
from mcpgen.render.template_method import render_text_method
from mcpgen.targets import EXAMPLE_SDK, NO_SDK


@dataclass(frozen=True)
class ContentView:
    """Statements of `to_content`, and the expression for the blocks that it returns."""

    statements: Literal
    blocks: Literal


def make_content_view(tool: ToolModule, output: SchemaRoot, scope: Scope) -> ContentView:
    """Return the body of `to_content`: the statements that a content template needs, and the blocks."""
    statements, text = Literal(""), "self.root" if is_string(output.type) else "self._json_text()"
    if tool.template is not None:
        statements, text_literal = render_text_method(tool.template, scope)
        text = text_literal.source
    match tool.content:
        case "none":
            blocks = "[]"
        case "items":
            blocks = _render_call(tool, render_items_expression(output) or "")
        case "sdk":
            blocks = _render_call(tool, render_inner_expression(output))
        case "binary":
            media_type = str(make_literal(output.media_type))
            blocks = f"[{_render_call(tool, 'self.to_structured_content()', media_type)}]"
        case "resource":
            blocks = f"[{_render_call(tool, 'self._json_text()')}]"
        case "json" | "template" | "table" | "csv" | "tsv":
            blocks = f"[{_render_call(tool, text)}]"
        case _:
            assert_never(tool.content)
    return ContentView(statements, Literal(blocks))


def explain_unsuitable(tool: ToolModule, sdk: str) -> tuple[str, str] | None:
    """Return why a tool cannot have its content strategy, and what to do about it; None if it can."""
    output = tool.output
    match tool.content:
        case "items" if output is None or render_items_expression(output) is None:
            return "its result is not an array", 'the outputSchema\'s root has to say `"type": "array"`'
        case "sdk" if sdk == NO_SDK:
            help = f'say which in the settings, such as `sdk = "{EXAMPLE_SDK.name}"`, or with --sdk'
            return "the package is for no SDK", help
        case "binary" if output is None or output.media_type is None:
            example = '`"contentEncoding": "base64"` and a `contentMediaType`'
            help = f"the outputSchema's root must be a string with {example}"
            return "its result is not binary data", help
        case "table" | "csv" | "tsv":
            return _explain_missing_table(output)
        case "resource" if output is None:
            return "it declares no outputSchema", "its handler passes content of its own"
        case _:
            return None


def _explain_missing_table(output: SchemaRoot | None) -> tuple[str, str] | None:
    """Return why a result is not a table, and what to do about it; None if it is one."""
    from mcpgen.content.tables import NoTable, lay_out_table

    if output is None:
        return "it declares no outputSchema", "its handler passes content of its own"
    try:
        lay_out_table(output, {node.id: node for node in output.nodes})
    except NoTable as error:
        return str(error), error.help
    return None


def _render_call(tool: ToolModule, *arguments: str) -> str:
    """Return the call of the strategy's builder: these arguments, then the annotations that the user chose."""
    annotations: list[str] = []
    if tool.audience or tool.priority is not None:
        audience = f"[{', '.join(str(make_literal(role)) for role in tool.audience)}]" if tool.audience else "None"
        annotations = [audience, repr(tool.priority)]
    return f"{BUILDERS[tool.content].name}({', '.join((*arguments, *annotations))})"
