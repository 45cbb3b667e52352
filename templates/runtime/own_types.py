"""Parameters of handlers with the user's own types, or Python's: enums, models, dates, sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

from .class_shapes import kinds_of
from .errors import list_problems
from .json_pointers import format_pointer

_JSON_TYPES = (Any, None, NoneType, str, int, float, bool, list, dict)
_OWN_MODEL = (
    "{0!r} is annotated with {1}, but the handler gets {2}, without the defaults of {1}: annotate it with {2}, or "
    "write `lenient = true` into the settings of the tool and run `mcpgen build`"
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

    def convert(
        self, values: dict[str, Any], sent: Mapping[str, Any], names: Mapping[str, str]
    ) -> None:
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
    fields = {field.alias or name: field for name, field in arguments.model_fields.items()}
    return {name: fields[wire].annotation for name, wire in wires.items() if wire in fields}


def refuse_own_models(
    annotations: Mapping[str, Any], types: Mapping[str, Any], package: str
) -> None:
    """Refuse parameters that are annotated with a model or a dataclass which the handler would not get.

    Args:
        annotations: the annotations of the handler's parameters; a string is one that could not be evaluated.
        types: the package's types for these parameters.
        package: the generated package, whose classes the handler gets.

    Raises:
        TypeError: there is such a parameter.
    """
    models = {
        name: _find_own_model(annotation, package) for name, annotation in annotations.items()
    }
    problems = [
        _OWN_MODEL.format(name, _name(model), _name_package_class(types.get(name)))
        for name, model in models.items()
        if model is not None
    ]
    if problems:
        raise TypeError("; ".join(problems))


def _name(cls: type[Any]) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def _name_package_class(annotation: Any) -> str:
    """Return the name of the class in one of the package's types, where programs can import it."""
    kinds = [*kinds_of(annotation)]
    for kind in kinds:  # grows during the loop
        parts = get_args(kind) if get_origin(kind) in (list, dict) else ()
        kinds += [inner for part in parts for inner in kinds_of(part) if inner not in kinds]
    models = [kind for kind in kinds if _is_model(kind)]
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
    return issubclass(annotation, BaseModel) or hasattr(
        cast(Any, annotation), "__dataclass_fields__"
    )


def _make_adapters(
    annotations: Mapping[str, Any], package: str
) -> Iterator[tuple[str, TypeAdapter[Any]]]:
    for name, annotation in annotations.items():
        if isinstance(annotation, str) or not _is_own(annotation, package):
            continue
        try:
            yield name, TypeAdapter(annotation)
        except (
            Exception
        ):  # noqa: BLE001, S112  (whatever pydantic raises for a type that it does not know)
            continue


def _is_own(annotation: Any, package: str) -> bool:
    """Return whether a type, or one inside it, is neither JSON's nor a class of the generated package."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _is_own(get_args(annotation)[0], package)
    if origin is Literal or annotation in _JSON_TYPES:
        return False
    if origin in _CONTAINERS:
        return any(_is_own(inner, package) for inner in get_args(annotation))
    module = getattr(annotation, "__module__", "")
    return not (module == package or module.startswith(f"{package}."))


__all__ = ["OwnTypeError", "OwnTypes", "refuse_own_models"]
