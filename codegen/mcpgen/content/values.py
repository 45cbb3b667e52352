"""Values in a template, the conditions and texts of the generated code, and what conditions prove about values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby

from mcpgen.content.type_lookup import join_types
from mcpgen.ir import template as code
from mcpgen.ir.template import is_reference, mentions_local
from mcpgen.ir.types import Type as JsonType

_OPPOSITE_OPERATORS = {"==": "!=", "!=": "==", "in": "not in", "not in": "in"}


@dataclass(frozen=True)
class Absence:
    """Condition under which a value is present.

    `why` is the message for a use without a guard. `narrowed` holds (expression, type) pairs: the types that other
    expressions have where the value is present.
    """

    present: code.Expr
    why: str
    narrowed: tuple[tuple[code.Expr, JsonType], ...] = ()


@dataclass(frozen=True)
class Value:
    """Expression with its type; `absent` is None if the value is always present."""

    expr: code.Expr
    type: code.TemplateType
    absent: Absence | None = None


def is_none_when_absent(value: Value) -> bool:
    """Return whether Python's None stands for the value where it is absent."""
    match value.absent:
        case Absence(present=code.Not(operand=code.IsNone(operand=operand))):
            return operand == value.expr
        case Absence(present=code.IsSet(base=base, name=name)):
            return value.expr == code.Attribute(base, name)
        case _:
            return False


# --- conditions ------------------------------------------------------------------------------------------------------
def evaluate_test(test: code.Expr) -> bool | None:
    """Return the outcome of a test if it is constant, None otherwise."""
    return test.value if isinstance(test, code.Constant) and isinstance(test.value, bool) else None


def negate_test(test: code.Expr) -> code.Expr:
    """Return the opposite of a test."""
    match test:
        case code.Constant(value=value):
            return code.Constant(not value)
        case code.Not(operand=operand):
            return operand
        case code.Compare(first=left, others=((operator, right),)) if operator in _OPPOSITE_OPERATORS:
            return code.Compare(left, ((_OPPOSITE_OPERATORS[operator], right),))
        case _:
            return code.Not(test)


def conjoin_tests(*tests: code.Expr) -> code.Expr:
    """Return the test that all of some tests are met."""
    parts: list[code.Expr] = []
    for test in tests:
        outcome = evaluate_test(test)
        if outcome is False:
            return code.FALSE
        if outcome is None:
            parts += test.parts if isinstance(test, code.Logic) and test.operator == "and" else (test,)
    if not parts:
        return code.TRUE
    return parts[0] if len(parts) == 1 else code.Logic("and", tuple(parts))


def disjoin_tests(left: code.Expr, right: code.Expr) -> code.Expr:
    """Return the test that at least one of two tests is met."""
    if evaluate_test(left) is True or evaluate_test(right) is True:
        return code.TRUE
    if evaluate_test(left) is False:
        return right
    return left if evaluate_test(right) is False else code.Logic("or", (left, right))


# --- texts -----------------------------------------------------------------------------------------------------------
def merge_texts(statements: Iterable[code.Statement]) -> tuple[code.Statement, ...]:
    """Merge neighbouring texts, constants among them, and drop empty ones."""
    merged: list[code.Statement] = []
    for is_text, group in groupby(statements, lambda statement: isinstance(statement, code.Write)):
        if not is_text:
            merged += group
        elif pieces := _join_pieces(piece for text in group if isinstance(text, code.Write) for piece in text.pieces):
            merged.append(code.Write(pieces))
    return tuple(merged)


def _join_pieces(pieces: Iterable[str | code.Expr]) -> tuple[str | code.Expr, ...]:
    joined: list[str | code.Expr] = []
    for piece in pieces:
        text = piece.value if isinstance(piece, code.Constant) else piece
        if isinstance(text, str) and joined and isinstance(joined[-1], str):
            joined[-1] += text
        elif isinstance(text, str):
            joined += [text] if text else []
        else:
            joined.append(piece)
    return tuple(joined)


# --- facts -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class Facts:
    """Facts at a place, compared by identity: narrowed types, and what is present, or true in a condition."""

    types: Mapping[code.Expr, JsonType] = field(default_factory=dict[code.Expr, JsonType])
    present: frozenset[code.Expr] = frozenset()
    truthy: frozenset[code.Expr] = frozenset()

    def with_type(self, expr: code.Expr, type: JsonType) -> Facts:
        """Add the narrowed type of an expression, if type checkers narrow such an expression too."""
        return replace(self, types={**self.types, expr: type}) if is_reference(expr) else self

    def with_present(self, value: Value) -> Facts:
        """Add that a value is present, with the types that this narrows."""
        facts = replace(self, present=self.present | {value.expr})
        for expr, type in value.absent.narrowed if value.absent is not None else ():
            facts = facts.with_type(expr, type)
        return facts

    def with_truthy(self, expr: code.Expr) -> Facts:
        """Add that an expression is true in a condition."""
        return replace(self, truthy=self.truthy | {expr})

    def with_nonzero(self, expr: code.Expr) -> Facts:
        """Add that a number is not 0; if it is a length, its list is not empty."""
        facts = self
        if isinstance(expr, code.Call) and expr.function == "len":
            facts = facts.with_truthy(expr.arguments[0])
        return facts.with_truthy(expr)

    def drop_local(self, local: code.Local) -> Facts:
        """Return the facts that still hold after a variable was assigned."""
        return Facts(
            {expr: type for expr, type in self.types.items() if not mentions_local(expr, local)},
            frozenset(expr for expr in self.present if not mentions_local(expr, local)),
            frozenset(expr for expr in self.truthy if not mentions_local(expr, local)),
        )

    def intersect_with(self, other: Facts) -> Facts:
        """Return the facts that both places share."""
        types = {expr: join_types(type, other.types[expr]) for expr, type in self.types.items() if expr in other.types}
        return Facts(types, self.present & other.present, self.truthy & other.truthy)


@dataclass(frozen=True)
class Condition:
    """Test, with the facts that hold where it is met (`yes`) and where it is not (`no`)."""

    expr: code.Expr
    yes: Facts
    no: Facts
