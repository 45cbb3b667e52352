"""Narrow types by truth in a condition and by `isinstance`, and combine values of which one is taken."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import assert_never

from jinja2 import nodes

from mcpgen.content.context import CheckContext
from mcpgen.content.type_lookup import ALL_TYPES, TypeLookup, is_json, join_types
from mcpgen.content.values import (
    Condition,
    Facts,
    Value,
    conjoin_tests,
    disjoin_tests,
    evaluate_test,
    is_none_when_absent,
    negate_test,
)
from mcpgen.ir import template as code
from mcpgen.ir.types import (
    ANY,
    NATIVE_KINDS,
    NULL,
    Array,
    Bound,
    Choice,
    FixedArray,
    Map,
    Ref,
    Scalar,
    ScalarKind,
    Union,
)
from mcpgen.ir.types import Type as JsonType

_PYTHON_CLASSES_BY_KIND = {
    "string": ("str",),
    "integer": ("int",),
    "number": ("int", "float"),
    "boolean": ("bool",),
    "null": ("None",),
    "array": ("list",),
    "object": ("dict",),
}


# --- types -----------------------------------------------------------------------------------------------------------
def narrow_by_truth(types: TypeLookup, type: JsonType, outcome: bool) -> JsonType:
    """Return the type of the values that are true, or false, in a condition."""

    def narrow(atom: JsonType) -> JsonType | None:
        match atom:
            case Choice(values=values):
                return _make_choice(value for value in values if bool(value) is outcome)
            case Scalar(kind=ScalarKind.BOOLEAN):
                return Choice((outcome,))
            case Scalar(kind=ScalarKind.NULL):
                return None if outcome else atom
            case Ref():
                return atom if outcome else None
            case _:
                return atom

    return types.map_atoms(type, narrow)


def narrow_by_equality(types: TypeLookup, type: JsonType, constant: object, outcome: bool) -> JsonType:
    """Return the type of the values that equal a constant, or do not."""

    def narrow(atom: JsonType) -> JsonType | None:
        if isinstance(atom, Choice):
            return _make_choice(value for value in atom.values if (value == constant) is outcome)
        return None if outcome and atom == NULL else atom

    return types.map_atoms(type, narrow)


def _make_choice(values: Iterable[str | int | bool | None]) -> Choice | None:
    kept = tuple(values)
    return Choice(kept) if kept else None


def is_always_true(types: TypeLookup, atom: JsonType) -> bool:
    """Return whether every value of an atom is true in a condition."""
    match atom:
        case Choice(values=values):
            return all(values)
        case Scalar(kind=kind, bounds=bounds):
            return kind in NATIVE_KINDS or _excludes_zero(bounds)
        case Array(bounds=bounds):
            return any(name == "min_length" and limit >= 1 for name, limit in bounds)
        case FixedArray(items=items):
            return bool(items)
        case Ref():
            return types.has_required(atom)
        case Map() | Union():
            return False
        case _:
            assert_never(atom)


def _excludes_zero(bounds: tuple[Bound, ...]) -> bool:
    return any(
        (name == "gt" and limit >= 0)
        or (name in ("ge", "min_length") and limit > 0)
        or (name == "lt" and limit <= 0)
        or (name == "le" and limit < 0)
        for name, limit in bounds
    )


def make_instance_test(
    types: TypeLookup, expr: code.Expr, type: JsonType, accept: Callable[[JsonType], bool]
) -> tuple[code.Expr, JsonType]:
    """Return the test for atoms that `accept` accepts, and the type then; raise `ValueError` for native formats."""
    atoms = ALL_TYPES if ANY in types.split_atoms(type) else types.split_atoms(type)
    accepted = [atom for atom in atoms if accept(atom)]
    if len(accepted) == len(atoms) or not accepted:
        return code.Constant(bool(accepted)), type
    rejected = [atom for atom in atoms if not accept(atom)]
    narrowed = join_types(*accepted)
    if rejected == [NULL]:
        return code.Not(code.IsNone(expr)), narrowed
    classes = dict.fromkeys(name for atom in accepted for name in _list_python_classes(types, atom))
    accepts_none = "None" in classes
    classes.pop("None", None)
    if not classes:
        return code.IsNone(expr), narrowed
    test: code.Expr = code.IsInstance(expr, tuple(classes))
    if "int" in classes and "bool" not in classes and any(types.get_kind(atom) == "boolean" for atom in rejected):
        test = conjoin_tests(test, negate_test(code.IsInstance(expr, ("bool",))))
    return disjoin_tests(code.IsNone(expr), test) if accepts_none else test, narrowed


def _list_python_classes(types: TypeLookup, atom: JsonType) -> tuple[str | Ref, ...]:
    match atom:
        case Scalar(kind=ScalarKind.BASE64):
            return ("bytes", "str")
        case Scalar(kind=kind) if kind in NATIVE_KINDS:
            raise ValueError("its Python class depends on the format")
        case Ref():
            return (atom,)
        case FixedArray():
            return ("tuple",)
        case _:
            return _PYTHON_CLASSES_BY_KIND[types.get_kind(atom)]


# --- truth of a value, as Jinja sees it ------------------------------------------------------------------------------
def check_truth(context: CheckContext, node: nodes.Expr, facts: Facts) -> Condition:
    """Check a value that is used as a condition; an absent value is false."""
    value = context.check_value(node, facts)
    type, absent = value.type, value.absent
    if not is_json(type):
        help = "add `| list`" if isinstance(type, code.Stream) else ""
        context.refuse_type(f"{context.types.describe_type(type)} is not a condition", node, help)
    if absent is not None and is_none_when_absent(value):
        test = make_truth_test(context, value.expr, join_types(type, NULL), node)
    else:
        test = make_truth_test(context, value.expr, type, node)
        if absent is not None:
            test = conjoin_tests(absent.present, test)
    yes = facts.with_present(value).with_type(value.expr, narrow_by_truth(context.types, type, True))
    no = facts if absent is not None else facts.with_type(value.expr, narrow_by_truth(context.types, type, False))
    return Condition(test, yes.with_nonzero(value.expr), no)


def make_truth_test(context: CheckContext, expr: code.Expr, type: JsonType, node: nodes.Expr) -> code.Expr:
    """Return the Python condition that a present value is true."""
    if isinstance(expr, code.Constant):
        return code.Constant(bool(expr.value))
    types = context.types
    atoms = types.split_atoms(type)
    if all(is_always_true(types, atom) for atom in atoms):
        return code.TRUE
    if any(types.get_class(atom) and not types.has_required(atom) for atom in atoms):
        if len(atoms) > 1:
            help = "use `is defined` or `is not none`"
            context.refuse_unsupported(f"{types.describe_type(type)} as a condition", node, help)
        return code.Call("members", (expr,))
    if NULL in atoms and all(isinstance(atom, Ref) or atom == NULL for atom in atoms):
        return code.Not(code.IsNone(expr))
    return expr


# --- values of which one is taken ------------------------------------------------------------------------------------
def merge_branch_types(
    context: CheckContext, left: code.TemplateType, right: code.TemplateType, node: nodes.Expr
) -> code.TemplateType:
    """Return a type for both of two values."""
    if is_json(left) and is_json(right):
        return join_types(left, right)
    if left == right:
        return left
    for markup, other_type in ((left, right), (right, left)):
        if isinstance(markup, code.Markup) and context.types.has_only_kinds(other_type, ("string",)):
            return markup
    describe = context.types.describe_type
    context.refuse_type(f"this is either {describe(left)} or {describe(right)}", node)


def make_fallback(context: CheckContext, value: Value, fallback: Value, node: nodes.Expr) -> Value:
    """Return `value or fallback`, where an absent value is false."""
    if not is_json(value.type) or not is_json(fallback.type):
        describe = context.types.describe_type
        context.refuse_type(f"this is either {describe(value.type)} or {describe(fallback.type)}", node)
    test = make_truth_test(context, value.expr, value.type, node)
    outcome = evaluate_test(test)
    if outcome is False and value.absent is None:
        return fallback
    type = _get_fallback_type(context, value.type, fallback)
    if value.absent is None or is_none_when_absent(value):
        if test == value.expr or value.absent is not None or isinstance(test, code.Not):
            return Value(code.Logic("or", (value.expr, fallback.expr)), type)
        if outcome is True:
            return value
    if value.absent is not None:
        test = conjoin_tests(value.absent.present, test)
    return Value(code.Conditional(test, value.expr, fallback.expr), type)


def _get_fallback_type(context: CheckContext, type: JsonType, fallback: Value) -> JsonType:
    """Return the type of `value or fallback`; an empty list takes on the type of a list."""
    truthy = narrow_by_truth(context.types, type, True)
    if fallback.expr == code.ListLiteral(()):
        is_list = all(isinstance(atom, Array) for atom in context.types.split_atoms(truthy))
        return truthy if is_list else join_types(truthy, ANY)
    assert is_json(fallback.type)
    return join_types(truthy, fallback.type)
