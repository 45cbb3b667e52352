"""Check names, `loop` and properties, whose Python expression depends on the declared type."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from jinja2 import nodes

from mcpgen.content.conditions import conjoin_tests
from mcpgen.content.context import CheckContext
from mcpgen.content.messages import format_expression, format_names, quote_expression
from mcpgen.content.problems import TemplateRefused
from mcpgen.content.value_types import BOOLEAN, INTEGER, NULL, is_json, join_types
from mcpgen.content.values import Absence, Value
from mcpgen.ir.template import (
    Attribute,
    Call,
    Compare,
    Constant,
    Expr,
    IsInstance,
    IsNone,
    IsSet,
    Logic,
    Not,
    Operation,
    Subscript,
    is_reference,
)
from mcpgen.ir.types import ANY, Field, Map, ObjectClass, Presence, Ref
from mcpgen.ir.types import Type as JsonType
from mcpgen.names.identifiers import make_field_names

_PYTHON_CLASSES = {"object": dict, "array": list, "string": str, "integer": int, "number": float, "boolean": bool}
_LOOP_MEMBERS = ("index", "index0", "revindex", "revindex0", "first", "last", "length", "cycle")


@dataclass(frozen=True)
class _DeclaredProperty:
    """Property as one class of a union declares it."""

    ref: Ref
    owner: ObjectClass
    field: Field


def check_name(context: CheckContext, node: nodes.Name) -> Value:
    """Check the use of a variable."""
    scope = context.scope
    variable = scope.variables.get(node.name)
    if variable is not None:
        if variable.value is None:
            raise TemplateRefused
        if variable.is_partial:
            message = f"`{node.name}` is not set in every branch"
            context.refuse("MG504", message, node, f"set `{node.name}` before the `if` or `for`")
        return variable.value
    if node.name == "loop" and scope.loop is not None:
        context.refuse_unsupported("`loop` as a value", node, f"`loop` has {', '.join(_LOOP_MEMBERS)}")
    help = _suggest_name(node.name, list(scope.variables))
    context.refuse("MG503", f"there is no `{node.name}` in the result", node, help)


def _suggest_name(name: str, names: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, names, 1, 0.6)
    return f"did you mean `{close[0]}`?" if close else f"there is {format_names(names)}"


def check_loop_member(context: CheckContext, node: nodes.Getattr, name: str) -> Value:
    """Check `loop.name`."""
    loop = context.scope.loop
    if loop is None:
        context.refuse("MG503", "there is no `loop` outside of a loop", node.node)
    if name not in _LOOP_MEMBERS or name == "cycle":
        context.refuse_unsupported(f"`loop.{name}`", node, f"`loop` has {', '.join(_LOOP_MEMBERS)}")
    index = loop.index
    assert index is not None
    match name:
        case "index":
            return Value(Operation("+", index, Constant(1)), INTEGER)
        case "index0":
            return Value(index, INTEGER)
        case "first":
            return Value(Compare(index, (("==", Constant(0)),)), BOOLEAN)
        case _:
            assert loop.items is not None
    length = Call("len", (loop.items,))
    last = Operation("-", length, Constant(1))
    match name:
        case "length":
            return Value(length, INTEGER)
        case "last":
            return Value(Compare(index, (("==", last),)), BOOLEAN)
        case "revindex":
            return Value(Operation("-", length, index), INTEGER)
        case _:
            return Value(Operation("-", last, index), INTEGER)


def check_member(context: CheckContext, base: Value, name: str, node: nodes.Expr) -> Value:
    """Check the property `name` (its wire name) of a value; `node` is the whole expression."""
    if not is_json(base.type):
        context.refuse_type(f"{context.types.describe_type(base.type)} has no properties", node)
    declared: list[_DeclaredProperty] = []
    possible_types: list[JsonType] = []
    for atom in context.types.split_atoms(base.type):
        owner = context.types.get_class(atom)
        field = next((field for field in owner.fields if field.wire == name), None) if owner is not None else None
        if owner is not None and field is not None and isinstance(atom, Ref):
            declared.append(_DeclaredProperty(atom, owner, field))
        else:
            possible_types.append(atom)
    if declared:
        return _check_property(context, base, name, declared, possible_types, node)
    return _check_undeclared(context, base, name, node)


# --- properties that no class declares -------------------------------------------------------------------------------
def _check_undeclared(context: CheckContext, base: Value, name: str, node: nodes.Expr) -> Value:
    assert is_json(base.type)
    inner = _get_base_node(node)
    atoms = context.types.split_atoms(base.type)
    open_atoms = [atom for atom in atoms if _get_undeclared_type(context, atom) is not None]
    if not open_atoms:
        _refuse_member(context, name, base.type, inner, node)
    possible_types = [atom for atom in atoms if atom not in open_atoms]
    if len(open_atoms) > 1 or possible_types not in ([], [NULL]):
        message = f"a property of {context.types.describe_type(base.type)}"
        context.refuse_unsupported(message, node, "test what it is first")
    owner = open_atoms[0]
    classes = _PYTHON_CLASSES.values() if owner == ANY else (dict,)
    if isinstance(node, nodes.Getattr) and any(hasattr(cls, name) for cls in classes):
        help = f'write {format_expression(inner)}["{name}"]'
        context.refuse_unsupported(f"`.{name}`, which is a method in Python,", node, help)
    if isinstance(owner, Map):
        return look_up_key(base, owner, Constant(name), node, is_nullable=bool(possible_types))
    members = base.expr if owner == ANY else Call("members", (base.expr,))
    return look_up_item(members, Constant(name), node)


def _get_base_node(node: nodes.Expr) -> nodes.Node:
    return node.node if isinstance(node, nodes.Getattr | nodes.Getitem) else node


def _get_undeclared_type(context: CheckContext, atom: JsonType) -> JsonType | None:
    """Return the type of undeclared properties, None for a class with fields and for what is not an object."""
    if isinstance(atom, Map):
        return atom.value
    owner = context.types.get_class(atom)
    return ANY if atom == ANY or (owner is not None and not owner.fields and owner.extra is not None) else None


def look_up_key(base: Value, map_type: Map, key: Expr, node: nodes.Expr, *, is_nullable: bool = False) -> Value:
    """Return `base[key]` for an object without declared properties, which may be null."""
    present: Expr = Compare(key, (("in", base.expr),))
    narrowed: tuple[tuple[Expr, JsonType], ...] = ()
    if is_nullable:
        present = Logic("and", (Not(IsNone(base.expr)), present))
        narrowed = ((base.expr, map_type),)
    why = f"`{format_expression(node)}` may be absent"
    return Value(Subscript(base.expr, key), map_type.value, Absence(present, why, narrowed))


def look_up_item(base: Expr, key: Constant, node: nodes.Expr) -> Value:
    """Return the item `base[key]` of a JSON value of unknown type."""
    absence = Absence(Call("has_item", (base, key)), f"`{format_expression(node)}` may be absent")
    return Value(Call("json_item", (base, key)), ANY, absence)


def _refuse_member(context: CheckContext, name: str, type: JsonType, inner: nodes.Node, node: nodes.Expr) -> NoReturn:
    owners = [owner for atom in context.types.split_atoms(type) if (owner := context.types.get_class(atom)) is not None]
    if not owners:
        description = context.types.describe_type(join_types(*context.types.split_atoms(type)))
        context.refuse_type(f"{quote_expression(inner)} is {description} and has no `{name}`", node)
    names = [field.wire for owner in owners for field in owner.fields]
    help = _suggest_name(name, names) if names else "it declares no properties"
    context.refuse("MG503", f"there is no `{name}` in {quote_expression(inner)}", node, help)


# --- declared properties ---------------------------------------------------------------------------------------------
def _check_property(
    context: CheckContext,
    base: Value,
    name: str,
    declared: list[_DeclaredProperty],
    possible_types: list[JsonType],
    node: nodes.Expr,
) -> Value:
    """Check a property that some members of a union declare; `others` are the members that don't."""
    python_names = {make_field_names(member.owner.fields)[name] for member in declared}
    if len(python_names) > 1:
        message = f"`{name}`, which has several Python names here,"
        context.refuse_unsupported(message, node, "distinguish the objects first")
    expr = Attribute(base.expr, python_names.pop())
    types = [member.field.type for member in declared]
    type = join_types(*types) if len(types) > 1 else types[0]
    absence = Absence(conjoin_tests(), f"`{format_expression(node)}` may be absent")
    if possible_types:
        absence = _guard_union(context, base, name, declared, possible_types, node)
    is_nullable = NULL in context.types.split_atoms(type)
    presences = {member.field.presence for member in declared}
    present = absence.present
    if Presence.OPTIONAL_NULLABLE in presences or (is_nullable and presences != {Presence.REQUIRED}):
        present = conjoin_tests(present, IsSet(base.expr, expr.name))
        type = type if is_nullable else join_types(type, NULL)
    elif presences != {Presence.REQUIRED}:
        present = conjoin_tests(present, Not(IsNone(expr)))
    elif not possible_types:
        return Value(expr, type)
    return Value(expr, type, Absence(present, absence.why, absence.narrowed))


def _guard_union(
    context: CheckContext,
    base: Value,
    name: str,
    declared: list[_DeclaredProperty],
    possible_types: list[JsonType],
    node: nodes.Expr,
) -> Absence:
    """Return the test that a value is one of the objects that declare a property."""
    inner = _get_base_node(node)
    if any(_may_have_property(context, atom, name) for atom in possible_types):
        message = f"`{name}` of {quote_expression(inner)}, which some of its objects don't declare but allow,"
        context.refuse_unsupported(message, node, "distinguish the objects first, by a property that all of them have")
    is_null = possible_types == [NULL]
    doubt = f"may be {'null' if is_null else 'without it'}"
    if not is_reference(base.expr):
        context.refuse_unsupported(f"`{name}` of a value that {doubt}", node, "`set` it")
    refs = tuple(member.ref for member in declared)
    present = Not(IsNone(base.expr)) if is_null else IsInstance(base.expr, refs)
    why = f"`{format_expression(inner)}` {doubt}, so `{format_expression(node)}` may be absent"
    return Absence(present, why, ((base.expr, join_types(*refs)),))


def _may_have_property(context: CheckContext, atom: JsonType, name: str) -> bool:
    """Return whether Jinja could find a property or method of this name in some value of an atom."""
    owner = context.types.get_class(atom)
    if owner is not None:
        return owner.extra is not None
    if isinstance(atom, Map) or atom == ANY:
        return True
    return hasattr(_PYTHON_CLASSES.get(context.types.get_kind(atom), object), name)
