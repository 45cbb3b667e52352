"""Walk and change pydantic's core schemas: read exactly JSON, also deep values; tell why a value was refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, partial
from numbers import Number
from operator import eq, is_
from typing import Any, LiteralString, NoReturn, TypeAlias, cast

import orjson
from pydantic import BaseModel, GetCoreSchemaHandler, ValidationError
from pydantic_core import (
    CoreSchema,
    PydanticCustomError,
    PydanticKnownError,
    PydanticSerializationError,
    SchemaValidator,
    core_schema,
    to_json,
)

from .errors import MOST_PROBLEMS, Problem, describe_value, shorten_error, sort_by_place
from .json_values import check_written, write_number
from .package import find_limits, limit_reader, use_limits


def convert_inner(schema: dict[str, Any], convert: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """Return a copy of a core schema in which each schema directly inside it is converted, except its serializer."""
    return schema | {
        member: _convert_held(schema[member], convert, member in _BY_NAME) for member in _HOLDERS if member in schema
    }


def _convert_held(held: Any, convert: Callable[[dict[str, Any]], Any], is_by_name: bool = False) -> Any:
    if isinstance(held, dict):
        schemas: dict[Any, Any] = cast(Any, held)
        return {name: convert(inner) for name, inner in schemas.items()} if is_by_name else convert(schemas)
    if isinstance(held, list | tuple):  # a tuple is an alternative with its label
        kind: Any = type(cast(object, held))
        return kind(_convert_held(item, convert) for item in cast(Any, held))
    return held  # a label, the name of a dataclass's field, or no schema


def list_inner(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the schemas directly inside a core schema, except its serializer."""
    found: list[dict[str, Any]] = []
    convert_inner(schema, found.append)
    return found


def complete_schema(cls: type[BaseModel]) -> dict[str, Any]:
    """Return the core schema of a class, which is completed first if necessary."""
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    return cast(dict[str, Any], cls.__pydantic_core_schema__)


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
    "schema items_schema keys_schema values_schema extras_schema extras_keys_schema choices fields computed_fields "
    "definitions steps lax_schema strict_schema json_schema python_schema arguments_schema var_args_schema "
    "var_kwargs_schema return_schema"
).split()
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


class ExactReading:
    """Converts the core schema of a class to one whose fields read exactly the JSON values of their types.

    A field with the default None may be absent but not null; one with the default `ABSENT` may be absent or null. A
    constant is a default only for the constructor: an object that is read must have it.
    """

    def __init__(self, cls: type[Any], handler: GetCoreSchemaHandler) -> None:
        self._cls, self._handler = cls, handler
        self._classes = 1
        self._counts: dict[str, int] = {}  # of the classes that references lead to

    def convert(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Convert the core schema of a type with everything inside, except other classes, which convert themselves."""
        kind = schema.get("type")
        if kind in _SCALARS and schema.get("strict"):
            return schema
        match kind:
            case "str":
                return {"min_length": 0, **schema, "strict": True}
            case "bool":
                return {**schema, "strict": True}
            case "int":
                return _replace_scalar(schema, _WHOLE_NUMBER)
            case "float":
                return _replace_scalar(schema, _NUMBER)
            case "literal" if any(not isinstance(value, str | None) for value in schema["expected"]):
                return _make_choice(schema["expected"])
            case "model-field":
                return self._convert_field(schema)
            case "model":
                metadata = schema.get("metadata", {})
                if schema["cls"] is not self._cls or _CONVERTED in metadata:
                    return schema
                converted = convert_inner(schema, self.convert)
                return {**converted, "metadata": {**metadata, _CONVERTED: self._classes}}
            case "definition-ref":
                return self._convert_reference(schema["schema_ref"], schema)
            case "model-fields" if "extras_schema" in schema:
                return {**convert_inner(schema, self.convert), "extras_keys_schema": STRING}
            case "union":
                converted = convert_inner(schema, self.convert)
                return {**converted, "choices": [*map(_refuse_iterators, converted["choices"])]}
            case "tuple":
                return {"serialization": _AS_ARRAY, **convert_inner(schema, self.convert)}
            case _:
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

    def _convert_field(self, field: dict[str, Any]) -> dict[str, Any]:
        schema = field["schema"]
        if schema["type"] != "default" or "default" not in schema:
            return field | {"schema": self.convert(schema)}
        value_schema, default = schema["schema"], schema["default"]
        if value_schema["type"] == "literal" and value_schema["expected"] == [default]:
            return field | {"schema": self.convert(value_schema)}
        converted: Any = self.convert(value_schema)
        if default is not None:
            default = None if default is ABSENT else default
            return field | {"schema": schema | {"schema": converted, "default": default}}
        if converted["type"] == "nullable":
            converted = converted["schema"]
        else:
            converted = core_schema.no_info_before_validator_function(_refuse_null, converted)
        return field | {"schema": schema | {"schema": converted}, "serialization_exclude_if": partial(is_, None)}


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


_SCALARS = frozenset({"str", "bool", "int", "float"})
_CONVERTED = "mcpgen-exact"
"""Key in the metadata of a converted model, which pydantic keeps for types that refer to it. Its value is the number of
classes in the model, including itself."""
_KEPT = "mcpgen-kept"
"""Key in the metadata of a reference that is not inlined."""
_MOST_INLINED = 32
"""Maximum classes in a class that pydantic may inline into the schema of another class."""


# --- numbers ---------------------------------------------------------------------------------------------------------
def read_number(value: object) -> int | float:
    """Return the int or float that equals a Decimal or another class's number."""
    if not isinstance(value, bool) and isinstance(value, Number):
        try:
            number = write_number(value)
        except ValueError:
            number = None
        if isinstance(number, int | float):
            return number
    raise PydanticCustomError("number", "Input should be a number that JSON can hold exactly")


OTHER_NUMBER = core_schema.no_info_plain_validator_function(read_number)


def _convert_to_int(value: int | float) -> int:
    if isinstance(value, float) and not value.is_integer():
        raise PydanticCustomError("int_from_float", "Input should be an integer, got a number with a fractional part")
    return int(value)


def _make_number(floats: Callable[[CoreSchema], CoreSchema], error: Any, serialization: Any) -> CoreSchema:
    """Return the schema of a number; `floats` makes that of the floats, and of other numbers, which it takes."""
    choices: list[CoreSchema | tuple[CoreSchema, str]] = [INTEGER, floats(FLOAT), floats(OTHER_NUMBER)]
    return core_schema.union_schema(
        choices,
        mode="left_to_right",
        custom_error_type=error,
        serialization=core_schema.simple_ser_schema(serialization),
    )


_WHOLE_NUMBER = _make_number(partial(core_schema.no_info_after_validator_function, _convert_to_int), "int_type", "int")
"""JSON's integer: 1.0 is one (JSON Schema 2020-12 validation, section 6.1.1), true is not."""
_NUMBER = _make_number(lambda schema: schema, "finite_number", "any")
"""JSON's number: integers stay integers, and floats stay floats; neither true nor NaN is a number."""


def _replace_scalar(schema: dict[str, Any], exact: CoreSchema) -> dict[str, Any]:
    """Return the exact schema of a number, with the bounds and the reference of pydantic's schema."""
    converted: Any = exact
    bounds = {bound: schema[bound] for bound in _BOUNDS if bound in schema}
    if bounds and exact is _WHOLE_NUMBER and all(type(limit) is int for limit in bounds.values()):
        converted = core_schema.chain_schema([exact, cast(Any, {**INTEGER, **bounds})])
    else:
        for bound, limit in bounds.items():
            check = partial(_BOUNDS[bound], limit)
            converted = core_schema.no_info_after_validator_function(check, converted)
    return {**converted, "ref": schema["ref"]} if "ref" in schema else converted


def _refuse_bound(kind: Any, **bound: Any) -> NoReturn:
    raise PydanticKnownError(kind, bound)


_BOUNDS: dict[str, Callable[[Any, Any], Any]] = {  # they run for every number: no closures, the usual case last
    "gt": lambda limit, value: _refuse_bound("greater_than", gt=limit) if value <= limit else value,
    "ge": lambda limit, value: _refuse_bound("greater_than_equal", ge=limit) if value < limit else value,
    "lt": lambda limit, value: _refuse_bound("less_than", lt=limit) if value >= limit else value,
    "le": lambda limit, value: _refuse_bound("less_than_equal", le=limit) if value > limit else value,
}


# --- constants, tuples, null -----------------------------------------------------------------------------------------
def _make_choice(expected: Sequence[Any]) -> dict[str, Any]:
    """Return a schema for some constants as JSON compares them: 1 and 1.0 are equal, 1 and true are not."""
    allowed: set[tuple[type[Any], Any]] = {(type(value), value) for value in expected}

    def read_exactly(value: object) -> object:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, str | int | None) and (type(value), value) in allowed:
            return value
        raise PydanticCustomError("literal_error", "Input should be one of the values that the schema lists")

    as_it_is = core_schema.simple_ser_schema("any")
    schema = core_schema.no_info_plain_validator_function(read_exactly, serialization=as_it_is)
    return cast(dict[str, Any], schema)


_AS_ARRAY = core_schema.wrap_serializer_function_ser_schema(lambda value, handler: [*handler(value)])
"""A tuple is dumped as a JSON array."""


def _refuse_null(value: object) -> object:
    if value is None:
        raise PydanticCustomError("absent_not_null", "Input may be absent, but not null")
    return value


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


def make_depth_error(cls: type[BaseModel], value: object) -> ValidationError:
    """Return the error of a value that is nested too deeply for a class."""
    kind = PydanticCustomError("value_depth", cast(Any, f"Input {find_limits(cls.__module__).depth_message}"))
    return ValidationError.from_exception_data(cls.__name__, [{"type": kind, "loc": (), "input": value}])


# --- each part once --------------------------------------------------------------------------------------------------
@dataclass(eq=False, repr=False)
class _Memo:
    """What the current call has read."""

    results: dict[tuple[int, int], tuple[object, object, bool]]
    """Values, what was read of them, and whether they fit, by the ids of the union and the value."""
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
        def read(value: object, inner: core_schema.ValidatorFunctionWrapHandler) -> object:
            if not isinstance(value, dict | list):
                return inner(value)
            memo, token = _memo.get(), None
            if memo is None:
                memo = _Memo({})
                token = _memo.set(memo)
            key = id(read), id(cast(object, value))
            memo.level += 1
            try:  # all in one function, since every frame counts for a deep value
                if key not in memo.results:
                    memo.exhausted = memo.exhausted or (memo.level > _UNWATCHED_LEVELS and not _has_room(_ROOM))
                    if memo.exhausted:
                        raise RecursionError("maximum recursion depth exceeded")
                    memo.results[key] = value, inner(value), True
            except ValidationError:  # the errors of all alternatives would double with each level
                memo.results[key] = value, None, False
            finally:
                memo.level -= 1
                if token is not None:
                    _memo.reset(token)
            _, result, fits = memo.results[key]
            if fits:
                return result
            raise PydanticCustomError("no_alternative", "Input should match an alternative")

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


def _has_room(frames: int) -> bool:
    """Return whether the stack is large enough for some more frames."""
    try:
        return frames == 0 or _has_room(frames - 1)
    except RecursionError:
        return False


# --- deeper ----------------------------------------------------------------------------------------------------------
_SAFE_LEVELS = 100
"""Levels of nesting that pydantic always reads."""
_DESCRIBED_LEVELS = 10
"""Levels of nesting in a recursive class up to which errors are as detailed as pydantic's."""
_LEVELS_PER_CALL = 64
"""References that one call of pydantic follows; after that it is called again, which uses Python's stack."""


def read_value(
    cls: type[BaseModel], value: object, context: object = None, instance: BaseModel | None = None, brief: bool = True
) -> Any:
    """Read a JSON value as an instance of a class, or into an instance under construction.

    A ValidationError says what does not fit, or that it is nested too deeply; `brief`: the first violation alone.
    """
    try:
        return get_reader(cls)(value, context=context, self_instance=instance, by_alias=True, by_name=False)
    except (ValidationError, RecursionError) as error:
        refusal = error
    try:
        return _read_again(cls, value, refusal, context=context, self_instance=instance)
    except ValidationError as error:
        raise (shorten_error(error) if brief else error) from None


def _read_again(cls: type[BaseModel], value: object, refusal: Exception, **options: Any) -> Any:
    """Read a JSON value that was refused: it may only be too deep for pydantic. An error has all violations."""
    was_read = isinstance(refusal, ValidationError)
    if was_read and not is_deeper(value, _SAFE_LEVELS):
        if cls.__pydantic_core_schema__["type"] == "definitions" and not is_deeper(value, _DESCRIBED_LEVELS):
            cls.__pydantic_validator__.validate_python(value, context=options["context"], by_alias=True, by_name=False)
        raise refusal from None
    limits = find_limits(cls.__module__)
    if was_read and not is_deeper(value, limits.value_depth):
        with remember_readings() as memo, use_limits(limits):
            memo.exhausted = False
            try:  # pydantic may have refused its depth only
                return _get_deep_validator(cls).validate_python(value, **options, by_alias=True, by_name=False)
            except ValidationError:
                if not memo.exhausted:
                    raise
            except RecursionError:
                pass
    raise make_depth_error(cls, value) from None


@cache
def get_reader(cls: type[BaseModel]) -> Callable[..., Any]:
    """Return a function that reads a value; its errors take little time and memory, however deep the value is."""
    schema, validator = complete_schema(cls), cast(SchemaValidator, cls.__pydantic_validator__)
    if schema["type"] == "definitions":
        validator = SchemaValidator(with_brief_errors(schema), _use_prebuilt=False)
    read: Callable[..., Any] = validator.validate_python
    return limit_reader(read, cls.__module__)


def with_brief_errors(schema: Any) -> CoreSchema:
    """Return a schema for the same values that reports one error, without those inside, if a definition does not fit.

    pydantic lists every error with its whole path, so errors at the bottom of a deep value take memory proportional to
    their number times the depth. Only a schema with definitions is recursive.
    """
    if schema["type"] != "definitions":
        return cast(CoreSchema, schema)
    bodies: dict[str, Any] = {
        definition["ref"]: {key: item for key, item in definition.items() if key != "ref"}
        for definition in schema["definitions"]
    }
    start: dict[str, Any] = schema["schema"]
    whole = bodies.get(start.get("schema_ref", ""), start)  # its parts get separate errors
    message = "Input should fit, with all that is inside"
    brief: list[CoreSchema] = [
        core_schema.custom_error_schema(body, "does_not_fit", custom_error_message=message, ref=ref)
        for ref, body in bodies.items()
    ]
    return core_schema.definitions_schema(whole, brief)


@cache
def _get_deep_validator(cls: type[BaseModel]) -> SchemaValidator:
    return make_deep_validator(with_brief_errors(cls.__pydantic_core_schema__))


def parse_json(text: str | bytes, parse_constant: Callable[[str], Any] | None = None) -> Any:
    """Parse JSON text, or raise ValueError, or LimitExceeded if it is nested too deeply."""
    try:
        return json.loads(text, parse_constant=parse_constant)
    except RecursionError:
        raise LimitExceeded from None


_OWN_TYPES = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
"""orjson refuses subclasses of JSON's types, dates and dataclasses, which it would write in its own way."""


def write_json_bytes(value: object) -> bytes:
    """Write a JSON value as compact UTF-8, nested as deeply as the limit allows."""
    try:
        return orjson.dumps(value, None, _OWN_TYPES)
    except TypeError:  # for integers of more than 64 bits, more than 254 levels, and lone surrogates, for example
        pass
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
    """
    members = cast(dict[str, Any], schema)
    if members["type"] != "definitions":
        return SchemaValidator(schema)
    validators: dict[str, SchemaValidator] = {}

    def start_validator(start: Any) -> SchemaValidator:
        return SchemaValidator(core_schema.definitions_schema(start, levels), _use_prebuilt=False)

    def restart(ref: str, value: Any) -> Any:
        if ref not in validators:
            validators[ref] = start_validator(core_schema.definition_reference_schema(f"{ref}@0"))
        return validators[ref].validate_python(value, by_alias=True, by_name=False)

    def copy(part: dict[str, Any], level: int) -> Any:
        if part["type"] == "definition-ref":
            ref = part["schema_ref"]
            if level + 1 == _LEVELS_PER_CALL:
                return core_schema.no_info_plain_validator_function(partial(restart, ref))
            return {**part, "schema_ref": f"{ref}@{level + 1}"}
        copied = convert_inner(part, lambda inner: copy(inner, level))
        return {**copied, "ref": f"{part['ref']}@{level}"} if "ref" in part else copied

    levels = [copy(definition, level) for level in range(_LEVELS_PER_CALL) for definition in members["definitions"]]
    return start_validator(copy(members["schema"], 0))


# --- what a class reads ----------------------------------------------------------------------------------------------
CHECKED: Any = object()
"""Validation context of a value whose schema needs no check."""


@cache
def says_all(cls: type[BaseModel]) -> bool:
    """Return whether a class accepts what its schema accepts, and no value that is nested without a limit."""
    return _is_plain(complete_schema(cls))


def _is_plain(schema: dict[str, Any]) -> bool:
    """Return whether a core schema has plain types alone, without references and open objects."""
    match schema:
        case {"type": "function-plain", "function": {"function": function}}:
            return function is read_number
        case {"type": "model", "root_model": False, "config": config}:
            is_known = config.get("extra_fields_behavior") == "forbid"
        case _:
            is_known = schema["type"] in _PLAIN_TYPES
    return is_known and all(map(_is_plain, list_inner(schema)))


_PLAIN_TYPES = frozenset(
    "bool chain default dict float function-after int is-instance json-or-python list literal model model-field "
    "model-fields none nullable str tagged-union tuple union".split()
)
"""Types of a core schema that accept the same values as the keywords that they were generated from."""


FORMAT: LiteralString = "string_format"
"""Type of pydantic's errors about native formats, and key in the metadata of the core schemas that read them."""


@cache
def reads_formats(cls: type[BaseModel]) -> bool:
    """Return whether a class, or one inside of it, has a native format."""
    return any(FORMAT in part.get("metadata", {}) for part in walk_schemas(complete_schema(cls)))


# --- why a value was refused -----------------------------------------------------------------------------------------
_Path: TypeAlias = tuple[str | int, ...]
_WITH_FORMATS = "should fit, with the formats of its strings"
"""What is expected of a place if it is unclear which string breaks its format."""
_BRIEF_ERRORS = frozenset(("no_alternative", "does_not_fit"))
"""Types of pydantic's errors that stand for all errors inside a place."""


def explain_refusal(cls: type[BaseModel], value: object, problems: Sequence[Problem]) -> list[Problem]:
    """Return the first violations of the schema (`problems`) and of native formats, in the order of the value."""
    formats: list[Problem] = []
    try:
        read_value(cls, value, CHECKED, brief=False)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        formats, _ = _read_errors([(detail["loc"], detail) for detail in details], value, ())
    except Exception:  # foreign objects may raise anything
        pass
    clear = [
        problem
        for problem in formats
        if problem.expected != _WITH_FORMATS
        or not any(all(map(eq, problem.path, other.path)) for other in problems)  # none is inside the other
    ]
    return sort_by_place([*problems, *clear], value)[:MOST_PROBLEMS]


def _read_errors(errors: Iterable[tuple[_Path, Any]], value: Any, path: _Path) -> tuple[list[Problem], bool]:
    """Return the violations of native formats in a part of a value, and whether something else is wrong there."""
    unclear = Problem(path, "format", _WITH_FORMATS, describe_value(value))
    problems: list[Problem] = []
    is_wrong = False
    inside: dict[str | int, list[tuple[_Path, Any]]] = {}
    alternatives: dict[str | int, list[tuple[_Path, Any]]] = {}
    for rest, detail in errors:
        if rest:
            group = inside if _has_part(value, rest[0]) else alternatives
            group.setdefault(rest[0], []).append((rest[1:], detail))
        elif detail["type"] == FORMAT and isinstance(value, str):
            problems.append(unclear._replace(expected=f"should be {detail['ctx']['words']}"))
        elif detail["type"] in _BRIEF_ERRORS:
            problems.append(unclear)
        else:
            is_wrong = True
    for token, part in inside.items():
        found, is_part_wrong = _read_errors(part, cast(Any, value)[token], (*path, token))
        problems += found
        is_wrong |= is_part_wrong
    read = [_read_errors(alternative, value, path) for alternative in alternatives.values()]
    likely = [found for found, is_unlikely in read if not is_unlikely]
    if len(likely) == 1:
        problems += likely[0]
    elif any(found for found, _ in read):
        problems.append(unclear)
    else:
        is_wrong |= bool(read)
    return problems, is_wrong


def _has_part(value: Any, token: str | int) -> bool:
    if isinstance(token, int):
        return isinstance(value, list | tuple) and token < len(cast(Any, value))
    return isinstance(value, dict) and token in value
