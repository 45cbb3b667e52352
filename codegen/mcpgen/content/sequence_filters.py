"""Filters of lists and objects."""

from __future__ import annotations

from typing import TypeAlias

from jinja2 import nodes

from mcpgen.content.filter_call import ATTRIBUTE, FilterCall, JinjaFilter
from mcpgen.content.members import check_element
from mcpgen.content.operands import check_defined, check_json, check_number, check_text, convert_to_text
from mcpgen.content.type_lookup import INTEGER, NUMBER, NUMERIC_KINDS, STRING, is_json
from mcpgen.content.values import Absence, Value, negate_test
from mcpgen.ir import template as code
from mcpgen.ir.template import is_reference, make_comprehension
from mcpgen.ir.types import ANY, Array, Bound, FixedArray, Map
from mcpgen.ir.types import Type as JsonType

Keywords: TypeAlias = tuple[tuple[str, code.Expr], ...]
_ORDERING_PARAMETERS = ("case_sensitive", ATTRIBUTE)


# --- one result from all items ---------------------------------------------------------------------------------------
def _check_join(call: FilterCall) -> Value:
    context, node = call.context, call.get_argument("d")
    attribute = call.get_attribute()
    separator: code.Expr = code.Constant("") if node is None else check_text(context, node, call.facts)
    expr, item, _ = call.check_items(as_json=attribute is None)
    with call.bind_item(item) as (local, name):
        text = check_text(context, call.make_attribute_node(name), call.facts)
    return Value(code.Method(separator, "join", (make_comprehension(local, expr, text),)), STRING)


def _check_sum(call: FilterCall) -> Value:
    attribute, start = call.get_attribute(), call.get_literal("start", 0, int, float)
    expr, item, _ = call.check_items(as_json=attribute is None)
    with call.bind_item(item) as (local, name):
        number, type = check_number(call.context, call.make_attribute_node(name), call.facts, "`sum`")
    source = make_comprehension(local, expr, number)
    is_integer = type == INTEGER and not isinstance(start, float)
    arguments: tuple[code.Expr, ...] = (source,) if str(start) == "0" else (source, code.Constant(start))
    return Value(code.Call("sum", arguments), INTEGER if is_integer else NUMBER)


def _make_end_filter(name: str, index: int) -> JinjaFilter:
    def check_end(call: FilterCall) -> Value:
        context, value = call.context, call.check_value()
        atoms = context.types.split_atoms(value.type) if is_json(value.type) else ()
        if len(atoms) == 1 and isinstance(atoms[0], Array | FixedArray) and is_reference(value.expr):
            return check_element(context, value, atoms[0], index, call.facts, call.node)
        expr, item, type = call.check_items()
        if isinstance(type, code.Stream) and index == -1:
            context.refuse_type(f"`{name}` of a generator", call.node, "add `| list`")
        iterator = code.Call("iter", (expr if index == 0 else code.Call("reversed", (expr,)),))
        return Value(code.Call("next", (iterator,)), item, _make_emptiness(expr, type))

    return JinjaFilter(name, check_end, "a list", "an item")


def _make_extreme_filter(name: str) -> JinjaFilter:
    def check_extreme(call: FilterCall) -> Value:
        expr, item, type, keywords = _check_ordered_items(call)
        extreme = code.Call(name, (expr,), keywords)
        if dict(_get_bounds(type)).get("min_length", 0) >= 1 or expr in call.facts.truthy:
            return Value(extreme, item)
        return Value(extreme, item, None if extreme in call.facts.present else _make_emptiness(expr, type))

    return JinjaFilter(name, check_extreme, "a list of scalars", "an item", _ORDERING_PARAMETERS)


def _make_emptiness(expr: code.Expr, type: code.TemplateType) -> Absence:
    return Absence(code.Call("list", (expr,)) if isinstance(type, code.Stream) else expr, "the list may be empty")


def _get_bounds(type: code.TemplateType) -> tuple[Bound, ...]:
    return type.bounds if isinstance(type, Array) else ()


# --- items in another order ------------------------------------------------------------------------------------------
def _check_ordered_items(
    call: FilterCall, *, by_several: bool = False
) -> tuple[code.Expr, JsonType, code.TemplateType, Keywords]:
    """Check the items of a filter that orders them; `attribute` may name several paths, with commas between."""
    context, attribute, argument = call.context, call.get_attribute(), call.get_argument(ATTRIBUTE)
    expr, item, items_type = call.check_items(as_json=attribute is None)
    is_case_sensitive = call.get_literal("case_sensitive", False, bool)
    keys: list[code.Expr] = []
    with call.bind_item(item) as (local, name):
        for path in attribute.split(",") if attribute is not None and by_several else (attribute,):
            node = call.make_member_node(name, path or None, argument)
            value, type = check_json(context, node, call.facts)
            if context.types.has_only_kinds(type, ("string",)):
                keys.append(value.expr if is_case_sensitive else code.Method(value.expr, "lower"))
            elif context.types.has_only_kinds(type, NUMERIC_KINDS):
                keys.append(value.expr)
            else:
                description = context.types.describe_type(type)
                message = f"`{call.node.name}` needs strings or numbers, and this has {description}"
                context.refuse_type(message, argument or call.node)
    key = code.Lambda(local.name, keys[0] if len(keys) == 1 else code.ListLiteral(tuple(keys)))
    return expr, item, items_type, () if keys == [local] else (("key", key),)


def _check_sort(call: FilterCall) -> Value:
    expr, item, type, keywords = _check_ordered_items(call, by_several=True)
    return Value(code.Call("sorted", (expr,), (*keywords, *_check_reversal(call))), Array(item, _get_bounds(type)))


def _check_reversal(call: FilterCall) -> Keywords:
    return (("reverse", code.Constant(True)),) if call.get_literal("reverse", False, bool) else ()


def _check_unique(call: FilterCall) -> Value:
    expr, item, _, keywords = _check_ordered_items(call)
    return Value(code.Call("unique", (expr,), keywords), code.Stream(item))


def _check_reverse(call: FilterCall) -> Value:
    context, value = call.context, call.check_value()
    if context.types.has_only_kinds(value.type, ("string",)):
        text = convert_to_text(context.types, value.expr, value.type)
        return Value(code.Call("reversed_text", (text,)), STRING)
    expr, item, type = call.check_items()
    if isinstance(type, code.Stream) or "object" in context.types.collect_kinds(type):
        context.refuse_type(f"`reverse` of {context.types.describe_type(type)}", call.node, "add `| list`")
    return Value(code.Call("reversed", (expr,)), code.Stream(item))


def _check_list(call: FilterCall) -> Value:
    expr, item, type = call.check_items()
    return Value(code.Call("list", (expr,)), Array(item, _get_bounds(type)))


# --- other or fewer items --------------------------------------------------------------------------------------------
def _check_map(call: FilterCall) -> Value:
    context, node = call.context, call.node
    if node.args:
        filter_name = _get_literal_string(call, node.args[0], "`map` by anything but the name of a filter")
        if node.dyn_args or node.dyn_kwargs:
            context.refuse_unsupported("the filter `map` with these arguments", node)
        expr, item, _ = call.check_items()
        with call.bind_item(item) as (local, name):
            offset = node.args[0].lineno
            mapped = nodes.Filter(name, filter_name, node.args[1:], node.kwargs, None, None, lineno=offset)
            value = check_defined(context, mapped, call.facts)
    else:
        call = FilterCall(context, node, call.facts, (ATTRIBUTE, "default"))
        expr, item, _ = call.check_items()
        with call.bind_item(item) as (local, name):
            value = check_defined(context, _make_mapped_attribute(call, name), call.facts)
    if not is_json(value.type):
        context.refuse_type(f"`map` to {context.types.describe_type(value.type)}", node)
    return Value(make_comprehension(local, expr, value.expr), code.Stream(value.type))


def _make_mapped_attribute(call: FilterCall, item: nodes.Expr) -> nodes.Expr:
    path, default = call.get_attribute(), call.get_argument("default")
    if path is None:
        call.context.refuse_unsupported("`map` without an attribute or a filter", call.node)
    member = call.make_attribute_node(item)
    if default is None:
        return member
    if "." in path:
        call.context.refuse_unsupported("`default` with a path of several names", default)
    return nodes.Filter(member, "default", [default], [], None, None, lineno=default.lineno)


def _make_select_filter(name: str, *, by_attribute: bool, reject: bool) -> JinjaFilter:
    def check_select(call: FilterCall) -> Value:
        node = call.node
        if node.kwargs or node.dyn_args or node.dyn_kwargs or (by_attribute and not node.args):
            call.context.refuse_unsupported(f"the filter `{name}` with these arguments", node)
        expr, item, _ = call.check_items()
        arguments = list(node.args)
        with call.bind_item(item) as (local, subject):
            if by_attribute:
                attribute = arguments.pop(0)
                path = _get_literal_string(call, attribute, "an attribute that is not written out")
                subject = call.make_member_node(subject, path, attribute)
            if arguments:
                test = arguments.pop(0)
                test_name = _get_literal_string(call, test, "a test that is not written out")
                subject = nodes.Test(subject, test_name, arguments, [], None, None, lineno=test.lineno)
            condition = call.context.check_condition(subject, call.facts)
        facts, test_expr = condition.yes, condition.expr
        if reject:
            facts, test_expr = condition.no, negate_test(condition.expr)
        return Value(make_comprehension(local, expr, local, test_expr), code.Stream(facts.types.get(local, item)))

    return JinjaFilter(name, check_select, "a list", "a generator", None)


def _get_literal_string(call: FilterCall, node: nodes.Expr, otherwise: str) -> str:
    if not (isinstance(node, nodes.Const) and isinstance(node.value, str)):
        call.context.refuse_unsupported(otherwise, node)
    return node.value


# --- objects ---------------------------------------------------------------------------------------------------------
def _check_members(call: FilterCall) -> tuple[code.Expr, JsonType]:
    """Check a filtered value that must be an object. Return it as a `dict`, and the type of its values."""
    types, value = call.context.types, call.check_value()
    atoms = types.split_atoms(value.type) if is_json(value.type) else ()
    if len(atoms) == 1 and isinstance(atoms[0], Map):
        return value.expr, atoms[0].value
    if len(atoms) == 1 and types.get_class(atoms[0]) is not None:
        return code.Call("members", (value.expr,)), ANY
    message = f"`{call.node.name}` needs an object, and this is {types.describe_type(value.type)}"
    call.context.refuse_type(message, call.node)


def _check_items(call: FilterCall) -> Value:
    expr, type = _check_members(call)
    return Value(code.Method(expr, "items"), code.Stream(code.KeyValuePair(STRING, type)))


def _check_dictsort(call: FilterCall) -> Value:
    context, types = call.context, call.context.types
    expr, type = _check_members(call)
    by, is_case_sensitive = call.get_literal("by", "key", str), call.get_literal("case_sensitive", False, bool)
    place = call.get_argument("by") or call.node
    if by not in ("key", "value"):
        context.refuse_type('`dictsort` sorts by "key" or "value"', place)
    has_text = by == "key" or types.has_only_kinds(type, ("string",))
    if not has_text and not types.has_only_kinds(type, NUMERIC_KINDS):
        context.refuse_type(f"`dictsort` by values that are {types.describe_type(type)}", place)
    local = context.scope.make_temporary()
    key: code.Expr = code.Subscript(local, code.Constant(0 if by == "key" else 1))
    if has_text and not is_case_sensitive:
        key = code.Method(key if by == "key" else convert_to_text(types, key, type), "lower")
    keywords: Keywords = (("key", code.Lambda(local.name, key)), *_check_reversal(call))
    return Value(
        code.Call("sorted", (code.Method(expr, "items"),), keywords), code.Stream(code.KeyValuePair(STRING, type))
    )


SEQUENCE_FILTERS = (
    JinjaFilter("dictsort", _check_dictsort, "an object", "a generator", ("case_sensitive", "by", "reverse")),
    _make_end_filter("first", 0),
    JinjaFilter("items", _check_items, "an object", "a generator"),
    JinjaFilter("join", _check_join, "a list", "a string", ("d", ATTRIBUTE)),
    _make_end_filter("last", -1),
    JinjaFilter("list", _check_list, "a list", "a list"),
    JinjaFilter("map", _check_map, "a list", "a generator", None),
    _make_extreme_filter("max"),
    _make_extreme_filter("min"),
    _make_select_filter("reject", by_attribute=False, reject=True),
    _make_select_filter("rejectattr", by_attribute=True, reject=True),
    JinjaFilter("reverse", _check_reverse, "a list", "a generator"),
    _make_select_filter("select", by_attribute=False, reject=False),
    _make_select_filter("selectattr", by_attribute=True, reject=False),
    JinjaFilter("sort", _check_sort, "a list of scalars", "a list", ("reverse", *_ORDERING_PARAMETERS)),
    JinjaFilter("sum", _check_sum, "a list of numbers", "a number", (ATTRIBUTE, "start")),
    JinjaFilter("unique", _check_unique, "a list of scalars", "a generator", _ORDERING_PARAMETERS),
)
