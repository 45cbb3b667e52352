"""Check items and slices: `base[…]`."""

from __future__ import annotations

from jinja2 import nodes

from mcpgen.content.attributes import check_member, look_up_item, look_up_key
from mcpgen.content.context import CheckContext
from mcpgen.content.messages import get_literal_integer, quote_expression
from mcpgen.content.narrowing import Facts
from mcpgen.content.operands import check_defined, check_json, check_json_or_list
from mcpgen.content.value_types import STRING, is_json
from mcpgen.content.values import Absence, Value
from mcpgen.ir.template import Call, Compare, Constant, Expr, Slice, Subscript
from mcpgen.ir.types import ANY, Array, FixedArray, Map


def check_item(context: CheckContext, node: nodes.Getitem, facts: Facts) -> Value:
    """Check `base[key]`, `base[number]` or a slice."""
    match node.arg:
        case nodes.Const(value=str() as name):
            return check_member(context, check_defined(context, node.node, facts), name, node)
        case nodes.Slice() as slice:
            return _check_slice(context, node, slice, facts)
        case _:
            pass
    index = get_literal_integer(node.arg)
    base = check_defined(context, node.node, facts)
    if not is_json(base.type):
        message = f"{context.types.describe_type(base.type)} has no items to choose from"
        context.refuse_type(message, node, "add `| list`")
    atoms = context.types.split_atoms(base.type)
    if index is None:
        key, key_type = check_json(context, node.arg, facts)
        if len(atoms) == 1 and isinstance(atoms[0], Map) and context.types.has_only_kinds(key_type, ("string",)):
            return look_up_key(base, atoms[0], key.expr, node)
        context.refuse_unsupported("an index that is not a literal", node.arg, "go through the list by a loop")
    if atoms == (ANY,):
        return look_up_item(base.expr, Constant(index), node)
    if len(atoms) != 1 or not isinstance(atoms[0], Array | FixedArray):
        message = f"{quote_expression(node.node)} is {context.types.describe_type(base.type)}, not a list"
        context.refuse_type(message, node)
    return check_element(context, base, atoms[0], index, facts, node)


def check_element(
    context: CheckContext, base: Value, list_type: Array | FixedArray, index: int, facts: Facts, node: nodes.Expr
) -> Value:
    """Check an item of a list; a negative index counts from the end."""
    expr = Subscript(base.expr, Constant(index))
    if isinstance(list_type, FixedArray):
        count = len(list_type.items)
        if not -count <= index < count:
            context.refuse("MG503", f"{quote_expression(node)} is beyond the {count} items that there are", node)
        return Value(expr, list_type.items[index])
    needed = index + 1 if index >= 0 else -index
    guaranteed = max((int(limit) for name, limit in list_type.bounds if name == "min_length"), default=0)
    if guaranteed >= needed or (needed == 1 and base.expr in facts.truthy):
        return Value(expr, list_type.item)
    if needed == 1:
        return Value(expr, list_type.item, Absence(base.expr, "the list may be empty"))
    is_long_enough = Compare(Call("len", (base.expr,)), ((">=", Constant(needed)),))
    return Value(expr, list_type.item, Absence(is_long_enough, f"the list may have fewer than {needed} items"))


def _check_slice(context: CheckContext, node: nodes.Getitem, slice: nodes.Slice, facts: Facts) -> Value:
    base, type = check_json_or_list(context, node.node, facts)
    limits: list[Expr | None] = []
    for limit in (slice.start, slice.stop, slice.step):
        number = None if limit is None else get_literal_integer(limit)
        if limit is not None and (number is None or (limit is slice.step and number == 0)):
            context.refuse_unsupported("a slice by anything but literal numbers", limit)
        limits.append(None if number is None else Constant(number))
    expr = Slice(base.expr, (limits[0], limits[1], limits[2]))
    atoms = context.types.split_atoms(type)
    if len(atoms) == 1 and isinstance(atoms[0], Array):
        return Value(expr, Array(atoms[0].item))
    if context.types.has_only_kinds(type, ("string",)):
        return Value(expr, STRING)
    message = f"{quote_expression(node.node)} is {context.types.describe_type(type)}, not a list or a string"
    context.refuse_type(message, node)
