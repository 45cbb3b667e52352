"""Check filters (`value | name(…)`), each by its entry: those of single values, and those of lists and objects."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from jinja2 import nodes

from mcpgen.content.context import CheckContext
from mcpgen.content.filter_call import ATTRIBUTE, FilterCall, JinjaFilter
from mcpgen.content.members import check_element
from mcpgen.content.narrowing import make_fallback, merge_branch_types
from mcpgen.content.operands import (
    check_defined,
    check_json,
    check_number,
    check_text,
    convert_to_json,
    convert_to_text,
)
from mcpgen.content.type_lookup import INTEGER, NUMBER, NUMERIC_KINDS, STRING, is_json
from mcpgen.content.values import Absence, Facts, Value, is_none_when_absent, negate_test
from mcpgen.ir import template as code
from mcpgen.ir.template import is_reference, make_comprehension
from mcpgen.ir.types import ANY, Array, Bound, FixedArray, Map, Scalar, ScalarKind
from mcpgen.ir.types import Type as JsonType
from mcpgen.words import NameGuesser

Keywords: TypeAlias = tuple[tuple[str, code.Expr], ...]
_ORDERING_PARAMETERS = ("case_sensitive", ATTRIBUTE)
_FORMAT_DIRECTIVE = re.compile(r"%(%|[-+ #0]*\d*(?:\.\d+)?[A-Za-z])")
_DATE_DIRECTIVES = "aAbBdfHIjmMpSyYz%"
_UNPADDED_DATE_DIRECTIVES = "dHIjmMSy"
_DATE_KINDS = (ScalarKind.STRING, ScalarKind.DATE_TIME, ScalarKind.DATE, ScalarKind.TIME)


# --- text ------------------------------------------------------------------------------------------------------------
def _make_text_filter(
    name: str, convert: Callable[[code.Expr], code.Expr], type: JsonType = STRING, gives: str = "a string"
) -> JinjaFilter:
    return JinjaFilter(name, lambda call: Value(convert(call.check_scalar_text()), type), "a scalar", gives)


def _check_trim(call: FilterCall) -> Value:
    chars = call.get_literal("chars", None, str)
    return Value(
        code.Method(call.check_scalar_text(), "strip", () if chars is None else (code.Constant(chars),)), STRING
    )


def _check_string(call: FilterCall) -> Value:
    return Value(check_text(call.context, call.inner, call.facts), STRING)


def _check_replace(call: FilterCall) -> Value:
    arguments: list[code.Expr] = []
    for name in ("old", "new"):
        node = call.get_argument(name)
        if node is None:
            call.context.refuse_unsupported(f"`replace` without `{name}`", call.node)
        arguments.append(check_text(call.context, node, call.facts))
    count = call.get_literal("count", None, int)
    arguments += [] if count is None else [code.Constant(count)]
    return Value(code.Method(call.check_scalar_text(), "replace", tuple(arguments)), STRING)


def _check_truncate(call: FilterCall) -> Value:
    length, end = call.get_literal("length", 255, int), call.get_literal("end", "...", str)
    leeway, cut_words = call.get_literal("leeway", 5, int), call.get_literal("killwords", False, bool)
    value, type = call.check_scalar()
    types = call.context.types
    if not types.has_only_kinds(type, ("string",)):
        call.context.refuse_type(f"`truncate` needs a string, and this is {types.describe_type(type)}", call.node)
    if length < len(end) or leeway < 0:
        call.context.refuse_type(f"`truncate` to {length} characters, with {len(end)} for the end", call.node)
    keywords = {"length": length, "cut": cut_words, "end": end, "leeway": leeway}
    constants = tuple((name, code.Constant(constant)) for name, constant in keywords.items())
    return Value(code.Call("truncated", (value.expr,), constants), STRING)


def _check_format(call: FilterCall) -> Value:
    context, node, pattern = call.context, call.node, call.inner
    if node.kwargs or node.dyn_args or node.dyn_kwargs:
        context.refuse_unsupported("the filter `format` with named values", node)
    if not (isinstance(pattern, nodes.Const) and isinstance(pattern.value, str)):
        context.refuse_unsupported("`format` of anything but a string written out", node)
    if "%" in _FORMAT_DIRECTIVE.sub("", pattern.value):
        context.refuse_type("the format has a `%` that starts no directive", pattern, "write %% for a percent sign")
    directives = [match[1] for match in _FORMAT_DIRECTIVE.finditer(pattern.value) if match[1] != "%"]
    if len(directives) != len(node.args):
        context.refuse_type(f"the format asks for {len(directives)} values, and {len(node.args)} are given", node)
    values = [
        _check_formatted(call, directive, argument, pattern)
        for directive, argument in zip(directives, node.args, strict=True)
    ]
    return Value(code.Call("%", (code.Constant(pattern.value), *values)), STRING)


def _check_formatted(call: FilterCall, directive: str, argument: nodes.Expr, pattern: nodes.Expr) -> code.Expr:
    context, conversion = call.context, directive[-1]
    if conversion == "s":
        return check_text(context, argument, call.facts)
    if conversion not in "dieEfFgGxXo":
        help = "there is %s, %d, %f, %e, %g, %x, %o"
        context.refuse_unsupported(f"the directive `%{directive}`", pattern, help)
    expr, type = check_number(context, argument, call.facts, f"`%{directive}`")
    if conversion in "xXo" and type != INTEGER:
        context.refuse_type(f"`%{directive}` needs integers, and this is a number", argument)
    return expr


def _check_datetime(call: FilterCall) -> Value:
    context, value = call.context, call.check_value()
    types = context.types
    atoms = types.split_atoms(value.type) if is_json(value.type) else ()
    if not atoms or not all(types.has_only_kinds(atom, ("string",)) for atom in atoms):
        help = "guard it by `is not none`" if "null" in types.collect_kinds(value.type) else ""
        context.refuse_type(
            f"`datetime` needs a string, and this is {types.describe_type(value.type)}", call.node, help
        )
    if any(isinstance(atom, Scalar) and atom.kind not in _DATE_KINDS for atom in atoms):
        context.refuse_type("`datetime` needs a date or a time", call.node)
    pattern = call.get_literal("format", None, str)
    if pattern is None:
        context.refuse_unsupported("`datetime` without a format", call.node, 'such as datetime("%d %b %Y %H:%M")')
    for match in re.finditer(r"%(-?)(.?)", pattern, re.DOTALL):
        text, dash, directive = match[0], match[1], match[2]
        if not directive or directive not in (_UNPADDED_DATE_DIRECTIVES if dash else _DATE_DIRECTIVES):
            help = f"there is %{', %'.join(_DATE_DIRECTIVES)}"
            place = call.get_argument("format") or call.node
            context.refuse_unsupported(f"`{text}` in a date format", place, help)
    return Value(code.Call("date_text", (value.expr, code.Constant(pattern))), STRING)


def _check_tojson(call: FilterCall) -> Value:
    value = call.check_value()
    if not is_json(value.type):
        call.context.refuse_type(f"`tojson` of {call.context.types.describe_type(value.type)}", call.node)
    indent = call.get_literal("indent", None, int)
    keywords = () if indent is None else (("indent", code.Constant(indent)),)
    return Value(code.Call("to_html_json", (code.ToJson(value.expr, value.type),), keywords), code.Markup())


TEXT_FILTERS = (
    _make_text_filter("capitalize", lambda text: code.Method(text, "capitalize")),
    JinjaFilter("datetime", _check_datetime, "a string", "a string", ("format",)),
    JinjaFilter("format", _check_format, "a literal string", "a string", None),
    _make_text_filter("lower", lambda text: code.Method(text, "lower")),
    JinjaFilter("replace", _check_replace, "a scalar", "a string", ("old", "new", "count")),
    JinjaFilter("string", _check_string, "any JSON value", "a string"),
    _make_text_filter("title", lambda text: code.Call("titled", (text,))),
    JinjaFilter("tojson", _check_tojson, "any JSON value", "the result of `tojson`", ("indent",)),
    JinjaFilter("trim", _check_trim, "a scalar", "a string", ("chars",)),
    JinjaFilter("truncate", _check_truncate, "a string", "a string", ("length", "killwords", "end", "leeway")),
    _make_text_filter("upper", lambda text: code.Method(text, "upper")),
    _make_text_filter("wordcount", lambda text: code.Call("word_count", (text,)), INTEGER, "an integer"),
)


# --- numbers, and values of any type ---------------------------------------------------------------------------------
def _check_abs(call: FilterCall) -> Value:
    expr, type = check_number(call.context, call.inner, call.facts, "`abs`")
    return Value(code.Call("abs", (expr,)), type)


def _check_round(call: FilterCall) -> Value:
    expr, type = check_number(call.context, call.inner, call.facts, "`round`")
    precision, method = call.get_literal("precision", 0, int), call.get_literal("method", "common", str)
    if method == "common":
        return Value(code.Call("round", (expr, code.Constant(precision))), type)
    if method not in ("ceil", "floor"):
        place = call.get_argument("method") or call.node
        call.context.refuse_type('`round` knows "common", "ceil" and "floor"', place)
    return Value(code.Call("rounded", (expr, code.Constant(precision), code.Constant(method))), NUMBER)


def _check_int(call: FilterCall) -> Value:
    value, _ = call.check_scalar()
    default, base = call.get_literal("default", 0, int), call.get_literal("base", 10, int)
    keywords = [("default", code.Constant(default))] if default != 0 else []
    keywords += [("base", code.Constant(base))] if base != 10 else []
    return Value(code.Call("to_int", (value.expr,), tuple(keywords)), INTEGER)


def _check_float(call: FilterCall) -> Value:
    value, _ = call.check_scalar()
    default = call.get_literal("default", 0.0, float, int)
    return Value(
        code.Call("to_float", (value.expr,), () if default == 0 else (("default", code.Constant(default)),)), NUMBER
    )


def _check_default(call: FilterCall) -> Value:
    context, facts = call.context, call.facts
    value = context.check_value(call.inner, facts)
    node = call.get_argument("default_value")
    default = Value(code.Constant(""), STRING) if node is None else check_defined(context, node, facts)
    if call.get_literal("boolean", False, bool):
        return make_fallback(context, value, default, call.node)
    if value.absent is None:
        return value
    present = context.check_value(call.inner, facts.with_present(value))
    is_empty_list = default.expr == code.ListLiteral(())
    if is_empty_list and is_json(present.type) and _is_list(call, present.type):
        default = Value(default.expr, present.type)
        if is_none_when_absent(value):
            return Value(code.Logic("or", (present.expr, default.expr)), present.type)
    type = merge_branch_types(context, present.type, default.type, call.node)
    match present.expr:
        case code.Call(function="next", arguments=(source,)):
            return Value(code.Call("next", (source, default.expr)), type)
        case code.Call(function="min" | "max" as name, arguments=arguments, keywords=keywords):
            return Value(code.Call(name, arguments, (*keywords, ("default", default.expr))), type)
        case code.Subscript(base=base, index=key) if isinstance(context.declared_types.get(base), Map):
            return Value(code.Method(base, "get", (key, default.expr)), type)
        case _:
            if is_empty_list:
                context.refuse_unsupported("`default([])` here", call.node, "guard it by an `if`")
            return Value(code.Conditional(value.absent.present, present.expr, default.expr), type)


def _is_list(call: FilterCall, type: JsonType) -> bool:
    return all(isinstance(atom, Array) for atom in call.context.types.split_atoms(type))


def _check_length(call: FilterCall) -> Value:
    context, value = call.context, call.check_value()
    types = context.types
    if is_json(value.type):
        atoms = types.split_atoms(value.type)
        if len(atoms) == 1 and types.get_class(atoms[0]) is not None:
            return Value(code.Call("len", (code.Call("members", (value.expr,)),)), INTEGER)
        if all(types.get_kind(atom) in ("array", "string") or isinstance(atom, Map) for atom in atoms):
            if types.has_only_kinds(value.type, ("array", "object")):
                return Value(code.Call("len", (value.expr,)), INTEGER)
            return Value(code.Call("len", (convert_to_json(context, value).expr,)), INTEGER)
    help = "add `| list`" if isinstance(value.type, code.Stream) else ""
    context.refuse_type(f"`{call.node.name}` of {types.describe_type(value.type)}", call.node, help)


VALUE_FILTERS = (
    JinjaFilter("abs", _check_abs, "a number", "a number"),
    JinjaFilter("count", _check_length, "a list", "an integer"),
    JinjaFilter("d", _check_default, "an absent value", "either value", ("default_value", "boolean")),
    JinjaFilter("default", _check_default, "an absent value", "either value", ("default_value", "boolean")),
    JinjaFilter("float", _check_float, "a scalar", "a number", ("default",)),
    JinjaFilter("int", _check_int, "a scalar", "an integer", ("default", "base")),
    JinjaFilter("length", _check_length, "a list", "an integer"),
    JinjaFilter("round", _check_round, "a number", "a number", ("precision", "method")),
)


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


FILTERS = {filter.name: filter for filter in (*TEXT_FILTERS, *VALUE_FILTERS, *SEQUENCE_FILTERS)}


def check_filter(context: CheckContext, node: nodes.Filter, facts: Facts) -> Value:
    """Check `value | name(…)`."""
    filter = FILTERS.get(node.name)
    if filter is None:
        close = NameGuesser().guess(node.name, sorted(FILTERS), 0.6)
        help = f"did you mean `{close}`?" if close else f"there is {', '.join(sorted(FILTERS))}"
        context.refuse_unsupported(f"the filter `{node.name}`", node, help)
    return filter.check(FilterCall(context, node, facts, filter.parameters))
