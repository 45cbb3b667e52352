"""JSON's types as pydantic core schemas, and the one walk over core schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from numbers import Number
from operator import is_
from typing import Any, cast

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, PydanticKnownError, core_schema

from .json_values import write_number


def convert_inner(schema: dict[str, Any], convert: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """Return a copy of a core schema in which each schema directly inside it is converted, except its serializer."""
    return schema | {
        member: _convert_held(schema[member], convert, member in _BY_NAME) for member in _HOLDERS if member in schema
    }


def _convert_held(held: Any, convert: Callable[[dict[str, Any]], Any], is_by_name: bool) -> Any:
    if isinstance(held, dict):
        schemas: dict[Any, Any] = cast(Any, held)
        if is_by_name:
            return {name: convert(inner) for name, inner in schemas.items()}
        return convert(schemas)
    if isinstance(held, list):
        return [_convert_held(item, convert, False) for item in cast(Any, held)]
    if isinstance(held, tuple):  # an alternative, with its label
        return tuple(_convert_held(item, convert, False) for item in cast(Any, held))
    return held  # a label, the name of a dataclass's field, or no schema


def list_inner(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the schemas directly inside a core schema, except its serializer."""
    found: list[dict[str, Any]] = []
    convert_inner(schema, found.append)
    return found


def walk_schemas(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield a core schema and all schemas inside it, also those of serializers."""
    todo = [cast(dict[str, Any], schema)]
    while todo:
        part = todo.pop()
        yield part
        todo += list_inner(part)
        if "serialization" in part:
            todo.append(part["serialization"])


_BY_NAME = frozenset({"choices", "fields"})
"""Members that map tags or names of fields to schemas, or list schemas."""
_HOLDERS = (
    "schema",
    "items_schema",
    "keys_schema",
    "values_schema",
    "extras_schema",
    "extras_keys_schema",
    "choices",
    "fields",
    "computed_fields",
    "definitions",
    "steps",
    "lax_schema",
    "strict_schema",
    "json_schema",
    "python_schema",
    "arguments_schema",
    "var_args_schema",
    "var_kwargs_schema",
    "return_schema",
)
"""Members that hold a schema or several ones, in every type of core schema that has them."""


INTEGER = core_schema.int_schema(strict=True)
_JSON_FLOAT = core_schema.float_schema(strict=True, allow_inf_nan=False)
_PYTHON_FLOAT = core_schema.chain_schema([core_schema.is_instance_schema(float), _JSON_FLOAT])
"""Refuses what only has a `__float__`, such as a Decimal, which pydantic would round."""
FLOAT = core_schema.json_or_python_schema(_JSON_FLOAT, _PYTHON_FLOAT)
STRING = core_schema.str_schema(strict=True, min_length=0)  # a bound, even 0, makes pydantic refuse lone surrogates


class _Absent:
    """Class of `ABSENT`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"

    def __reduce__(self) -> str:
        return "ABSENT"


ABSENT = cast(None, _Absent())
"""Says that a property that may also be null is absent. Its type is None, so it is allowed wherever null is."""


def read_as_json(cls: type[Any], schema: CoreSchema, handler: GetCoreSchemaHandler) -> CoreSchema:
    """Return the core schema of a class whose fields read exactly the JSON values of their types.

    A field with the default None may be absent but not null; one with the default `ABSENT` may be absent or null. A
    constant is a default only for the constructor: an object that is read must have it.
    """
    return cast(CoreSchema, _Conversion(cls, handler).convert(cast(Any, schema)))


class _Conversion:
    def __init__(self, cls: type[Any], handler: GetCoreSchemaHandler) -> None:
        self._cls, self._handler = cls, handler
        self._classes = 1
        self._counts: dict[str, int] = {}  # of the classes that references lead to

    def convert(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Convert the core schema of a type with everything inside, except other classes, which convert themselves."""
        match schema:
            case {"type": "str" | "bool" | "int" | "float", "strict": True}:
                return schema
            case {"type": "str"}:
                return {"min_length": 0, **schema, "strict": True}
            case {"type": "bool"}:
                return {**schema, "strict": True}
            case {"type": "int"}:
                return _replace_scalar(schema, _WHOLE_NUMBER)
            case {"type": "float"}:
                return _replace_scalar(schema, _NUMBER)
            case {"type": "literal", "expected": expected}:
                return schema if all(map(_is_text, expected)) else _make_choice(expected)
            case {"type": "model", "cls": cls}:
                metadata = schema.get("metadata", {})
                if cls is not self._cls or _CONVERTED in metadata:
                    return schema
                converted = self._convert_model(schema)
                return {**converted, "metadata": {**metadata, _CONVERTED: self._classes}}
            case {"type": "definition-ref", "schema_ref": ref}:
                return self._convert_reference(ref, schema)
            case {"type": "union"}:
                converted = self._convert_parts(schema)
                return {**converted, "choices": [*map(_refuse_iterators, converted["choices"])]}
            case {"type": "tuple"}:
                return {"serialization": _AS_ARRAY, **self._convert_parts(schema)}
            case _:
                return self._convert_parts(schema)

    def _convert_parts(self, schema: dict[str, Any]) -> dict[str, Any]:
        return convert_inner(schema, self.convert)

    def _convert_reference(self, ref: str, reference: dict[str, Any]) -> dict[str, Any]:
        """Convert a recursive alias in place, unless pydantic is still making its schema.

        pydantic inlines a class that it meets once into the schema of the class that refers to it, and does so again
        one level up. So classes that each refer to two classes below would double the schema with every level. A
        reference to a class that contains many others is therefore not inlined: pydantic keeps references with
        metadata.
        """
        if ref not in self._counts:
            try:
                target = cast(dict[str, Any], self._handler.resolve_ref_schema(cast(Any, reference)))
            except LookupError:
                return reference
            self._counts[ref] = 0  # while it is converted, which leads back to it if it is recursive
            converted = self.convert(target)
            if converted is not target:
                target.clear()
                target.update({**converted, "ref": ref})
            self._counts[ref] = _count_classes(target)
        count = self._counts[ref]
        if count > _MOST_INLINED:
            return {**reference, "metadata": {**reference.get("metadata", {}), _KEPT: True}}
        self._classes += count
        return reference

    def _convert_model(self, model: dict[str, Any]) -> dict[str, Any]:
        inner = model["schema"]
        if model.get("root_model"):
            return model | {"schema": self.convert(inner)}
        if inner["type"] != "model-fields":  # a validator of a subclass
            return model | {"schema": self._convert_model({"schema": inner["schema"]})["schema"]}
        fields = {name: self._convert_field(field) for name, field in inner["fields"].items()}
        converted = self._convert_parts({**inner, "fields": {}}) | {"fields": fields}
        if "extras_schema" in inner:
            converted["extras_keys_schema"] = STRING
        return model | {"schema": converted}

    def _convert_field(self, field: dict[str, Any]) -> dict[str, Any]:
        schema = field["schema"]
        if schema["type"] != "default" or "default" not in schema:
            return field | {"schema": self.convert(schema)}
        value_schema, default = schema["schema"], schema["default"]
        if value_schema["type"] == "literal" and value_schema["expected"] == [default]:
            return field | {"schema": self.convert(value_schema)}
        converted: Any = self.convert(value_schema)
        if default is ABSENT:
            return field | {"schema": schema | {"schema": converted, "default": None}}
        if default is not None:
            return field | {"schema": schema | {"schema": converted}}
        if converted["type"] == "nullable":
            converted = converted["schema"]
        else:
            converted = core_schema.no_info_before_validator_function(_refuse_null, converted)
        is_absent = {"serialization_exclude_if": partial(is_, None)}
        return field | {"schema": schema | {"schema": converted}} | is_absent


def _refuse_iterators(choice: Any) -> Any:
    """Return a choice of a union whose arrays are lists: an iterator that it reads is empty for the next."""
    match choice:
        case (inner, label):
            return _refuse_iterators(inner), label
        case {"type": "list"}:
            return {**choice, "strict": True}
        case {"type": "nullable", "schema": inner}:
            return {**choice, "schema": _refuse_iterators(inner)}
        case _:
            return choice


def _count_classes(schema: dict[str, Any]) -> int:
    """Return how many classes a core schema contains, at any depth."""
    count, todo = 0, [schema]
    while todo:
        part = todo.pop()
        nested = part.get("metadata", {}).get(_CONVERTED) if part["type"] == "model" else None
        count += nested or 0
        todo += [] if nested else list_inner(part)
    return count


_CONVERTED = "mcpgen-exact"
"""Key in the metadata of a converted model, which pydantic keeps for types that refer to it. Its value is the number of
classes in the model, including itself."""
_KEPT = "mcpgen-kept"
"""Key in the metadata of a reference that is not inlined."""
_MOST_INLINED = 32
"""Maximum classes in a class that pydantic may inline into the schema of another class."""


# --- numbers ---------------------------------------------------------------------------------------------------------
def _read_number(value: object) -> int | float:
    """Return the int or float that equals a Decimal or another class's number."""
    if not isinstance(value, bool) and isinstance(value, Number):
        try:
            number = write_number(value)
        except ValueError:
            number = None
        if isinstance(number, int | float):
            return number
    raise PydanticCustomError("number", "Input should be a number that JSON can hold exactly")


OTHER_NUMBER = core_schema.no_info_plain_validator_function(_read_number)


def _convert_to_int(value: int | float) -> int:
    if isinstance(value, float) and not value.is_integer():
        raise PydanticCustomError("int_from_float", "Input should be an integer, got a number with a fractional part")
    return int(value)


def _make_number(
    floats: Callable[[CoreSchema], CoreSchema], error: Any, serialization: Any
) -> core_schema.JsonOrPythonSchema:
    """Return the schema of a number; `floats` makes that of the floats, and of other numbers, which it takes."""
    choices: list[tuple[CoreSchema, ...]] = [
        (INTEGER, floats(_JSON_FLOAT)),
        (INTEGER, floats(_PYTHON_FLOAT), floats(OTHER_NUMBER)),
    ]
    json_schema, python_schema = (
        core_schema.union_schema([*some], mode="left_to_right", custom_error_type=error) for some in choices
    )
    return core_schema.json_or_python_schema(
        json_schema, python_schema, serialization=core_schema.simple_ser_schema(serialization)
    )


_WHOLE_NUMBER = _make_number(partial(core_schema.no_info_after_validator_function, _convert_to_int), "int_type", "int")
"""JSON's integer: 1.0 is one (JSON Schema 2020-12 validation, section 6.1.1), true is not."""
_NUMBER = _make_number(lambda schema: schema, "finite_number", "any")
"""JSON's number: integers stay integers, and floats stay floats; neither true nor NaN is a number."""


def _replace_scalar(schema: dict[str, Any], exact: core_schema.JsonOrPythonSchema) -> dict[str, Any]:
    """Return the exact schema of a number, with the bounds and the reference of pydantic's schema."""
    converted: Any = exact
    bounds = {bound: schema[bound] for bound in _CHECKS if bound in schema}
    if bounds and exact is _WHOLE_NUMBER and all(type(limit) is int for limit in bounds.values()):
        converted = core_schema.chain_schema([exact, cast(Any, {**INTEGER, **bounds})])
    else:
        for bound, limit in bounds.items():
            check = partial(_CHECKS[bound], limit)
            converted = core_schema.no_info_after_validator_function(check, converted)
    return {**converted, "ref": schema["ref"]} if "ref" in schema else converted


def _check_gt(limit: Any, value: Any) -> Any:
    if value > limit:
        return value
    raise PydanticKnownError("greater_than", {"gt": limit})


def _check_ge(limit: Any, value: Any) -> Any:
    if value >= limit:
        return value
    raise PydanticKnownError("greater_than_equal", {"ge": limit})


def _check_lt(limit: Any, value: Any) -> Any:
    if value < limit:
        return value
    raise PydanticKnownError("less_than", {"lt": limit})


def _check_le(limit: Any, value: Any) -> Any:
    if value <= limit:
        return value
    raise PydanticKnownError("less_than_equal", {"le": limit})


_CHECKS: dict[str, Callable[[Any, Any], Any]] = {"gt": _check_gt, "ge": _check_ge, "lt": _check_lt, "le": _check_le}


# --- constants, tuples, null -----------------------------------------------------------------------------------------
def _is_text(value: object) -> bool:
    return isinstance(value, str | None)


def _make_choice(expected: Sequence[Any]) -> dict[str, Any]:
    """Return a schema for some constants as JSON compares them: 1 and 1.0 are equal, 1 and true are not."""
    allowed: set[tuple[type[Any], Any]] = {(type(value), value) for value in expected}

    def read_exactly(value: object) -> object:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, str | int | None) and (type(value), value) in allowed:
            return value
        raise PydanticCustomError("literal_error", "Input should be one of the values that the schema lists")

    schema = core_schema.no_info_plain_validator_function(
        read_exactly, serialization=core_schema.simple_ser_schema("any")
    )
    return cast(dict[str, Any], schema)


_AS_ARRAY = core_schema.wrap_serializer_function_ser_schema(lambda value, handler: [*handler(value)])
"""A tuple is dumped as a JSON array."""


def _refuse_null(value: object) -> object:
    if value is None:
        raise PydanticCustomError("absent_not_null", "Input may be absent, but not null")
    return value
