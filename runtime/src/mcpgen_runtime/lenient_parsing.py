"""Build instances of invalid results, for clients that continue with a warning."""

from __future__ import annotations

import inspect
import warnings
from contextvars import ContextVar
from functools import cache
from typing import Any, Literal, TypeAlias, TypeVar, cast

from pydantic import BaseModel, RootModel, ValidationError
from pydantic_core import CoreSchema, PydanticCustomError, SchemaValidator, core_schema

from .class_shapes import choose_class, items_of, kinds_of, shape_of, values_of
from .conversion import to_json_form
from .deep_values import remember_readings
from .errors import LOG_BYTES, IncompleteMembers, list_problems
from .exact_types import ABSENT
from .models import JsonObject, is_never_null
from .violations import cut_text

M = TypeVar("M", bound=BaseModel)
_Path: TypeAlias = tuple[str | int, ...]


def read_invalid(
    cls: type[BaseModel], value: Any, error: ValidationError, on_invalid: Literal["raise", "warn", "raw"], name: str
) -> Any:
    """Return what a client asked for instead of an instance.

    Args:
        cls: the class that refused the value.
        value: the JSON value, or a text that is not JSON.
        error: why it was refused.
        on_invalid: what to do: `raise`; `warn` and return an instance; or return the `raw` value.
        name: the name of the tool or resource.

    Raises:
        pydantic.ValidationError: the error, also if no instance can be built.
    """
    if on_invalid == "raw":
        return value
    instance = _try_leniently(cls, value) if on_invalid == "warn" else None
    if instance is None:
        raise error from None
    text = "; ".join(f"{place}: {message}" if place else message for place, message in list_problems(error))
    warn_caller(f"{name}: an invalid result was read: {text}")
    return instance


def warn_caller(text: str) -> None:
    """Issue a warning about the line of the program that called this package."""
    warnings.warn(cut_text(text, LOG_BYTES), stacklevel=_find_stacklevel())


def _find_stacklevel() -> int:
    """Return the `stacklevel` with which the caller's warning is about the program that called this package."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    return level


def _try_leniently(cls: type[M], value: Any) -> M | None:
    """Return an instance with JSON values wherever the types do not fit.

    Returns:
        None if the value is not JSON, or no object although the class's attributes need one.
    """
    is_root = RootModel in cls.__mro__
    if not isinstance(value, dict) and not is_root:
        return None
    try:
        return build_leniently(cls, to_json_form(cast(object, value)))
    except Exception:  # foreign objects may raise anything
        return None


def build_leniently(cls: type[M], value: Any) -> M:
    """Build an instance from the parts with the right types; other parts stay JSON values."""
    token = _unreadable.set({})
    try:
        with remember_readings():  # each level of the value is tried again
            if "root" in cls.model_fields and not issubclass(cls, JsonObject):
                root = _convert_leniently(value, kinds_of(cls.model_fields["root"].annotation), ())
                return _construct(cls, {"root": root}, None)
            return _build_instance(cls, cast(dict[str, Any], value), ())
    finally:
        _unreadable.reset(token)


def _convert_leniently(value: Any, kinds: tuple[Any, ...], path: _Path) -> Any:
    if isinstance(value, list):
        items = cast(list[object], value)
        inner = items_of(kinds, len(items))
        return [_convert_leniently(item, inner[index], (*path, index)) for index, item in enumerate(items)]
    if not isinstance(value, dict):
        return value
    members = cast(dict[str, Any], value)
    if (cls := choose_class(members, kinds)) is not None:
        return _build_instance(cls, members, path)
    value_kinds = values_of(kinds)
    return {key: _convert_leniently(item, value_kinds, (*path, key)) for key, item in members.items()}


def _build_instance(cls: type[M], members: dict[str, Any], path: _Path) -> M:
    values: dict[str, Any] = {}
    missing: dict[str, str] = {}
    wires: set[str] = set()
    for name, field in cls.model_fields.items():
        wire = field.alias or name
        wires.add(wire)
        if wire in members:
            values[name] = _read_field(cls, name, members[wire], (*path, wire))
        elif is_never_null(field) or field.default is ABSENT:
            values[name] = None
        else:
            missing[name] = wire
    inner = shape_of(cls).extra if issubclass(cls, JsonObject) else ()
    extras = {key: _convert_leniently(item, inner, (*path, key)) for key, item in members.items() if key not in wires}
    fields_set = {name for name in values if (cls.model_fields[name].alias or name) in members}
    attributes = IncompleteMembers(values, missing, path) if missing else values
    return _construct(cls, attributes, extras, fields_set)


def _read_field(cls: type[BaseModel], name: str, value: Any, path: _Path) -> Any:
    try:
        return _get_validator(cls, name).validate_python(value, by_alias=True, by_name=False)
    except (ValidationError, RecursionError):
        pass  # not inside the handler: it would keep the errors of all levels until the last one is built
    return _convert_leniently(value, kinds_of(cls.model_fields[name].annotation), path)


@cache
def _get_validator(cls: type[BaseModel], name: str) -> SchemaValidator:
    """Return the validator of a field, by the core schema of its class."""
    schema, definitions = cast(Any, cls.__pydantic_core_schema__), list[Any]()
    if schema["type"] == "definitions":
        schema, definitions = schema["schema"], schema["definitions"]
    while schema["type"] != "model-fields":
        ref = schema.get("schema_ref")
        schema = schema["schema"] if ref is None else _find_definition(definitions, ref)
    field = schema["fields"][name]["schema"]
    return _make_validator(core_schema.definitions_schema(field, definitions))


def _find_definition(definitions: list[Any], ref: str) -> Any:
    return next(definition for definition in definitions if definition["ref"] == ref)


# --- each part once --------------------------------------------------------------------------------------------------
_unreadable: ContextVar[dict[tuple[str, int], object]] = ContextVar(f"{__name__}.unreadable")
"""Parts of the value that do not fit a definition of a core schema, by the definition's name and the part's id."""


def _make_validator(schema: CoreSchema) -> SchemaValidator:
    """Return a validator that at once refuses a part that one of the schema's definitions refused before.

    An invalid part makes everything around it invalid, and each level around it is tried.
    """
    members = cast(dict[str, Any], schema)
    if members["type"] != "definitions":
        return SchemaValidator(schema)
    definitions = [_make_remembering(definition) for definition in members["definitions"]]
    whole = core_schema.definitions_schema(members["schema"], definitions)
    return SchemaValidator(whole, _use_prebuilt=False)


def _make_remembering(definition: dict[str, Any]) -> CoreSchema:
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


def _construct(
    cls: type[M], values: dict[str, Any], extras: dict[str, Any] | None, fields_set: set[str] | None = None
) -> M:
    """Construct an instance without any check, not even `model_post_init`."""
    instance = cls.__new__(cls)
    object.__setattr__(instance, "__dict__", values)
    object.__setattr__(instance, "__pydantic_fields_set__", set(values) if fields_set is None else fields_set)
    keeps = cls.model_config.get("extra") == "allow"
    object.__setattr__(instance, "__pydantic_extra__", extras if keeps else None)
    object.__setattr__(instance, "__pydantic_private__", None)
    return instance
