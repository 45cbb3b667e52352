"""Check the expressions of a template against the types of its values."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import TypeVar

from jinja2 import nodes

from mcpgen.content.conditions import check_comparison_chain, check_test, negate_condition
from mcpgen.content.context import CheckContext, TemplateRefused
from mcpgen.content.filters import FILTERS, check_filter
from mcpgen.content.members import check_item, check_loop_member, check_member, check_name
from mcpgen.content.narrowing import (
    check_truth,
    is_always_true,
    make_fallback,
    make_truth_test,
    merge_branch_types,
    narrow_by_truth,
)
from mcpgen.content.operands import check_defined, check_json, check_number, check_text
from mcpgen.content.syntax import format_expression, get_literal_integer, quote_expression
from mcpgen.content.type_lookup import (
    BOOLEAN,
    INTEGER,
    NUMBER,
    STRING,
    TypeLookup,
    get_literal_type,
    is_json,
    join_types,
    widen_type,
)
from mcpgen.content.values import Absence, Condition, Facts, Value, conjoin_tests, disjoin_tests, evaluate_test
from mcpgen.ir import template as code
from mcpgen.ir.types import ANY, Array

_OPERATORS: dict[type[nodes.BinExpr], str] = {
    nodes.Add: "+",
    nodes.Sub: "-",
    nodes.Mul: "*",
    nodes.Div: "/",
    nodes.FloorDiv: "//",
    nodes.Mod: "%",
    nodes.Pow: "**",
}
_MAX_EXPRESSION_DEPTH = 40
"""Python's parser limits how deep the generated expressions may be nested."""
_T = TypeVar("_T")
_MAX_EXPONENT = 64
_METHOD_ADVICE = {"items": "write `| items`", "keys": "go through it by a loop", "get": "write [key] | default(…)"}


# --- arithmetic ------------------------------------------------------------------------------------------------------
def _check_sign(context: CheckContext, node: nodes.Neg | nodes.Pos, facts: Facts) -> Value:
    operator = "-" if isinstance(node, nodes.Neg) else "+"
    if isinstance(node.node, nodes.Const) and isinstance(node.node.value, int | float):
        value = -node.node.value if operator == "-" else +node.node.value
        return Value(code.Constant(value), get_literal_type(value))
    expr, type = check_number(context, node.node, facts, f"`{operator}`")
    return Value(code.Sign(operator, expr), type)


def _check_operation(context: CheckContext, node: nodes.BinExpr, facts: Facts) -> Value:
    operator = _OPERATORS[node.__class__]
    if operator == "+" and (text := _check_text_sum(context, node, facts)) is not None:
        return text
    left, left_type = check_number(context, node.left, facts, f"`{operator}`")
    right, right_type = check_number(context, node.right, facts, f"`{operator}`")
    if operator == "**":
        exponent = get_literal_integer(node.right)
        if exponent is None or not 0 <= exponent <= _MAX_EXPONENT:
            context.refuse_unsupported("`**` with anything but a small literal exponent", node.right)
    if operator in ("/", "//", "%") and not _is_nonzero(context, right, node.right, facts):
        help = f"guard it: {{% if {format_expression(node.right)} %}}"
        context.refuse("MG505", f"`{operator}` by {quote_expression(node.right)}, which may be 0", node.right, help)
    is_integer = operator != "/" and left_type == INTEGER and right_type == INTEGER
    return Value(code.Operation(operator, left, right), INTEGER if is_integer else NUMBER)


def _check_text_sum(context: CheckContext, node: nodes.BinExpr, facts: Facts) -> Value | None:
    left, left_type = check_json(context, node.left, facts)
    right, right_type = check_json(context, node.right, facts)
    types = context.types
    are_strings = [types.has_only_kinds(type, ("string",)) for type in (left_type, right_type)]
    if all(are_strings):
        return Value(code.Operation("+", left.expr, right.expr), STRING)
    if any(are_strings):
        message = f"`+` of {types.describe_type(left_type)} and {types.describe_type(right_type)}"
        context.refuse_type(message, node.right, "join texts by `~`")
    return None


def _is_nonzero(context: CheckContext, expr: code.Expr, node: nodes.Expr, facts: Facts) -> bool:
    if isinstance(expr, code.Constant):
        return bool(expr.value)
    if expr in facts.truthy:
        return True
    if isinstance(expr, code.Call) and expr.function == "len" and expr.arguments[0] in facts.truthy:
        return True
    type = context.check_value(node, facts).type
    return is_json(type) and all(is_always_true(context.types, atom) for atom in context.types.split_atoms(type))


# --- logic -----------------------------------------------------------------------------------------------------------
def _check_conditional(context: CheckContext, node: nodes.CondExpr, facts: Facts) -> Value:
    condition = context.check_condition(node.test, facts)
    outcome = evaluate_test(condition.expr)
    then = check_defined(context, node.expr1, condition.yes)
    if node.expr2 is None:
        if outcome is True:
            return then
        return Value(then.expr, then.type, Absence(condition.expr, "without an `else` there may be nothing here"))
    otherwise = check_defined(context, node.expr2, condition.no)
    if outcome is not None:
        return then if outcome else otherwise
    type = merge_branch_types(context, then.type, otherwise.type, node)
    return Value(code.Conditional(condition.expr, then.expr, otherwise.expr), type)


def _check_logic(context: CheckContext, node: nodes.And | nodes.Or, facts: Facts) -> Value:
    condition = context.check_condition(node.left, facts)
    if isinstance(node, nodes.Or):
        value = context.check_value(node.left, facts)
        return make_fallback(context, value, check_defined(context, node.right, condition.no), node)
    left, left_type = check_json(context, node.left, facts)
    right, right_type = check_json(context, node.right, condition.yes)
    if make_truth_test(context, left.expr, left_type, node.left) != left.expr:
        context.refuse_unsupported("`and` as a value of this type", node, "use an inline `if`")
    type = join_types(narrow_by_truth(context.types, left_type, False), right_type)
    return Value(code.Logic("and", (left.expr, right.expr)), type)


def _check_conjunction(context: CheckContext, node: nodes.And, facts: Facts) -> Condition:
    left = context.check_condition(node.left, facts)
    right = context.check_condition(node.right, left.yes)
    return Condition(conjoin_tests(left.expr, right.expr), right.yes, left.no.intersect_with(right.no))


def _check_disjunction(context: CheckContext, node: nodes.Or, facts: Facts) -> Condition:
    left = context.check_condition(node.left, facts)
    right = context.check_condition(node.right, left.no)
    return Condition(disjoin_tests(left.expr, right.expr), left.yes.intersect_with(right.yes), right.no)


# --- calls -----------------------------------------------------------------------------------------------------------
def check_call(context: CheckContext, node: nodes.Call, facts: Facts) -> Value:
    """Check `loop.cycle(…)` or `range(…)`; other calls are refused."""
    function = node.node
    if isinstance(function, nodes.Getattr):
        base, name = function.node, function.attr
        if isinstance(base, nodes.Name) and base.name == "loop" and name == "cycle":
            return _check_cycle(context, node, facts)
        help = _METHOD_ADVICE.get(name, f"`| {name}`?" if name in FILTERS else "")
        context.refuse_unsupported(f"the call of `.{name}()`", function, help)
    if isinstance(function, nodes.Name) and function.name == "range" and "range" not in context.scope.variables:
        return _check_range(context, node, facts)
    context.refuse_unsupported(f"the call of {quote_expression(function)}", function)


def _check_cycle(context: CheckContext, node: nodes.Call, facts: Facts) -> Value:
    loop = context.scope.loop
    if loop is None:
        context.refuse("MG503", "there is no `loop` outside of a loop", node.node)
    if not node.args or node.kwargs or node.dyn_args or node.dyn_kwargs:
        context.refuse_unsupported("`loop.cycle` without values", node)
    values = [check_json(context, argument, facts) for argument in node.args]
    assert loop.index is not None
    index = code.Operation("%", loop.index, code.Constant(len(values)))
    chosen = code.Subscript(code.ListLiteral(tuple(value.expr for value, _ in values)), index)
    return Value(chosen, join_types(*(widen_type(type) for _, type in values)))


def _check_range(context: CheckContext, node: nodes.Call, facts: Facts) -> Value:
    if not 1 <= len(node.args) <= 3 or node.kwargs or node.dyn_args or node.dyn_kwargs:
        context.refuse_unsupported("this call of `range`", node)
    arguments: list[code.Expr] = []
    for position, argument in enumerate(node.args):
        expr, type = check_number(context, argument, facts, "`range`")
        if type != INTEGER or (position == 2 and not (isinstance(expr, code.Constant) and expr.value)):
            context.refuse_type("`range` needs integers, and a step that is a literal and not 0", argument)
        arguments.append(expr)
    return Value(code.Call("range", tuple(arguments)), code.Stream(INTEGER))


# --- recursion -------------------------------------------------------------------------------------------------------
class ExpressionChecker(CheckContext):
    """Recursion into expressions, each checked once for the facts that hold there."""

    def __init__(self, types: TypeLookup) -> None:
        super().__init__(types)
        self._depth = 0
        self._values: dict[tuple[nodes.Expr, Facts], Value | None] = {}
        self._conditions: dict[tuple[nodes.Expr, Facts], Condition | None] = {}

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
            self._depth += 1
            try:
                if self._depth > _MAX_EXPRESSION_DEPTH:
                    self.refuse_unsupported(f"what is nested more than {_MAX_EXPRESSION_DEPTH} levels deep", node)
                results[key] = check(node, facts)
            finally:
                self._depth -= 1
        result = results[key]
        if result is None:
            raise TemplateRefused
        return result

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
                return _check_logic(self, node, facts)
            case nodes.CondExpr():
                return _check_conditional(self, node, facts)
            case nodes.Concat(nodes=parts):
                return Value(code.Concat(tuple(check_text(self, part, facts) for part in parts)), STRING)
            case nodes.Neg() | nodes.Pos():
                return _check_sign(self, node, facts)
            case nodes.BinExpr():
                return _check_operation(self, node, facts)
            case nodes.List() | nodes.Tuple():
                return self._check_list_literal(node, facts)
            case nodes.Call():
                return check_call(self, node, facts)
            case _:
                self.refuse_unsupported(f"a {type(node).__name__.lower()}", node)

    def _check_condition(self, node: nodes.Expr, facts: Facts) -> Condition:
        match node:
            case nodes.Not(node=operand):
                return negate_condition(self.check_condition(operand, facts))
            case nodes.And():
                return _check_conjunction(self, node, facts)
            case nodes.Or():
                return _check_disjunction(self, node, facts)
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
        return Value(code.Constant(value), get_literal_type(value))

    def _check_list_literal(self, node: nodes.List | nodes.Tuple, facts: Facts) -> Value:
        values = [check_json(self, item, facts) for item in node.items]
        item = join_types(*(widen_type(type) for _, type in values)) if values else ANY
        list_type = Array(item) if isinstance(node, nodes.List) else code.Stream(item)
        return Value(code.ListLiteral(tuple(value.expr for value, _ in values)), list_type)

    def _apply_facts(self, value: Value, facts: Facts) -> Value:
        if is_json(value.type):
            self.declared_types[value.expr] = value.type
        absent = None if value.expr in facts.present else value.absent
        return Value(value.expr, facts.types.get(value.expr, value.type), absent)
