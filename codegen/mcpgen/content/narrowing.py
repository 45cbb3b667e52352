"""What tests have shown at a place in a template, variables, and how values are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from mcpgen.content.value_types import join_types
from mcpgen.ir.template import (
    FALSE,
    TRUE,
    Attribute,
    Compare,
    Constant,
    Expr,
    IsNone,
    IsSet,
    Local,
    Logic,
    Not,
    TemplateType,
    is_reference,
    mentions_local,
)
from mcpgen.ir.types import Type as JsonType


class TemplateRefused(Exception):
    """A problem was found and noted; what is around it cannot be judged."""


@dataclass(frozen=True)
class TemplateProblem:
    """Something wrong in a template, at an offset."""

    code: str
    message: str
    offset: int
    help: str = ""


@dataclass(frozen=True)
class Absence:
    """That a value can be missing: the condition under which it is there, and what that shows of others."""

    present: Expr
    why: str
    shows: tuple[tuple[Expr, JsonType], ...] = ()


@dataclass(frozen=True)
class Value:
    """An expression with its type, and whether it can be missing."""

    expr: Expr
    type: TemplateType
    absent: Absence | None = None


@dataclass(frozen=True)
class Facts:
    """What holds at a place: narrowed types, values that are there, values that are true in a condition."""

    types: Mapping[Expr, JsonType] = field(default_factory=dict[Expr, JsonType])
    present: frozenset[Expr] = frozenset()
    truthy: frozenset[Expr] = frozenset()

    def with_type(self, expr: Expr, type: JsonType) -> Facts:
        """With a type for an expression that the type checkers follow."""
        return replace(self, types={**self.types, expr: type}) if is_reference(expr) else self

    def with_present(self, value: Value) -> Facts:
        """With a value that is there."""
        out = replace(self, present=self.present | {value.expr})
        for expr, type in value.absent.shows if value.absent is not None else ():
            out = out.with_type(expr, type)
        return out

    def with_truthy(self, expr: Expr) -> Facts:
        """With a value that is true in a condition."""
        return replace(self, truthy=self.truthy | {expr})

    def without_local(self, local: Local) -> Facts:
        """What still holds when a variable gets another value."""
        return Facts(
            {expr: type for expr, type in self.types.items() if not mentions_local(expr, local)},
            frozenset(expr for expr in self.present if not mentions_local(expr, local)),
            frozenset(expr for expr in self.truthy if not mentions_local(expr, local)),
        )

    def intersect_with(self, other: Facts) -> Facts:
        """What holds here and there."""
        types = {expr: join_types(type, other.types[expr]) for expr, type in self.types.items() if expr in other.types}
        return Facts(types, self.present & other.present, self.truthy & other.truthy)


@dataclass(frozen=True)
class Condition:
    """A test, and what holds when it is met and when it is not."""

    expr: Expr
    yes: Facts
    no: Facts


def evaluate_test(expr: Expr) -> bool | None:
    """The outcome of a test that is known already."""
    return expr.value if isinstance(expr, Constant) and isinstance(expr.value, bool) else None


_OPPOSITE_OPERATORS = {"==": "!=", "!=": "==", "in": "not in", "not in": "in"}


def negate_test(expr: Expr) -> Expr:
    """The opposite of a test."""
    match expr:
        case Constant(value=value):
            return Constant(not value)
        case Not(operand=operand):
            return operand
        case Compare(first=first, others=((op, second),)) if op in _OPPOSITE_OPERATORS:
            return Compare(first, ((_OPPOSITE_OPERATORS[op], second),))
        case _:
            return Not(expr)


def conjoin_tests(tests: list[Expr]) -> Expr:
    """All of these."""
    parts: list[Expr] = []
    for test in tests:
        known = evaluate_test(test)
        if known is False:
            return FALSE
        if known is None:
            parts += test.parts if isinstance(test, Logic) and test.operator == "and" else (test,)
    return TRUE if not parts else parts[0] if len(parts) == 1 else Logic("and", tuple(parts))


def disjoin_tests(one: Expr, two: Expr) -> Expr:
    """Either of two."""
    if evaluate_test(one) is True or evaluate_test(two) is True:
        return TRUE
    if evaluate_test(one) is False:
        return two
    return one if evaluate_test(two) is False else Logic("or", (one, two))


def is_none_when_absent(value: Value) -> bool:
    """Whether a value that is absent is None in Python."""
    match value.absent:
        case Absence(present=Not(operand=IsNone(operand=operand))):
            return operand == value.expr
        case Absence(present=IsSet(base=base, name=name)):
            return value.expr == Attribute(base, name)
        case _:
            return False


@dataclass(frozen=True)
class TemplateVariable:
    """A variable of the template: what it stands for; None where something about it was wrong."""

    value: Value | None
    partial: bool = False
    """Set in some branches only."""


@dataclass(frozen=True)
class LoopState:
    """The loop around a place: its counter, and what it goes over where its length is asked for."""

    index: Local
    items: Expr | None
