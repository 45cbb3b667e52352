"""Types of values in a template: JSON types, joined and widened."""

from __future__ import annotations

from typing import TypeGuard

from mcpgen.ir.template import ConstantValue, KeyValuePair, Markup, Stream, TemplateType
from mcpgen.ir.types import ANY, Array, Choice, Map, Scalar, ScalarKind, Union
from mcpgen.ir.types import Type as JsonType

STRING, INTEGER, NUMBER = Scalar(ScalarKind.STRING), Scalar(ScalarKind.INTEGER), Scalar(ScalarKind.NUMBER)
BOOLEAN, NULL = Scalar(ScalarKind.BOOLEAN), Scalar(ScalarKind.NULL)
ALL_TYPES = (STRING, INTEGER, NUMBER, BOOLEAN, NULL, Array(ANY), Map(ANY))
"""One type for each kind of JSON value."""
NUMERIC_KINDS = frozenset(("integer", "number"))
PRINTABLE_KINDS = frozenset(("string", "integer", "number", "boolean", "null"))
_SCALARS_BY_CLASS: dict[type[object], Scalar] = {str: STRING, bool: BOOLEAN, int: INTEGER, float: NUMBER}


def is_json(type: TemplateType) -> TypeGuard[JsonType]:
    """Return whether values of a type are JSON values, not generators or other types that only templates have."""
    return not isinstance(type, Stream | KeyValuePair | Markup)


def get_literal_type(value: ConstantValue) -> JsonType:
    """Return the type of a literal."""
    if value is None:
        return NULL
    return NUMBER if isinstance(value, float) else Choice((value,))


def get_scalar_type(value: ConstantValue) -> Scalar:
    """Return the scalar type of a constant."""
    return NULL if value is None else _SCALARS_BY_CLASS[value.__class__]


def widen_type(type: JsonType) -> JsonType:
    """Replace constants by their scalar types, as for a variable that starts with a literal."""
    if isinstance(type, Choice):
        return join_types(*map(get_scalar_type, type.values))
    return type


def join_types(*types: JsonType) -> JsonType:
    """Return a type for the values of any of some types; the bounds of scalars are dropped."""
    members: list[JsonType] = []
    for type in types:
        members += type.members if isinstance(type, Union) else (type,)
    if ANY in members:
        return ANY
    constants = [value for member in members if isinstance(member, Choice) for value in member.values]
    joined: list[JsonType] = list(
        dict.fromkeys(drop_bounds(member) for member in members if not isinstance(member, Choice))
    )
    uncovered = [value for value in constants if get_scalar_type(value) not in joined]
    if uncovered:
        joined = [Choice(tuple({(value.__class__, value): value for value in uncovered}.values())), *joined]
    return joined[0] if len(joined) == 1 else Union(tuple(joined))


def drop_bounds(type: JsonType) -> JsonType:
    """Return a scalar type without its bounds, any other type unchanged."""
    return Scalar(type.kind) if isinstance(type, Scalar) else type
