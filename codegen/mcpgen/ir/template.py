"""Content templates after checking: frozen statements and expressions over a tool's typed value."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Literal, TypeAlias, cast

from mcpgen.ir import types

ConstantValue: TypeAlias = str | int | float | bool | None


# --- types that only templates have ----------------------------------------------------------------------------------
@dataclass(frozen=True)
class Stream:
    """Jinja's generators: they can be iterated over once, and have neither length nor text."""

    item: types.Type | KeyValuePair


@dataclass(frozen=True)
class KeyValuePair:
    """Key and its value, which a loop unpacks."""

    first: types.Type
    second: types.Type


@dataclass(frozen=True)
class Markup:
    """Text of `tojson`, which can only be printed or joined."""


TemplateType: TypeAlias = types.Type | Stream | KeyValuePair | Markup


# --- expressions -----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class This:
    """Result object; with `root`, the value of a root model."""

    root: bool


@dataclass(frozen=True)
class Local:
    """Variable of the generated code."""

    name: str


@dataclass(frozen=True)
class Attribute:
    """Property, by its Python name."""

    base: Expr
    name: str


@dataclass(frozen=True)
class Subscript:
    """`base[index]`."""

    base: Expr
    index: Expr


@dataclass(frozen=True)
class Slice:
    """`base[start:stop:step]`."""

    base: Expr
    parts: tuple[Expr | None, Expr | None, Expr | None]


@dataclass(frozen=True)
class Constant:
    """Literal."""

    value: ConstantValue


@dataclass(frozen=True)
class ListLiteral:
    """`[item, …]`."""

    items: tuple[Expr, ...]


@dataclass(frozen=True)
class Operation:
    """Arithmetic operation on two expressions."""

    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Sign:
    """`-operand` or `+operand`."""

    operator: str
    operand: Expr


@dataclass(frozen=True)
class Compare:
    """`first < second <= third …`."""

    first: Expr
    others: tuple[tuple[str, Expr], ...]


@dataclass(frozen=True)
class Logic:
    """`and` or `or`, with the value that Python gives it."""

    operator: Literal["and", "or"]
    parts: tuple[Expr, ...]


@dataclass(frozen=True)
class Not:
    """`not operand`."""

    operand: Expr


@dataclass(frozen=True)
class Conditional:
    """`then if test else other`."""

    test: Expr
    then: Expr
    other: Expr


@dataclass(frozen=True)
class IsNone:
    """`operand is None`."""

    operand: Expr


@dataclass(frozen=True)
class IsSet:
    """Test that a property that may be absent or null was set."""

    base: Expr
    name: str


@dataclass(frozen=True)
class IsInstance:
    """`isinstance(operand, …)`, with built-in types by name and generated classes by id."""

    operand: Expr
    types: tuple[str | types.Ref, ...]


@dataclass(frozen=True)
class ToString:
    """Text that Jinja prints for a value: Python's `str` of its JSON value."""

    value: Expr
    type: types.Type


@dataclass(frozen=True)
class ToJson:
    """JSON value of a typed value."""

    value: Expr
    type: types.Type


@dataclass(frozen=True)
class Concat:
    """Concatenation of texts."""

    parts: tuple[Expr, ...]


@dataclass(frozen=True)
class Call:
    """Call of a built-in function, or of a function of the package's run-time code for templates."""

    function: str
    arguments: tuple[Expr, ...]
    keywords: tuple[tuple[str, Expr], ...] = ()


@dataclass(frozen=True)
class Method:
    """Call of a method of a built-in type."""

    base: Expr
    name: str
    arguments: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Lambda:
    """`lambda name: body`."""

    name: str
    body: Expr


@dataclass(frozen=True)
class Comprehension:
    """`item for name in source if test`."""

    name: str
    source: Expr
    item: Expr
    test: Expr | None = None


_Reference: TypeAlias = This | Local | Attribute | Subscript | Slice
_Operator: TypeAlias = Operation | Sign | Compare | Logic | Not | Conditional | IsNone | IsSet | IsInstance | Concat
_Function: TypeAlias = ToString | ToJson | Call | Method | Lambda | Comprehension
Expr: TypeAlias = Constant | ListLiteral | _Reference | _Operator | _Function
TRUE, FALSE = Constant(True), Constant(False)


# --- statements ------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Write:
    """Output of text: pieces of the template, and expressions whose values are strings."""

    pieces: tuple[str | Expr, ...]


@dataclass(frozen=True)
class If:
    """Branches in order, each with its test, and the statements for when none is taken."""

    branches: tuple[tuple[Expr, tuple[Statement, ...]], ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True)
class For:
    """Loop; `index` is the variable that counts from 0, `test` the condition for an item to be taken."""

    targets: tuple[str, ...]
    source: Expr
    body: tuple[Statement, ...]
    index: str | None = None
    test: Expr | None = None


@dataclass(frozen=True)
class Assign:
    """Assignment to a variable."""

    name: str
    value: Expr


Statement: TypeAlias = Write | If | For | Assign


@dataclass(frozen=True)
class Template:
    """Checked template, or a table: the path of its file, None without one, and its statements."""

    origin: str | None
    body: tuple[Statement, ...]


# --- questions about expressions, and rewriting them ------------------------------------------------------------------
def is_reference(expr: Expr) -> bool:
    """Return whether type checkers narrow the type of this expression: a variable, its attributes, constant items."""
    while isinstance(expr, Attribute) or (isinstance(expr, Subscript) and isinstance(expr.index, Constant)):
        expr = expr.base
    return isinstance(expr, This | Local)


def mentions_local(tree: object, local: Local) -> bool:
    """Return whether a variable is used in an expression, a statement or a tuple of them."""
    if tree == local:
        return True
    if isinstance(tree, tuple):
        return any(mentions_local(part, local) for part in cast(tuple[object, ...], tree))
    return is_dataclass(tree) and any(mentions_local(getattr(tree, field.name), local) for field in fields(tree))


def substitute_local(tree: Any, local: Local, replacement: Expr) -> Any:
    """Replace a variable in an expression, a statement or a tuple of them."""
    if tree == local:
        return replacement
    if isinstance(tree, tuple):
        return tuple(substitute_local(part, local, replacement) for part in cast(tuple[object, ...], tree))
    if not is_dataclass(tree) or isinstance(tree, type):
        return tree
    parts = {field.name: substitute_local(getattr(tree, field.name), local, replacement) for field in fields(tree)}
    return replace(tree, **parts)


def make_comprehension(local: Local, source: Expr, item: Expr, test: Expr | None = None) -> Expr:
    """Return `item for local in source if test`.

    A comprehension over a comprehension becomes a single one where possible; `local for local in source` is `source`.
    """
    if item == local and test is None:
        return source
    if isinstance(source, Comprehension):
        source_local = Local(source.name)
        if source.item == source_local or (source.test is None and test is None):
            inlined_test = None if test is None else substitute_local(test, local, source.item)
            tests = tuple(part for part in (source.test, inlined_test) if part)
            joined = None if not tests else tests[0] if len(tests) == 1 else Logic("and", tests)
            return Comprehension(source.name, source.source, substitute_local(item, local, source.item), joined)
    return Comprehension(local.name, source, item, test)
