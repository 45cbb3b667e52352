"""Narrow types by tests: truth in a condition, and `isinstance`."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from mcpgen.content.conditions import conjoin_tests, disjoin_tests, negate_test
from mcpgen.content.type_lookup import TypeLookup
from mcpgen.content.value_types import ALL_TYPES, NULL, join_types
from mcpgen.ir.template import Constant, Expr, IsInstance, IsNone, Not
from mcpgen.ir.types import ANY, NATIVE_KINDS, Array, Bound, Choice, FixedArray, Map, Ref, Scalar, ScalarKind, Union
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


def narrow_to_truthy(types: TypeLookup, type: JsonType) -> JsonType:
    """Return the type of the values that are true in a condition."""

    def keep_truthy(atom: JsonType) -> JsonType | None:
        match atom:
            case Choice(values=values):
                return _make_choice(tuple(value for value in values if value))
            case Scalar(kind=ScalarKind.BOOLEAN):
                return Choice((True,))
            case Scalar(kind=ScalarKind.NULL):
                return None
            case _:
                return atom

    return types.map_atoms(type, keep_truthy)


def narrow_to_falsy(types: TypeLookup, type: JsonType) -> JsonType:
    """Return the type of the values that are false in a condition."""

    def keep_falsy(atom: JsonType) -> JsonType | None:
        match atom:
            case Choice(values=values):
                return _make_choice(tuple(value for value in values if not value))
            case Scalar(kind=ScalarKind.BOOLEAN):
                return Choice((False,))
            case Ref():
                return None
            case _:
                return atom

    return types.map_atoms(type, keep_falsy)


def narrow_to_equal(types: TypeLookup, type: JsonType, value: object) -> JsonType:
    """Return the type of the values that equal a constant."""

    def keep_equal(atom: JsonType) -> JsonType | None:
        if isinstance(atom, Choice):
            return _make_choice(tuple(choice for choice in atom.values if choice == value))
        return None if atom == NULL else atom

    return types.map_atoms(type, keep_equal)


def narrow_to_unequal(types: TypeLookup, type: JsonType, value: object) -> JsonType:
    """Return the type of the values that don't equal a constant."""

    def remove_equal(atom: JsonType) -> JsonType | None:
        if isinstance(atom, Choice):
            return _make_choice(tuple(choice for choice in atom.values if choice != value))
        return atom

    return types.map_atoms(type, remove_equal)


def _make_choice(values: tuple[str | int | bool | None, ...]) -> Choice | None:
    return Choice(values) if values else None


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
    """Return whether bounds exclude the number 0, or the empty string."""
    for name, limit in bounds:
        match name:
            case "gt" if limit >= 0:
                return True
            case "ge" | "min_length" if limit > 0:
                return True
            case "lt" if limit <= 0:
                return True
            case "le" if limit < 0:
                return True
            case _:
                pass
    return False


def make_instance_test(
    types: TypeLookup, expr: Expr, type: JsonType, accept: Callable[[JsonType], bool]
) -> tuple[Expr, JsonType]:
    """Return the test that a value is of one of the atoms that `accept` returns True for, and its type then.

    Raises:
        ValueError: a native format has no test.
    """
    atoms = ALL_TYPES if ANY in types.split_atoms(type) else types.split_atoms(type)
    accepted = [atom for atom in atoms if accept(atom)]
    if len(accepted) == len(atoms) or not accepted:
        return Constant(bool(accepted)), type
    rejected = [atom for atom in atoms if not accept(atom)]
    narrowed = join_types(*accepted)
    if rejected == [NULL]:
        return Not(IsNone(expr)), narrowed
    classes = dict.fromkeys(name for atom in accepted for name in _list_python_classes(types, atom))
    accepts_none = "None" in classes
    classes.pop("None", None)
    if not classes:
        return IsNone(expr), narrowed
    test: Expr = IsInstance(expr, tuple(classes))
    if "int" in classes and "bool" not in classes and any(types.get_kind(atom) == "boolean" for atom in rejected):
        test = conjoin_tests(test, negate_test(IsInstance(expr, ("bool",))))
    return disjoin_tests(IsNone(expr), test) if accepts_none else test, narrowed


def _list_python_classes(types: TypeLookup, atom: JsonType) -> tuple[str | Ref, ...]:
    """Return the classes that `isinstance` needs for the Python values of an atom."""
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
