"""Reading what is nested: deeper than pydantic goes by itself, and each part of a value once."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, cast

from pydantic import BaseModel, GetCoreSchemaHandler, ValidationError
from pydantic_core import (
    CoreSchema,
    PydanticCustomError,
    PydanticSerializationError,
    SchemaValidator,
    core_schema,
    to_json,
)

from .errors import brief
from .limits import VALUE_DEPTH


# --- how deep ----------------------------------------------------------------------------------------------------------
class LimitExceeded(ValueError):
    """A value is beyond a limit of this package."""


def is_deeper(value: object, most: int) -> bool:
    """Return whether arrays and objects are nested in more than so many levels, or hold themselves."""
    level: list[Any] = [value] if isinstance(value, _CONTAINERS) else []
    for _ in range(most):
        if not level:
            return False
        inner: dict[int, Any] = {}
        for container in level:
            items = cast(Any, container).values() if isinstance(container, dict) else container
            for item in cast(Iterable[Any], items):
                if isinstance(item, _CONTAINERS):
                    inner[id(cast(object, item))] = item
        level = [*inner.values()]
    return bool(level)


_CONTAINERS = (dict, list, tuple)


TOO_DEEP = f"should be nested at most {VALUE_DEPTH} levels deep, the limit `value-depth`"
"""What is said of a value that is nested too deeply."""


def too_deep(title: str, value: object) -> ValidationError:
    """Return the error of a value that is nested too deeply."""
    kind = PydanticCustomError("value_depth", cast(Any, f"Input {TOO_DEEP}"))
    return ValidationError.from_exception_data(title, [{"type": kind, "loc": (), "input": value}])


# --- each part once --------------------------------------------------------------------------------------------------
_Memo = dict[tuple[int, int], tuple[object, object, PydanticCustomError | None]]
_memo: ContextVar[_Memo | None] = ContextVar(f"{__name__}.memo", default=None)
"""What was read in the call that is under way, by the ids of the union and of the value."""


class ReadOnce:
    """Marks a union whose alternatives lead back to it, so that it reads each part of a value once.

    pydantic tries every alternative, and each of them tries all of them again on the value's parts: without a memory the
    time would double with each level.
    """

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        union = object()

        def read(value: object, inner: core_schema.ValidatorFunctionWrapHandler) -> object:
            memo = _memo.get()
            if not isinstance(value, dict | list):
                return inner(value)
            if memo is not None:
                return _read_once(union, cast(object, value), inner, memo)
            token = _memo.set({})
            try:
                return _read_once(union, cast(object, value), inner, cast(_Memo, _memo.get()))
            finally:
                _memo.reset(token)

        setattr(read, "reads_once", True)  # noqa: B010
        return core_schema.no_info_wrap_validator_function(read, handler(source))


@contextmanager
def remembering() -> Generator[None]:
    """Keep what is read of a value for further readings of it, within the block."""
    token = _memo.set({})
    try:
        yield
    finally:
        _memo.reset(token)


def _read_once(
    union: object, value: object, inner: core_schema.ValidatorFunctionWrapHandler, memo: _Memo
) -> object:
    key = id(union), id(value)
    if key not in memo:
        try:
            memo[key] = value, inner(value), None
        except (
            ValidationError
        ):  # one error for all of what the alternatives say, which doubles with each level, too
            error = PydanticCustomError("no_alternative", "Input should match an alternative")
            memo[key] = value, None, error
    _, made, failure = memo[key]
    if failure is not None:
        raise failure
    return made


# --- deeper ----------------------------------------------------------------------------------------------------------
_SHALLOW = 100
"""Levels of nesting that pydantic reads in any case."""
_LEVELS = 64
"""References that one call of pydantic follows; then it is called anew, which costs a part of Python's stack."""


def read_value(cls: type[BaseModel], value: object, context: object = None) -> Any:
    """Return the instance of a class that a JSON value is, nested as deeply as the limit allows.

    Raises:
        pydantic.ValidationError: it does not fit, or is nested too deeply.
    """
    validator = cls.__pydantic_validator__
    try:
        return validator.validate_python(value, context=context, by_alias=True, by_name=False)
    except (ValidationError, RecursionError) as error:
        return read_deeper(cls, value, error, context)


def read_deeper(
    cls: type[BaseModel],
    value: object,
    refusal: ValidationError | RecursionError,
    context: object = None,
    made: BaseModel | None = None,
) -> Any:
    """Return the instance of a class that a value is after all, which pydantic refused for its depth only.

    Args:
        cls: the class.
        value: what pydantic read.
        refusal: what it raised.
        context: the context of the validation.
        made: the instance, where it is one that is being constructed.

    Raises:
        pydantic.ValidationError: it does not fit, or is nested too deeply. The first violations are told.
    """
    if isinstance(refusal, ValidationError) and not is_deeper(value, _SHALLOW):
        raise brief(refusal) from None
    if isinstance(refusal, RecursionError) or is_deeper(value, VALUE_DEPTH):
        raise too_deep(cls.__name__, value) from None
    try:
        return _deep_validator_of(cls).validate_python(
            value, context=context, self_instance=made, by_alias=True, by_name=False
        )
    except ValidationError as error:
        raise brief(error) from None
    except RecursionError:
        raise too_deep(cls.__name__, value) from None


@cache
def _deep_validator_of(cls: type[BaseModel]) -> SchemaValidator:
    return deep_validator(cls.__pydantic_core_schema__)


def parsed(text: str, parse_constant: Callable[[str], Any] | None = None) -> Any:
    """Return the JSON value of a text; `parse_constant` as `json.loads` has it.

    Raises:
        LimitExceeded: a ValueError; it is nested too deeply.
        ValueError: it is no JSON.
    """
    try:
        return json.loads(text, parse_constant=parse_constant)
    except RecursionError:
        raise LimitExceeded(TOO_DEEP) from None


def json_bytes(value: object) -> bytes:
    """Return compact UTF-8 JSON of a JSON value, nested as deeply as the limit allows."""
    try:
        return to_json(value)
    except PydanticSerializationError:
        if not is_deeper(value, _SHALLOW):
            raise
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def deep_validator(schema: CoreSchema) -> SchemaValidator:
    """Return a validator for the same values, and for those nested so deeply that pydantic refuses them.

    Each definition is there once a level, and refers to the next level's. The last one calls pydantic again. So the value
    has to be one of bounded depth, that does not hold itself.

    Args:
        schema: a core schema of pydantic's, with definitions that refer to each other.
    """
    held = cast(dict[str, Any], schema)
    if held["type"] != "definitions":
        return SchemaValidator(schema)
    definitions = cast(list[dict[str, Any]], held["definitions"])
    validators: dict[str, SchemaValidator] = {}

    def started_at(inner: Any) -> SchemaValidator:
        return SchemaValidator(core_schema.definitions_schema(inner, levels), _use_prebuilt=False)

    def restart(ref: str) -> Callable[[Any], Any]:
        def read(value: Any) -> Any:
            if ref not in validators:
                first = core_schema.definition_reference_schema(_at_level(ref, 0))
                validators[ref] = started_at(first)
            return validators[ref].validate_python(value, by_alias=True, by_name=False)

        return read

    levels = [
        _copy(definition, level, restart) for level in range(_LEVELS) for definition in definitions
    ]
    return started_at(_copy(held["schema"], 0, restart))


def _at_level(ref: str, level: int) -> str:
    return f"{ref}@{level}"


def _copy(schema: Any, level: int, restart: Callable[[str], Callable[[Any], Any]]) -> Any:
    """Return a schema whose references lead to the next level; a definition's own name is this level's."""
    if isinstance(schema, dict):
        held = cast(dict[str, Any], schema)
        if held.get("type") == "definition-ref":
            ref = held["schema_ref"]
            if level + 1 == _LEVELS:
                return core_schema.no_info_plain_validator_function(restart(ref))
            return {**held, "schema_ref": _at_level(ref, level + 1)}
        copied = {
            key: item if key in _OPAQUE else _copy(item, level, restart)
            for key, item in held.items()
        }
        if "ref" in copied and "type" in copied:
            copied["ref"] = _at_level(copied["ref"], level)
        return copied
    if isinstance(schema, list):
        return [_copy(item, level, restart) for item in cast(Any, schema)]
    if isinstance(schema, tuple):
        return tuple(_copy(item, level, restart) for item in cast(Any, schema))
    return schema


_OPAQUE = frozenset(
    {"cls", "config", "default", "expected", "function", "metadata", "serialization"}
)
"""The members of a core schema that hold no other."""

__all__ = [
    "TOO_DEEP",
    "LimitExceeded",
    "ReadOnce",
    "deep_validator",
    "is_deeper",
    "json_bytes",
    "parsed",
    "read_deeper",
    "read_value",
    "remembering",
    "too_deep",
]
