"""Combine what two branches give."""

from __future__ import annotations

from jinja2 import nodes

from mcpgen.content.context import CheckContext
from mcpgen.content.narrowing import Value, conjoin_tests, evaluate_test, is_none_when_absent
from mcpgen.content.value_types import is_json, join_types
from mcpgen.ir.template import Conditional, ListLiteral, Logic, Markup, Not, TemplateType
from mcpgen.ir.types import ANY, Array


def merge_branch_types(context: CheckContext, one: TemplateType, two: TemplateType, node: nodes.Expr) -> TemplateType:
    """A type for both of two values."""
    if is_json(one) and is_json(two):
        return join_types(one, two)
    if one == two:
        return one
    for markup, other in ((one, two), (two, one)):
        if isinstance(markup, Markup) and context.types.has_only_kinds(other, ("string",)):
            return markup
    context.refuse_type(
        f"this is either {context.types.describe_type(one)} or {context.types.describe_type(two)}", node
    )


def make_fallback(context: CheckContext, value: Value, other: Value, node: nodes.Expr) -> Value:
    """`value or other`, where an absent value counts as false."""
    if not is_json(value.type) or not is_json(other.type):
        context.refuse_type(
            f"this is either {context.types.describe_type(value.type)} or {context.types.describe_type(other.type)}",
            node,
        )
    truth = context.make_truth_test(value.expr, value.type, node)
    if evaluate_test(truth) is False and value.absent is None:
        return other
    if other.expr == ListLiteral(()):
        other = Value(other.expr, value.type if isinstance(value.type, Array) else other.type)
        kept = context.types.narrow_to_truthy(value.type)
        type = (
            kept if all(isinstance(atom, Array) for atom in context.types.split_atoms(kept)) else join_types(kept, ANY)
        )
    else:
        assert is_json(other.type)
        type = join_types(context.types.narrow_to_truthy(value.type), other.type)
    if value.absent is None or is_none_when_absent(value):
        if truth == value.expr or value.absent is not None or isinstance(truth, Not):
            return Value(Logic("or", (value.expr, other.expr)), type)
        if evaluate_test(truth) is True:
            return value
    test = truth if value.absent is None else conjoin_tests([value.absent.present, truth])
    return Value(Conditional(test, value.expr, other.expr), type)
