"""Filters that make text."""

from __future__ import annotations

import re

from jinja2 import nodes

from mcpgen.content.filter_call import FilterCall, JinjaFilter
from mcpgen.content.operands import check_number, check_text
from mcpgen.content.value_types import INTEGER, STRING, is_json
from mcpgen.content.values import Value
from mcpgen.ir.template import Call, Constant, Expr, Markup, Method, ToJson
from mcpgen.ir.types import Scalar, ScalarKind
from mcpgen.ir.types import Type as JsonType

_FORMAT_DIRECTIVE = re.compile(r"%(%|[-+ #0]*\d*(?:\.\d+)?[A-Za-z])")
_DATE_DIRECTIVES = "aAbBdfHIjmMpSyYz%"
_UNPADDED_DATE_DIRECTIVES = "dHIjmMSy"
_DATE_KINDS = (ScalarKind.STRING, ScalarKind.DATE_TIME, ScalarKind.DATE, ScalarKind.TIME)


def _make_method_filter(name: str) -> JinjaFilter:
    """Return a filter that is a method of Python's `str`."""

    def check_method(call: FilterCall) -> Value:
        return Value(Method(call.check_scalar_text(), name), STRING)

    return JinjaFilter(name, check_method, "a scalar", "a string")


def _make_function_filter(name: str, function: str, type: JsonType, gives: str) -> JinjaFilter:
    """Return a filter that is a function of the generated package."""

    def check_function(call: FilterCall) -> Value:
        return Value(Call(function, (call.check_scalar_text(),)), type)

    return JinjaFilter(name, check_function, "a scalar", gives)


def _check_trim(call: FilterCall) -> Value:
    chars = call.get_literal("chars", None, str)
    return Value(Method(call.check_scalar_text(), "strip", () if chars is None else (Constant(chars),)), STRING)


def _check_string(call: FilterCall) -> Value:
    return Value(check_text(call.context, call.inner, call.facts), STRING)


def _check_replace(call: FilterCall) -> Value:
    arguments: list[Expr] = []
    for name in ("old", "new"):
        node = call.get_argument(name)
        if node is None:
            call.context.refuse_unsupported(f"`replace` without `{name}`", call.node)
        arguments.append(check_text(call.context, node, call.facts))
    count = call.get_literal("count", None, int)
    arguments += [] if count is None else [Constant(count)]
    return Value(Method(call.check_scalar_text(), "replace", tuple(arguments)), STRING)


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
    constants = tuple((name, Constant(constant)) for name, constant in keywords.items())
    return Value(Call("truncated", (value.expr,), constants), STRING)


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
    return Value(Call("%", (Constant(pattern.value), *values)), STRING)


def _check_formatted(call: FilterCall, directive: str, argument: nodes.Expr, pattern: nodes.Expr) -> Expr:
    """Check the value for one directive of a format, such as `5.2f`."""
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
    return Value(Call("date_text", (value.expr, Constant(pattern))), STRING)


def _check_tojson(call: FilterCall) -> Value:
    value = call.check_value()
    if not is_json(value.type):
        call.context.refuse_type(f"`tojson` of {call.context.types.describe_type(value.type)}", call.node)
    indent = call.get_literal("indent", None, int)
    keywords = () if indent is None else (("indent", Constant(indent)),)
    return Value(Call("to_html_json", (ToJson(value.expr, value.type),), keywords), Markup())


TEXT_FILTERS = (
    _make_method_filter("capitalize"),
    JinjaFilter("datetime", _check_datetime, "a string", "a string", ("format",)),
    JinjaFilter("format", _check_format, "a literal string", "a string", None),
    _make_method_filter("lower"),
    JinjaFilter("replace", _check_replace, "a scalar", "a string", ("old", "new", "count")),
    JinjaFilter("string", _check_string, "any JSON value", "a string"),
    _make_function_filter("title", "titled", STRING, "a string"),
    JinjaFilter("tojson", _check_tojson, "any JSON value", "the result of `tojson`", ("indent",)),
    JinjaFilter("trim", _check_trim, "a scalar", "a string", ("chars",)),
    JinjaFilter("truncate", _check_truncate, "a string", "a string", ("length", "killwords", "end", "leeway")),
    _make_method_filter("upper"),
    _make_function_filter("wordcount", "word_count", INTEGER, "an integer"),
)
