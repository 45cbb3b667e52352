"""Safe versions of pydantic's operations that do not validate: copies, `model_construct`, assignment.

Copies are validated. The other two may create values that violate the schema, since these are checked before they are
sent. They refuse values that the check accepts as JSON but a serializer writes differently: a `Decimal`, an `Enum`, a
subclass of `str`.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy, deepcopy
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema

from .exact_types import ABSENT, read_as_json
from .json_errors import NoJsonForm
from .json_schema import mark_position, render_declared
from .native_formats import NATIVE_TYPES
from .plain_values import odd_part

if TYPE_CHECKING:
    from typing import Generic as StaticGeneric
    from typing import Self
else:

    class StaticGeneric:
        """`Generic` for type checkers alone."""

        __slots__ = ()

        def __class_getitem__(cls, arguments):
            return cls


class Copied(BaseModel):
    """Base of all generated classes."""

    if not TYPE_CHECKING:

        def __class_getitem__(cls, arguments):  # a class with arguments is the class itself: only checkers need them
            return cls

    _holds_json: ClassVar[bool] = True
    """Whether attributes are JSON values, generated instances, and the types of `formats = "native"`."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return pydantic's core schema; the fields of generated classes read exactly JSON."""
        schema = handler(source)
        # pydantic also calls this for X in Annotated[CallToolResult, X]
        if source is not cls or not cls._holds_json:
            return schema
        return mark_position(cls, read_as_json(cls, schema, handler), handler)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the schema that the definition declares for the class, or pydantic's own if it declares none."""
        return render_declared(cls, schema, handler)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy; with changes it is a new instance, validated by the class.

        Args:
            update: new values, by the Python names of the properties. None removes a property that may be absent but
                not null; `ABSENT` removes one that may be absent or null. `extras` replaces the undeclared properties
                of an open object.
            deep: whether to copy the other values, too.

        Raises:
            pydantic.ValidationError: the changed value violates the schema.
            TypeError: the class has no property with this name.
        """
        if not update:
            return super().model_copy(deep=deep)
        cls, fields = type(self), type(self).model_fields
        is_open = cls.model_config.get("extra") == "allow"
        for name in update:
            if name not in fields and not (is_open and name == "extras"):
                raise TypeError(f"{cls.__name__} has no property {name!r}")
        fields_set = self.__pydantic_fields_set__
        values = {name: item for name, item in self.__dict__.items() if name in fields_set}
        if is_open:
            values["extras"] = self.__pydantic_extra__
        values = {name: item for name, item in values.items() if name not in update}
        private = self.__pydantic_private__
        if deep:
            values, private = deepcopy((values, private))
        instance = cls(**values, **update)
        if private is not None:
            object.__setattr__(instance, "__pydantic_private__", copy(private))
        return instance

    if not TYPE_CHECKING:

        @classmethod
        def model_construct(cls, /, *args: Any, **values: Any) -> Self:
            """Construct without validation, as pydantic does, but only from JSON values.

            Raises:
                NoJsonForm: a ValueError; the values contain something else, such as a `Decimal`.
            """
            instance = super().model_construct(*args, **values)
            for name, value in instance.__dict__.items():
                if value is ABSENT:
                    instance.__dict__[name] = None
                    instance.__pydantic_fields_set__.discard(name)
            _refuse_odd(cls, {**instance.__dict__, **(instance.__pydantic_extra__ or {})})
            return instance

        def __setattr__(self, name: str, value: Any) -> None:
            """Set an attribute of a subclass that is not frozen.

            Raises:
                NoJsonForm: a ValueError; the value is not JSON.
            """
            if not name.startswith("_"):
                _refuse_odd(type(self), {name: value})
            super().__setattr__(name, value)

        def __replace__(self, **changes: Any) -> Self:
            """Support `copy.replace`: `model_copy` with these changes."""
            return self.model_copy(update=changes)

        def copy(self, *, include=None, exclude=None, update=None, deep=False):
            """Copy as pydantic's deprecated `copy` does, but validate changes."""
            instance = super().copy(include=include, exclude=exclude, deep=deep)
            return instance.model_copy(update=update)


_NATIVE_TYPES = NATIVE_TYPES | {bytes}
"""Python types of formatted strings. The check does not accept them as JSON, so they do no harm elsewhere."""


def _allows(cls: Any) -> bool:
    return cls in _NATIVE_TYPES or issubclass(cls, Copied)


def _refuse_odd(cls: type[Copied], values: dict[str, Any]) -> None:
    """Refuse attribute values that are not JSON."""
    checked = cls._holds_json  # pyright: ignore[reportPrivateUsage]
    problem = odd_part(values, _allows) if checked else None
    if problem is None:
        return
    error = NoJsonForm(problem.message, cls.__name__)
    for token in reversed(problem.path):
        error.inside(token)
    raise error


__all__ = ["Copied", "StaticGeneric"]
