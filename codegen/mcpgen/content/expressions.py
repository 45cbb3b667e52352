"""Check the expressions of a template against the types of its values."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from math import isfinite
from typing import NoReturn, TypeVar

from jinja2 import nodes

from mcpgen.content import operators
from mcpgen.content.attributes import check_loop_member, check_member, check_name
from mcpgen.content.comparisons import check_comparison_chain, negate_condition
from mcpgen.content.filters import check_filter
from mcpgen.content.jinja_tests import check_test
from mcpgen.content.narrowing import Condition, Facts
from mcpgen.content.operands import check_defined, check_json, check_text
from mcpgen.content.problems import ProblemLog, TemplateRefused
from mcpgen.content.scope import Scope
from mcpgen.content.subscripts import check_item
from mcpgen.content.truth import check_truth
from mcpgen.content.type_lookup import TypeLookup
from mcpgen.content.value_types import BOOLEAN, STRING, get_literal_type, is_json, join_types, widen_type
from mcpgen.content.values import Value
from mcpgen.ir.template import Concat, Constant, Expr, ListLiteral, Stream
from mcpgen.ir.types import ANY, Array
from mcpgen.ir.types import Type as JsonType

_MAX_EXPRESSION_DEPTH = 40
"""Python's parser limits how deep the generated expressions may be nested."""
_T = TypeVar("_T")


class ExpressionChecker:
    """Recursion into expressions, each checked once for the facts that hold there. Implements `CheckContext`."""

    def __init__(self, types: TypeLookup, scope: Scope, log: ProblemLog) -> None:
        self.types, self.scope = types, scope
        self.declared_types: dict[Expr, JsonType] = {}
        self._log = log
        self._depth = 0
        self._values: dict[tuple[nodes.Expr, Facts], Value | None] = {}
        self._conditions: dict[tuple[nodes.Expr, Facts], Condition | None] = {}

    # --- problems -------------------------------------------------------------------------------------------------
    def refuse(self, code: str, message: str, node: nodes.Node, help: str = "") -> NoReturn:
        """Record a problem and raise `TemplateRefused`."""
        self._log.refuse(code, message, node, help)

    def refuse_unsupported(self, construct: str, node: nodes.Node, help: str = "") -> NoReturn:
        """Record that a construct cannot be compiled and raise `TemplateRefused`."""
        self.refuse("MG502", f"{construct} cannot be compiled", node, help)

    def refuse_type(self, message: str, node: nodes.Node, help: str = "") -> NoReturn:
        """Record that a value has the wrong type and raise `TemplateRefused`."""
        self.refuse("MG505", message, node, help)

    def note_printed_null(self, message: str, node: nodes.Node, help: str) -> None:
        """Record that a node prints `None` for null, which is valid but seldom meant."""
        self._log.note_printed_null(message, node, help)

    # --- recursion ------------------------------------------------------------------------------------------------
    def check_value(self, node: nodes.Expr, facts: Facts) -> Value:
        """Check an expression, which may be absent."""
        return self._check_once(self._values, self._check_value, node, facts)

    def check_condition(self, node: nodes.Expr, facts: Facts) -> Condition:
        """Check an expression as a condition."""
        return self._check_once(self._conditions, self._check_condition, node, facts)

    def _check_once(
        self,
        results: dict[tuple[nodes.Expr, Facts], _T | None],
        check: Callable[[nodes.Expr, Facts], _T],
        node: nodes.Expr,
        facts: Facts,
    ) -> _T:
        """Return the earlier result for a node (nodes and facts are compared by identity), None if it was refused."""
        key = (node, facts)
        if key not in results:
            results[key] = None
            with self._nest(node):
                results[key] = check(node, facts)
        result = results[key]
        if result is None:
            raise TemplateRefused
        return result

    @contextmanager
    def _nest(self, node: nodes.Expr) -> Generator[None]:
        self._depth += 1
        try:
            if self._depth > _MAX_EXPRESSION_DEPTH:
                self.refuse_unsupported(f"what is nested more than {_MAX_EXPRESSION_DEPTH} levels deep", node)
            yield
        finally:
            self._depth -= 1

    def _check_value(self, node: nodes.Expr, facts: Facts) -> Value:
        match node:
            case nodes.Const():
                return self._check_literal(node)
            case nodes.Name():
                return self._apply_facts(check_name(self, node), facts)
            case nodes.Getattr(node=base, attr=name):
                if isinstance(base, nodes.Name) and base.name == "loop" and "loop" not in self.scope.variables:
                    return check_loop_member(self, node, name)
                return self._apply_facts(check_member(self, check_defined(self, base, facts), name, node), facts)
            case nodes.Getitem():
                return self._apply_facts(check_item(self, node, facts), facts)
            case nodes.Filter():
                return check_filter(self, node, facts)
            case nodes.Test() | nodes.Not() | nodes.Compare():
                return Value(self.check_condition(node, facts).expr, BOOLEAN)
            case nodes.And() | nodes.Or():
                return operators.check_logic(self, node, facts)
            case nodes.CondExpr():
                return operators.check_conditional(self, node, facts)
            case nodes.Concat(nodes=parts):
                return Value(Concat(tuple(check_text(self, part, facts) for part in parts)), STRING)
            case nodes.Neg() | nodes.Pos():
                return operators.check_sign(self, node, facts)
            case nodes.BinExpr():
                return operators.check_operation(self, node, facts)
            case nodes.List() | nodes.Tuple():
                return self._check_list_literal(node, facts)
            case nodes.Call():
                return operators.check_call(self, node, facts)
            case _:
                self.refuse_unsupported(f"a {type(node).__name__.lower()}", node)

    def _check_condition(self, node: nodes.Expr, facts: Facts) -> Condition:
        match node:
            case nodes.Not(node=operand):
                return negate_condition(self.check_condition(operand, facts))
            case nodes.And():
                return operators.check_conjunction(self, node, facts)
            case nodes.Or():
                return operators.check_disjunction(self, node, facts)
            case nodes.Test():
                return check_test(self, node, facts)
            case nodes.Compare():
                return check_comparison_chain(self, node, facts)
            case _:
                return check_truth(self, node, facts)

    # --- literals and facts ---------------------------------------------------------------------------------------
    def _check_literal(self, node: nodes.Const) -> Value:
        value = node.value
        if isinstance(value, float) and not isfinite(value):
            self.refuse_unsupported("a number beyond all floats", node)
        if isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value):
            self.refuse_unsupported("half of a surrogate pair", node)
        return Value(Constant(value), get_literal_type(value))

    def _check_list_literal(self, node: nodes.List | nodes.Tuple, facts: Facts) -> Value:
        values = [check_json(self, item, facts) for item in node.items]
        item = join_types(*(widen_type(type) for _, type in values)) if values else ANY
        list_type = Array(item) if isinstance(node, nodes.List) else Stream(item)
        return Value(ListLiteral(tuple(value.expr for value, _ in values)), list_type)

    def _apply_facts(self, value: Value, facts: Facts) -> Value:
        """Return a value with the type and presence that conditions have proven."""
        if is_json(value.type):
            self.declared_types[value.expr] = value.type
        absent = None if value.expr in facts.present else value.absent
        return Value(value.expr, facts.types.get(value.expr, value.type), absent)
