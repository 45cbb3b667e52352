"""Combine two values of which the generated code takes one."""

from __future__ import annotations

from jinja2 import nodes

from mcpgen.content.conditions import conjoin_tests, evaluate_test
from mcpgen.content.context import CheckContext
from mcpgen.content.truth import make_truth_test
from mcpgen.content.type_narrowing import narrow_to_truthy
from mcpgen.content.value_types import is_json, join_types
from mcpgen.content.values import Value, is_none_when_absent
from mcpgen.ir.template import Conditional, ListLiteral, Logic, Markup, Not, TemplateType
from mcpgen.ir.types import ANY, Array
from mcpgen.ir.types import Type as JsonType


def merge_branch_types(
    context: CheckContext, left: TemplateType, right: TemplateType, node: nodes.Expr
) -> TemplateType:
    """Return a type for both of two values."""
    if is_json(left) and is_json(right):
        return join_types(left, right)
    if left == right:
        return left
    for markup, other_type in ((left, right), (right, left)):
        if isinstance(markup, Markup) and context.types.has_only_kinds(other_type, ("string",)):
            return markup
    describe = context.types.describe_type
    context.refuse_type(f"this is either {describe(left)} or {describe(right)}", node)


def make_fallback(context: CheckContext, value: Value, fallback: Value, node: nodes.Expr) -> Value:
    """Return `value or fallback`, where an absent value is false."""
    if not is_json(value.type) or not is_json(fallback.type):
        describe = context.types.describe_type
        context.refuse_type(f"this is either {describe(value.type)} or {describe(fallback.type)}", node)
    test = make_truth_test(context, value.expr, value.type, node)
    outcome = evaluate_test(test)
    if outcome is False and value.absent is None:
        return fallback
    type = _get_fallback_type(context, value.type, fallback)
    if value.absent is None or is_none_when_absent(value):
        if test == value.expr or value.absent is not None or isinstance(test, Not):
            return Value(Logic("or", (value.expr, fallback.expr)), type)
        if outcome is True:
            return value
    if value.absent is not None:
        test = conjoin_tests(value.absent.present, test)
    return Value(Conditional(test, value.expr, fallback.expr), type)


def _get_fallback_type(context: CheckContext, type: JsonType, fallback: Value) -> JsonType:
    """Return the type of `value or fallback`; an empty list takes on the type of a list."""
    truthy = narrow_to_truthy(context.types, type)
    if fallback.expr == ListLiteral(()):
        is_list = all(isinstance(atom, Array) for atom in context.types.split_atoms(truthy))
        return truthy if is_list else join_types(truthy, ANY)
    assert is_json(fallback.type)
    return join_types(truthy, fallback.type)
