"""Read nested values: deeper than pydantic alone can, and each part only once."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
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

from .errors import shorten_error
from .exact_types import convert_inner
from .json_values import check_written, write_fast
from .package import find_limits, limit_reader, use_limits


# --- how deep --------------------------------------------------------------------------------------------------------
class LimitExceeded(ValueError):
    """A value exceeds a limit of this package."""


def is_deeper(value: object, most: int) -> bool:
    """Return whether arrays and objects are nested in more than `most` levels, or contain themselves."""
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
BRIEF_ERRORS = frozenset(("no_alternative", "does_not_fit"))
"""Types of pydantic's errors that stand for all errors inside a place."""


def make_depth_error(cls: type[BaseModel], value: object) -> ValidationError:
    """Return the error of a value that is nested too deeply for a class."""
    kind = PydanticCustomError("value_depth", cast(Any, f"Input {find_limits(cls.__module__).depth_message}"))
    return ValidationError.from_exception_data(cls.__name__, [{"type": kind, "loc": (), "input": value}])


# --- each part once --------------------------------------------------------------------------------------------------
@dataclass(eq=False, repr=False)
class _Memo:
    """What the current call has read."""

    results: dict[tuple[int, int], tuple[object, object, PydanticCustomError | None]]
    """Results by the ids of the union and the value."""
    level: int = 0
    """How many nested unions are being read."""
    exhausted: bool = False
    """Whether the stack was too small, so that reading fails; pydantic may report that as a wrong value."""


_memo: ContextVar[_Memo | None] = ContextVar(f"{__name__}.memo", default=None)


class ReadOnce:
    """Marks a union whose alternatives lead back to it, so that it reads each part of a value once.

    pydantic tries every alternative, and each of them tries all of them again on the value's parts: without a cache
    the time would double with each level.
    """

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        union = object()

        def read(value: object, inner: core_schema.ValidatorFunctionWrapHandler) -> object:
            if not isinstance(value, dict | list):
                return inner(value)
            memo, token = _memo.get(), None
            if memo is None:
                memo = _Memo({})
                token = _memo.set(memo)
            key = id(union), id(cast(object, value))
            memo.level += 1
            try:  # all in one function, since every frame counts for a deep value
                if key not in memo.results:
                    if memo.exhausted or (memo.level > _UNWATCHED_LEVELS and not _has_room(memo)):
                        raise RecursionError("maximum recursion depth exceeded")
                    memo.results[key] = value, inner(value), None
            except ValidationError:  # the errors of all alternatives would double with each level
                error = PydanticCustomError("no_alternative", "Input should match an alternative")
                memo.results[key] = value, None, error
            finally:
                memo.level -= 1
                if token is not None:
                    _memo.reset(token)
            _, result, failure = memo.results[key]
            if failure is not None:
                raise failure
            return result

        setattr(read, "reads_once", True)  # noqa: B010
        return core_schema.no_info_wrap_validator_function(read, handler(source))


@contextmanager
def remember_readings() -> Generator[_Memo]:
    """Reuse what was read of a value until the outermost of these blocks ends."""
    memo = _memo.get()
    if memo is not None:
        yield memo
        return
    memo = _Memo({})
    token = _memo.set(memo)
    try:
        yield memo
    finally:
        _memo.reset(token)


_UNWATCHED_LEVELS = 40
"""Number of nested unions from which on the remaining stack is checked."""
_ROOM = 30
"""Maximum frames that reading a part needs until the next union checks the stack."""


def _has_room(memo: _Memo) -> bool:
    """Return whether the stack is large enough to continue; if not, record that."""
    try:
        _use_stack(_ROOM)
    except RecursionError:
        memo.exhausted = True
        return False
    return True


def _use_stack(frames: int) -> None:
    if frames:
        _use_stack(frames - 1)


# --- deeper ----------------------------------------------------------------------------------------------------------
_SAFE_LEVELS = 100
"""Levels of nesting that pydantic always reads."""
_DESCRIBED_LEVELS = 10
"""Levels of nesting in a recursive class up to which errors are as detailed as pydantic's."""
_LEVELS_PER_CALL = 64
"""References that one call of pydantic follows; after that it is called again, which uses Python's stack."""


def read_value(cls: type[BaseModel], value: object, context: object = None, instance: BaseModel | None = None) -> Any:
    """Read a JSON value as an instance of a class, nested as deeply as the limit allows.

    Args:
        cls: the class.
        value: the value to read.
        context: the context of the validation.
        instance: the instance under construction, if any.

    Raises:
        pydantic.ValidationError: it does not fit, or is nested too deeply. The error has the first violations.
    """
    try:
        return _get_reader(cls)(value, context=context, self_instance=instance, by_alias=True, by_name=False)
    except (ValidationError, RecursionError) as error:
        refusal = error
    try:
        return _read_again(cls, value, context, instance, refusal)
    except ValidationError as error:
        raise shorten_error(error) from None


def find_errors(cls: type[BaseModel], value: object, context: object) -> ValidationError | None:
    """Return why a class refuses a JSON value, with all violations; None if it reads the value."""
    try:
        _get_reader(cls)(value, context=context, by_alias=True, by_name=False)
    except (ValidationError, RecursionError) as refusal:
        try:
            _read_again(cls, value, context, None, refusal)
        except ValidationError as error:
            return error
    return None


def _read_again(
    cls: type[BaseModel],
    value: object,
    context: object,
    instance: BaseModel | None,
    refusal: ValidationError | RecursionError,
) -> Any:
    """Read a JSON value that was refused: it may only be too deep for pydantic.

    Raises:
        pydantic.ValidationError: it does not fit, or is nested too deeply. The error has all violations.
    """
    if isinstance(refusal, ValidationError) and not is_deeper(value, _SAFE_LEVELS):
        raise _describe_refusal(cls, value, refusal, context) from None
    limits = find_limits(cls.__module__)
    if isinstance(refusal, RecursionError) or is_deeper(value, limits.value_depth):
        raise make_depth_error(cls, value) from None
    with remember_readings() as memo, use_limits(limits):
        memo.exhausted = False
        try:  # pydantic may have refused its depth only
            return _get_deep_validator(cls).validate_python(
                value, context=context, self_instance=instance, by_alias=True, by_name=False
            )
        except ValidationError:
            if not memo.exhausted:
                raise
        except RecursionError:
            pass
    raise make_depth_error(cls, value) from None


def _describe_refusal(
    cls: type[BaseModel], value: object, refusal: ValidationError, context: object
) -> ValidationError:
    if _get_validator(cls) is not cls.__pydantic_validator__ and not is_deeper(value, _DESCRIBED_LEVELS):
        try:
            cls.__pydantic_validator__.validate_python(value, context=context, by_alias=True, by_name=False)
        except ValidationError as error:
            return error
    return refusal


@cache
def _get_reader(cls: type[BaseModel]) -> Callable[..., Any]:
    """Return a function that reads a value within the limits of the class's package."""
    read: Callable[..., Any] = _get_validator(cls).validate_python
    return limit_reader(read, cls.__module__)


@cache
def _get_validator(cls: type[BaseModel]) -> Any:
    """Return a validator whose errors take little time and memory, however deep the value is."""
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    schema = cls.__pydantic_core_schema__
    if schema["type"] != "definitions":
        return cls.__pydantic_validator__
    return SchemaValidator(with_brief_errors(schema), _use_prebuilt=False)


def with_brief_errors(schema: CoreSchema) -> CoreSchema:
    """Return a schema for the same values that reports one error, without those inside, if a definition does not fit.

    pydantic lists every error with its whole path, so errors at the bottom of a deep value take memory proportional to
    their number times the depth.

    Args:
        schema: a pydantic core schema; only those with definitions are recursive.
    """
    if schema["type"] != "definitions":
        return schema
    definitions = cast(list[dict[str, Any]], schema["definitions"])
    bodies = {
        definition["ref"]: {key: item for key, item in definition.items() if key != "ref"} for definition in definitions
    }
    start = cast(dict[str, Any], schema["schema"])
    whole = bodies.get(start.get("schema_ref", ""), start)  # its parts get separate errors
    brief: list[CoreSchema] = [
        core_schema.custom_error_schema(
            cast(CoreSchema, body),
            custom_error_type="does_not_fit",
            custom_error_message="Input should fit, with all that is inside",
            ref=ref,
        )
        for ref, body in bodies.items()
    ]
    return core_schema.definitions_schema(cast(CoreSchema, whole), brief)


@cache
def _get_deep_validator(cls: type[BaseModel]) -> SchemaValidator:
    return make_deep_validator(with_brief_errors(cls.__pydantic_core_schema__))


def parse_json(text: str | bytes, parse_constant: Callable[[str], Any] | None = None) -> Any:
    """Parse JSON text; `parse_constant` as in `json.loads`.

    Raises:
        LimitExceeded: a ValueError; it is nested too deeply.
        ValueError: it is not JSON.
    """
    try:
        return json.loads(text, parse_constant=parse_constant)
    except RecursionError:
        raise LimitExceeded from None


def write_json_bytes(value: object) -> bytes:
    """Write a JSON value as compact UTF-8, nested as deeply as the limit allows."""
    text = write_fast(value)
    if text is not None:
        return text
    try:
        return check_written(to_json(value, inf_nan_mode="null"), value)
    except PydanticSerializationError:
        if not is_deeper(value, _SAFE_LEVELS):
            raise
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def make_deep_validator(schema: CoreSchema) -> SchemaValidator:
    """Return a validator for the same values that also accepts values nested too deeply for pydantic.

    Each definition exists once per level and refers to the next level's; the last one calls pydantic again. So the
    value must have a bounded depth and must not contain itself.

    Args:
        schema: a pydantic core schema with definitions that refer to each other.
    """
    members = cast(dict[str, Any], schema)
    if members["type"] != "definitions":
        return SchemaValidator(schema)
    definitions = cast(list[dict[str, Any]], members["definitions"])
    validators: dict[str, SchemaValidator] = {}

    def start_validator(start: Any) -> SchemaValidator:
        return SchemaValidator(core_schema.definitions_schema(start, levels), _use_prebuilt=False)

    def make_restart(ref: str) -> Callable[[Any], Any]:
        def read(value: Any) -> Any:
            if ref not in validators:
                first = core_schema.definition_reference_schema(f"{ref}@0")
                validators[ref] = start_validator(first)
            return validators[ref].validate_python(value, by_alias=True, by_name=False)

        return read

    levels = [
        _copy_schema(definition, level, make_restart) for level in range(_LEVELS_PER_CALL) for definition in definitions
    ]
    return start_validator(_copy_schema(members["schema"], 0, make_restart))


def _copy_schema(schema: dict[str, Any], level: int, restart: Callable[[str], Callable[[Any], Any]]) -> Any:
    """Copy a schema for a level: references lead to the next level, a definition's name is this level's."""
    if schema["type"] == "definition-ref":
        ref = schema["schema_ref"]
        if level + 1 == _LEVELS_PER_CALL:
            return core_schema.no_info_plain_validator_function(restart(ref))
        return {**schema, "schema_ref": f"{ref}@{level + 1}"}
    copied = convert_inner(schema, lambda inner: _copy_schema(inner, level, restart))
    if "ref" in copied:
        copied["ref"] = f"{copied['ref']}@{level}"
    return copied
