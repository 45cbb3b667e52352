"""Check expressions that must be of a certain kind: present, JSON, text, a number, a list."""

from __future__ import annotations

from typing import NoReturn

from jinja2 import nodes

from mcpgen.content.context import CheckContext
from mcpgen.content.conversions import convert_to_json, convert_to_text
from mcpgen.content.messages import format_expression, quote_expression
from mcpgen.content.narrowing import Facts
from mcpgen.content.value_types import INTEGER, NUMBER, NUMERIC_KINDS, STRING, is_json, join_types
from mcpgen.content.values import Value
from mcpgen.ir.template import Expr, KeyValuePair, Markup, Stream, TemplateType
from mcpgen.ir.types import ANY, Array, FixedArray, Map
from mcpgen.ir.types import Type as JsonType


def check_defined(context: CheckContext, node: nodes.Expr, facts: Facts) -> Value:
    """Check an expression that must be present."""
    value = context.check_value(node, facts)
    if value.absent is not None:
        text = format_expression(node)
        help = f"guard it: {{% if {text} is defined %}}, or give a default: {text} | default(…)"
        if isinstance(node, nodes.CondExpr):
            help = "give the inline `if` an `else`"
        elif isinstance(node, nodes.Filter):
            help = "give a default: … | default(…)"
        context.refuse("MG504", value.absent.why, node, help)
    return value


def check_json(context: CheckContext, node: nodes.Expr, facts: Facts) -> tuple[Value, JsonType]:
    """Check an expression that must be a JSON value. Return it converted to plain JSON, and its type."""
    value = check_defined(context, node, facts)
    if not is_json(value.type):
        help = "add `| list`" if isinstance(value.type, Stream) else ""
        context.refuse_type(f"{quote_expression(node)} is {context.types.describe_type(value.type)}", node, help)
    value = convert_to_json(context, value)
    assert is_json(value.type)
    return value, value.type


def check_json_or_list(context: CheckContext, node: nodes.Expr, facts: Facts) -> tuple[Value, JsonType]:
    """Check an expression that must be a JSON value. Return it, converted to plain JSON unless it is a list."""
    value = check_defined(context, node, facts)
    if is_json(value.type) and all(isinstance(atom, Array) for atom in context.types.split_atoms(value.type)):
        return value, value.type
    return check_json(context, node, facts)


def check_text(context: CheckContext, node: nodes.Expr, facts: Facts) -> Expr:
    """Check an expression that is printed. Return the string that Jinja prints."""
    value = check_defined(context, node, facts)
    if isinstance(value.type, Markup):
        return value.expr
    if not is_json(value.type):
        help = "add `| list` or `| join`" if isinstance(value.type, Stream) else "unpack it: {% for key, value in …"
        context.refuse_type(f"{context.types.describe_type(value.type)} has no text", node, help)
    return print_value(context, node, value.expr, value.type)


def print_value(context: CheckContext, node: nodes.Expr, expr: Expr, type: JsonType) -> Expr:
    """Return the string that Jinja prints for the value of a node; note it if that may be `None` for null."""
    kinds = context.types.collect_kinds(type)
    if "null" in kinds and len(kinds) > 1:
        text = format_expression(node)
        help = f"guard it: {{% if {text} is not none %}}, or give a default: {text} | default(…, true)"
        if not format_expression(node, ""):
            help = 'give a default: … | default(…, true); leave items out of a list: … | reject("none")'
        context.note_printed_null(f'{quote_expression(node)} may be null, and then prints "None"', node, help)
    return convert_to_text(context.types, expr, type)


def check_number(context: CheckContext, node: nodes.Expr, facts: Facts, user: str) -> tuple[Expr, JsonType]:
    """Check an expression that must be a number. Return it with `INTEGER` or `NUMBER`.

    `user` names the operator or filter in messages.
    """
    value, type = check_json(context, node, facts)
    if not context.types.has_only_kinds(type, NUMERIC_KINDS):
        help = ""
        if context.types.has_only_kinds(type, NUMERIC_KINDS | {"null"}):
            help = f"guard it: {{% if {format_expression(node)} is not none %}}"
        message = f"{user} needs numbers, and {quote_expression(node)} is {context.types.describe_type(type)}"
        context.refuse_type(message, node, help)
    return value.expr, NUMBER if "number" in context.types.collect_kinds(type) else INTEGER


def check_iterable(
    context: CheckContext, node: nodes.Expr, facts: Facts, user: str
) -> tuple[Expr, JsonType | KeyValuePair]:
    """Check an expression that is iterated over. Return it with the type of its items."""
    return get_items(context, check_defined(context, node, facts), node, user)


def get_items(context: CheckContext, value: Value, node: nodes.Expr, user: str) -> tuple[Expr, JsonType | KeyValuePair]:
    """Return the expression of a value that is iterated over, and the type of its items."""
    if isinstance(value.type, Stream):
        return value.expr, value.type.item
    if not is_json(value.type):
        _refuse_iteration(context, value.type, node, user)
    items: list[JsonType] = []
    for atom in context.types.split_atoms(value.type):
        match atom:
            case Array(item=item):
                items.append(item)
            case FixedArray(items=fixed_items):
                items += fixed_items or (ANY,)
            case Map():
                items.append(STRING)
            case _:
                _refuse_iteration(context, value.type, node, user)
    return value.expr, join_types(*items) if len(items) > 1 else items[0]


def _refuse_iteration(context: CheckContext, type: TemplateType, node: nodes.Expr, user: str) -> NoReturn:
    help = ""
    if is_json(type):
        text, kinds = format_expression(node), context.types.collect_kinds(type)
        if kinds == frozenset({"array", "null"}):
            help = f"guard it: {{% if {text} %}}, or write {text} | default([], true)"
        elif kinds == frozenset({"object"}):
            help = "`| items` and `| dictsort` give its keys and values"
        elif "value" in kinds:
            help = f"declare its items in the schema, or test it: {{% if {text} is mapping %}} and so on"
    message = f"{user} needs a list, and {quote_expression(node)} is {context.types.describe_type(type)}"
    context.refuse_type(message, node, help)
