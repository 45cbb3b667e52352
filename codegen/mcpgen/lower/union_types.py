"""Make unions that pydantic reads and dumps without confusing their members."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from mcpgen.ir.types import (
    ANY,
    NATIVE_KINDS,
    NULL,
    Array,
    Choice,
    FixedArray,
    Map,
    Node,
    ObjectClass,
    Presence,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    Union,
)
from mcpgen.ir.visitors import rebuild_type, walk_type

_CONVERTED_KINDS = frozenset({ScalarKind.BASE64, *NATIVE_KINDS})
"""Formats whose strings have another type in Python."""
_BOUNDLESS: frozenset[Type] = frozenset(
    {Map(ANY), Array(ANY), *map(Scalar, (ScalarKind.BOOLEAN, ScalarKind.NULL, ScalarKind.NUMBER, ScalarKind.STRING))}
)
"""The types that together accept any JSON value, as the core language writes it beside classes."""
GENERAL_TYPES = (Map(ANY), ANY)
"""The types that accept every object."""


def separate_general(union: Union) -> Union:
    """Return a union in which classes are a member of their own before what accepts their objects, too.

    "Any JSON value" becomes one member, the last.
    """
    members = union.members
    if _BOUNDLESS.issubset(members):
        members = (*(member for member in members if member not in _BOUNDLESS), ANY)
    general = [member for member in members if member in GENERAL_TYPES]
    classes = tuple(member for member in members if isinstance(member, Ref))
    if not general or not classes:
        return replace(union, members=members)
    others = (member for member in members if not isinstance(member, Ref) and member not in general)
    return replace(union, members=(classes[0] if len(classes) == 1 else Union(classes), *others, *general))


def make_dumpable(union: Union) -> Type:
    """Return a type for the same values that pydantic dumps right.

    Pydantic tries the members of a union in turn, and some take values of others. Bytes are therefore in a union with
    null, dates and the like only, and these never beside any string; anywhere else they are strings.
    """
    if all(
        member == NULL or (isinstance(member, Scalar) and member.kind in _CONVERTED_KINDS) for member in union.members
    ):
        return union
    if not has_kinds(union, (ScalarKind.BASE64,)) and has_kinds(union, NATIVE_KINDS) and _keeps_formats(union):
        return replace(union, members=tuple(sorted(union.members, key=_rank_serializer)))
    members = tuple(dict.fromkeys(convert_to_strings(member) for member in union.members))
    return members[0] if len(members) == 1 else replace(union, members=members)


def _keeps_formats(union: Union) -> bool:
    members = [member for member in union.members if member != NULL]
    if len(members) == 1:
        return True
    if any(isinstance(member, Scalar) and member.kind in (ScalarKind.STRING, ScalarKind.ANY) for member in members):
        return False
    for kinds in ((Array, FixedArray), (Map,), (Union,)):
        alike = [member for member in members if isinstance(member, kinds)]
        if len(alike) > 1 and any(has_kinds(member, NATIVE_KINDS) for member in alike):
            return False
    return True


def _rank_serializer(member: Type) -> int:
    """Return the rank of a member beside dates and the like: pydantic dumps a value by the first that takes it."""
    match member:
        case Scalar(kind=kind) if kind in NATIVE_KINDS:
            return 0  # takes no array and no object
        case Scalar(kind=ScalarKind.NUMBER) | Choice():
            return 2  # takes whatever it gets
        case _:
            return 1


def has_kinds(node: Type, kinds: Collection[ScalarKind]) -> bool:
    """Report whether a type has a scalar of some kinds in it, apart from the classes and aliases that it refers to."""
    return any(isinstance(part, Scalar) and part.kind in kinds for part in walk_type(node))


def convert_to_strings(node: Type) -> Type:
    """Return a type in which bytes, dates and the like are the strings that stand for them on the wire."""
    if isinstance(node, Scalar) and node.kind in _CONVERTED_KINDS:
        return Scalar(ScalarKind.STRING)
    converted = rebuild_type(node, convert_to_strings)
    return converted if converted == node or isinstance(converted, Ref) else replace(converted, alias=None)


def remove_implied_null(node: Type, presence: Presence) -> Type:
    """Return a field's type without the null that its presence implies."""
    if presence is not Presence.OPTIONAL_NULLABLE or not isinstance(node, Union) or NULL not in node.members:
        return node
    members = [member for member in node.members if member != NULL]
    if len(members) > 1:
        return replace(node, members=tuple(members))
    member = members[0]
    return member if isinstance(member, Ref) or node.alias is None else replace(member, alias=node.alias)


def add_tags(node: Type, nodes: Mapping[str, Node]) -> Type:
    """Return the type with the tag of each union in it; `nodes`: the classes and aliases of the module, by id."""
    tagged = rebuild_type(node, lambda child: add_tags(child, nodes))
    return replace(tagged, tag=_find_tag(tagged.members, nodes)) if isinstance(tagged, Union) else tagged


def _find_tag(members: tuple[Type, ...], nodes: Mapping[str, Node]) -> str | None:
    constants_of_members: list[dict[str, str]] = []
    for member in members:
        if member == NULL:
            continue
        node = nodes.get(member.id) if isinstance(member, Ref) else None
        if not isinstance(node, ObjectClass):
            return None
        constants_of_members.append(_find_constants(node))
    for wire in constants_of_members[0]:
        values = {constants[wire] for constants in constants_of_members if wire in constants}
        if len(values) == len(constants_of_members) > 1:
            return wire
    return None


def _find_constants(node: ObjectClass) -> dict[str, str]:
    required = [field for field in node.fields if field.presence is Presence.REQUIRED]
    values = {field.wire: field.type.values for field in required if isinstance(field.type, Choice)}
    return {wire: value for wire, (value, *others) in values.items() if isinstance(value, str) and not others}
