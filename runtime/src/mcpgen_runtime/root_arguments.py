"""Arguments of tools as parameters, and the base of arguments classes over a union of classes."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

from pydantic import BaseModel, ConfigDict, RootModel

from .deep_values import read_value
from .exact_types import ABSENT
from .models import Copied, JsonObject, may_be_absent, to_json_value

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
