"""Check names, `loop`, properties, items and slices, whose Python expression depends on the declared type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn, TypeAlias

from jinja2 import nodes

from mcpgen.content.context import CheckContext, TemplateRefused
from mcpgen.content.operands import check_defined, check_json, check_json_or_list
from mcpgen.content.syntax import format_expression, format_names, get_literal_integer, quote_expression
from mcpgen.content.type_lookup import BOOLEAN, INTEGER, STRING, is_json, join_types
from mcpgen.content.values import Absence, Facts, Value, conjoin_tests
from mcpgen.ir import template as code
from mcpgen.ir.template import is_reference
from mcpgen.ir.types import ANY, NULL, Array, Field, FixedArray, Map, Presence, Ref
from mcpgen.ir.types import Type as JsonType
from mcpgen.names.identifiers import make_field_names
from mcpgen.words import NameGuesser

_PYTHON_CLASSES = {"object": dict, "array": list, "string": str, "integer": int, "number": float, "boolean": bool}
_LOOP_MEMBERS = ("index", "index0", "revindex", "revindex0", "first", "last", "length", "cycle")
_Declared: TypeAlias = tuple[Ref, str, Field]
"""A class of a union, and the Python name and the field of a property as it declares it."""


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
    close = NameGuesser().guess(name, names, 0.6)
    return f"did you mean `{close}`?" if close else f"there is {format_names(names)}"


def check_loop_member(context: CheckContext, node: nodes.Getattr, name: str) -> Value:
    """Check `loop.name`."""
    loop = context.scope.loop
    if loop is None:
        context.refuse("MG503", "there is no `loop` outside of a loop", node.node)
    if name not in _LOOP_MEMBERS or name == "cycle":
        context.refuse_unsupported(f"`loop.{name}`", node, f"`loop` has {', '.join(_LOOP_MEMBERS)}")
    assert loop.index is not None
    values: dict[str, code.Expr] = {
        "index": code.Operation("+", loop.index, code.Constant(1)),
        "index0": loop.index,
        "first": code.Compare(loop.index, (("==", code.Constant(0)),)),
    }
    if loop.items is not None:
        length = code.Call("len", (loop.items,))
        last = code.Operation("-", length, code.Constant(1))
        values["length"], values["last"] = length, code.Compare(loop.index, (("==", last),))
        values["revindex"], values["revindex0"] = (
            code.Operation("-", length, loop.index),
            code.Operation("-", last, loop.index),
        )
    return Value(values[name], BOOLEAN if name in ("first", "last") else INTEGER)


def check_member(context: CheckContext, base: Value, name: str, node: nodes.Expr) -> Value:
    """Check the property `name` (its wire name) of a value; `node` is the whole expression."""
    if not is_json(base.type):
        context.refuse_type(f"{context.types.describe_type(base.type)} has no properties", node)
    declared: list[_Declared] = []
    others: list[JsonType] = []
    for atom in context.types.split_atoms(base.type):
        owner = context.types.get_class(atom)
        field = next((field for field in owner.fields if field.wire == name), None) if owner is not None else None
        if owner is not None and field is not None and isinstance(atom, Ref):
            declared.append((atom, make_field_names(owner.fields)[name], field))
        else:
            others.append(atom)
    if declared:
        return _check_property(context, base, name, declared, others, node)
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
        return _look_up_key(base, owner, code.Constant(name), node, is_nullable=bool(possible_types))
    members = base.expr if owner == ANY else code.Call("members", (base.expr,))
    return _look_up_item(members, code.Constant(name), node)


def _get_base_node(node: nodes.Expr) -> nodes.Node:
    return node.node if isinstance(node, nodes.Getattr | nodes.Getitem) else node


def _get_undeclared_type(context: CheckContext, atom: JsonType) -> JsonType | None:
    """Return the type of undeclared properties, None for a class with fields and for what is not an object."""
    if isinstance(atom, Map):
        return atom.value
    owner = context.types.get_class(atom)
    return ANY if atom == ANY or (owner is not None and not owner.fields and owner.extra is not None) else None


def _look_up_key(base: Value, map_type: Map, key: code.Expr, node: nodes.Expr, *, is_nullable: bool = False) -> Value:
    """Return `base[key]` for an object without declared properties, which may be null."""
    present: code.Expr = code.Compare(key, (("in", base.expr),))
    narrowed: tuple[tuple[code.Expr, JsonType], ...] = ()
    if is_nullable:
        present = code.Logic("and", (code.Not(code.IsNone(base.expr)), present))
        narrowed = ((base.expr, map_type),)
    why = f"`{format_expression(node)}` may be absent"
    return Value(code.Subscript(base.expr, key), map_type.value, Absence(present, why, narrowed))


def _look_up_item(base: code.Expr, key: code.Constant, node: nodes.Expr) -> Value:
    absence = Absence(code.Call("has_item", (base, key)), f"`{format_expression(node)}` may be absent")
    return Value(code.Call("json_item", (base, key)), ANY, absence)


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
    context: CheckContext, base: Value, name: str, declared: list[_Declared], others: list[JsonType], node: nodes.Expr
) -> Value:
    python_names = {python_name for _, python_name, _ in declared}
    if len(python_names) > 1:
        message = f"`{name}`, which has several Python names here,"
        context.refuse_unsupported(message, node, "distinguish the objects first")
    expr = code.Attribute(base.expr, python_names.pop())
    types = [field.type for *_, field in declared]
    type = join_types(*types) if len(types) > 1 else types[0]
    absence = Absence(conjoin_tests(), f"`{format_expression(node)}` may be absent")
    if others:
        absence = _guard_union(context, base, name, tuple(ref for ref, *_ in declared), others, node)
    is_nullable = NULL in context.types.split_atoms(type)
    presences = {field.presence for *_, field in declared}
    present = absence.present
    if Presence.OPTIONAL_NULLABLE in presences or (is_nullable and presences != {Presence.REQUIRED}):
        present = conjoin_tests(present, code.IsSet(base.expr, expr.name))
        type = type if is_nullable else join_types(type, NULL)
    elif presences != {Presence.REQUIRED}:
        present = conjoin_tests(present, code.Not(code.IsNone(expr)))
    elif not others:
        return Value(expr, type)
    return Value(expr, type, Absence(present, absence.why, absence.narrowed))


def _guard_union(
    context: CheckContext, base: Value, name: str, refs: tuple[Ref, ...], others: list[JsonType], node: nodes.Expr
) -> Absence:
    inner = _get_base_node(node)
    if any(_may_have_property(context, atom, name) for atom in others):
        message = f"`{name}` of {quote_expression(inner)}, which some of its objects don't declare but allow,"
        context.refuse_unsupported(message, node, "distinguish the objects first, by a property that all of them have")
    is_null = others == [NULL]
    doubt = f"may be {'null' if is_null else 'without it'}"
    if not is_reference(base.expr):
        context.refuse_unsupported(f"`{name}` of a value that {doubt}", node, "`set` it")
    present = code.Not(code.IsNone(base.expr)) if is_null else code.IsInstance(base.expr, refs)
    why = f"`{format_expression(inner)}` {doubt}, so `{format_expression(node)}` may be absent"
    return Absence(present, why, ((base.expr, join_types(*refs)),))


def _may_have_property(context: CheckContext, atom: JsonType, name: str) -> bool:
    owner = context.types.get_class(atom)
    if owner is not None:
        return owner.extra is not None
    if isinstance(atom, Map) or atom == ANY:
        return True
    return hasattr(_PYTHON_CLASSES.get(context.types.get_kind(atom), object), name)


# --- items and slices ------------------------------------------------------------------------------------------------
def check_item(context: CheckContext, node: nodes.Getitem, facts: Facts) -> Value:
    """Check `base[key]`, `base[number]` or a slice."""
    match node.arg:
        case nodes.Const(value=str() as name):
            return check_member(context, check_defined(context, node.node, facts), name, node)
        case nodes.Slice() as slice:
            return _check_slice(context, node, slice, facts)
        case _:
            pass
    index = get_literal_integer(node.arg)
    base = check_defined(context, node.node, facts)
    if not is_json(base.type):
        message = f"{context.types.describe_type(base.type)} has no items to choose from"
        context.refuse_type(message, node, "add `| list`")
    atoms = context.types.split_atoms(base.type)
    if index is None:
        key, key_type = check_json(context, node.arg, facts)
        if len(atoms) == 1 and isinstance(atoms[0], Map) and context.types.has_only_kinds(key_type, ("string",)):
            return _look_up_key(base, atoms[0], key.expr, node)
        context.refuse_unsupported("an index that is not a literal", node.arg, "go through the list by a loop")
    if atoms == (ANY,):
        return _look_up_item(base.expr, code.Constant(index), node)
    if len(atoms) != 1 or not isinstance(atoms[0], Array | FixedArray):
        message = f"{quote_expression(node.node)} is {context.types.describe_type(base.type)}, not a list"
        context.refuse_type(message, node)
    return check_element(context, base, atoms[0], index, facts, node)


def check_element(
    context: CheckContext, base: Value, list_type: Array | FixedArray, index: int, facts: Facts, node: nodes.Expr
) -> Value:
    """Check an item of a list; a negative index counts from the end."""
    expr = code.Subscript(base.expr, code.Constant(index))
    if isinstance(list_type, FixedArray):
        count = len(list_type.items)
        if not -count <= index < count:
            context.refuse("MG503", f"{quote_expression(node)} is beyond the {count} items that there are", node)
        return Value(expr, list_type.items[index])
    needed = index + 1 if index >= 0 else -index
    guaranteed = max((int(limit) for name, limit in list_type.bounds if name == "min_length"), default=0)
    if guaranteed >= needed or (needed == 1 and base.expr in facts.truthy):
        return Value(expr, list_type.item)
    if needed == 1:
        return Value(expr, list_type.item, Absence(base.expr, "the list may be empty"))
    is_long_enough = code.Compare(code.Call("len", (base.expr,)), ((">=", code.Constant(needed)),))
    return Value(expr, list_type.item, Absence(is_long_enough, f"the list may have fewer than {needed} items"))


def _check_slice(context: CheckContext, node: nodes.Getitem, slice: nodes.Slice, facts: Facts) -> Value:
    base, type = check_json_or_list(context, node.node, facts)
    limits: list[code.Expr | None] = []
    for limit in (slice.start, slice.stop, slice.step):
        number = None if limit is None else get_literal_integer(limit)
        if limit is not None and (number is None or (limit is slice.step and number == 0)):
            context.refuse_unsupported("a slice by anything but literal numbers", limit)
        limits.append(None if number is None else code.Constant(number))
    expr = code.Slice(base.expr, (limits[0], limits[1], limits[2]))
    atoms = context.types.split_atoms(type)
    if len(atoms) == 1 and isinstance(atoms[0], Array):
        return Value(expr, Array(atoms[0].item))
    if context.types.has_only_kinds(type, ("string",)):
        return Value(expr, STRING)
    message = f"{quote_expression(node.node)} is {context.types.describe_type(type)}, not a list or a string"
    context.refuse_type(message, node)
