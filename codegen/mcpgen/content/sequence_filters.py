"""Filters of lists and objects."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import nodes

from mcpgen.content.conditions import negate_test
from mcpgen.content.conversions import convert_to_text
from mcpgen.content.filter_call import ATTRIBUTE, FilterCall, JinjaFilter
from mcpgen.content.operands import check_defined, check_json, check_number, check_text
from mcpgen.content.subscripts import check_element
from mcpgen.content.value_types import INTEGER, NUMBER, NUMERIC_KINDS, STRING, is_json
from mcpgen.content.values import Absence, Value
from mcpgen.ir.template import (
    Call,
    Constant,
    Expr,
    KeyValuePair,
    Lambda,
    ListLiteral,
    Method,
    Stream,
    Subscript,
    TemplateType,
    is_reference,
    make_comprehension,
)
from mcpgen.ir.types import ANY, Array, Bound, FixedArray, Map
from mcpgen.ir.types import Type as JsonType

_ORDERING_PARAMETERS = ("case_sensitive", ATTRIBUTE)


# --- one result from all items ---------------------------------------------------------------------------------------
def _check_join(call: FilterCall) -> Value:
    context, node = call.context, call.get_argument("d")
    attribute = call.get_attribute()
    separator: Expr = Constant("") if node is None else check_text(context, node, call.facts)
    expr, item, _ = call.check_items(as_json=attribute is None)
    with call.bind_item(item) as (local, name):
        text = check_text(context, call.make_attribute_node(name), call.facts)
    return Value(Method(separator, "join", (make_comprehension(local, expr, text),)), STRING)


def _check_sum(call: FilterCall) -> Value:
    attribute, start = call.get_attribute(), call.get_literal("start", 0, int, float)
    expr, item, _ = call.check_items(as_json=attribute is None)
    with call.bind_item(item) as (local, name):
        number, type = check_number(call.context, call.make_attribute_node(name), call.facts, "`sum`")
    source = make_comprehension(local, expr, number)
    is_integer = type == INTEGER and not isinstance(start, float)
    arguments: tuple[Expr, ...] = (source,) if str(start) == "0" else (source, Constant(start))
    return Value(Call("sum", arguments), INTEGER if is_integer else NUMBER)


def _make_end_filter(name: str, index: int) -> JinjaFilter:
    """Return `first` (index 0) or `last` (index -1)."""

    def check_end(call: FilterCall) -> Value:
        context, value = call.context, call.check_value()
        atoms = context.types.split_atoms(value.type) if is_json(value.type) else ()
        if len(atoms) == 1 and isinstance(atoms[0], Array | FixedArray) and is_reference(value.expr):
            return check_element(context, value, atoms[0], index, call.facts, call.node)
        expr, item, type = call.check_items()
        if isinstance(type, Stream) and index == -1:
            context.refuse_type(f"`{name}` of a generator", call.node, "add `| list`")
        iterator = Call("iter", (expr if index == 0 else Call("reversed", (expr,)),))
        return Value(Call("next", (iterator,)), item, _make_emptiness(expr, type))

    return JinjaFilter(name, check_end, "a list", "an item")


def _make_extreme_filter(name: str) -> JinjaFilter:
    """Return `min` or `max`."""

    def check_extreme(call: FilterCall) -> Value:
        attribute = call.get_attribute()
        expr, item, type = call.check_items(as_json=attribute is None)
        key = _make_ordering_key(call, item, [] if attribute is None else [attribute])
        extreme = Call(name, (expr,), () if key is None else (("key", key),))
        if dict(_get_bounds(type)).get("min_length", 0) >= 1 or expr in call.facts.truthy:
            return Value(extreme, item)
        return Value(extreme, item, None if extreme in call.facts.present else _make_emptiness(expr, type))

    return JinjaFilter(name, check_extreme, "a list of scalars", "an item", _ORDERING_PARAMETERS)


def _make_emptiness(expr: Expr, type: TemplateType) -> Absence:
    """Return the absence of an item of a list that may be empty."""
    return Absence(Call("list", (expr,)) if isinstance(type, Stream) else expr, "the list may be empty")


def _get_bounds(type: TemplateType) -> tuple[Bound, ...]:
    return type.bounds if isinstance(type, Array) else ()


# --- items in another order ------------------------------------------------------------------------------------------
def _make_ordering_key(call: FilterCall, item: JsonType, paths: Sequence[str]) -> Lambda | None:
    """Return the function whose results order the items, None if that is the item itself.

    Strings are compared without regard to case, unless the call is `case_sensitive`. No path is the item itself.
    """
    context, is_case_sensitive = call.context, call.get_literal("case_sensitive", False, bool)
    argument = call.get_argument(ATTRIBUTE)
    keys: list[Expr] = []
    with call.bind_item(item) as (local, name):
        for path in paths or ("",):
            node = call.make_member_node(name, path or None, argument)
            value, type = check_json(context, node, call.facts)
            if context.types.has_only_kinds(type, ("string",)):
                keys.append(value.expr if is_case_sensitive else Method(value.expr, "lower"))
            elif context.types.has_only_kinds(type, NUMERIC_KINDS):
                keys.append(value.expr)
            else:
                description = context.types.describe_type(type)
                message = f"`{call.node.name}` needs strings or numbers, and this has {description}"
                context.refuse_type(message, argument or call.node)
    if keys == [local]:
        return None
    return Lambda(local.name, keys[0] if len(keys) == 1 else ListLiteral(tuple(keys)))


def _check_sort(call: FilterCall) -> Value:
    attribute = call.get_attribute()
    expr, item, type = call.check_items(as_json=attribute is None)
    key = _make_ordering_key(call, item, [] if attribute is None else attribute.split(","))
    keywords: list[tuple[str, Expr]] = [] if key is None else [("key", key)]
    if call.get_literal("reverse", False, bool):
        keywords.append(("reverse", Constant(True)))
    return Value(Call("sorted", (expr,), tuple(keywords)), Array(item, _get_bounds(type)))


def _check_unique(call: FilterCall) -> Value:
    attribute = call.get_attribute()
    expr, item, _ = call.check_items(as_json=attribute is None)
    key = _make_ordering_key(call, item, [] if attribute is None else [attribute])
    return Value(Call("unique", (expr,), () if key is None else (("key", key),)), Stream(item))


def _check_reverse(call: FilterCall) -> Value:
    context, value = call.context, call.check_value()
    if context.types.has_only_kinds(value.type, ("string",)):
        text = convert_to_text(context.types, value.expr, value.type)
        return Value(Call("reversed_text", (text,)), STRING)
    expr, item, type = call.check_items()
    if isinstance(type, Stream) or "object" in context.types.collect_kinds(type):
        context.refuse_type(f"`reverse` of {context.types.describe_type(type)}", call.node, "add `| list`")
    return Value(Call("reversed", (expr,)), Stream(item))


def _check_list(call: FilterCall) -> Value:
    expr, item, type = call.check_items()
    return Value(Call("list", (expr,)), Array(item, _get_bounds(type)))


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
        call = FilterCall(context, node, call.inner, call.facts, (ATTRIBUTE, "default"))
        expr, item, _ = call.check_items()
        with call.bind_item(item) as (local, name):
            value = check_defined(context, _make_mapped_attribute(call, name), call.facts)
    if not is_json(value.type):
        context.refuse_type(f"`map` to {context.types.describe_type(value.type)}", node)
    return Value(make_comprehension(local, expr, value.expr), Stream(value.type))


def _make_mapped_attribute(call: FilterCall, item: nodes.Expr) -> nodes.Expr:
    """Return the node of the property for `map(attribute=…)`, with its default."""
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
    """Return `select`, `reject`, `selectattr` or `rejectattr`."""

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
        return Value(make_comprehension(local, expr, local, test_expr), Stream(facts.types.get(local, item)))

    return JinjaFilter(name, check_select, "a list", "a generator", None)


def _get_literal_string(call: FilterCall, node: nodes.Expr, otherwise: str) -> str:
    """Return the value of a literal string; `otherwise` is the construct to refuse for any other expression."""
    if not (isinstance(node, nodes.Const) and isinstance(node.value, str)):
        call.context.refuse_unsupported(otherwise, node)
    return node.value


# --- objects ---------------------------------------------------------------------------------------------------------
def _check_members(call: FilterCall) -> tuple[Expr, JsonType]:
    """Check a filtered value that must be an object. Return it as a `dict`, and the type of its values."""
    types, value = call.context.types, call.check_value()
    atoms = types.split_atoms(value.type) if is_json(value.type) else ()
    if len(atoms) == 1 and isinstance(atoms[0], Map):
        return value.expr, atoms[0].value
    if len(atoms) == 1 and types.get_class(atoms[0]) is not None:
        return Call("members", (value.expr,)), ANY
    message = f"`{call.node.name}` needs an object, and this is {types.describe_type(value.type)}"
    call.context.refuse_type(message, call.node)


def _check_items(call: FilterCall) -> Value:
    expr, type = _check_members(call)
    return Value(Method(expr, "items"), Stream(KeyValuePair(STRING, type)))


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
    key: Expr = Subscript(local, Constant(0 if by == "key" else 1))
    if has_text and not is_case_sensitive:
        key = Method(key if by == "key" else convert_to_text(types, key, type), "lower")
    keywords: list[tuple[str, Expr]] = [("key", Lambda(local.name, key))]
    if call.get_literal("reverse", False, bool):
        keywords.append(("reverse", Constant(True)))
    return Value(Call("sorted", (Method(expr, "items"),), tuple(keywords)), Stream(KeyValuePair(STRING, type)))


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
