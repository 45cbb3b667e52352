"""Make the view of `normalize`, which converts what a handler returned: the types it takes, and its steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcpgen.ir.package import SchemaRoot, get_root_class
from mcpgen.ir.types import Alias, Array, FixedArray, Node, ObjectClass, Ref, Scalar, ScalarKind, Type, Union
from mcpgen.render.scope import Scope
from mcpgen.render.static_annotations import render_handler_annotation

RESULT_MEMBERS = frozenset(["content", "structuredContent", "isError", "_meta", "meta"])
"""Members by which a mapping is recognized as a CallToolResult."""


@dataclass(frozen=True)
class NormalizeView:
    """What a tool's `normalize` takes, and how it tells the alternatives apart."""

    structured: str
    """The annotation of the structured value."""
    pairs: bool
    """A 2-tuple is `(payload, structured)`, since no value of the tool is an array."""
    results: bool
    """A mapping may be a CallToolResult, since no value of the tool is an object with its members."""
    wrapper: bool
    """A bare value is wrapped in the declared `{"result": …}`."""

    @property
    def returns(self) -> str:
        """Return the annotation of what a handler returns, which may be awaitable."""
        return f"{'Returns' if self.pairs else 'ReturnsArray'}[{self.structured}]"

    @property
    def returned(self) -> str:
        """Return the annotation of what a handler may return."""
        return f"{'Returned' if self.pairs else 'ReturnedArray'}[{self.structured}]"


def make_normalize_view(root: SchemaRoot, result: str, scope: Scope) -> NormalizeView:
    """Derive from the outputSchema which values a tool's `normalize` takes, and how it distinguishes them.

    Args:
        root: the outputSchema.
        result: the name of the result class.
        scope: the names in the module.
    """
    root_class = get_root_class(root)
    json_value = render_handler_annotation(root.type, scope) if root_class is None else scope.typed_dicts[root_class.id]
    structured = [result, json_value]
    if root_class is not None and root_class.base is not None:
        structured.append(scope.names[root_class.base.id])
    if root_class is not None and not root_class.fields and root_class.extra is not None:
        structured.append(f"Mapping[str, {render_handler_annotation(root_class.extra, scope)}]")  # a TypedDict cannot
    wrapped_type = root_class.fields[0].type if root_class is not None and root.wrapper else None
    if wrapped_type is not None:
        structured.append(render_handler_annotation(wrapped_type, scope))
    value_type = root.type if wrapped_type is None else wrapped_type
    pairs = not _may_be_array(value_type, scope.nodes)
    results = not _declares_result_members(value_type, scope.nodes)
    return NormalizeView(" | ".join(structured), pairs, results, wrapped_type is not None)


def render_inner_expression(root: SchemaRoot) -> str:
    """Return the expression for a tool's JSON value, taken out of its wrapper."""
    value = "self.to_structured_content()"
    return f'{value}["result"]' if root.wrapper else value


def _may_be_array(node: Type, nodes: Mapping[str, Node], entered: frozenset[str] = frozenset()) -> bool:
    """Check whether a value of the type can be an array."""
    match node:
        case Array() | FixedArray():
            return True
        case Scalar(kind=kind):
            return kind is ScalarKind.ANY
        case Union(members=members):
            return any(_may_be_array(member, nodes, entered) for member in members)
        case Ref(id=node_id):
            target = nodes.get(node_id)
            if node_id in entered or not isinstance(target, Alias):
                return False
            return _may_be_array(target.type, nodes, entered | {node_id})
        case _:
            return False


def _declares_result_members(node: Type, nodes: Mapping[str, Node], entered: frozenset[str] = frozenset()) -> bool:
    """Check whether an object of the type declares a member of a CallToolResult."""
    match node:
        case Union(members=members):
            return any(_declares_result_members(member, nodes, entered) for member in members)
        case Ref(id=node_id):
            target = nodes.get(node_id)
            if isinstance(target, ObjectClass):
                return any(field.wire in RESULT_MEMBERS for field in target.fields)
            return (
                target is not None
                and node_id not in entered
                and _declares_result_members(target.type, nodes, entered | {node_id})
            )
        case _:
            return False
