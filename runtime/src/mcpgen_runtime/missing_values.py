"""Required members that an invalid result lacks."""

from __future__ import annotations

from typing import Any, NoReturn

from .json_pointers import format_pointer


class MissingValue(AttributeError):
    """Raised when reading a member that an invalid result lacks; `pointer` is its JSON pointer in the result."""

    def __init__(self, pointer: str) -> None:
        super().__init__(f"the result has nothing at {pointer}, although its outputSchema requires it")
        self.pointer = pointer

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.pointer,), self.__dict__


class IncompleteMembers(dict[str, Any]):
    """The attributes of an instance that lacks some: reading a missing one raises `MissingValue`, never KeyError."""

    def __init__(self, values: dict[str, Any], wires: dict[str, str], path: tuple[str | int, ...]) -> None:
        super().__init__(values)
        self._wires, self._path = wires, path
        """The wire names of the missing ones by attribute; the path of the instance in the result."""

    def __missing__(self, name: str) -> NoReturn:
        if name not in self._wires:
            raise KeyError(name)
        raise MissingValue(format_pointer((*self._path, self._wires[name])))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self), self._wires, self._path)

    def __copy__(self) -> IncompleteMembers:
        return IncompleteMembers(self, self._wires, self._path)

    def raise_missing(self, name: str) -> None:
        """Raise `MissingValue` if an attribute is missing."""
        if name in self._wires and name not in self:
            self.__missing__(name)


__all__ = ["IncompleteMembers", "MissingValue"]
