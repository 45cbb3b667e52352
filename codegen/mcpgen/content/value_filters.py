"""Filters of numbers, and filters of values of any type."""

from __future__ import annotations

from mcpgen.content.combine import make_fallback, merge_branch_types
from mcpgen.content.conversions import convert_to_json
from mcpgen.content.filter_call import FilterCall, JinjaFilter
from mcpgen.content.operands import check_defined, check_number
from mcpgen.content.value_types import INTEGER, NUMBER, STRING, is_json
from mcpgen.content.values import Value, is_none_when_absent
from mcpgen.ir.template import Call, Conditional, Constant, ListLiteral, Logic, Method, Stream, Subscript
from mcpgen.ir.types import Array, Map
from mcpgen.ir.types import Type as JsonType


def _check_abs(call: FilterCall) -> Value:
    expr, type = check_number(call.context, call.inner, call.facts, "`abs`")
    return Value(Call("abs", (expr,)), type)


def _check_round(call: FilterCall) -> Value:
    expr, type = check_number(call.context, call.inner, call.facts, "`round`")
    precision, method = call.get_literal("precision", 0, int), call.get_literal("method", "common", str)
    if method == "common":
        return Value(Call("round", (expr, Constant(precision))), type)
    if method not in ("ceil", "floor"):
        place = call.get_argument("method") or call.node
        call.context.refuse_type('`round` knows "common", "ceil" and "floor"', place)
    return Value(Call("rounded", (expr, Constant(precision), Constant(method))), NUMBER)


def _check_int(call: FilterCall) -> Value:
    value, _ = call.check_scalar()
    default, base = call.get_literal("default", 0, int), call.get_literal("base", 10, int)
    keywords = [("default", Constant(default))] if default != 0 else []
    keywords += [("base", Constant(base))] if base != 10 else []
    return Value(Call("to_int", (value.expr,), tuple(keywords)), INTEGER)


def _check_float(call: FilterCall) -> Value:
    value, _ = call.check_scalar()
    default = call.get_literal("default", 0.0, float, int)
    return Value(Call("to_float", (value.expr,), () if default == 0 else (("default", Constant(default)),)), NUMBER)


def _check_default(call: FilterCall) -> Value:
    context, facts = call.context, call.facts
    value = context.check_value(call.inner, facts)
    node = call.get_argument("default_value")
    default = Value(Constant(""), STRING) if node is None else check_defined(context, node, facts)
    if call.get_literal("boolean", False, bool):
        return make_fallback(context, value, default, call.node)
    if value.absent is None:
        return value
    present = context.check_value(call.inner, facts.with_present(value))
    is_empty_list = default.expr == ListLiteral(())
    if is_empty_list and is_json(present.type) and _is_list(call, present.type):
        default = Value(default.expr, present.type)
        if is_none_when_absent(value):
            return Value(Logic("or", (present.expr, default.expr)), present.type)
    type = merge_branch_types(context, present.type, default.type, call.node)
    match present.expr:
        case Call(function="next", arguments=(source,)):
            return Value(Call("next", (source, default.expr)), type)
        case Call(function="min" | "max" as name, arguments=arguments, keywords=keywords):
            return Value(Call(name, arguments, (*keywords, ("default", default.expr))), type)
        case Subscript(base=base, index=key) if isinstance(context.declared_types.get(base), Map):
            return Value(Method(base, "get", (key, default.expr)), type)
        case _:
            if is_empty_list:
                context.refuse_unsupported("`default([])` here", call.node, "guard it by an `if`")
            return Value(Conditional(value.absent.present, present.expr, default.expr), type)


def _is_list(call: FilterCall, type: JsonType) -> bool:
    return all(isinstance(atom, Array) for atom in call.context.types.split_atoms(type))


def _check_length(call: FilterCall) -> Value:
    context, value = call.context, call.check_value()
    types = context.types
    if is_json(value.type):
        atoms = types.split_atoms(value.type)
        if len(atoms) == 1 and types.get_class(atoms[0]) is not None:
            return Value(Call("len", (Call("members", (value.expr,)),)), INTEGER)
        if all(types.get_kind(atom) in ("array", "string") or isinstance(atom, Map) for atom in atoms):
            if types.has_only_kinds(value.type, ("array", "object")):
                return Value(Call("len", (value.expr,)), INTEGER)
            return Value(Call("len", (convert_to_json(context, value).expr,)), INTEGER)
    help = "add `| list`" if isinstance(value.type, Stream) else ""
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
