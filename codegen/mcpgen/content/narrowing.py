"""Facts: what conditions prove about values at a place in a template."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from mcpgen.content.value_types import join_types
from mcpgen.content.values import Value
from mcpgen.ir.template import Call, Expr, Local, is_reference, mentions_local
from mcpgen.ir.types import Type as JsonType


@dataclass(frozen=True, eq=False)
class Facts:
    """Facts that hold at a place: narrowed types, values that are present, values that are true in a condition.

    Compared by identity, so that facts can be part of a dictionary's keys.
    """

    types: Mapping[Expr, JsonType] = field(default_factory=dict[Expr, JsonType])
    present: frozenset[Expr] = frozenset()
    truthy: frozenset[Expr] = frozenset()

    def with_type(self, expr: Expr, type: JsonType) -> Facts:
        """Add the narrowed type of an expression, if type checkers narrow such an expression too."""
        return replace(self, types={**self.types, expr: type}) if is_reference(expr) else self

    def with_present(self, value: Value) -> Facts:
        """Add that a value is present, with the types that this narrows."""
        facts = replace(self, present=self.present | {value.expr})
        for expr, type in value.absent.narrowed if value.absent is not None else ():
            facts = facts.with_type(expr, type)
        return facts

    def with_truthy(self, expr: Expr) -> Facts:
        """Add that an expression is true in a condition."""
        return replace(self, truthy=self.truthy | {expr})

    def with_nonzero(self, expr: Expr) -> Facts:
        """Add that a number is not 0; if it is a length, its list is not empty."""
        facts = self
        if isinstance(expr, Call) and expr.function == "len":
            facts = facts.with_truthy(expr.arguments[0])
        return facts.with_truthy(expr)

    def drop_local(self, local: Local) -> Facts:
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

    expr: Expr
    yes: Facts
    no: Facts
