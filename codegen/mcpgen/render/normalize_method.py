"""What a handler may return of a tool: the TypedDicts of its classes, and the steps of `normalize`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcpgen.ir.package import SchemaRoot, get_root_class
from mcpgen.ir.types import Alias, Array, FixedArray, Node, ObjectClass, Ref, Scalar, ScalarKind, Type, Union
from mcpgen.render.scope import Scope

RESULT_MEMBERS = frozenset(["content", "structuredContent", "isError", "_meta", "meta"])


@dataclass(frozen=True)
class NormalizeView:
    """The steps of a tool's `normalize`, each only where its declaration leaves room for it."""

    value: str
    """The annotation of the parameter."""
    pairs: bool
    """A 2-tuple is `(payload, structured)`: no value of the tool is an array."""
    results: bool
    """A mapping may be a CallToolResult: no value of the tool is an object with its members."""
    wrapper: bool
    """A bare inner value is put into the declared `{"result": …}`."""

    def wrap_value(self, name: str) -> str:
        """Return the expression that `normalize` passes on for a variable."""
        return f"in_wrapper({name}, cls)" if self.wrapper else name


def make_normalize_view(root: SchemaRoot, result: str, scope: Scope) -> NormalizeView:
    """What a tool's `normalize` takes and how it tells it apart, decided by the outputSchema alone."""
    own = get_root_class(root)
    plain = f"{result} | {scope.render_handler_annotation(root.type) if own is None else scope.twins[own.id]}"
    if own is not None and not own.fields and own.extra is not None:  # a map, which no TypedDict says
        plain = f"{plain} | Mapping[str, {scope.render_handler_annotation(own.extra)}]"
    inner = own.fields[0].type if own is not None and root.wrapper else None
    if inner is not None:
        plain = f"{plain} | {scope.render_handler_annotation(inner)}"
    held = root.type if inner is None else inner
    pairs = not _may_be_array(held, scope.nodes)
    takes = f"{plain} | CallToolResult"
    if pairs:
        takes = f"{takes} | tuple[Payload, {plain}]"
    return NormalizeView(takes, pairs, not _declares_result(held, scope.nodes), inner is not None)


def render_items_expression(root: SchemaRoot) -> str | None:
    """The expression for the JSON array that a tool's value is, or that its wrapper holds; None: there is none."""
    own = get_root_class(root)
    held = own.fields[0].type if own is not None and root.wrapper else root.type
    if not isinstance(held, Array | FixedArray):
        return None
    return render_inner_expression(root)


def render_inner_expression(root: SchemaRoot) -> str:
    """The expression for a tool's JSON value, or for the one that its wrapper holds."""
    value = "self.to_structured_content()"
    return f'{value}["result"]' if root.wrapper else value


def _may_be_array(node: Type, nodes: Mapping[str, Node], seen: frozenset[str] = frozenset()) -> bool:
    match node:
        case Array() | FixedArray():
            return True
        case Scalar(kind=kind):
            return kind is ScalarKind.ANY
        case Union(members=members):
            return any(_may_be_array(member, nodes, seen) for member in members)
        case Ref(id=key):
            target = nodes.get(key)
            if key in seen or not isinstance(target, Alias):
                return False
            return _may_be_array(target.type, nodes, seen | {key})
        case _:
            return False


def _declares_result(node: Type, nodes: Mapping[str, Node], seen: frozenset[str] = frozenset()) -> bool:
    match node:
        case Union(members=members):
            return any(_declares_result(member, nodes, seen) for member in members)
        case Ref(id=key):
            target = nodes.get(key)
            if isinstance(target, ObjectClass):
                return any(field.wire in RESULT_MEMBERS for field in target.fields)
            return target is not None and key not in seen and _declares_result(target.type, nodes, seen | {key})
        case _:
            return False
