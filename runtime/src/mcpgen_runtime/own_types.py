"""Parameters of handlers with the user's own types, or Python's: enums, models, dates, sets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import Parameter
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, cast, get_args, get_origin

from pydantic import BaseModel, RootModel, TypeAdapter, ValidationError
from typing_extensions import is_protocol, is_typeddict

from .class_shapes import kinds_of
from .errors import list_problems
from .violations import format_pointer

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


_ANYTHING = (Any, object, Parameter.empty)
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
