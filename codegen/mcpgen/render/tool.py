"""The view of a tool module."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from mcpgen.ir.package import SchemaRoot, ToolModule, get_root_class
from mcpgen.ir.types import Node, ObjectClass
from mcpgen.ir.visitors import can_contain_null
from mcpgen.literals import Literal, make_comment, make_docstring, make_literal
from mcpgen.names.allocator import PackageNames
from mcpgen.render import class_views, normalize_method, typed_dicts
from mcpgen.render.jobs import Job
from mcpgen.render.scope import Scope
from mcpgen.render.template_method import render_text_method


def make_tool_job(tool: ToolModule, package: PackageNames, shared: dict[str, Node]) -> Job:
    """Make the job that renders the module of a tool."""
    names = package.tools[tool.wire]
    roots = [root for root in (tool.output, tool.input) if root is not None]
    nodes = [node for root in roots for node in root.nodes]
    by_id = {**shared, **{node.id: node for node in nodes}}
    scope = Scope({**package.shared, **names.nested}, by_id, {**package.shared_twins, **names.twins})
    output = tool.output
    steps = None if output is None else normalize_method.make_normalize_view(output, names.result, scope)
    own = None if output is None else get_root_class(output)
    checked = output is not None and bool(output.checks)
    bases = ("Checked",) if checked else ("ToolResult",)
    described = {
        node.id: node for node in (get_root_class(root) for root in roots) if node is not None and not node.description
    }
    text = {own.id: f"The result of the tool `{tool.wire}`."} if own is not None else {}
    arguments = get_root_class(tool.input)
    if arguments is not None:
        text[arguments.id] = f"The arguments of the tool `{tool.wire}`."
    filled = [_replace_description(node, text[node.id]) if node.id in described else node for node in nodes]
    values: dict[str, Any] = {
        "doc": make_docstring(_make_headline(tool), 0),
        "module": class_views.make_module_body(
            _move_arguments_last(filled, arguments), scope, {} if own is None else {own.id: bases}
        ),
        "result": names.result,
        "arguments": names.arguments,
        "info": _make_tool_info(tool, steps, by_id),
        "content": _make_content_values(tool, scope),
        "normalize": steps,
        "twins": [] if output is None else typed_dicts.make_typed_dict_views(output.nodes, scope),
        "root": None,
    }
    if own is None:
        values["root"] = _make_root_values(tool, output, scope, bases)
    imported = frozenset((*package.shared.values(), *package.shared_twins.values()))
    origin = tool.origin if tool.template is None else f"{tool.origin} and {tool.template.origin}"
    return Job(names.path, "package/tool.py.j2", origin, values, "..", imported, True)


def _make_headline(tool: ToolModule) -> str:
    first = tool.description.strip().split("\n")[0].strip()
    return f"Tool `{tool.wire}`: {first}" if first else f"Tool `{tool.wire}`."


def _replace_description(node: Node, text: str) -> Node:
    return replace(node, description=text) if isinstance(node, ObjectClass) else node


def _move_arguments_last(nodes: Iterable[Node], arguments: ObjectClass | None) -> list[Node]:
    found = list(nodes)
    if arguments is None:
        return found
    return [n for n in found if n.id != arguments.id] + [n for n in found if n.id == arguments.id]


def _make_tool_info(
    tool: ToolModule, steps: normalize_method.NormalizeView | None, nodes: Mapping[str, Node]
) -> dict[str, Any]:
    words = [str(make_literal(tool.wire))]
    if tool.wrapped != "never":
        words.append(f"wrapped={make_literal(tool.wrapped)}")
    if tool.output is not None:
        if class_views.is_string(tool.output.type):
            words.append("raw_text=True")
        if tool.content == "binary":
            words.append("binary=True")
        if can_contain_null(tool.output.type, nodes):
            words.append("nulls=True")
    if steps is not None:
        if not steps.pairs:
            words.append("pairs=False")
        if steps.wrapper:
            words.append("bare=True")
    if tool.template is not None and tool.wrapped == "legacy":
        words.append("beside=True")
    if tool.output is None or tool.content != "json" or tool.audience or tool.priority is not None:
        words.append("json_text=False")
    if tool.content == "sdk" and tool.output is None:
        words.append("as_sdk=True")
    if tool.input.checks:
        words.append("checks_input=True")
    checks = ", ".join(tool.output.checks) if tool.output is not None else ""
    return {"source": Literal(f"ToolInfo({', '.join(words)})"), "checks": make_comment(checks) if checks else None}


def _make_content_values(tool: ToolModule, scope: Scope) -> dict[str, Literal] | None:
    """The statements of `to_content` and the blocks that it returns."""
    if tool.output is None:
        return None
    statements, text = Literal(""), "self.root" if class_views.is_string(tool.output.type) else "self._json_text()"
    if tool.template is not None:
        statements, made = render_text_method(tool.template, scope)
        text = made.source
    match tool.content:
        case "none":
            blocks = "[]"
        case "items":
            items = normalize_method.render_items_expression(tool.output) or ""
            blocks = f"item_blocks({_render_block_arguments(tool, items)})"
        case "sdk":
            value = normalize_method.render_inner_expression(tool.output)
            blocks = f"sdk_blocks({_render_block_arguments(tool, value)})"
        case "binary":
            media_type = str(make_literal(tool.output.media_type))
            blocks = f"[binary_block({_render_block_arguments(tool, 'self.to_structured_content()', media_type)})]"
        case _:
            blocks = f"[text_block({_render_block_arguments(tool, text)})]"
    return {"statements": statements, "blocks": Literal(blocks)}


def _render_block_arguments(tool: ToolModule, *words: str) -> str:
    """The arguments of a block's builder: `words`, then the annotations that were chosen."""
    annotations: list[str] = []
    if tool.audience or tool.priority is not None:
        audience = f"[{', '.join(str(make_literal(one)) for one in tool.audience)}]" if tool.audience else "None"
        annotations = [audience, repr(tool.priority)]
    return ", ".join((*words, *annotations))


def _make_root_values(
    tool: ToolModule, output: SchemaRoot | None, scope: Scope, bases: tuple[str, ...]
) -> dict[str, Any]:
    if output is None:
        text = f"The result of the tool `{tool.wire}`, which declares no outputSchema."
        return {"bases": Literal("ContentResult"), "doc": make_docstring(text, 4), "returns": None, "value": None}
    text = output.description or f"The result of the tool `{tool.wire}`."
    leading = "".join(f"{base}, " for base in bases if base != "ToolResult")
    return {
        "bases": Literal(f"{leading}RootResult[{scope.render_annotation(output.type)}]"),
        "doc": make_docstring(text, 4),
        "returns": Literal(class_views.render_root_annotation(output, scope)),
        "value": Literal(scope.dump(output.type, "self.root")),
    }
