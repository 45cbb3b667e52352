"""Filters of lists and objects."""

from __future__ import annotations

from jinja2 import nodes

from mcpgen.content import attributes
from mcpgen.content.filter_call import ATTRIBUTE, ITEM_VARIABLE, FilterCall, FilterHandler
from mcpgen.content.narrowing import Absence, Value, negate_test
from mcpgen.content.value_types import INTEGER, NUMBER, NUMERIC_KINDS, STRING, is_json
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
    is_reference,
    make_comprehension,
)
from mcpgen.ir.types import ANY, Array, FixedArray, Map
from mcpgen.ir.types import Type as JsonType


# --- lists -----------------------------------------------------------------------------------------------------------
def check_join(given: FilterCall) -> Value:
    """`join`."""
    context = given.context
    node, attribute = given.get_argument("d"), given.get_literal(ATTRIBUTE, None, str)
    separator: Expr = Constant("") if node is None else context.check_text(node, given.facts)
    expr, item, _ = given.check_value_items(plain=attribute is None)
    local, name, facts = given.make_item_variable(item)
    with context.bind_variable(ITEM_VARIABLE, Value(local, item)):
        path = name if attribute is None else given.make_member_node(name, given.get_argument(ATTRIBUTE), attribute)
        text = context.check_text(path, facts)
    return Value(Method(separator, "join", (make_comprehension(local, expr, text),)), STRING)


def make_end_handler(index: int) -> FilterHandler:
    """`first` (0) and `last` (-1)."""

    def handler(given: FilterCall) -> Value:
        context, what = given.context, f"`{given.node.name}`"
        value = context.check_defined(given.inner, given.facts)
        atoms = context.types.split_atoms(value.type) if is_json(value.type) else ()
        if len(atoms) == 1 and isinstance(atoms[0], Array | FixedArray) and is_reference(value.expr):
            return attributes.check_element(context, value, atoms[0], index, given.facts, given.node)
        expr, item, type = given.check_value_items()
        if isinstance(type, Stream) and index == -1:
            context.refuse_type(f"{what} of a generator", given.node, "add `| list`")
        source = Call("iter" if index == 0 else "reversed", (expr,))
        if index == -1:
            source = Call("iter", (source,))
        present = Call("list", (expr,)) if isinstance(type, Stream) else expr
        return Value(Call("next", (source,)), item, Absence(present, "the list may be empty"))

    return handler


def _make_ordering_key(given: FilterCall, item: JsonType, paths: list[str]) -> Lambda | None:
    """The key by which items are compared: without regard to capitals where they are strings."""
    context, sensitive = given.context, given.get_literal("case_sensitive", False, bool)
    local, name, facts = given.make_item_variable(item)
    keys: list[Expr] = []
    with context.bind_variable(ITEM_VARIABLE, Value(local, item)):
        for path in paths or [""]:
            argument = given.get_argument(ATTRIBUTE)
            node = given.make_member_node(name, argument, path) if path else name
            value, type = context.check_json(node, facts)
            if context.types.has_only_kinds(type, ("string",)):
                keys.append(value.expr if sensitive else Method(value.expr, "lower"))
            elif context.types.has_only_kinds(type, NUMERIC_KINDS):
                keys.append(value.expr)
            else:
                message = (
                    f"`{given.node.name}` needs strings or numbers, and this has {context.types.describe_type(type)}"
                )
                context.refuse_type(message, argument or given.node)
    if keys == [local]:
        return None
    return Lambda(local.name, keys[0] if len(keys) == 1 else ListLiteral(tuple(keys)))


def check_sort(given: FilterCall) -> Value:
    """`sort`."""
    attribute = given.get_literal(ATTRIBUTE, None, str)
    expr, item, type = given.check_value_items(plain=attribute is None)
    key = _make_ordering_key(given, item, [] if attribute is None else attribute.split(","))
    keywords: list[tuple[str, Expr]] = [] if key is None else [("key", key)]
    if given.get_literal("reverse", False, bool):
        keywords.append(("reverse", Constant(True)))
    bounds = type.bounds if isinstance(type, Array) else ()
    return Value(Call("sorted", (expr,), tuple(keywords)), Array(item, bounds))


def make_extreme_handler(name: str) -> FilterHandler:
    """`min` and `max`."""

    def handler(given: FilterCall) -> Value:
        attribute = given.get_literal(ATTRIBUTE, None, str)
        expr, item, type = given.check_value_items(plain=attribute is None)
        key = _make_ordering_key(given, item, [] if attribute is None else [attribute])
        call = Call(name, (expr,), () if key is None else (("key", key),))
        bounds = dict(type.bounds) if isinstance(type, Array) else {}
        if bounds.get("min_length", 0) >= 1 or expr in given.facts.truthy:
            return Value(call, item)
        present = Call("list", (expr,)) if isinstance(type, Stream) else expr
        absent = None if call in given.facts.present else Absence(present, "the list may be empty")
        return Value(call, item, absent)

    return handler


def check_unique(given: FilterCall) -> Value:
    """`unique`."""
    attribute = given.get_literal(ATTRIBUTE, None, str)
    expr, item, _ = given.check_value_items(plain=attribute is None)
    key = _make_ordering_key(given, item, [] if attribute is None else [attribute])
    return Value(Call("unique", (expr,), () if key is None else (("key", key),)), Stream(item))


def check_reverse(given: FilterCall) -> Value:
    """`reverse`."""
    context = given.context
    value = context.check_defined(given.inner, given.facts)
    if context.types.has_only_kinds(value.type, ("string",)):
        text = context.convert_to_text(value.expr, value.type)
        return Value(Call("reversed_text", (text,)), STRING)
    expr, item, type = given.check_value_items()
    if isinstance(type, Stream) or "object" in context.types.collect_kinds(type):
        context.refuse_type(f"`reverse` of {context.types.describe_type(type)}", given.node, "add `| list`")
    return Value(Call("reversed", (expr,)), Stream(item))


def check_list(given: FilterCall) -> Value:
    """`list`."""
    expr, item, type = given.check_value_items()
    bounds = type.bounds if isinstance(type, Array) else ()
    return Value(Call("list", (expr,)), Array(item, bounds))


def check_sum(given: FilterCall) -> Value:
    """`sum`."""
    context, attribute = given.context, given.get_literal(ATTRIBUTE, None, str)
    start = given.get_literal("start", 0, int, float)
    expr, item, _ = given.check_value_items(plain=attribute is None)
    local, name, facts = given.make_item_variable(item)
    with context.bind_variable(ITEM_VARIABLE, Value(local, item)):
        path = name if attribute is None else given.make_member_node(name, given.get_argument(ATTRIBUTE), attribute)
        value, type = context.check_number(path, facts, "`sum`")
    source = make_comprehension(local, expr, value)
    whole = type == INTEGER and not isinstance(start, float)
    arguments: tuple[Expr, ...] = (source,) if str(start) == "0" else (source, Constant(start))
    return Value(Call("sum", arguments), INTEGER if whole else NUMBER)


def check_map(given: FilterCall) -> Value:
    """`map`, by an attribute or a filter."""
    context, node = given.context, given.node
    if node.args:
        filter_name = node.args[0]
        if not (isinstance(filter_name, nodes.Const) and isinstance(filter_name.value, str)):
            context.refuse_unsupported("`map` by anything but the name of a filter", filter_name)
        if node.dyn_args or node.dyn_kwargs:
            context.refuse_unsupported("the filter `map` with these arguments", node)
    else:
        given = FilterCall(context, node, given.facts, (ATTRIBUTE, "default"), given.inner)
    expr, item, _ = given.check_value_items()
    local, name, facts = given.make_item_variable(item)
    with context.bind_variable(ITEM_VARIABLE, Value(local, item)):
        if node.args:
            at = node.args[0].lineno
            word: str = node.args[0].value  # type: ignore[attr-defined]
            made = nodes.Filter(name, word, node.args[1:], node.kwargs, None, None, lineno=at)
            value = context.check_defined(made, facts)
        else:
            path = given.get_literal(ATTRIBUTE, None, str)
            if path is None:
                context.refuse_unsupported("`map` without an attribute or a filter", node)
            member = given.make_member_node(name, given.get_argument(ATTRIBUTE), path)
            default = given.get_argument("default")
            if default is not None:
                if "." in path:
                    context.refuse_unsupported("`default` with a path of several names", default)
                made = nodes.Filter(member, "default", [default], [], None, None, lineno=default.lineno)
                member = made
            value = context.check_defined(member, facts)
    if not is_json(value.type):
        context.refuse_type(f"`map` to {context.types.describe_type(value.type)}", node)
    return Value(make_comprehension(local, expr, value.expr), Stream(value.type))


def make_select_handler(attribute: bool, reject: bool) -> FilterHandler:
    """`select`, `reject`, `selectattr` and `rejectattr`."""

    def handler(given: FilterCall) -> Value:
        context, node = given.context, given.node
        if node.kwargs or node.dyn_args or node.dyn_kwargs or (attribute and not node.args):
            context.refuse_unsupported(f"the filter `{node.name}` with these arguments", node)
        rest = list(node.args)
        expr, item, _ = given.check_value_items()
        local, name, facts = given.make_item_variable(item)
        subject: nodes.Expr = name
        for position, argument in enumerate(rest[: 1 + attribute]):
            if not (isinstance(argument, nodes.Const) and isinstance(argument.value, str)):
                what = "an attribute" if attribute and position == 0 else "a test"
                context.refuse_unsupported(f"{what} that is not written out", argument)
        if attribute:
            first = rest.pop(0)
            subject = given.make_member_node(name, first, first.value)  # type: ignore[attr-defined]
        test: nodes.Expr = subject
        if rest:
            word: str = rest[0].value  # type: ignore[attr-defined]
            test = nodes.Test(subject, word, rest[1:], [], None, None, lineno=rest[0].lineno)
        with context.bind_variable(ITEM_VARIABLE, Value(local, item)):
            condition = context.check_condition(test, facts)
        kept = (condition.no if reject else condition.yes).types.get(local, item)
        shown = negate_test(condition.expr) if reject else condition.expr
        return Value(make_comprehension(local, expr, local, shown), Stream(kept))

    return handler


# --- objects ---------------------------------------------------------------------------------------------------------
def _check_members(given: FilterCall) -> tuple[Expr, JsonType]:
    context = given.context
    value = context.check_defined(given.inner, given.facts)
    atoms = context.types.split_atoms(value.type) if is_json(value.type) else ()
    if len(atoms) == 1 and isinstance(atoms[0], Map):
        return value.expr, atoms[0].value
    if len(atoms) == 1 and context.types.get_class(atoms[0]) is not None:
        return Call("members", (value.expr,)), ANY
    context.refuse_type(
        f"`{given.node.name}` needs an object, and this is {context.types.describe_type(value.type)}", given.node
    )


def check_items(given: FilterCall) -> Value:
    """`items`."""
    expr, type = _check_members(given)
    return Value(Method(expr, "items"), Stream(KeyValuePair(STRING, type)))


def check_dictsort(given: FilterCall) -> Value:
    """`dictsort`."""
    context = given.context
    expr, type = _check_members(given)
    by, sensitive = given.get_literal("by", "key", str), given.get_literal("case_sensitive", False, bool)
    if by not in ("key", "value"):
        context.refuse_type('`dictsort` sorts by "key" or "value"', given.get_argument("by") or given.node)
    if by == "value" and not (
        context.types.has_only_kinds(type, ("string",)) or context.types.has_only_kinds(type, NUMERIC_KINDS)
    ):
        context.refuse_type(
            f"`dictsort` by values that are {context.types.describe_type(type)}", given.get_argument("by") or given.node
        )
    local = context.make_temporary()
    key: Expr = Subscript(local, Constant(0 if by == "key" else 1))
    if not sensitive and (by == "key" or context.types.has_only_kinds(type, ("string",))):
        key = Method(key if by == "key" else context.convert_to_text(key, type), "lower")
    keywords: list[tuple[str, Expr]] = [("key", Lambda(local.name, key))]
    if given.get_literal("reverse", False, bool):
        keywords.append(("reverse", Constant(True)))
    return Value(Call("sorted", (Method(expr, "items"),), tuple(keywords)), Stream(KeyValuePair(STRING, type)))
