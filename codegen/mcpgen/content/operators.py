"""Operators and calls in a template."""

from __future__ import annotations

from jinja2 import nodes

from mcpgen.content import filters, jinja_tests
from mcpgen.content.combine import make_fallback, merge_branch_types
from mcpgen.content.context import CheckContext
from mcpgen.content.messages import format_expression, get_literal_integer, quote_expression
from mcpgen.content.narrowing import Absence, Condition, Facts, Value, evaluate_test
from mcpgen.content.value_types import INTEGER, NUMBER, STRING, get_literal_type, is_json, join_types, widen_type
from mcpgen.ir.template import (
    Call,
    Compare,
    Conditional,
    Constant,
    Expr,
    ListLiteral,
    Logic,
    Operation,
    Sign,
    Stream,
    Subscript,
)
from mcpgen.ir.types import Type as JsonType

_OPERATORS: dict[type[nodes.BinExpr], str] = {
    nodes.Add: "+",
    nodes.Sub: "-",
    nodes.Mul: "*",
    nodes.Div: "/",
    nodes.FloorDiv: "//",
    nodes.Mod: "%",
    nodes.Pow: "**",
}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "lteq": "<=", "gt": ">", "gteq": ">="}


def check_sign(context: CheckContext, node: nodes.Neg | nodes.Pos, facts: Facts) -> Value:
    """`-x` and `+x`."""
    operator = "-" if isinstance(node, nodes.Neg) else "+"
    if isinstance(node.node, nodes.Const) and isinstance(node.node.value, int | float):
        value = -node.node.value if operator == "-" else +node.node.value
        return Value(Constant(value), get_literal_type(value))
    expr, type = context.check_number(node.node, facts, f"`{operator}`")
    return Value(Sign(operator, expr), type)


def check_operation(context: CheckContext, node: nodes.BinExpr, facts: Facts) -> Value:
    """Arithmetic."""
    operator = _OPERATORS[node.__class__]
    if operator == "+":
        (left, left_type), (right, right_type) = (
            context.check_json(node.left, facts),
            context.check_json(node.right, facts),
        )
        if context.types.has_only_kinds(left_type, ("string",)) and context.types.has_only_kinds(
            right_type, ("string",)
        ):
            return Value(Operation("+", left.expr, right.expr), STRING)
        if context.types.has_only_kinds(left_type, ("string",)) or context.types.has_only_kinds(
            right_type, ("string",)
        ):
            message = f"`+` of {context.types.describe_type(left_type)} and {context.types.describe_type(right_type)}"
            context.refuse_type(message, node.right, "join texts by `~`")
    one, one_type = context.check_number(node.left, facts, f"`{operator}`")
    two, two_type = context.check_number(node.right, facts, f"`{operator}`")
    if operator == "**":
        power = get_literal_integer(node.right)
        if power is None or not 0 <= power <= 64:
            context.refuse_unsupported("`**` with anything but a small literal exponent", node.right)
    if operator in ("/", "//", "%") and not _is_nonzero(context, two, two_type, node.right, facts):
        help = f"guard it: {{% if {format_expression(node.right)} %}}"
        context.refuse("MG505", f"`{operator}` by {quote_expression(node.right)}, which may be 0", node.right, help)
    whole = operator != "/" and one_type == INTEGER and two_type == INTEGER
    return Value(Operation(operator, one, two), INTEGER if whole else NUMBER)


def _is_nonzero(context: CheckContext, expr: Expr, type: JsonType, node: nodes.Expr, facts: Facts) -> bool:
    if isinstance(expr, Constant):
        return bool(expr.value)
    if expr in facts.truthy:
        return True
    declared = context.check_value(node, facts).type
    if isinstance(expr, Call) and expr.function == "len" and expr.arguments[0] in facts.truthy:
        return True
    return is_json(declared) and all(map(context.types.is_always_true, context.types.split_atoms(declared)))


def check_conditional(context: CheckContext, node: nodes.CondExpr, facts: Facts) -> Value:
    """An inline `if`."""
    test = context.check_condition(node.test, facts)
    then = context.check_defined(node.expr1, test.yes)
    if node.expr2 is None:
        if evaluate_test(test.expr) is True:
            return then
        return Value(then.expr, then.type, Absence(test.expr, "without an `else` there may be nothing here"))
    other = context.check_defined(node.expr2, test.no)
    if (known := evaluate_test(test.expr)) is not None:
        return then if known else other
    return Value(
        Conditional(test.expr, then.expr, other.expr), merge_branch_types(context, then.type, other.type, node)
    )


def check_logic(context: CheckContext, node: nodes.And | nodes.Or, facts: Facts) -> Value:
    """`and` and `or` as values."""
    left = context.check_condition(node.left, facts)
    if isinstance(node, nodes.And):
        value, one = context.check_json(node.left, facts)
        other, two = context.check_json(node.right, left.yes)
        if context.make_truth_test(value.expr, one, node.left) != value.expr:
            context.refuse_unsupported("`and` as a value of this type", node, "use an inline `if`")
        return Value(Logic("and", (value.expr, other.expr)), join_types(context.types.narrow_to_falsy(one), two))
    value = context.check_value(node.left, facts)
    other = context.check_defined(node.right, left.no)
    return make_fallback(context, value, other, node)


def check_comparison_chain(context: CheckContext, node: nodes.Compare, facts: Facts) -> Condition:
    """A comparison, of two values or in a chain."""
    if len(node.ops) == 1:
        return jinja_tests.check_comparison(context, node.expr, node.ops[0].op, node.ops[0].expr, facts)
    parts: list[tuple[str, Expr]] = []
    left, first = node.expr, jinja_tests.check_operands(context, node.expr, node.ops[0].expr, node.ops[0].op, facts)[0]
    for operand in node.ops:
        if operand.op not in _COMPARISONS:
            context.refuse_unsupported("`in` inside of a chain of comparisons", operand.expr, "write `and`")
        _, right = jinja_tests.check_operands(context, left, operand.expr, operand.op, facts)
        parts.append((_COMPARISONS[operand.op], right))
        left = operand.expr
    return Condition(Compare(first, tuple(parts)), facts, facts)


def check_call(context: CheckContext, node: nodes.Call, facts: Facts) -> Value:
    """`loop.cycle(…)` and `range(…)`; there are no other calls."""
    called = node.node
    if isinstance(called, nodes.Getattr):
        inner = called.node
        if isinstance(inner, nodes.Name) and inner.name == "loop" and called.attr == "cycle":
            return _check_cycle(context, node, facts)
        help = {"items": "write `| items`", "keys": "go through it by a loop", "get": "write [key] | default(…)"}
        advice = help.get(called.attr, f"`| {called.attr}`?" if called.attr in filters.FILTERS else "")
        context.refuse_unsupported(f"the call of `.{called.attr}()`", called, advice)
    if isinstance(called, nodes.Name) and called.name == "range" and "range" not in context.variables:
        return _check_range(context, node, facts)
    context.refuse_unsupported(f"the call of {quote_expression(called)}", called)


def _check_cycle(context: CheckContext, node: nodes.Call, facts: Facts) -> Value:
    if context.loop is None:
        context.refuse("MG503", "there is no `loop` outside of a loop", node.node)
    if not node.args or node.kwargs or node.dyn_args or node.dyn_kwargs:
        context.refuse_unsupported("`loop.cycle` without values", node)
    values = [context.check_json(arg, facts) for arg in node.args]
    turn = Operation("%", context.loop.index, Constant(len(values)))
    chosen = Subscript(ListLiteral(tuple(value.expr for value, _ in values)), turn)
    return Value(chosen, join_types(*(widen_type(type) for _, type in values)))


def _check_range(context: CheckContext, node: nodes.Call, facts: Facts) -> Value:
    if not 1 <= len(node.args) <= 3 or node.kwargs or node.dyn_args or node.dyn_kwargs:
        context.refuse_unsupported("this call of `range`", node)
    arguments: list[Expr] = []
    for position, arg in enumerate(node.args):
        expr, type = context.check_number(arg, facts, "`range`")
        if type != INTEGER or (position == 2 and not (isinstance(expr, Constant) and expr.value)):
            context.refuse_type("`range` needs integers, and a step that is a literal and not 0", arg)
        arguments.append(expr)
    return Value(Call("range", tuple(arguments)), Stream(INTEGER))
