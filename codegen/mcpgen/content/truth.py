"""Truth of a value in a condition, as Jinja sees it."""

from __future__ import annotations

from jinja2 import nodes

from mcpgen.content.conditions import conjoin_tests
from mcpgen.content.context import CheckContext
from mcpgen.content.narrowing import Condition, Facts
from mcpgen.content.type_narrowing import is_always_true, narrow_to_falsy, narrow_to_truthy
from mcpgen.content.value_types import NULL, is_json, join_types
from mcpgen.content.values import is_none_when_absent
from mcpgen.ir.template import TRUE, Call, Constant, Expr, IsNone, Not, Stream
from mcpgen.ir.types import Ref
from mcpgen.ir.types import Type as JsonType


def check_truth(context: CheckContext, node: nodes.Expr, facts: Facts) -> Condition:
    """Check a value that is used as a condition; an absent value is false."""
    value = context.check_value(node, facts)
    type, absent = value.type, value.absent
    if not is_json(type):
        help = "add `| list`" if isinstance(type, Stream) else ""
        context.refuse_type(f"{context.types.describe_type(type)} is not a condition", node, help)
    if absent is not None and is_none_when_absent(value):
        test = make_truth_test(context, value.expr, join_types(type, NULL), node)
    else:
        test = make_truth_test(context, value.expr, type, node)
        if absent is not None:
            test = conjoin_tests(absent.present, test)
    yes = facts.with_present(value).with_type(value.expr, narrow_to_truthy(context.types, type))
    no = facts if absent is not None else facts.with_type(value.expr, narrow_to_falsy(context.types, type))
    return Condition(test, yes.with_nonzero(value.expr), no)


def make_truth_test(context: CheckContext, expr: Expr, type: JsonType, node: nodes.Expr) -> Expr:
    """Return the Python condition that a present value is true."""
    if isinstance(expr, Constant):
        return Constant(bool(expr.value))
    types = context.types
    atoms = types.split_atoms(type)
    if all(is_always_true(types, atom) for atom in atoms):
        return TRUE
    if any(types.get_class(atom) and not types.has_required(atom) for atom in atoms):
        if len(atoms) > 1:
            help = "use `is defined` or `is not none`"
            context.refuse_unsupported(f"{types.describe_type(type)} as a condition", node, help)
        return Call("members", (expr,))
    if NULL in atoms and all(isinstance(atom, Ref) or atom == NULL for atom in atoms):
        return Not(IsNone(expr))
    return expr
