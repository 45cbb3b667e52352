"""Read arguments: of tools with any inputSchema, in text form, and in types of the handler's own."""

from __future__ import annotations

import copy
import inspect
import json
import re
import warnings
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
)

from pydantic import BaseModel, ConfigDict, RootModel, TypeAdapter, ValidationError
from pydantic_core import CoreSchema, PydanticCustomError, SchemaValidator, core_schema
from typing_extensions import is_protocol, is_typeddict

from .conversion import find_shape, items_of, kinds_of, shape_of, to_json_form
from .core_schemas import ABSENT, is_deeper, read_value, remember_readings
from .errors import LOG_BYTES, IncompleteMembers, cut_text, format_pointer, list_problems
from .models import Copied, JsonObject, is_never_null, may_be_absent, to_json_value

if TYPE_CHECKING:
    from typing import Self


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
            if value is ABSENT:
                continue
            if value is not None or parameter.nullable or parameter.required:
                out[parameter.wire] = value
        return out

    def _select_sent(self, sent: Container[str]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the sent arguments that their class declares, by parameter, and the others by wire name."""
        value: Any = self.root
        if not isinstance(value, JsonObject):
            return {}, value
        names = {field.alias or name: name for name, field in type(value).model_fields.items()}
        declared = {
            name: value.__dict__[names[parameter.wire]]
            for name, parameter in self._parameters.items()
            if parameter.wire in sent and parameter.wire in names
        }
        return declared, value.model_extra or {}


def list_parameters(arguments: type[BaseModel]) -> Mapping[str, Parameter]:
    """Return the parameters of an arguments class, by Python names."""
    if issubclass(arguments, RootArguments):
        return arguments._parameters  # pyright: ignore[reportPrivateUsage]
    return {
        name: Parameter(field.alias or name, not may_be_absent(field)) for name, field in arguments.model_fields.items()
    }


def select_arguments(
    instance: BaseModel, sent: Container[str], names: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the declared arguments that were sent, by parameter, and the undeclared ones by wire name.

    Args:
        instance: the arguments.
        sent: the wire names of those that were sent.
        names: the wire names of the parameters.
    """
    if isinstance(instance, RootArguments):
        selected: tuple[dict[str, Any], dict[str, Any]] = cast(Any, instance)._select_sent(sent)
        return selected
    values = instance.__dict__
    declared = {name: values[name] for name, wire in names.items() if wire in sent}
    return declared, instance.model_extra or {}


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
        pairs = zip(cast(list[object], value), items_of(kinds), strict=False)
        return [_convert_leniently(item, inner, (*path, index)) for index, (item, inner) in enumerate(pairs)]
    if not isinstance(value, dict):
        return value
    members = cast(dict[str, Any], value)
    shape = find_shape(members, kinds)
    if shape.cls is not None:
        return _build_instance(shape.cls, members, path)
    return {key: _convert_leniently(item, shape.extra, (*path, key)) for key, item in members.items()}


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


_EXACT = 2**53
"""Floats do not hold all larger integers."""
_SCALARS: tuple[type[Any], ...] = (int, float, bool)


def coerce_arguments(
    sent: Mapping[str, Any], arguments: type[BaseModel], parses_text: bool, depth: int
) -> dict[str, Any]:
    """Convert a client's arguments to the types of the tool's arguments, if possible.

    Args:
        sent: the arguments by their wire names.
        arguments: the class of the tool's arguments.
        parses_text: whether to parse JSON text, which some clients send instead of the value.
        depth: the limit for levels of arrays and objects in a value; a deeper one is refused later.
    """
    if not issubclass(arguments, JsonObject):
        return dict(sent)
    shape = shape_of(arguments)
    out = dict[str, Any]()
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
        if kind in _SCALARS:
            try:
                number = _get_adapter(kind).validate_python(value)
                is_rounded = kind is float and abs(number) > _EXACT and number.is_integer()
                return _get_adapter(int).validate_python(value) if is_rounded else number
            except ValidationError:
                continue
    return value


def _holds(kind: Any, value: Any) -> bool:
    """Return whether a scalar already is of a kind."""
    if kind is Any:
        return True
    if kind in (None, NoneType):
        return value is None
    if get_origin(kind) is Literal:
        return any(type(value) is type(item) and value == item for item in get_args(kind))
    if kind is float:
        return type(value) in (int, float)
    return isinstance(kind, type) and type(value) is kind


@cache
def _get_adapter(kind: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


_JSON_TYPES = (Any, None, NoneType, str, int, float, bool, list, dict)
_OWN_MODEL = (
    "{0!r} is annotated with {1}, but the handler gets {2}, without the defaults of {1}: annotate it with {2}, or "
    "write `lenient = true` into the settings of the tool and run `mcpgen build`"
)
_NO_OBJECT = (
    "{0!r} is annotated with {1}, but its value is an object, or has objects inside: annotate it with {2}, or with "
    "`dict[str, Any]` for JSON objects"
)
_CONTAINERS = (list, dict, Union, UnionType, Annotated)


class OwnTypeError(ValueError):
    """Raised when an argument does not fit a parameter's type; `problems` are pairs of a JSON pointer and a message."""

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{pointer}: {text}" for pointer, text in problems))
        self.problems = problems

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problems,), self.__dict__


class OwnTypes:
    """Converters for parameters of a handler whose types differ from those of the tool's arguments."""

    def __init__(self, annotations: Mapping[str, Any], package: str) -> None:
        """Find the converters.

        Args:
            annotations: the annotations of the handler's parameters; a string is one that could not be evaluated.
            package: the generated package, whose own classes need no conversion.
        """
        self._adapters = dict(_make_adapters(annotations, package))

    @property
    def names(self) -> Iterable[str]:
        """The parameters that have a converter."""
        return self._adapters

    def convert(self, values: dict[str, Any], sent: Mapping[str, Any], names: Mapping[str, str]) -> None:
        """Convert keyword arguments in place.

        Args:
            values: the keyword arguments of a call.
            sent: the client's arguments as JSON values, by their names on the wire.
            names: the names on the wire by parameters.

        Raises:
            OwnTypeError: an argument cannot be converted.
        """
        for name, adapter in self._adapters.items():
            wire = names.get(name)
            if wire is None or name not in values or wire not in sent:
                continue
            try:
                values[name] = adapter.validate_python(sent[wire])
            except ValidationError as error:
                start = format_pointer([wire])
                problems = [(start + place, text) for place, text in list_problems(error)]
                raise OwnTypeError(problems) from error


def list_types(arguments: type[BaseModel], wires: Mapping[str, str]) -> dict[str, Any]:
    """Return the types that the arguments of a tool have in its package, by the handler's parameters.

    Args:
        arguments: the class of the arguments.
        wires: the names on the wire by parameters.
    """
    classes = [arguments]
    if issubclass(arguments, RootModel):  # one of several classes
        kinds = kinds_of(arguments.model_fields["root"].annotation)
        classes = [kind for kind in kinds if _is_model(kind)]
    types: dict[str, Any] = {}
    for cls in classes:
        for name, field in cls.model_fields.items():
            wire = field.alias or name
            types[wire] = Union[types[wire], field.annotation] if wire in types else field.annotation  # noqa: UP007
    return {name: types[wire] for name, wire in wires.items() if wire in types}


# --- objects: an instance of the package's class, or JSON ------------------------------------------------------------
def find_json_parameters(annotations: Mapping[str, Any], types: Mapping[str, Any]) -> frozenset[str]:
    """Return the parameters whose objects a handler gets as JSON: their annotations name no class for them.

    Args:
        annotations: the annotations of parameters; a string is one that could not be evaluated.
        types: the package's types for these parameters.

    Raises:
        TypeError: an annotation takes neither JSON objects nor instances of the package's class.
    """
    chosen: set[str] = set()
    problems: list[str] = []
    for name, annotation in annotations.items():
        models = _list_models(types.get(name))
        forms = _find_forms(annotation, models) if models else {"class"}
        if forms == {"other"} and not _may_be_scalar(types[name]):
            text = _NO_OBJECT.format(name, _describe(annotation), _name_package_class(types[name]))
            problems.append(text)
        if "class" not in forms:
            chosen.add(name)
    if problems:
        raise TypeError("; ".join(problems))
    return frozenset(chosen)


_Form: TypeAlias = Literal["class", "json", "other"]


def _find_forms(annotation: Any, models: Sequence[type[Any]]) -> set[_Form]:
    """Return how an annotation takes the objects in a value: as instances of a class, as JSON, or not at all."""
    if isinstance(annotation, str):
        names = {*re.findall(r"\w+", annotation)}
        is_json = names.isdisjoint(model.__name__ for model in models) and names & _JSON_NAMES
        return {"json" if is_json else "class"}
    forms: set[_Form] = set()
    for kind in kinds_of(annotation):
        origin, parts = get_origin(kind) or kind, get_args(kind)
        if kind in (None, NoneType):
            continue
        if origin is Literal:
            forms.add("other")
        elif not isinstance(origin, type) or origin in _ANYTHING or is_typeddict(origin):
            forms.add("json")
        elif (
            any(origin in model.__mro__ for model in models)
            or _is_model(origin)
            or (is_protocol(origin) and origin.__module__ not in _ABSTRACT)
        ):
            forms.add("class")
        elif issubclass(origin, Mapping):
            forms |= (_find_forms(parts[-1], models) if parts else set()) & {"class"} or {"json"}
        elif issubclass(origin, Iterable) and not issubclass(origin, str | bytes):
            inner = [_find_forms(part, models) for part in parts if part is not Ellipsis]
            forms |= set[_Form]().union(*inner) if inner else {"json"}
        else:
            forms.add("other")
    return forms


_ANYTHING = (Any, object, inspect.Parameter.empty)
_JSON_NAMES = frozenset({"Any", "Dict", "JsonValue", "Mapping", "MutableMapping", "dict", "object"})
_ABSTRACT = frozenset({"collections.abc", "typing"})


def _may_be_scalar(annotation: Any) -> bool:
    """Return whether one of the package's types also takes values without objects."""
    return any(kind not in (None, NoneType) and not _list_models(kind) for kind in kinds_of(annotation))


def _describe(annotation: Any) -> str:
    return _name(annotation) if isinstance(annotation, type) else str(annotation)


def refuse_own_models(annotations: Mapping[str, Any], types: Mapping[str, Any], package: str) -> None:
    """Refuse parameters that are annotated with a model or a dataclass which the handler would not get.

    Args:
        annotations: the annotations of the handler's parameters; a string is one that could not be evaluated.
        types: the package's types for these parameters.
        package: the generated package, whose classes the handler gets.

    Raises:
        TypeError: there is such a parameter.
    """
    models = {name: _find_own_model(annotation, package) for name, annotation in annotations.items()}
    problems = [
        _OWN_MODEL.format(name, _name(model), _name_package_class(types.get(name)))
        for name, model in models.items()
        if model is not None
    ]
    if problems:
        raise TypeError("; ".join(problems))


def _name(cls: type[Any]) -> str:
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"


def _list_models(annotation: Any) -> list[type[Any]]:
    """Return the classes in one of the package's types."""
    kinds = [*kinds_of(annotation)]
    for kind in kinds:  # grows during the loop
        parts = get_args(kind) if get_origin(kind) in (list, dict, tuple) else ()
        kinds += [inner for part in parts for inner in kinds_of(part) if inner not in kinds]
    return [kind for kind in kinds if _is_model(kind)]


def _name_package_class(annotation: Any) -> str:
    """Return the name of the class in one of the package's types, where programs can import it."""
    models = _list_models(annotation)
    return _name(models[0]) if len(models) == 1 else "a type of the generated package"


def _find_own_model(annotation: Any, package: str) -> type[Any] | None:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _find_own_model(get_args(annotation)[0], package)
    if origin in _CONTAINERS:
        models = (_find_own_model(inner, package) for inner in get_args(annotation))
        return next((model for model in models if model is not None), None)
    return annotation if _is_model(annotation) and _is_own(annotation, package) else None


def _is_model(annotation: Any) -> bool:
    if not isinstance(annotation, type) or annotation is BaseModel:
        return False
    return issubclass(annotation, BaseModel) or hasattr(cast(Any, annotation), "__dataclass_fields__")


def _make_adapters(annotations: Mapping[str, Any], package: str) -> Iterator[tuple[str, TypeAdapter[Any]]]:
    for name, annotation in annotations.items():
        if isinstance(annotation, str) or not _is_own(annotation, package):
            continue
        try:
            yield name, TypeAdapter(annotation)
        except Exception:
            continue


def _is_own(annotation: Any, package: str) -> bool:
    """Return whether a type, or one inside it, is neither JSON's nor a class of the package or the library."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _is_own(get_args(annotation)[0], package)
    if origin is Literal or annotation in _JSON_TYPES:
        return False
    if origin in _CONTAINERS:
        return any(_is_own(inner, package) for inner in get_args(annotation))
    module = f"{getattr(annotation, '__module__', '')}."
    return not module.startswith((f"{package}.", f"{__package__}."))
