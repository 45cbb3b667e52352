"""Check expressions that must be of a certain kind: present, JSON, text, a number, a list."""

from __future__ import annotations

from typing import NoReturn

from jinja2 import nodes

from mcpgen.content.context import CheckContext
from mcpgen.content.syntax import format_expression, quote_expression
from mcpgen.content.type_lookup import (
    INTEGER,
    NUMBER,
    NUMERIC_KINDS,
    STRING,
    TypeLookup,
    drop_bounds,
    is_json,
    join_types,
)
from mcpgen.content.values import Facts, Value
from mcpgen.ir.template import (
    Constant,
    Expr,
    KeyValuePair,
    Markup,
    Stream,
    TemplateType,
    ToJson,
    ToString,
    make_comprehension,
)
from mcpgen.ir.types import ANY, NATIVE_KINDS, Array, Choice, FixedArray, Map, Ref, Scalar, ScalarKind, Union
from mcpgen.ir.types import Type as JsonType


# --- conversions -----------------------------------------------------------------------------------------------------
def convert_to_text(types: TypeLookup, expr: Expr, type: JsonType) -> Expr:
    """Return the string that Jinja prints for an expression of a JSON type."""
    if isinstance(expr, Constant) and not isinstance(expr.value, str):
        return Constant(str(expr.value))
    return expr if _is_str(types, type) else ToString(expr, type)


def _is_str(types: TypeLookup, type: JsonType) -> bool:
    atoms = map(drop_bounds, types.split_atoms(type))
    return all(atom == STRING or isinstance(atom, Choice) for atom in atoms) and types.has_only_kinds(type, ("string",))


def convert_to_json(context: CheckContext, value: Value) -> Value:
    """Convert a value to plain JSON if its Python form differs; generators are converted item by item."""
    type = value.type
    if isinstance(type, Stream) and is_json(type.item):
        json_item = get_converted_type(context.types, type.item)
        if json_item == type.item:
            return value
        local = context.scope.make_temporary()
        items = make_comprehension(local, value.expr, ToJson(local, type.item))
        return Value(items, Stream(json_item), value.absent)
    if not is_json(type):
        return value
    json_type = get_converted_type(context.types, type)
    return value if json_type == type else Value(ToJson(value.expr, type), json_type, value.absent)


def get_converted_type(types: TypeLookup, type: JsonType) -> JsonType:
    """Return the type that a value has after its conversion to JSON."""
    match type:
        case Scalar(kind=kind) if kind is ScalarKind.BASE64 or kind in NATIVE_KINDS:
            return STRING
        case Array(item=item, bounds=bounds):
            return Array(get_converted_type(types, item), bounds)
        case FixedArray(items=items):
            item = join_types(*(get_converted_type(types, item) for item in items)) if items else ANY
            return Array(item, (("min_length", len(items)),))
        case Map(value=value):
            return Map(get_converted_type(types, value))
        case Union(members=members):
            return join_types(*(get_converted_type(types, member) for member in members))
        case Ref():
            return Map(ANY) if types.get_class(type) else ANY
        case Scalar() | Choice():
            return type


# --- kinds of operands -----------------------------------------------------------------------------------------------
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
    """Return a number with `INTEGER` or `NUMBER`; `user` names the operator or filter in messages."""
    value, type = check_json(context, node, facts)
    if not context.types.has_only_kinds(type, NUMERIC_KINDS):
        help = ""
        if context.types.has_only_kinds(type, NUMERIC_KINDS | {"null"}):
            help = f"guard it: {{% if {format_expression(node)} is not none %}}"
        message = f"{user} needs numbers, and {quote_expression(node)} is {context.types.describe_type(type)}"
        context.refuse_type(message, node, help)
    return value.expr, NUMBER if "number" in context.types.collect_kinds(type) else INTEGER


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
