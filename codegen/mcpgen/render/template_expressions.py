"""Render the expressions of a content template as Python expressions."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import assert_never

from mcpgen.ir import template as template_ir
from mcpgen.ir.template_visitors import is_reference
from mcpgen.ir.types import ANY, Array, Map, Type, Union
from mcpgen.literals import Literal, fits_in_fstring, make_fstring, make_literal
from mcpgen.render.scope import Scope
from mcpgen.render.serializers import is_plain, render_json_value


class Level(IntEnum):
    """How strongly an expression's operator binds, from weak to strong."""

    TERNARY = 0
    OR = 1
    AND = 2
    NOT = 3
    COMPARE = 4
    SUM = 5
    PRODUCT = 6
    SIGN = 7
    POWER = 8
    ATOM = 9


_OPERATOR_LEVELS = {
    "+": Level.SUM,
    "-": Level.SUM,
    "*": Level.PRODUCT,
    "/": Level.PRODUCT,
    "//": Level.PRODUCT,
    "%": Level.PRODUCT,
    "**": Level.POWER,
}
_Operator = (
    template_ir.Operation
    | template_ir.Sign
    | template_ir.Compare
    | template_ir.Logic
    | template_ir.Not
    | template_ir.Conditional
    | template_ir.IsNone
    | template_ir.IsSet
    | template_ir.IsInstance
)


class ExpressionRenderer:
    """Renders expressions over the attributes of an instance, with the names of a module."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def render(self, expr: template_ir.Expr, level: int = Level.TERNARY) -> str:
        """Return the source of an expression, in parentheses if its operator binds weaker than `level`."""
        expr_level, source = self._render_with_level(expr)
        return f"({source})" if expr_level < level else source

    def render_printable(self, expr: template_ir.Expr) -> str:
        """Return an expression whose `str` is the text of a piece of output, fit for an f-string's braces."""
        if isinstance(expr, template_ir.ToString):
            return self._render_json(expr.value, expr.type, Level.TERNARY)
        return self.render(expr)

    def render_string(self, expr: template_ir.Expr) -> str:
        """Return an expression that is the text of a piece of output."""
        return f"str({self.render_printable(expr)})" if isinstance(expr, template_ir.ToString) else self.render(expr)

    # --- JSON values --------------------------------------------------------------------------------------------
    def _render_json(self, value: template_ir.Expr, type: Type, level: int) -> str:
        """Return an expression for the JSON value of a typed value."""
        if self._is_json(type):
            return self.render(value, level)
        if isinstance(type, Union) and not is_reference(value):  # its source would be repeated
            return f"to_json_value({self.render(value)})"
        return render_json_value(type, self.render(value, Level.ATOM), self._scope)

    def _is_json(self, type: Type) -> bool:
        """Check whether values of a type are JSON values as they are."""
        match type:
            case Array(item=item):
                return self._is_json(item)
            case Map(value=value):
                return self._is_json(value)
            case _:
                return type == ANY or is_plain(type)

    # --- expressions --------------------------------------------------------------------------------------------
    def _render_with_level(self, expr: template_ir.Expr) -> tuple[Level, str]:
        match expr:
            case template_ir.This(root=root):
                return Level.ATOM, "self.root" if root else "self"
            case template_ir.Local(name=name):
                return Level.ATOM, name
            case template_ir.Attribute(base=base, name=name):
                return Level.ATOM, f"{self.render(base, Level.ATOM)}.{name}"
            case template_ir.Subscript(base=base, index=index):
                return Level.ATOM, f"{self.render(base, Level.ATOM)}[{self.render(index)}]"
            case template_ir.Slice():
                return Level.ATOM, self._render_slice(expr)
            case template_ir.Constant(value=value):
                source = str(make_literal(value))
                return (Level.SIGN if source.startswith("-") else Level.ATOM), source
            case template_ir.ListLiteral(items=items):
                return Level.ATOM, f"[{', '.join(self.render(item) for item in items)}]"
            case template_ir.ToString():
                return Level.ATOM, self.render_string(expr)
            case template_ir.ToJson(value=value, type=type):
                return Level.TERNARY, self._render_json(value, type, Level.TERNARY)
            case template_ir.Concat(parts=parts):
                return self._render_concat(parts)
            case template_ir.Call():
                return self._render_call(expr)
            case template_ir.Method(base=base, name=name, arguments=arguments):
                return Level.ATOM, f"{self.render(base, Level.ATOM)}.{name}({self._render_arguments(arguments)})"
            case template_ir.Lambda(name=name, body=body):
                return Level.TERNARY, f"lambda {name}: {self.render(body)}"
            case template_ir.Comprehension():
                return Level.ATOM, f"[{self._render_generator(expr)}]"
            case _:
                return self._render_operator(expr)

    def _render_slice(self, expr: template_ir.Slice) -> str:
        start, stop, step = expr.parts
        bounds = ":".join("" if bound is None else self.render(bound) for bound in (start, stop))
        return f"{self.render(expr.base, Level.ATOM)}[{bounds}{'' if step is None else ':' + self.render(step)}]"

    def _render_operator(self, expr: _Operator) -> tuple[Level, str]:
        match expr:
            case template_ir.Operation(operator=operator, left=left, right=right):
                level = _OPERATOR_LEVELS[operator]
                left_level, right_level = (level + 1, level) if operator == "**" else (level, level + 1)
                return level, f"{self.render(left, left_level)} {operator} {self.render(right, right_level)}"
            case template_ir.Sign(operator=operator, operand=operand):
                return Level.SIGN, f"{operator}{self.render(operand, Level.SIGN)}"
            case template_ir.Compare(first=first, others=others):
                comparisons = "".join(f" {operator} {self.render(operand, Level.SUM)}" for operator, operand in others)
                return Level.COMPARE, self.render(first, Level.SUM) + comparisons
            case template_ir.Logic(operator=operator, parts=parts):
                level = Level.AND if operator == "and" else Level.OR
                return level, f" {operator} ".join(self.render(part, level + 1) for part in parts)
            case template_ir.Not(operand=template_ir.IsNone(operand=operand)):
                return Level.COMPARE, f"{self.render(operand, Level.SUM)} is not None"
            case template_ir.Not(operand=operand):
                return Level.NOT, f"not {self.render(operand, Level.NOT)}"
            case template_ir.Conditional(test=test, then=then, other=otherwise):
                branches = (
                    f"{self.render(then, Level.OR)} if {self.render(test, Level.OR)} else {self.render(otherwise)}"
                )
                return Level.TERNARY, branches
            case template_ir.IsNone(operand=operand):
                return Level.COMPARE, f"{self.render(operand, Level.SUM)} is None"
            case template_ir.IsSet(base=base, name=name):
                return Level.COMPARE, f"{make_literal(name)} in {self.render(base, Level.ATOM)}.model_fields_set"
            case template_ir.IsInstance(operand=operand, types=types):
                names = [type if isinstance(type, str) else self._scope.names[type.id] for type in types]
                listed = names[0] if len(names) == 1 else f"({', '.join(names)})"
                return Level.ATOM, f"isinstance({self.render(operand)}, {listed})"
            case _:
                assert_never(expr)

    def _render_concat(self, parts: tuple[template_ir.Expr, ...]) -> tuple[Level, str]:
        """Render the concatenation of strings: an f-string if every part fits into one, else a sum."""
        pieces: list[str | template_ir.Expr] = []
        for part in parts:
            constant = part.value if isinstance(part, template_ir.Constant) else None
            pieces.append(constant if isinstance(constant, str) else part)
        printable = [piece if isinstance(piece, str) else Literal(self.render_printable(piece)) for piece in pieces]
        if all(isinstance(piece, str) or fits_in_fstring(piece) for piece in printable):
            return Level.ATOM, str(make_fstring(printable))
        return Level.SUM, " + ".join(
            str(make_literal(piece)) if isinstance(piece, str) else self.render(piece, Level.PRODUCT)
            for piece in pieces
        )

    # --- calls --------------------------------------------------------------------------------------------------
    def _render_call(self, call: template_ir.Call) -> tuple[Level, str]:
        if call.function == "%":
            pattern, *values = call.arguments
            if len(values) == 1:
                return Level.PRODUCT, f"{self.render(pattern)} % {self.render(values[0], Level.SIGN)}"
            return Level.PRODUCT, f"{self.render(pattern)} % ({self._render_arguments(values)})"
        keywords = [f"{name}={self.render(value)}" for name, value in call.keywords]
        if not keywords and call.function != "list":
            return Level.ATOM, f"{call.function}({self._render_arguments(call.arguments)})"
        return Level.ATOM, f"{call.function}({', '.join([*map(self.render, call.arguments), *keywords])})"

    def _render_arguments(self, arguments: Iterable[template_ir.Expr]) -> str:
        """Render positional arguments; a comprehension that is the only one needs no brackets."""
        values = list(arguments)
        if len(values) == 1 and isinstance(values[0], template_ir.Comprehension):
            return self._render_generator(values[0])
        return ", ".join(self.render(value) for value in values)

    def _render_generator(self, generator: template_ir.Comprehension) -> str:
        test = "" if generator.test is None else f" if {self.render(generator.test, Level.OR)}"
        source = self.render(generator.source, Level.OR)
        return f"{self.render(generator.item)} for {generator.name} in {source}{test}"
