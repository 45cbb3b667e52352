"""Combine what two branches give."""

from __future__ import annotations

from jinja2 import nodes

from mcpgen.content.context import CheckContext
from mcpgen.content.narrowing import Value, conjunction, fixed, none_coded
from mcpgen.content.value_types import is_json, joined
from mcpgen.ir.template import Choose, Listing, Logic, Markup, Not, Type
from mcpgen.ir.types import ANY, Array


def either(context: CheckContext, one: Type, two: Type, node: nodes.Expr) -> Type:
    """A type for both of two values."""
    if is_json(one) and is_json(two):
        return joined(one, two)
    if one == two:
        return one
    for markup, other in ((one, two), (two, one)):
        if isinstance(markup, Markup) and context.types.has_only_kinds(other, ("string",)):
            return markup
    context.refuse_type(f"this is either {context.types.describe_type(one)} or {context.types.describe_type(two)}", node)


def fallback(context: CheckContext, value: Value, other: Value, node: nodes.Expr) -> Value:
    """`value or other`, where an absent value counts as false."""
    if not is_json(value.type) or not is_json(other.type):
        context.refuse_type(f"this is either {context.types.describe_type(value.type)} or {context.types.describe_type(other.type)}", node)
    truth = context.make_truth_test(value.expr, value.type, node)
    if fixed(truth) is False and value.absent is None:
        return other
    if other.expr == Listing(()):
        other = Value(other.expr, value.type if isinstance(value.type, Array) else other.type)
        kept = context.types.narrow_to_truthy(value.type)
        type = kept if all(isinstance(atom, Array) for atom in context.types.split_atoms(kept)) else joined(kept, ANY)
    else:
        assert is_json(other.type)
        type = joined(context.types.narrow_to_truthy(value.type), other.type)
    if value.absent is None or none_coded(value):
        if truth == value.expr or value.absent is not None or isinstance(truth, Not):
            return Value(Logic("or", (value.expr, other.expr)), type)
        if fixed(truth) is True:
            return value
    test = truth if value.absent is None else conjunction([value.absent.present, truth])
    return Value(Choose(test, value.expr, other.expr), type)
