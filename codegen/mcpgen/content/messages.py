"""Syntax nodes in the words of messages."""

from __future__ import annotations

from collections.abc import Iterable

from jinja2 import nodes


def get_literal_integer(node: nodes.Node) -> int | None:
    """The value of a literal integer, signed or not."""
    if isinstance(node, nodes.Neg):
        inner = get_literal_integer(node.node)
        return None if inner is None else -inner
    return node.value if isinstance(node, nodes.Const) and type(node.value) is int else None


def format_expression(node: nodes.Node, other: str = "…") -> str:
    """An expression as a template says it, where it is a name with members."""
    match node:
        case nodes.Name(name=name):
            return other if name.startswith("\0") else name
        case nodes.Getattr(node=inner, attr=name):
            return f"{format_expression(inner)}.{name}"
        case nodes.Getitem(node=inner, arg=nodes.Const(value=value)):
            if format_expression(inner, "") == "":
                return str(value)
            return (
                f'{format_expression(inner)}["{value}"]'
                if isinstance(value, str)
                else f"{format_expression(inner)}[{value}]"
            )
        case _:
            return other


def quote_expression(node: nodes.Node) -> str:
    """An expression in a message."""
    text = format_expression(node, "")
    return f"`{text}`" if text and "…" not in text else "this"


def format_names(names: Iterable[str]) -> str:
    """Some names for a message."""
    known = [f"`{name}`" for name in sorted(names) if not name.startswith("\0")]
    more = f" and {len(known) - 8} more" if len(known) > 8 else ""
    return ", ".join(known[:8]) + more if known else "nothing"
