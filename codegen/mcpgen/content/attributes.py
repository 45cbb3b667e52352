"""Names, members and items in a template: what they stand for in Python, and whether they may be absent."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import NoReturn

from jinja2 import nodes

from mcpgen.content.context import CheckContext
from mcpgen.content.messages import format_expression, format_names, get_literal_integer, quote_expression
from mcpgen.content.narrowing import Absence, Facts, TemplateRefused, Value, conjoin_tests
from mcpgen.content.value_types import BOOLEAN, INTEGER, NULL, STRING, is_json, join_types
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
    Slice,
    Subscript,
    is_reference,
)
from mcpgen.ir.types import ANY, Array, Field, FixedArray, Map, ObjectClass, Presence, Ref
from mcpgen.ir.types import Type as JsonType
from mcpgen.names.identifiers import make_field_names

_PYTHON_CLASSES = {"object": dict, "array": list, "string": str, "integer": int, "number": float, "boolean": bool}
_LOOP_MEMBERS = ("index", "index0", "revindex", "revindex0", "first", "last", "length", "cycle")


def check_name(context: CheckContext, node: nodes.Name) -> Value:
    """A variable by its name."""
    variable = context.variables.get(node.name)
    if variable is not None:
        if variable.value is None:
            raise TemplateRefused
        if variable.partial:
            why = f"`{node.name}` is not set in every branch"
            context.refuse("MG504", why, node, f"set `{node.name}` before the `if`")
        return variable.value
    if node.name == "loop" and context.loop is not None:
        context.refuse_unsupported("`loop` as a value", node, f"`loop` has {', '.join(_LOOP_MEMBERS)}")
    close = difflib.get_close_matches(node.name, context.variables, 1, 0.6)
    help = f"did you mean `{close[0]}`?" if close else f"there is {format_names(context.variables)}"
    context.refuse("MG503", f"there is no `{node.name}` in {context.where}", node, help)


def check_loop_member(context: CheckContext, node: nodes.Getattr, name: str) -> Value:
    """A member of `loop`."""
    if context.loop is None:
        context.refuse("MG503", "there is no `loop` outside of a loop", node.node)
    if name not in _LOOP_MEMBERS or name == "cycle":
        context.refuse_unsupported(f"`loop.{name}`", node, f"`loop` has {', '.join(_LOOP_MEMBERS)}")
    index, items = context.loop.index, context.loop.items
    one = Constant(1)
    match name:
        case "index":
            return Value(Operation("+", index, one), INTEGER)
        case "index0":
            return Value(index, INTEGER)
        case "first":
            return Value(Compare(index, (("==", Constant(0)),)), BOOLEAN)
        case _:
            assert items is not None
    length = Call("len", (items,))
    match name:
        case "length":
            return Value(length, INTEGER)
        case "last":
            return Value(Compare(index, (("==", Operation("-", length, one)),)), BOOLEAN)
        case "revindex":
            return Value(Operation("-", length, index), INTEGER)
        case _:
            return Value(Operation("-", Operation("-", length, one), index), INTEGER)


def check_member(context: CheckContext, base: Value, name: str, node: nodes.Expr, facts: Facts) -> Value:
    """A property by its wire name."""
    inner = node.node if isinstance(node, nodes.Getattr | nodes.Getitem) else node
    place = node
    if not is_json(base.type):
        context.refuse_type(f"{context.types.describe_type(base.type)} has no properties", place)
    atoms = context.types.split_atoms(base.type)
    held: list[tuple[Ref, ObjectClass, Field]] = []
    rest: list[JsonType] = []
    for atom in atoms:
        owner = context.types.get_class(atom)
        field = next((f for f in owner.fields if f.wire == name), None) if owner is not None else None
        if owner is not None and field is not None and isinstance(atom, Ref):
            held.append((atom, owner, field))
        else:
            rest.append(atom)
    if held:
        return _check_property(context, base, name, held, rest, node, facts)
    loose = [atom for atom in rest if _find_undeclared_type(context, atom) is not None]
    if not loose:
        _refuse_member(context, name, atoms, inner, place)
    others = [atom for atom in rest if atom not in loose]
    if len(loose) > 1 or others not in ([], [NULL]):
        context.refuse_unsupported(
            f"a property of {context.types.describe_type(base.type)}", place, "test what it is first"
        )
    owned = loose[0]
    kinds = _PYTHON_CLASSES.values() if owned == ANY else (dict,)
    if isinstance(node, nodes.Getattr) and any(hasattr(kind, name) for kind in kinds):
        help = f'write {format_expression(inner)}["{name}"]'
        context.refuse_unsupported(f"`.{name}`, which is a method in Python,", place, help)
    type = _find_undeclared_type(context, owned)
    assert type is not None
    return _check_key(
        context, base, owned, bool(others), Constant(name), type, f"`{format_expression(node)}` may be absent"
    )


def _find_undeclared_type(context: CheckContext, atom: JsonType) -> JsonType | None:
    """The type of undeclared properties, where nothing else is known of an object."""
    if isinstance(atom, Map):
        return atom.value
    owner = context.types.get_class(atom)
    return ANY if atom == ANY or (owner is not None and not owner.fields and owner.extra is not None) else None


def _check_key(
    context: CheckContext, base: Value, owned: JsonType, nullable: bool, key: Expr, type: JsonType, why: str
) -> Value:
    if isinstance(owned, Map):
        present: Expr = Compare(key, (("in", base.expr),))
        if nullable:
            present = Logic("and", (Not(IsNone(base.expr)), present))
        shows: tuple[tuple[Expr, JsonType], ...] = ((base.expr, owned),) if nullable else ()
        return Value(Subscript(base.expr, key), type, Absence(present, why, shows))
    held: Expr = base.expr
    if owned != ANY:
        held = Call("members", (base.expr,))
    return Value(Call("json_item", (held, key)), ANY, Absence(Call("has_item", (held, key)), why))


def _refuse_member(
    context: CheckContext, name: str, atoms: Iterable[JsonType], inner: nodes.Node, place: nodes.Node
) -> NoReturn:
    wires = [f.wire for atom in atoms if (owner := context.types.get_class(atom)) is not None for f in owner.fields]
    if not any(context.types.get_class(atom) for atom in atoms):
        what = context.types.describe_type(join_types(*atoms))
        context.refuse_type(f"{quote_expression(inner)} is {what} and has no `{name}`", place)
    close = difflib.get_close_matches(name, wires, 1, 0.6)
    help = f"did you mean `{close[0]}`?" if close else f"there is {format_names(wires)}"
    if not wires:
        help = "it declares no properties"
    context.refuse("MG503", f"there is no `{name}` in {quote_expression(inner)}", place, help)


def _check_property(
    context: CheckContext,
    base: Value,
    name: str,
    held: list[tuple[Ref, ObjectClass, Field]],
    rest: list[JsonType],
    node: nodes.Expr,
    facts: Facts,
) -> Value:
    place = node
    pythons = {make_field_names(owner.fields)[name] for _, owner, _ in held}
    if len(pythons) > 1:
        context.refuse_unsupported(
            f"`{name}`, which has several Python names here,", place, "tell the objects apart first"
        )
    expr = Attribute(base.expr, pythons.pop())
    presences = {field.presence for _, _, field in held}
    types = [field.type for _, _, field in held]
    whole = join_types(*types) if len(types) > 1 else types[0]
    tests: list[Expr] = []
    shows: tuple[tuple[Expr, JsonType], ...] = ()
    why = f"`{format_expression(node)}` may be absent"
    if rest:
        inner = node.node if isinstance(node, nodes.Getattr | nodes.Getitem) else node
        open_ones = [atom for atom in rest if _may_have_property(context, atom, name)]
        if open_ones:
            message = f"`{name}` of {quote_expression(inner)}, which some of its objects don't declare but allow,"
            context.refuse_unsupported(
                message, place, "tell the objects apart first, by a property that all of them have"
            )
        narrowed = join_types(*(ref for ref, _, _ in held))
        doubt = "null" if rest == [NULL] else "without it"
        why = f"`{format_expression(inner)}` may be {doubt}, so `{format_expression(node)}` may be absent"
        if not is_reference(base.expr):
            context.refuse_unsupported(
                f"`{name}` of a value that {why.split(',')[0].split('`')[-1].strip()}", place, "`set` it"
            )
        shows = ((base.expr, narrowed),)
        refs = tuple(ref for ref, _, _ in held)
        tests.append(Not(IsNone(base.expr)) if rest == [NULL] else IsInstance(base.expr, refs))
    nullable = NULL in context.types.split_atoms(whole)
    if presences != {Presence.REQUIRED}:
        if Presence.OPTIONAL_NULLABLE in presences or nullable:
            tests.append(IsSet(base.expr, expr.name))
            if Presence.OPTIONAL_NULLABLE in presences and not nullable:
                whole = join_types(whole, NULL)
        else:
            tests.append(Not(IsNone(expr)))
    if not tests:
        return Value(expr, whole)
    return Value(expr, whole, Absence(conjoin_tests(tests), why, shows))


def _may_have_property(context: CheckContext, atom: JsonType, name: str) -> bool:
    owner = context.types.get_class(atom)
    if owner is not None:
        return owner.extra is not None
    if isinstance(atom, Map) or atom == ANY:
        return True
    return hasattr(_PYTHON_CLASSES.get(context.types.get_kind(atom), object), name)


def check_item(context: CheckContext, node: nodes.Getitem, facts: Facts) -> Value:
    """`base[…]`."""
    match node.arg:
        case nodes.Const(value=str() as name):
            return check_member(context, context.check_defined(node.node, facts), name, node, facts)
        case nodes.Slice():
            return _check_slice(context, node, node.arg, facts)
        case _:
            pass
    index = get_literal_integer(node.arg)
    base = context.check_defined(node.node, facts)
    if not is_json(base.type):
        context.refuse_type(
            f"{context.types.describe_type(base.type)} has no items to choose from", node, "add `| list`"
        )
    atoms = context.types.split_atoms(base.type)
    if index is None:
        key, type = context.check_json(node.arg, facts)
        if len(atoms) == 1 and isinstance(atoms[0], Map) and context.types.has_only_kinds(type, ("string",)):
            return _check_key(
                context, base, atoms[0], False, key.expr, atoms[0].value, f"`{format_expression(node)}` may be absent"
            )
        context.refuse_unsupported("an index that is no literal", node.arg, "go through the list by a loop")
    if atoms == (ANY,):
        why = f"`{format_expression(node)}` may be absent"
        arguments = (base.expr, Constant(index))
        return Value(Call("json_item", arguments), ANY, Absence(Call("has_item", arguments), why))
    if len(atoms) != 1 or not isinstance(atoms[0], Array | FixedArray):
        context.refuse_type(
            f"{quote_expression(node.node)} is {context.types.describe_type(base.type)}, not a list", node
        )
    return check_element(context, base, atoms[0], index, facts, node)


def check_element(
    context: CheckContext, base: Value, list_type: Array | FixedArray, index: int, facts: Facts, node: nodes.Expr
) -> Value:
    """An item of a list by its number."""
    expr = Subscript(base.expr, Constant(index))
    if isinstance(list_type, FixedArray):
        if not -len(list_type.items) <= index < len(list_type.items):
            message = f"{quote_expression(node)} is beyond the {len(list_type.items)} items that there are"
            context.refuse("MG503", message, node)
        return Value(expr, list_type.items[index])
    needed = index + 1 if index >= 0 else -index
    least = max((int(n) for word, n in list_type.bounds if word == "min_length"), default=0)
    if least >= needed or (needed == 1 and base.expr in facts.truthy):
        return Value(expr, list_type.item)
    present: Expr = base.expr
    if needed > 1:
        present = Compare(Call("len", (base.expr,)), ((">=", Constant(needed)),))
    why = "the list may be empty" if needed == 1 else f"the list may have fewer than {needed} items"
    return Value(expr, list_type.item, Absence(present, why))


def _check_slice(context: CheckContext, node: nodes.Getitem, arg: nodes.Slice, facts: Facts) -> Value:
    base, type = context.check_json_or_list(node.node, facts)
    parts: list[Expr | None] = []
    for part in (arg.start, arg.stop, arg.step):
        number = None if part is None else get_literal_integer(part)
        if part is not None and (number is None or (part is arg.step and number == 0)):
            context.refuse_unsupported("a slice by anything but literal numbers", part)
        parts.append(None if number is None else Constant(number))
    atoms = context.types.split_atoms(type)
    if len(atoms) == 1 and isinstance(atoms[0], Array):
        return Value(Slice(base.expr, (parts[0], parts[1], parts[2])), Array(atoms[0].item))
    if context.types.has_only_kinds(type, ("string",)):
        return Value(Slice(base.expr, (parts[0], parts[1], parts[2])), STRING)
    context.refuse_type(
        f"{quote_expression(node.node)} is {context.types.describe_type(type)}, not a list or a string", node
    )
