"""Render `to_content`: the blocks of each content strategy, and checked content templates as Python statements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from typing import NamedTuple, assert_never

from mcpgen.ir import template as template_ir
from mcpgen.ir.code_settings import BUILDERS, ContentStrategy
from mcpgen.ir.package import SchemaRoot, ToolModule
from mcpgen.ir.template import is_reference
from mcpgen.ir.types import ANY, Array, Map, Node, Type, Union
from mcpgen.literals import Literal, fits_in_fstring, make_fstring, make_literal
from mcpgen.render.handlers import render_inner_expression
from mcpgen.render.scope import Scope
from mcpgen.render.serializers import is_plain, render_json_value
from mcpgen.targets import EXAMPLE_SDK, NO_SDK


# --- expressions of a content template -------------------------------------------------------------------------------
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
        if self._is_json(type):
            return self.render(value, level)
        if isinstance(type, Union) and not is_reference(value):  # its source would be repeated
            return f"to_json_value({self.render(value)})"
        return render_json_value(type, self.render(value, Level.ATOM), self._scope)

    def _is_json(self, type: Type) -> bool:
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


# --- statements of a content template --------------------------------------------------------------------------------
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
    return "".join(f"{string}," for string in strings)


# --- statements ------------------------------------------------------------------------------------------------------
def _render_statements(body: Iterable[template_ir.Statement], expressions: ExpressionRenderer) -> list[str]:
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


# --- content strategies ----------------------------------------------------------------------------------------------
_VALUE = "self.to_structured_content()"


class ContentView(NamedTuple):
    """Statements of `to_content`, and the expression for the blocks that it returns."""

    statements: Literal
    blocks: Literal


def make_content_view(tool: ToolModule, output: SchemaRoot, scope: Scope) -> ContentView | None:
    """Return the body of `to_content`; None: it is the library's, which returns the JSON."""
    if tool.content == "json":
        return None
    statements, text = Literal(""), ""
    if tool.template is not None:
        statements, text_literal = render_text_method(tool.template, scope)
        text = text_literal.source
    match tool.content:
        case "none":
            blocks = "[]"
        case "items":
            blocks = _render_call(tool, *_render_items(output, scope.nodes))
        case "sdk":
            blocks = _render_call(tool, render_inner_expression(output))
        case "binary":
            blocks = f"[{_render_call(tool, _VALUE, str(make_literal(output.media_type)))}]"
        case "resource":
            blocks = f"[{_render_call(tool, 'self._json_text()')}]"
        case "link" if tool.template is None:
            blocks = f"[{_render_call(tool, f'summary_text({_VALUE})')}]"
        case "template" | "table" | "csv" | "tsv" | "link":
            blocks = f"[{_render_call(tool, text)}]"
        case _:
            assert_never(tool.content)
    annotated = tool.has_annotations and tool.content != "none"
    return ContentView(statements, Literal(f"self._annotate({blocks})" if annotated else blocks))


def _render_items(output: SchemaRoot, nodes: Mapping[str, Node]) -> list[str]:
    from mcpgen.content.tables import NoTable, find_items

    try:
        member = find_items(output, nodes)
    except NoTable:  # reported by `explain_unsuitable`
        member = None
    return [_VALUE] if member is None else [_VALUE, str(make_literal(member))]


def explain_unsuitable(tool: ToolModule, sdk: str) -> tuple[str, str] | None:
    """Return why a tool cannot have its content strategy, and what to do about it; None if it can."""
    output = tool.output
    match tool.content:
        case "none" if output is None:
            return "it declares no outputSchema", "its result would be empty: leave `content` out"
        case "sdk" if output is None and tool.has_annotations and sdk != NO_SDK:
            return "the SDK makes its blocks, without `audience` and `priority`", 'choose `content = "json"`'
        case "resource" | "link" if output is None:
            return "it declares no outputSchema", "its handler passes content of its own"
        case "sdk" | "link" if sdk == NO_SDK:
            help = f'say which in the settings, such as `sdk = "{EXAMPLE_SDK.name}"`, or with --sdk'
            return "the package is for no SDK", help
        case "binary" if output is None or output.media_type is None:
            example = '`"contentEncoding": "base64"` and a `contentMediaType`'
            help = f"the outputSchema's root must be a string with {example}"
            return "its result is not binary data", help
        case "items" | "table" | "csv" | "tsv":
            return _explain_missing_array(tool.content, output)
        case _:
            return None


def _explain_missing_array(content: ContentStrategy, output: SchemaRoot | None) -> tuple[str, str] | None:
    """Return why a result is not a list or a table, and what to do about it; None if it is one."""
    from mcpgen.content.tables import NoTable, find_items, lay_out_table

    if output is None:
        return "it declares no outputSchema", "its handler passes content of its own"
    try:
        (find_items if content == "items" else lay_out_table)(output, {node.id: node for node in output.nodes})
    except NoTable as error:
        return str(error), error.help
    return None


def _render_call(tool: ToolModule, *arguments: str) -> str:
    """Return the call of the strategy's builder."""
    return f"{BUILDERS[tool.content]}({', '.join(arguments)})"
