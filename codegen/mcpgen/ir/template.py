"""What a content template does, after checking: frozen statements and expressions over a tool's typed value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from mcpgen.ir import types

ConstantValue: TypeAlias = str | int | float | bool | None


# --- types that only templates have ----------------------------------------------------------------------------------
@dataclass(frozen=True)
class Stream:
    """What can be gone through once: Jinja's generators, which have no length and no text of their own."""

    item: types.Type | KeyValuePair


@dataclass(frozen=True)
class KeyValuePair:
    """A key and its value, to be unpacked by a loop."""

    first: types.Type
    second: types.Type


@dataclass(frozen=True)
class Markup:
    """The text of `tojson`, which Jinja only prints and joins as it is."""


TemplateType: TypeAlias = types.Type | Stream | KeyValuePair | Markup


# --- expressions -----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class This:
    """The result itself, or the value that a root model holds."""

    root: bool


@dataclass(frozen=True)
class Local:
    """A variable of the generated code."""

    name: str


@dataclass(frozen=True)
class Attribute:
    """A property, by its Python name."""

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
    """A literal."""

    value: ConstantValue


@dataclass(frozen=True)
class ListLiteral:
    """`[item, …]`."""

    items: tuple[Expr, ...]


@dataclass(frozen=True)
class Operation:
    """An arithmetic operator between two expressions."""

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
    """`and` and `or`, with Python's values."""

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
    """Whether a property that may be absent or null was given."""

    base: Expr
    name: str


@dataclass(frozen=True)
class IsInstance:
    """`isinstance(operand, …)`, of built-in types by name and generated classes by id."""

    operand: Expr
    types: tuple[str | types.Ref, ...]


@dataclass(frozen=True)
class ToString:
    """The text that Jinja prints for a value: Python's `str` of its JSON value."""

    value: Expr
    type: types.Type


@dataclass(frozen=True)
class ToJson:
    """The JSON value of a typed value."""

    value: Expr
    type: types.Type


@dataclass(frozen=True)
class Concat:
    """Texts, one after the other."""

    parts: tuple[Expr, ...]


@dataclass(frozen=True)
class Call:
    """A call of a built-in function, or of one in the package's `text.py`."""

    function: str
    arguments: tuple[Expr, ...]
    keywords: tuple[tuple[str, Expr], ...] = ()


@dataclass(frozen=True)
class Method:
    """A method of a built-in type."""

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


Expr: TypeAlias = (
    This
    | Local
    | Attribute
    | Subscript
    | Slice
    | Constant
    | ListLiteral
    | Operation
    | Sign
    | Compare
    | Logic
    | Not
    | Conditional
    | IsNone
    | IsSet
    | IsInstance
    | ToString
    | ToJson
    | Concat
    | Call
    | Method
    | Lambda
    | Comprehension
)
TRUE, FALSE, NONE = Constant(True), Constant(False), Constant(None)


# --- statements ------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Write:
    """Text, then: pieces of the template as they are, and expressions whose value is a string."""

    pieces: tuple[str | Expr, ...]


@dataclass(frozen=True)
class If:
    """Branches in order, each with its test, and what happens when none is taken."""

    branches: tuple[tuple[Expr, tuple[Statement, ...]], ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True)
class For:
    """A loop; `index` is the variable that counts from 0, `test` leaves items out."""

    targets: tuple[str, ...]
    source: Expr
    body: tuple[Statement, ...]
    index: str | None = None
    test: Expr | None = None


@dataclass(frozen=True)
class Assign:
    """A variable's value."""

    name: str
    value: Expr


Statement: TypeAlias = Write | If | For | Assign


@dataclass(frozen=True)
class Template:
    """A checked template: where its file is, and what it does."""

    origin: str
    body: tuple[Statement, ...]
