"""Filters (`value | name(…)`): what each takes and gives, with the text that Jinja's own gives."""

from __future__ import annotations

import difflib
import re

from jinja2 import nodes

from mcpgen.content import combine, sequence_filters
from mcpgen.content.context import CheckContext
from mcpgen.content.filter_call import ATTRIBUTE, FilterCall, FilterHandler
from mcpgen.content.narrowing import Facts, Value, is_none_when_absent
from mcpgen.content.value_types import INTEGER, NUMBER, STRING, is_json
from mcpgen.ir.template import (
    Call,
    Conditional,
    Constant,
    Expr,
    ListLiteral,
    Logic,
    Markup,
    Method,
    Stream,
    Subscript,
    ToJson,
)
from mcpgen.ir.types import Array, Map, Scalar, ScalarKind
from mcpgen.ir.types import Type as JsonType

_DATE_DIRECTIVES = "aAbBdfHIjmMpSyYz%"


def check_filter(context: CheckContext, node: nodes.Filter, facts: Facts) -> Value:
    """`value | name(…)`."""
    if node.node is None:
        context.refuse_unsupported("a filter block", node)
    known = FILTERS.get(node.name)
    if known is None:
        close = difflib.get_close_matches(node.name, FILTERS, 1)
        help = f"did you mean `{close[0]}`?" if close else f"there is {', '.join(sorted(FILTERS))}"
        context.refuse_unsupported(f"the filter `{node.name}`", node, help)
    handler, names = known
    return handler(FilterCall(context, node, facts, names, node.node))


# --- text ------------------------------------------------------------------------------------------------------------
def _make_method_handler(name: str) -> FilterHandler:
    return lambda given: Value(Method(given.check_value_text(), name), STRING)


def _make_call_handler(function: str, type: JsonType) -> FilterHandler:
    return lambda given: Value(Call(function, (given.check_value_text(),)), type)


def _check_trim(given: FilterCall) -> Value:
    chars = given.get_literal("chars", None, str)
    return Value(Method(given.check_value_text(), "strip", () if chars is None else (Constant(chars),)), STRING)


def _check_string(given: FilterCall) -> Value:
    return Value(given.context.check_text(given.inner, given.facts), STRING)


def _check_replace(given: FilterCall) -> Value:
    arguments: list[Expr] = []
    for name in ("old", "new"):
        node = given.get_argument(name)
        if node is None:
            given.context.refuse_unsupported(f"`replace` without `{name}`", given.node)
        arguments.append(given.context.check_text(node, given.facts))
    count = given.get_literal("count", None, int)
    arguments += [] if count is None else [Constant(count)]
    return Value(Method(given.check_value_text(), "replace", tuple(arguments)), STRING)


def _check_truncate(given: FilterCall) -> Value:
    length, end = given.get_literal("length", 255, int), given.get_literal("end", "...", str)
    leeway, cut = given.get_literal("leeway", 5, int), given.get_literal("killwords", False, bool)
    value, type = given.check_scalar()
    if not given.context.types.has_only_kinds(type, ("string",)):
        given.context.refuse_type(
            f"`truncate` needs a string, and this is {given.context.types.describe_type(type)}", given.node
        )
    if length < len(end) or leeway < 0:
        given.context.refuse_type(f"`truncate` to {length} characters, with {len(end)} for the end", given.node)
    values = (("length", length), ("cut", cut), ("end", end), ("leeway", leeway))
    keywords = tuple((name, Constant(one)) for name, one in values)
    return Value(Call("truncated", (value.expr,), keywords), STRING)


_FORMAT_DIRECTIVE = re.compile(r"%(%|[-+ #0]*\d*(?:\.\d+)?[A-Za-z])")


def _check_format(given: FilterCall) -> Value:
    context, node, pattern = given.context, given.node, given.inner
    if node.kwargs or node.dyn_args or node.dyn_kwargs:
        context.refuse_unsupported("the filter `format` with named values", node)
    if not (isinstance(pattern, nodes.Const) and isinstance(pattern.value, str)):
        context.refuse_unsupported("`format` of anything but a string written out", node)
    if "%" in _FORMAT_DIRECTIVE.sub("", pattern.value):
        context.refuse_type("the format has a `%` that starts no directive", pattern, "write %% for a percent sign")
    wanted = [found[1] for found in _FORMAT_DIRECTIVE.finditer(pattern.value) if found[1] != "%"]
    if len(wanted) != len(node.args):
        context.refuse_type(f"the format asks for {len(wanted)} values, and {len(node.args)} are given", node)
    values: list[Expr] = []
    for directive, argument in zip(wanted, node.args, strict=True):
        if directive[-1] == "s":
            values.append(context.check_text(argument, given.facts))
        elif directive[-1] in "dieEfFgG":
            values.append(context.check_number(argument, given.facts, f"`%{directive}`")[0])
        elif directive[-1] in "xXo":
            expr, type = context.check_number(argument, given.facts, f"`%{directive}`")
            if type != INTEGER:
                context.refuse_type(f"`%{directive}` needs integers, and this is a number", argument)
            values.append(expr)
        else:
            context.refuse_unsupported(f"the directive `%{directive}`", pattern, "there is %s, %d, %f, %e, %g, %x, %o")
    return Value(Call("%", (Constant(pattern.value), *values)), STRING)


def _check_datetime(given: FilterCall) -> Value:
    context = given.context
    value = context.check_defined(given.inner, given.facts)
    moments = (ScalarKind.STRING, ScalarKind.DATE_TIME, ScalarKind.DATE, ScalarKind.TIME)
    atoms = context.types.split_atoms(value.type) if is_json(value.type) else ()
    if not atoms or not all(context.types.has_only_kinds(atom, ("string",)) for atom in atoms):
        help = "guard it by `is not none`" if "null" in context.types.collect_kinds(value.type) else ""
        context.refuse_type(
            f"`datetime` needs a string, and this is {context.types.describe_type(value.type)}", given.node, help
        )
    if any(isinstance(atom, Scalar) and atom.kind not in moments for atom in atoms):
        context.refuse_type("`datetime` needs a date or a time", given.node)
    pattern = given.get_literal("format", None, str)
    if pattern is None:
        context.refuse_unsupported("`datetime` without a format", given.node, 'such as datetime("%d %b %Y %H:%M")')
    for found in re.finditer(r"%(-?)(.?)", pattern, re.DOTALL):
        if found[2] not in _DATE_DIRECTIVES or not found[2] or (found[1] and found[2] not in "dHIjmMSy"):
            node = given.get_argument("format")
            context.refuse_unsupported(
                f"`{found[0]}` in a date format", node or given.node, f"there is %{', %'.join(_DATE_DIRECTIVES)}"
            )
    return Value(Call("date_text", (value.expr, Constant(pattern))), STRING)


# --- numbers ---------------------------------------------------------------------------------------------------------
def _check_abs(given: FilterCall) -> Value:
    expr, type = given.context.check_number(given.inner, given.facts, "`abs`")
    return Value(Call("abs", (expr,)), type)


def _check_round(given: FilterCall) -> Value:
    expr, type = given.context.check_number(given.inner, given.facts, "`round`")
    precision, method = given.get_literal("precision", 0, int), given.get_literal("method", "common", str)
    if method == "common":
        return Value(Call("round", (expr, Constant(precision))), type)
    if method not in ("ceil", "floor"):
        given.context.refuse_type(
            '`round` knows "common", "ceil" and "floor"', given.get_argument("method") or given.node
        )
    return Value(Call("rounded", (expr, Constant(precision), Constant(method))), NUMBER)


def _check_int(given: FilterCall) -> Value:
    value, _ = given.check_scalar()
    default, base = given.get_literal("default", 0, int), given.get_literal("base", 10, int)
    keywords = tuple(
        (name, Constant(one)) for name, one, usual in (("default", default, 0), ("base", base, 10)) if one != usual
    )
    return Value(Call("to_int", (value.expr,), keywords), INTEGER)


def _check_float(given: FilterCall) -> Value:
    value, _ = given.check_scalar()
    default = given.get_literal("default", 0.0, float, int)
    return Value(Call("to_float", (value.expr,), () if default == 0 else (("default", Constant(default)),)), NUMBER)


# --- anything --------------------------------------------------------------------------------------------------------
def _check_default(given: FilterCall) -> Value:
    context, facts = given.context, given.facts
    value = context.check_value(given.inner, facts)
    node = given.get_argument("default_value")
    other = Value(Constant(""), STRING) if node is None else context.check_defined(node, facts)
    if given.get_literal("boolean", False, bool):
        return combine.make_fallback(context, value, other, given.node)
    if value.absent is None:
        return value
    held = context.check_value(given.inner, facts.with_present(value))
    empty = other.expr == ListLiteral(())
    if empty and is_json(held.type) and all(isinstance(one, Array) for one in context.types.split_atoms(held.type)):
        other = Value(other.expr, held.type)
        if is_none_when_absent(value):
            return Value(Logic("or", (held.expr, other.expr)), held.type)
    type = combine.merge_branch_types(context, held.type, other.type, given.node)
    match held.expr:
        case Call(function="next", arguments=(source,)):
            return Value(Call("next", (source, other.expr)), type)
        case Call(function="min" | "max" as name, arguments=arguments, keywords=keywords):
            return Value(Call(name, arguments, (*keywords, ("default", other.expr))), type)
        case Subscript(base=base, index=key) if isinstance(context.declared.get(base), Map):
            return Value(Method(base, "get", (key, other.expr)), type)
        case _:
            if empty:
                context.refuse_unsupported("`default([])` here", given.node, "guard it by an `if`")
            return Value(Conditional(value.absent.present, held.expr, other.expr), type)


def _check_length(given: FilterCall) -> Value:
    context = given.context
    value = context.check_defined(given.inner, given.facts)
    if is_json(value.type):
        atoms = context.types.split_atoms(value.type)
        if len(atoms) == 1 and context.types.get_class(atoms[0]) is not None:
            return Value(Call("len", (Call("members", (value.expr,)),)), INTEGER)
        if all(context.types.get_kind(atom) in ("array", "string") or isinstance(atom, Map) for atom in atoms):
            if context.types.has_only_kinds(value.type, ("array", "object")):
                return Value(Call("len", (value.expr,)), INTEGER)
            return Value(Call("len", (context.convert_to_json(value).expr,)), INTEGER)
    help = "add `| list`" if isinstance(value.type, Stream) else ""
    context.refuse_type(f"`{given.node.name}` of {context.types.describe_type(value.type)}", given.node, help)


def _check_tojson(given: FilterCall) -> Value:
    value = given.context.check_defined(given.inner, given.facts)
    if not is_json(value.type):
        given.context.refuse_type(f"`tojson` of {given.context.types.describe_type(value.type)}", given.node)
    indent = given.get_literal("indent", None, int)
    keywords = () if indent is None else (("indent", Constant(indent)),)
    return Value(Call("to_html_json", (ToJson(value.expr, value.type),), keywords), Markup())


_ORDERING_ARGUMENTS = ("case_sensitive", ATTRIBUTE)
FILTERS: dict[str, tuple[FilterHandler, tuple[str, ...] | None]] = {
    "abs": (_check_abs, ()),
    "capitalize": (_make_method_handler("capitalize"), ()),
    "count": (_check_length, ()),
    "d": (_check_default, ("default_value", "boolean")),
    "datetime": (_check_datetime, ("format",)),
    "default": (_check_default, ("default_value", "boolean")),
    "dictsort": (sequence_filters.check_dictsort, ("case_sensitive", "by", "reverse")),
    "first": (sequence_filters.make_end_handler(0), ()),
    "float": (_check_float, ("default",)),
    "format": (_check_format, None),
    "int": (_check_int, ("default", "base")),
    "items": (sequence_filters.check_items, ()),
    "join": (sequence_filters.check_join, ("d", ATTRIBUTE)),
    "last": (sequence_filters.make_end_handler(-1), ()),
    "length": (_check_length, ()),
    "list": (sequence_filters.check_list, ()),
    "lower": (_make_method_handler("lower"), ()),
    "map": (sequence_filters.check_map, None),
    "max": (sequence_filters.make_extreme_handler("max"), _ORDERING_ARGUMENTS),
    "min": (sequence_filters.make_extreme_handler("min"), _ORDERING_ARGUMENTS),
    "reject": (sequence_filters.make_select_handler(False, True), None),
    "rejectattr": (sequence_filters.make_select_handler(True, True), None),
    "replace": (_check_replace, ("old", "new", "count")),
    "reverse": (sequence_filters.check_reverse, ()),
    "round": (_check_round, ("precision", "method")),
    "select": (sequence_filters.make_select_handler(False, False), None),
    "selectattr": (sequence_filters.make_select_handler(True, False), None),
    "sort": (sequence_filters.check_sort, ("reverse", *_ORDERING_ARGUMENTS)),
    "string": (_check_string, ()),
    "sum": (sequence_filters.check_sum, (ATTRIBUTE, "start")),
    "title": (_make_call_handler("titled", STRING), ()),
    "tojson": (_check_tojson, ("indent",)),
    "trim": (_check_trim, ("chars",)),
    "truncate": (_check_truncate, ("length", "killwords", "end", "leeway")),
    "unique": (sequence_filters.check_unique, _ORDERING_ARGUMENTS),
    "upper": (_make_method_handler("upper"), ()),
    "wordcount": (_make_call_handler("word_count", INTEGER), ()),
}
"""What can be used: how it is checked, and the names of its arguments; None: the handler reads them itself."""
