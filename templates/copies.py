"""Copies of generated instances: one with changes is validated, as every new instance is."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy, deepcopy
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

if TYPE_CHECKING:
    from typing_extensions import Self


class Copied(BaseModel):
    """The base of all generated classes."""

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy; with changes it is a new instance, validated by the class.

        Args:
            update: new values, by the Python names of the properties. None makes a property absent that may be absent
                and is never null. `extras` are the undeclared properties of an open object, in place of those it has.
            deep: whether the values that stay are copied, too.

        Raises:
            pydantic.ValidationError: the changed value violates the schema.
            TypeError: the class has no property of such a name.
        """
        if not update:
            return super().model_copy(deep=deep)
        cls, fields = type(self), type(self).model_fields
        is_open = cls.model_config.get("extra") == "allow"
        for name in update:
            if name not in fields and not (is_open and name == "extras"):
                raise TypeError(f"{cls.__name__} has no property {name!r}")
        given = self.__pydantic_fields_set__
        values = {name: item for name, item in self.__dict__.items() if name in given}
        if is_open:
            values["extras"] = self.__pydantic_extra__
        values = {name: item for name, item in values.items() if name not in update}
        private = self.__pydantic_private__
        if deep:
            values, private = deepcopy((values, private))
        made = cls(**values, **update)
        if private is not None:
            object.__setattr__(made, "__pydantic_private__", copy(private))
        return made

    if not TYPE_CHECKING:

        def __replace__(self, **changes: Any) -> Self:
            """What `copy.replace` does: `model_copy` with these changes."""
            return self.model_copy(update=changes)

        def copy(self, *, include=None, exclude=None, update=None, deep=False):
            """pydantic's deprecated `copy`, whose changes are validated, too."""
            made = super().copy(include=include, exclude=exclude, deep=deep)
            return made.model_copy(update=update)


__all__ = ["Copied"]
