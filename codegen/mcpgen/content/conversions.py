"""Convert values to JSON and to text."""

from __future__ import annotations

from mcpgen.content.context import CheckContext
from mcpgen.content.type_lookup import TypeLookup
from mcpgen.content.value_types import STRING, drop_bounds, is_json, join_types
from mcpgen.content.values import Value
from mcpgen.ir.template import Constant, Expr, Stream, ToJson, ToString, make_comprehension
from mcpgen.ir.types import ANY, NATIVE_KINDS, Array, Choice, FixedArray, Map, Ref, Scalar, ScalarKind, Union
from mcpgen.ir.types import Type as JsonType


def convert_to_text(types: TypeLookup, expr: Expr, type: JsonType) -> Expr:
    """Return the string that Jinja prints for an expression of a JSON type."""
    if isinstance(expr, Constant) and not isinstance(expr.value, str):
        return Constant(str(expr.value))
    return expr if _is_str(types, type) else ToString(expr, type)


def _is_str(types: TypeLookup, type: JsonType) -> bool:
    """Return whether all values of a type are instances of `str` in Python."""
    atoms = map(drop_bounds, types.split_atoms(type))
    return all(atom == STRING or isinstance(atom, Choice) for atom in atoms) and types.has_only_kinds(type, ("string",))


def convert_to_json(context: CheckContext, value: Value) -> Value:
    """Convert a value to plain JSON if its Python form differs; generators are converted item by item."""
    type = value.type
    if isinstance(type, Stream) and is_json(type.item):
        json_item = get_converted_type(context.types, type.item)
        if json_item == type.item:
            return value
        local = context.scope.make_temporary()
        items = make_comprehension(local, value.expr, ToJson(local, type.item))
        return Value(items, Stream(json_item), value.absent)
    if not is_json(type):
        return value
    json_type = get_converted_type(context.types, type)
    return value if json_type == type else Value(ToJson(value.expr, type), json_type, value.absent)


def get_converted_type(types: TypeLookup, type: JsonType) -> JsonType:
    """Return the type that a value has after its conversion to JSON."""
    match type:
        case Scalar(kind=kind) if kind is ScalarKind.BASE64 or kind in NATIVE_KINDS:
            return STRING
        case Array(item=item, bounds=bounds):
            return Array(get_converted_type(types, item), bounds)
        case FixedArray(items=items):
            item = join_types(*(get_converted_type(types, item) for item in items)) if items else ANY
            return Array(item, (("min_length", len(items)),))
        case Map(value=value):
            return Map(get_converted_type(types, value))
        case Union(members=members):
            return join_types(*(get_converted_type(types, member) for member in members))
        case Ref():
            return Map(ANY) if types.get_class(type) else ANY
        case Scalar() | Choice():
            return type
