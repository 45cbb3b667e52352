"""Values in a template: an expression of the generated code, its type, and when it is absent."""

from __future__ import annotations

from dataclasses import dataclass

from mcpgen.ir.template import Attribute, Expr, IsNone, IsSet, Not, TemplateType
from mcpgen.ir.types import Type as JsonType


@dataclass(frozen=True)
class Absence:
    """Condition under which a value is present.

    `why` is the message for a use without a guard. `narrowed` holds (expression, type) pairs: the types that other
    expressions have where the value is present.
    """

    present: Expr
    why: str
    narrowed: tuple[tuple[Expr, JsonType], ...] = ()


@dataclass(frozen=True)
class Value:
    """Expression with its type; `absent` is None if the value is always present."""

    expr: Expr
    type: TemplateType
    absent: Absence | None = None


def is_none_when_absent(value: Value) -> bool:
    """Return whether Python's None stands for the value where it is absent."""
    match value.absent:
        case Absence(present=Not(operand=IsNone(operand=operand))):
            return operand == value.expr
        case Absence(present=IsSet(base=base, name=name)):
            return value.expr == Attribute(base, name)
        case _:
            return False
