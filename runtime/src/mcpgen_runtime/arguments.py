"""Read arguments: of tools with any inputSchema, in text form, and in types of the handler's own."""

from __future__ import annotations

import copy
import inspect
import json
import warnings
from collections.abc import Mapping
from contextlib import suppress
from contextvars import ContextVar
from functools import cache
from types import NoneType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, TypeVar, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, RootModel, TypeAdapter, ValidationError
from pydantic_core import CoreSchema, PydanticCustomError, SchemaValidator, core_schema

from .conversion import find_shape, items_of, kinds_of, kinds_of_class, shape_of, to_json_form
from .core_schemas import ABSENT, is_deeper, read_value, remember_readings
from .errors import LOG_BYTES, IncompleteMembers, cut_text, join_problems, list_problems
from .models import Copied, JsonObject, may_be_absent, to_json_value


class Parameter(NamedTuple):
    """An argument as a keyword parameter."""

    wire: str
    required: bool = False
    nullable: bool = False
    """Whether None means null; otherwise it means absent."""


class RootArguments(Copied, RootModel[Any]):
    """Base for arguments that are an object of one of several classes.

    Construction takes the properties of all these classes; the value is `root`.
    """

    model_config = ConfigDict(frozen=True)
    _parameters: ClassVar[Mapping[str, Parameter]] = {}

    if not TYPE_CHECKING:

        def __init__(self, /, *, extras: Mapping[str, Any] | None = None, **arguments: Any) -> None:
            wires = self._rename_to_wire(arguments) | dict(extras or {})
            read_value(type(self), wires, instance=self)

        __init__.__pydantic_base_init__ = True  # validation does not call this

    def to_structured_content(self) -> dict[str, Any]:
        """Return the JSON object of the present arguments, under their wire names."""
        return cast(dict[str, Any], to_json_value(self.root))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy; with changes, by the names of parameters, it is a new instance.

        Raises:
            pydantic.ValidationError: the changed value violates the schema.
            TypeError: there is no argument with this name.
        """
        if not update:
            return super().model_copy(deep=deep)
        values = self.to_structured_content()
        for name in update:
            values.pop(self._parameters[name].wire if name in self._parameters else name, None)
        return type(self).model_validate(values | self._rename_to_wire(update))

    @classmethod
    def _rename_to_wire(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """Rename keyword arguments to wire names, and drop those whose None means absence."""
        by_wire = {parameter.wire: parameter for parameter in cls._parameters.values()}
        out: dict[str, Any] = {}
        for name, value in data.items():
            parameter = cls._parameters.get(name) or by_wire.get(name)
            if parameter is None:
                raise TypeError(f"{cls.__name__} has no property {name!r}; undeclared ones go in by extras={{...}}")
            if value is not ABSENT and (value is not None or parameter.nullable or parameter.required):
                out[parameter.wire] = value
        return out


def list_parameters(arguments: type[BaseModel]) -> Mapping[str, Parameter]:
    """Return the parameters of an arguments class, by Python names."""
    if issubclass(arguments, RootArguments):
        return arguments._parameters  # pyright: ignore[reportPrivateUsage]
    return {
        name: Parameter(name if field.alias is None else field.alias, not may_be_absent(field))
        for name, field in arguments.model_fields.items()
    }


M = TypeVar("M", bound=BaseModel)
_Path = tuple[str | int, ...]


def read_invalid(
    cls: type[BaseModel], value: Any, error: ValidationError, on_invalid: Literal["raise", "warn", "raw"], name: str
) -> Any:
    """Return a lenient instance with a warning, or the raw value, as a client asked for it; else raise the error."""
    if on_invalid == "raw":
        return value
    instance = None
    if on_invalid == "warn" and (isinstance(value, dict) or RootModel in cls.__mro__):
        with suppress(Exception):  # foreign objects may raise anything
            instance = build_leniently(cls, to_json_form(cast(object, value)))
    if instance is None:
        raise error from None
    warn_caller(f"{name}: an invalid result was read: {join_problems(list_problems(error))}")
    return instance


def warn_caller(text: str) -> None:
    """Issue a warning about the line of the program that called this package."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(cut_text(text, LOG_BYTES), stacklevel=level + 1)


def build_leniently(cls: type[M], value: Any) -> M:
    """Build an instance from the parts with the right types; other parts stay JSON values."""
    token = _unreadable.set({})
    try:
        with remember_readings():  # each level of the value is tried again
            if issubclass(cls, JsonObject):
                return cast(M, _build_instance(cls, cast(dict[str, Any], value), ()))
            root = _convert_leniently(value, kinds_of_class(cls), ())
            return _construct(cls, {"root": root}, {}, {"root"})
    finally:
        _unreadable.reset(token)


def _convert_leniently(value: Any, kinds: tuple[Any, ...], path: _Path) -> Any:
    if isinstance(value, list):
        pairs = zip(cast(list[object], value), items_of(kinds), strict=False)
        return [_convert_leniently(item, inner, (*path, index)) for index, (item, inner) in enumerate(pairs)]
    if not isinstance(value, dict):
        return value
    members = cast(dict[str, Any], value)
    shape = find_shape(members, kinds)
    if shape.cls is not None:
        return _build_instance(shape.cls, members, path)
    return {key: _convert_leniently(item, shape.extra, (*path, key)) for key, item in members.items()}


def _build_instance(cls: type[JsonObject], members: dict[str, Any], path: _Path) -> JsonObject:
    shape, values, missing = shape_of(cls), dict[str, Any](), dict[str, str]()
    for name, wire in shape.wires.items():
        if wire in members:
            values[name] = _read_field(cls, name, members[wire], (*path, wire))
        elif may_be_absent(cls.model_fields[name]):
            values[name] = None
        else:
            missing[name] = wire
    extras = {
        key: _convert_leniently(item, shape.extra, (*path, key))
        for key, item in members.items()
        if key not in shape.kinds
    }
    fields_set = {name for name in values if shape.wires[name] in members}
    return _construct(cls, IncompleteMembers(values, missing, path) if missing else values, extras, fields_set)


def _read_field(cls: type[BaseModel], name: str, value: Any, path: _Path) -> Any:
    with suppress(ValidationError, RecursionError):  # ends here: else the errors of all levels would be kept
        return _get_validator(cls, name).validate_python(value, by_alias=True, by_name=False)
    return _convert_leniently(value, kinds_of(cls.model_fields[name].annotation), path)


_unreadable: ContextVar[dict[tuple[str, int], object]] = ContextVar(f"{__name__}.unreadable")
"""Parts of the value that do not fit a definition of a core schema, by the definition's name and the part's id."""


@cache
def _get_validator(cls: type[BaseModel], name: str) -> SchemaValidator:
    schema, definitions = cast(Any, cls.__pydantic_core_schema__), dict[str, Any]()
    if schema["type"] == "definitions":
        definitions = {definition["ref"]: definition for definition in schema["definitions"]}
        schema = schema["schema"]
    while schema["type"] != "model-fields":
        schema = definitions[schema["schema_ref"]] if "schema_ref" in schema else schema["schema"]
    field, remembering = schema["fields"][name]["schema"], [*map(_make_remembering, definitions.values())]
    return SchemaValidator(core_schema.definitions_schema(field, remembering), _use_prebuilt=False)


def _make_remembering(definition: dict[str, Any]) -> CoreSchema:
    """Return a definition that at once refuses a part which it refused before, for each level around it is tried."""
    name: str = definition["ref"]
    error = PydanticCustomError("unreadable", "Input should fit")  # instead of all errors inside

    def read(value: object, inner: core_schema.ValidatorFunctionWrapHandler) -> object:
        unreadable = _unreadable.get()
        if (name, id(value)) in unreadable:
            raise error
        try:
            return inner(value)
        except ValidationError:
            unreadable[name, id(value)] = value
        raise error

    inside = cast(CoreSchema, {key: item for key, item in definition.items() if key != "ref"})
    return core_schema.no_info_wrap_validator_function(read, inside, ref=name)


def _construct(cls: type[M], values: dict[str, Any], extras: dict[str, Any], fields_set: set[str]) -> M:
    """Construct an instance without any check, not even `model_post_init`."""
    instance, extra = cls.__new__(cls), extras if cls.model_config.get("extra") == "allow" else None
    state = {"__dict__": values, "__pydantic_extra__": extra, "__pydantic_fields_set__": fields_set}
    BaseModel.__setstate__(instance, {**state, "__pydantic_private__": None})
    return instance


def coerce_arguments(
    sent: Mapping[str, Any], arguments: type[BaseModel], parses_text: bool, depth: int
) -> dict[str, Any]:
    """Convert what a client sent to the types of the tool's arguments, if possible.

    `parses_text`: also JSON text, which some clients send instead of a value. Values that are nested more deeply than
    `depth` levels stay unchanged: they are refused later.
    """
    if not issubclass(arguments, JsonObject):
        return dict(sent)
    shape, out = shape_of(arguments), dict[str, Any]()
    for wire, value in sent.items():
        kinds = shape.kinds.get(wire, ())
        if wire in shape.never_null:
            kinds = tuple(kind for kind in kinds if kind not in (None, NoneType))
        if parses_text and kinds and kinds != (str,):
            value = _parse_text(value)
        out[wire] = value if is_deeper(value, depth) else _coerce(value, kinds)
    return out


def _parse_text(value: Any) -> Any:
    """Parse a string that is a JSON object, an array or null; return any other string unchanged."""
    if not isinstance(value, str):
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return value if isinstance(parsed, str | int | float) else parsed


def _coerce(value: Any, kinds: tuple[Any, ...]) -> Any:
    """Convert a value and its parts, without recursion: parts may be nested as deeply as the limit allows."""
    todo: list[tuple[Any, tuple[Any, ...]]] = []

    def convert(part: Any, kinds: tuple[Any, ...]) -> Any:
        if not isinstance(part, list | dict):
            return _coerce_scalar(part, kinds)
        todo.append((copied := copy.copy(cast(Any, part)), kinds))
        return copied

    result = convert(value, kinds)
    while todo:
        container, kinds = todo.pop()
        if isinstance(container, list):
            items = cast(list[object], container)
            items[:] = map(convert, items, items_of(kinds))
        else:
            shape = find_shape(container, kinds)
            for key, item in container.items():
                container[key] = convert(item, shape.kinds.get(key, shape.extra))
    return result


def _coerce_scalar(value: Any, kinds: tuple[Any, ...]) -> Any:
    if any(_holds(kind, value) for kind in kinds):
        return value
    for kind in kinds:
        with suppress(ValidationError):
            if kind in (int, float, bool):
                number = _get_adapter(kind).validate_python(value)
                is_rounded = (
                    kind is float and abs(number) > 2**53 and number.is_integer()
                )  # as floats are from there on
                return _get_adapter(int).validate_python(value) if is_rounded else number
    return value


_get_adapter = cache(TypeAdapter[Any])


def _holds(kind: Any, value: Any) -> bool:
    if get_origin(kind) is Literal:
        return any(type(value) is type(item) and value == item for item in get_args(kind))
    if kind in (None, NoneType):
        return value is None
    return kind is Any or type(value) is kind or (kind is float and type(value) is int)
