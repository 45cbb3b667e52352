"""Render checked content templates as Python: straight-line statements over the typed attributes of an instance."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import assert_never

from mcpgen.ir import template as template_ir
from mcpgen.literals import Literal, fits_in_fstring, make_fstring, make_literal
from mcpgen.render.scope import Scope
from mcpgen.render.template_expressions import ExpressionRenderer

_MAX_WIDTH = 84
"""The most characters of an f-string; then the text goes on in another line of the generated code."""


def render_text_method(template: template_ir.Template, scope: Scope) -> tuple[Literal, Literal]:
    """Return the statements that make a template's text, and the expression that is the text after them."""
    expressions = ExpressionRenderer(scope)
    body = template.body
    writes = [statement for statement in body if isinstance(statement, template_ir.Write)]
    if len(writes) == len(body):
        strings = [string for write in writes for string in _render_strings(write, expressions)]
        if len(strings) < 2:
            return Literal(""), strings[0] if strings else make_literal("")
        return Literal(f"parts = [{_list_strings(strings)}]"), Literal('"".join(parts)')
    if isinstance(body[0], template_ir.Write):
        lines = [f"parts = [{_list_strings(_render_strings(body[0], expressions))}]"]
        body = body[1:]
    else:
        lines = ["parts: list[str] = []"]
    lines += _render_statements(body, expressions)
    return Literal("\n".join(lines)), Literal('"".join(parts)')


def _list_strings(strings: Iterable[Literal]) -> str:
    """Return the elements of a list; black breaks the lines after the last comma."""
    return "".join(f"{string}," for string in strings)


# --- statements ------------------------------------------------------------------------------------------------------
def _render_statements(body: Iterable[template_ir.Statement], expressions: ExpressionRenderer) -> list[str]:
    """Return the lines of some statements; only those of nested statements are indented."""
    return [line for statement in body for line in _render_statement(statement, expressions)]


def _render_statement(statement: template_ir.Statement, expressions: ExpressionRenderer) -> Iterator[str]:
    match statement:
        case template_ir.Write():
            strings = _render_strings(statement, expressions)
            yield f"parts.append({strings[0]})" if len(strings) == 1 else f"parts += [{_list_strings(strings)}]"
        case template_ir.Assign(name=name, value=value):
            yield f"{name} = {expressions.render(value)}"
        case template_ir.If(branches=branches, otherwise=otherwise):
            for index, (test, body) in enumerate(branches):
                yield f"{'elif' if index else 'if'} {expressions.render(test)}:"
                yield from _render_block(body, expressions)
            if otherwise:
                yield "else:"
                yield from _render_block(otherwise, expressions)
        case template_ir.For():
            yield from _render_loop(statement, expressions)
        case _:
            assert_never(statement)


def _render_loop(loop: template_ir.For, expressions: ExpressionRenderer) -> Iterator[str]:
    names, source = ", ".join(loop.targets), expressions.render(loop.source)
    if loop.index is None:
        yield f"for {names} in {source}:"
    else:
        target = f"({names})" if len(loop.targets) > 1 else names
        yield f"for {loop.index}, {target} in enumerate({source}):"
    block = _render_block(loop.body, expressions)
    if loop.test is None:
        yield from block
    else:
        yield f"    if {expressions.render(loop.test)}:"
        yield from (f"    {line}" for line in block)


def _render_block(body: tuple[template_ir.Statement, ...], expressions: ExpressionRenderer) -> list[str]:
    return [f"    {line}" for line in _render_statements(body, expressions)] or ["    pass"]


# --- text ------------------------------------------------------------------------------------------------------------
def _render_strings(write: template_ir.Write, expressions: ExpressionRenderer) -> list[Literal]:
    """Return the strings that make a piece of output: one for each of its lines, as an f-string where that fits."""
    lines = _LineWriter(expressions)
    for piece in write.pieces:
        if isinstance(piece, str):
            lines.add_text(piece)
        else:
            lines.add_expression(piece)
    lines.end_line()
    return lines.strings


class _LineWriter:
    """Collects the text of output, and makes a string of each line."""

    def __init__(self, expressions: ExpressionRenderer) -> None:
        self.strings: list[Literal] = []
        self._expressions = expressions
        self._line: list[str | Literal] = []
        self._last_expression: template_ir.Expr | None = None

    def add_text(self, text: str) -> None:
        for part in re.split(r"(?<=\n)", text):
            self._line += [part] if part else []
            if part.endswith("\n") and self._line != ["\n"]:  # an empty line goes with the next
                self.end_line()

    def add_expression(self, expr: template_ir.Expr) -> None:
        printable = Literal(self._expressions.render_printable(expr))
        if not fits_in_fstring(printable):
            self.end_line()
            self.strings.append(Literal(self._expressions.render_string(expr)))
            return
        if self._line and len(make_fstring([*self._line, printable]).source) > _MAX_WIDTH:
            self.end_line()
        self._line.append(printable)
        self._last_expression = expr

    def end_line(self) -> None:
        """Turn what is collected into a string: an expression alone needs no f-string."""
        if len(self._line) == 1 and isinstance(self._line[0], Literal):
            assert self._last_expression is not None
            self.strings.append(Literal(self._expressions.render_string(self._last_expression)))
        elif self._line:
            self.strings.append(make_fstring(self._line))
        self._line.clear()
