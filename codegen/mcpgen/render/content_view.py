"""Render `to_content`: the blocks of each content strategy, and what a tool needs for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from mcpgen.ir.code_settings import BUILDERS, ContentStrategy
from mcpgen.ir.package import SchemaRoot, ToolModule
from mcpgen.ir.types import Node
from mcpgen.literals import Literal, make_literal
from mcpgen.render.normalize_method import render_inner_expression
from mcpgen.render.scope import Scope
from mcpgen.render.template_method import render_text_method
from mcpgen.targets import EXAMPLE_SDK, NO_SDK

_VALUE = "self.to_structured_content()"


@dataclass(frozen=True)
class ContentView:
    """Statements of `to_content`, and the expression for the blocks that it returns."""

    statements: Literal
    blocks: Literal


def make_content_view(tool: ToolModule, output: SchemaRoot, scope: Scope) -> ContentView | None:
    """Return the body of `to_content`: the statements that a content template needs, and the blocks.

    None: it is the library's, which returns the JSON.
    """
    if tool.content == "json":
        return None
    statements, text = Literal(""), ""
    if tool.template is not None:
        statements, text_literal = render_text_method(tool.template, scope)
        text = text_literal.source
    match tool.content:
        case "none":
            blocks = "[]"
        case "items":
            blocks = _render_call(tool, *_render_items(output, scope.nodes))
        case "sdk":
            blocks = _render_call(tool, render_inner_expression(output))
        case "binary":
            blocks = f"[{_render_call(tool, _VALUE, str(make_literal(output.media_type)))}]"
        case "resource":
            blocks = f"[{_render_call(tool, 'self._json_text()')}]"
        case "template" | "table" | "csv" | "tsv":
            blocks = f"[{_render_call(tool, text)}]"
        case _:
            assert_never(tool.content)
    annotated = tool.has_annotations and tool.content != "none"
    return ContentView(statements, Literal(f"self._annotate({blocks})" if annotated else blocks))


def _render_items(output: SchemaRoot, nodes: Mapping[str, Node]) -> list[str]:
    """Return the arguments of the builder of `items`; those of an array if the result has none."""
    from mcpgen.content.tables import NoTable, find_items

    try:
        member = find_items(output, nodes)
    except NoTable:  # reported by `explain_unsuitable`
        member = None
    return [_VALUE] if member is None else [_VALUE, str(make_literal(member))]


def explain_unsuitable(tool: ToolModule, sdk: str) -> tuple[str, str] | None:
    """Return why a tool cannot have its content strategy, and what to do about it; None if it can."""
    output = tool.output
    match tool.content:
        case "none" if output is None:
            return "it declares no outputSchema", "its result would be empty: leave `content` out"
        case "sdk" if output is None and tool.has_annotations and sdk != NO_SDK:
            return "the SDK makes its blocks, without `audience` and `priority`", 'choose `content = "json"`'
        case "sdk" if sdk == NO_SDK:
            help = f'say which in the settings, such as `sdk = "{EXAMPLE_SDK.name}"`, or with --sdk'
            return "the package is for no SDK", help
        case "binary" if output is None or output.media_type is None:
            example = '`"contentEncoding": "base64"` and a `contentMediaType`'
            help = f"the outputSchema's root must be a string with {example}"
            return "its result is not binary data", help
        case "items" | "table" | "csv" | "tsv":
            return _explain_missing_array(tool.content, output)
        case "resource" if output is None:
            return "it declares no outputSchema", "its handler passes content of its own"
        case _:
            return None


def _explain_missing_array(content: ContentStrategy, output: SchemaRoot | None) -> tuple[str, str] | None:
    """Return why a result is not a list or a table, and what to do about it; None if it is one."""
    from mcpgen.content.tables import NoTable, find_items, lay_out_table

    if output is None:
        return "it declares no outputSchema", "its handler passes content of its own"
    try:
        (find_items if content == "items" else lay_out_table)(output, {node.id: node for node in output.nodes})
    except NoTable as error:
        return str(error), error.help
    return None


def _render_call(tool: ToolModule, *arguments: str) -> str:
    """Return the call of the strategy's builder."""
    return f"{BUILDERS[tool.content]}({', '.join(arguments)})"
