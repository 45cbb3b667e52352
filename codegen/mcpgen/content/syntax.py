"""Syntax of templates: parse a text with the offset of each node, and quote nodes in messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.lexer import Lexer
from jinja2.parser import Parser

_MAX_NAMES = 8


class TemplateSyntaxProblem(Exception):
    """Raised for a text that is not a Jinja template, with the offset of the error."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message, self.offset = message, offset

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.offset), self.__dict__


class _OffsetLexer(Lexer):
    """Jinja's lexer with the offset of a token in place of its line number."""

    def tokeniter(
        self, source: str, name: str | None, filename: str | None = None, state: str | None = None
    ) -> Iterator[tuple[int, str, str]]:
        offset = 0
        try:
            for _, kind, value in super().tokeniter(source, name, filename, state):
                offset = source.index(value, offset)  # skips the whitespace that `-` removed
                yield offset, kind, value
                offset += len(value)
        except TemplateSyntaxError as error:
            message = re.sub(r" at \d+$", "", error.message or "")
            raise TemplateSyntaxProblem(message, offset) from error


class _OffsetEnvironment(Environment):
    @property
    def lexer(self) -> Lexer:
        return _OffsetLexer(self)


def parse_jinja(text: str) -> nodes.Template:
    """Return the syntax tree of a normalized text; raise `TemplateSyntaxProblem`."""
    try:
        return Parser(_OffsetEnvironment(keep_trailing_newline=True), text).parse()
    except TemplateSyntaxError as error:  # a token's line number is its offset here
        message = error.message or ""
        is_at_end = message.startswith("Unexpected end of template")
        raise TemplateSyntaxProblem(message, len(text) if is_at_end else min(error.lineno, len(text))) from error
    except RecursionError as error:
        raise TemplateSyntaxProblem("nested too deep", 0) from error


def cast_to_expr(node: nodes.Node) -> nodes.Expr:
    """Return a node as an expression, where Jinja's parser puts one but its classes declare any node."""
    assert isinstance(node, nodes.Expr)
    return node


# --- nodes in messages -----------------------------------------------------------------------------------------------
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
