"""Attributes of objects that a handler returned: the ones that a schema declares, or all public ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import cached_property
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, cast

from .json_errors import NoJsonForm

_ABSENT: Any = object()
_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType)


class OpenObject:
    """An object of which the schema decides which attributes are properties."""

    def __init__(self, value: object, convert: Callable[[object], Any]) -> None:
        """Hold an object; `convert` converts the value of an attribute to JSON."""
        self._value, self._convert = value, convert

    @property
    def class_name(self) -> str:
        return type(self._value).__name__

    def list_public(self) -> list[str]:
        """Return the names of the public attributes."""
        return [*attributes(self._value)]

    def read(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the attributes of some names that the object or its class has; methods don't count.

        Raises:
            NoJsonForm: an attribute cannot be read.
        """
        values = {name: self._read(name) for name in names}
        return {name: item for name, item in values.items() if item is not _ABSENT}

    def read_computed(self, names: Iterable[str]) -> dict[str, Any]:
        """Return only those that a property of the class computes."""
        return self.read(name for name in names if is_computed(type(self._value), name))

    def convert(self, name: str, item: object) -> Any:
        """Convert the value of an attribute to JSON, which has this name; an object in it stays open.

        Raises:
            NoJsonForm: it has no JSON form; the place begins with the name.
        """
        try:
            return self._convert(item)
        except NoJsonForm as error:
            error.inside(name)
            raise

    def _read(self, name: str) -> Any:
        try:
            item = getattr(self._value, name, _ABSENT)
        except Exception as error:  # a property of the user's may raise anything
            problem = NoJsonForm(f"cannot be read from the object ({type(error).__name__})")
            problem.inside(name)
            raise problem from error
        return _ABSENT if isinstance(item, _FUNCTIONS) else item


def is_computed(cls: type[Any], name: str) -> bool:
    """Return whether a property of a class computes the attribute of this name."""
    return isinstance(inspect.getattr_static(cls, name, None), property | cached_property)


def attributes(value: object) -> dict[str, Any]:
    """Return the public attributes of an object, from `__dict__` and `__slots__`."""
    slots = [name for cls in reversed(type(value).__mro__) for name in _get_slots(cls)]
    values = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    values.update(getattr(value, "__dict__", {}))
    return {name: item for name, item in values.items() if not name.startswith("_")}


def _get_slots(cls: type[Any]) -> Iterable[str]:
    slots: Any = cls.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else cast(Iterable[str], slots)


__all__ = ["OpenObject", "attributes", "is_computed"]
