"""Format syntax nodes for messages."""

from __future__ import annotations

from collections.abc import Iterable

from jinja2 import nodes

_MAX_NAMES = 8


def get_literal_integer(node: nodes.Node) -> int | None:
    """Return the value of a literal integer, with or without a sign; None for any other node."""
    if isinstance(node, nodes.Neg):
        value = get_literal_integer(node.node)
        return None if value is None else -value
    return node.value if isinstance(node, nodes.Const) and type(node.value) is int else None


def format_expression(node: nodes.Node, placeholder: str = "…") -> str:
    """Write a name with its members and items as in a template; the placeholder stands for any other expression."""
    match node:
        case nodes.Name(name=name):
            return placeholder if name.startswith("\0") else name
        case nodes.Getattr(node=base, attr=name):
            return f"{format_expression(base)}.{name}"
        case nodes.Getitem(node=base, arg=nodes.Const(value=key)):
            if format_expression(base, "") == "":
                return str(key)
            subscript = f'"{key}"' if isinstance(key, str) else str(key)
            return f"{format_expression(base)}[{subscript}]"
        case _:
            return placeholder


def quote_expression(node: nodes.Node) -> str:
    """Write an expression in backticks, or `this` where it is not a name with members."""
    text = format_expression(node, "")
    return f"`{text}`" if text and "…" not in text else "this"


def format_names(names: Iterable[str]) -> str:
    """List names in alphabetical order, the first eight of them in full."""
    quoted = [f"`{name}`" for name in sorted(names) if not name.startswith("\0")]
    if not quoted:
        return "nothing"
    rest = f" and {len(quoted) - _MAX_NAMES} more" if len(quoted) > _MAX_NAMES else ""
    return ", ".join(quoted[:_MAX_NAMES]) + rest
