"""Render expressions for the JSON value of a typed value."""

from __future__ import annotations

from typing import assert_never

from mcpgen.ir.types import Array, Choice, FixedArray, Map, Ref, Scalar, ScalarKind, Type, Union
from mcpgen.render.scope import Scope
from mcpgen.render.unions import NULL

PLAIN_KINDS = frozenset({ScalarKind.STRING, ScalarKind.INTEGER, ScalarKind.NUMBER, ScalarKind.BOOLEAN, ScalarKind.NULL})
"""Scalars whose Python value is the JSON value."""


def is_plain(node: Type) -> bool:
    """Check whether values of the type are their own JSON value, and immutable."""
    match node:
        case Scalar(kind=kind):
            return kind in PLAIN_KINDS
        case Choice():
            return True
        case Union(members=members):
            return all(is_plain(member) for member in members)
        case Array() | FixedArray() | Map() | Ref():
            return False
        case _:
            assert_never(node)


def render_json_value(node: Type, value: str, scope: Scope, depth: int = 0) -> str:
    """Return an expression for the JSON value of a value.

    Args:
        node: the type of the value.
        value: the expression for the value.
        scope: the names in the module.
        depth: how many comprehensions are around it.
    """
    if is_plain(node):
        return value
    match node:
        case Scalar() | Choice():
            return f"to_json_value({value})"
        case Array(item=item):
            if is_plain(item):
                return f"[*{value}]"
            name = _make_variable_name(depth)
            return f"[{render_json_value(item, name, scope, depth + 1)} for {name} in {value}]"
        case FixedArray(items=items):
            elements = (render_json_value(item, f"{value}[{i}]", scope, depth) for i, item in enumerate(items))
            return f"[{', '.join(elements)}]"
        case Map(value=value_type):
            if is_plain(value_type):
                return f"{{**{value}}}"
            name = _make_variable_name(depth)
            converted = render_json_value(value_type, name, scope, depth + 1)
            return f"{{key{depth}: {converted} for key{depth}, {name} in {value}.items()}}"
        case Union(members=members):
            return _render_union_value(members, value, scope, depth)
        case Ref():
            return f"to_json_value({value})" if scope.refers_to_alias(node) else f"{value}.to_structured_content()"
        case _:
            assert_never(node)


def _render_union_value(members: tuple[Type, ...], value: str, scope: Scope, depth: int) -> str:
    """Return an expression with at most one test; if that cannot tell the members apart, a call that walks."""
    converted = [member for member in members if not is_plain(member)]
    unconverted = [member for member in members if is_plain(member)]
    if all(scope.get_class(member) for member in converted):
        call = f"{value}.to_structured_content()"
        if not unconverted:
            return call
        if unconverted == [NULL]:
            return f"None if {value} is None else {call}"
        return f"{call} if isinstance({value}, JsonObject) else {value}"
    if len(converted) == 1 and unconverted == [NULL]:
        return f"None if {value} is None else {render_json_value(converted[0], value, scope, depth)}"
    return f"to_json_value({value})"


def _make_variable_name(depth: int) -> str:
    return "item" if depth == 0 else f"item{depth}"
