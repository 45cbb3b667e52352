"""Checked templates as Python: straight-line statements over the typed attributes of an instance."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import assert_never

from mcpgen.ir import template as template_ir
from mcpgen.ir.template_visitors import is_reference
from mcpgen.ir.types import ANY, Array, Map, Type, Union
from mcpgen.literals import Literal, fits_in_fstring, make_float_literal, make_fstring, make_literal
from mcpgen.render.scope import Scope

_TERNARY, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(10)
_MAX_WIDTH = 84
"""How long a piece of text gets before it goes on in another line of the generated code."""
_OPERATOR_LEVELS = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "//": _PRODUCT, "%": _PRODUCT, "**": _POWER}


def render_text_method(template: template_ir.Template, scope: Scope) -> tuple[Literal, Literal]:
    """The statements that make a template's text, and the expression that the text then is."""
    printer = _TemplatePrinter(scope)
    body = template.body
    if all(isinstance(one, template_ir.Write) for one in body):
        items = [item for one in body if isinstance(one, template_ir.Write) for item in printer.render_items(one)]
        if len(items) < 2:
            return Literal(""), items[0] if items else make_literal("")
        return Literal(f"parts = [{_join_string_lines(items)}]"), Literal('"".join(parts)')
    first, rest = body[0], body
    lines = ["parts: list[str] = []"]
    if isinstance(first, template_ir.Write):
        lines, rest = [f"parts = [{_join_string_lines(printer.render_items(first))}]"], body[1:]
    lines += printer.render_statements(rest)
    return Literal("\n".join(lines)), Literal('"".join(parts)')


def _join_string_lines(items: Iterable[Literal]) -> str:
    return "".join(f"{item}," for item in items)


class _TemplatePrinter:
    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    # --- statements -----------------------------------------------------------------------------------------------
    def render_statements(self, body: Iterable[template_ir.Statement]) -> list[str]:
        """Lines without indentation for the statements, with it for what is inside of them."""
        return [line for one in body for line in self._statement(one)]

    def _statement(self, one: template_ir.Statement) -> Iterator[str]:
        match one:
            case template_ir.Write():
                items = self.render_items(one)
                yield f"parts.append({items[0]})" if len(items) == 1 else f"parts += [{_join_string_lines(items)}]"
            case template_ir.Assign(name=name, value=value):
                yield f"{name} = {self.render_expr(value)}"
            case template_ir.If(branches=branches, otherwise=otherwise):
                for index, (test, body) in enumerate(branches):
                    yield f"{'elif' if index else 'if'} {self.render_expr(test)}:"
                    yield from self._inside(body)
                if otherwise:
                    yield "else:"
                    yield from self._inside(otherwise)
            case template_ir.For(targets=targets, source=source, body=body, index=index, test=test):
                names = ", ".join(targets)
                if index is None:
                    yield f"for {names} in {self.render_expr(source)}:"
                else:
                    held = f"({names})" if len(targets) > 1 else names
                    yield f"for {index}, {held} in enumerate({self.render_expr(source)}):"
                if test is None:
                    yield from self._inside(body)
                else:
                    yield f"    if {self.render_expr(test)}:"
                    yield from (f"    {line}" for line in self._inside(body))
            case _:
                assert_never(one)

    def _inside(self, body: tuple[template_ir.Statement, ...]) -> list[str]:
        return [f"    {line}" for line in self.render_statements(body)] or ["    pass"]

    # --- text -----------------------------------------------------------------------------------------------------
    def render_items(self, write: template_ir.Write) -> list[Literal]:
        """The strings that a text is made of: one for each of its lines, expressions inside where they fit."""
        items: list[Literal] = []
        line: list[str | Literal] = []

        def done() -> None:
            if len(line) == 1 and isinstance(line[0], Literal):
                items.append(Literal(self._string(held[-1])))
            elif line:
                items.append(make_fstring(line))
            line.clear()

        held: list[template_ir.Expr] = []
        for piece in write.pieces:
            if isinstance(piece, str):
                for part in re.split(r"(?<=\n)", piece):
                    line += [part] if part else []
                    if part.endswith("\n") and line != ["\n"]:  # an empty line goes with the next
                        done()
                continue
            inner = Literal(self._printed(piece))
            if fits_in_fstring(inner):
                if line and len(make_fstring([*line, inner]).source) > _MAX_WIDTH:
                    done()
                line.append(inner)
                held.append(piece)
            else:
                done()
                items.append(Literal(self._string(piece)))
        done()
        return items

    def _printed(self, piece: template_ir.Expr) -> str:
        """An expression whose `str` is the piece's text."""
        match piece:
            case template_ir.ToString(value=value, type=type):
                return self._dumped(value, type, 0)
            case _:
                return self.render_expr(piece)

    def _string(self, piece: template_ir.Expr) -> str:
        return f"str({self._printed(piece)})" if isinstance(piece, template_ir.ToString) else self.render_expr(piece)

    def _dumped(self, value: template_ir.Expr, type: Type, level: int) -> str:
        if self._is_json(type):
            return self.render_expr(value, level)
        if isinstance(type, Union) and not is_reference(value):
            return f"to_json_value({self.render_expr(value)})"
        return self._scope.dump(type, self.render_expr(value, _ATOM))

    def _is_json(self, type: Type) -> bool:
        match type:
            case Array(item=item):
                return self._is_json(item)
            case Map(value=value):
                return self._is_json(value)
            case _:
                return type == ANY or self._scope.is_plain(type)

    # --- expressions ----------------------------------------------------------------------------------------------
    def render_expr(self, expr: template_ir.Expr, level: int = 0) -> str:
        """The source of an expression, in parentheses where its operator binds weaker than `level`."""
        own, source = self._leveled(expr)
        return f"({source})" if own < level else source

    def _leveled(self, expr: template_ir.Expr) -> tuple[int, str]:
        match expr:
            case template_ir.This(root=root):
                return _ATOM, "self.root" if root else "self"
            case template_ir.Local(name=name):
                return _ATOM, name
            case template_ir.Attribute(base=base, name=name):
                return _ATOM, f"{self.render_expr(base, _ATOM)}.{name}"
            case template_ir.Subscript(base=base, index=index):
                return _ATOM, f"{self.render_expr(base, _ATOM)}[{self.render_expr(index)}]"
            case template_ir.Slice(base=base, parts=(start, stop, step)):
                cut = ":".join("" if part is None else self.render_expr(part) for part in (start, stop))
                return (
                    _ATOM,
                    f"{self.render_expr(base, _ATOM)}[{cut}{'' if step is None else ':' + self.render_expr(step)}]",
                )
            case template_ir.Constant(value=value):
                source = str(make_float_literal(value) if isinstance(value, float) else make_literal(value))
                return (_SIGN if source.startswith("-") else _ATOM), source
            case template_ir.ListLiteral(items=items):
                return _ATOM, f"[{', '.join(self.render_expr(item) for item in items)}]"
            case template_ir.ToString():
                return _ATOM, self._string(expr)
            case template_ir.ToJson(value=value, type=type):
                return _TERNARY, self._dumped(value, type, _TERNARY)
            case template_ir.Concat(parts=parts):
                return self._concat(parts)
            case template_ir.Call():
                return self._call(expr)
            case template_ir.Method(base=base, name=name, arguments=arguments):
                return _ATOM, f"{self.render_expr(base, _ATOM)}.{name}({self._arguments(arguments)})"
            case template_ir.Lambda(name=name, body=body):
                return _TERNARY, f"lambda {name}: {self.render_expr(body)}"
            case template_ir.Comprehension():
                return _ATOM, f"[{self._each(expr)}]"
            case _:
                return self._operator(expr)

    def _operator(
        self,
        expr: template_ir.Operation
        | template_ir.Sign
        | template_ir.Compare
        | template_ir.Logic
        | template_ir.Not
        | template_ir.Conditional
        | template_ir.IsNone
        | template_ir.IsSet
        | template_ir.IsInstance,
    ) -> tuple[int, str]:
        match expr:
            case template_ir.Operation(operator=operator, left=left, right=right):
                own = _OPERATOR_LEVELS[operator]
                sides = (own + 1, own) if operator == "**" else (own, own + 1)
                return own, f"{self.render_expr(left, sides[0])} {operator} {self.render_expr(right, sides[1])}"
            case template_ir.Sign(operator=operator, operand=operand):
                return _SIGN, f"{operator}{self.render_expr(operand, _SIGN)}"
            case template_ir.Compare(first=first, others=others):
                rest = "".join(f" {op} {self.render_expr(other, _SUM)}" for op, other in others)
                return _COMPARE, self.render_expr(first, _SUM) + rest
            case template_ir.Logic(operator=operator, parts=parts):
                own = _AND if operator == "and" else _OR
                return own, f" {operator} ".join(self.render_expr(part, own + 1) for part in parts)
            case template_ir.Not(operand=template_ir.IsNone(operand=operand)):
                return _COMPARE, f"{self.render_expr(operand, _SUM)} is not None"
            case template_ir.Not(operand=operand):
                return _NOT, f"not {self.render_expr(operand, _NOT)}"
            case template_ir.Conditional(test=test, then=then, other=other):
                source = (
                    f"{self.render_expr(then, _OR)} if {self.render_expr(test, _OR)} else {self.render_expr(other)}"
                )
                return _TERNARY, source
            case template_ir.IsNone(operand=operand):
                return _COMPARE, f"{self.render_expr(operand, _SUM)} is None"
            case template_ir.IsSet(base=base, name=name):
                return _COMPARE, f"{make_literal(name)} in {self.render_expr(base, _ATOM)}.model_fields_set"
            case template_ir.IsInstance(operand=operand, types=types):
                names = [one if isinstance(one, str) else self._scope.names[one.id] for one in types]
                listed = names[0] if len(names) == 1 else f"({', '.join(names)})"
                return _ATOM, f"isinstance({self.render_expr(operand)}, {listed})"
            case _:
                assert_never(expr)

    def _concat(self, parts: tuple[template_ir.Expr, ...]) -> tuple[int, str]:
        pieces: list[str | template_ir.Expr] = []
        for part in parts:
            constant = part.value if isinstance(part, template_ir.Constant) else None
            pieces.append(constant if isinstance(constant, str) else part)
        printed = [piece if isinstance(piece, str) else Literal(self._printed(piece)) for piece in pieces]
        if all(isinstance(piece, str) or fits_in_fstring(piece) for piece in printed):
            return _ATOM, str(make_fstring(printed))
        return _SUM, " + ".join(
            str(make_literal(piece)) if isinstance(piece, str) else self.render_expr(piece, _PRODUCT)
            for piece in pieces
        )

    def _call(self, call: template_ir.Call) -> tuple[int, str]:
        if call.function == "%":
            pattern, *values = call.arguments
            if len(values) == 1:
                return _PRODUCT, f"{self.render_expr(pattern)} % {self.render_expr(values[0], _SIGN)}"
            return _PRODUCT, f"{self.render_expr(pattern)} % ({self._arguments(values)})"
        words = [f"{name}={self.render_expr(value)}" for name, value in call.keywords]
        if (
            len(call.arguments) == 1
            and not words
            and isinstance(call.arguments[0], template_ir.Comprehension)
            and call.function != "list"
        ):
            return _ATOM, f"{call.function}({self._each(call.arguments[0])})"
        return _ATOM, f"{call.function}({', '.join([*map(self.render_expr, call.arguments), *words])})"

    def _arguments(self, arguments: Iterable[template_ir.Expr]) -> str:
        values = list(arguments)
        if len(values) == 1 and isinstance(values[0], template_ir.Comprehension):
            return self._each(values[0])
        return ", ".join(self.render_expr(value) for value in values)

    def _each(self, each: template_ir.Comprehension) -> str:
        test = "" if each.test is None else f" if {self.render_expr(each.test, _OR)}"
        return f"{self.render_expr(each.item)} for {each.name} in {self.render_expr(each.source, _OR)}{test}"
