"""Results of pure functions, kept by this process in named slots between two runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TypeVar, TypeVarTuple, cast

Arguments = TypeVarTuple("Arguments")
ResultT = TypeVar("ResultT")
ObjectT = TypeVar("ObjectT")


class Memo:
    """Results in slots: each slot belongs to one computation and has a name.

    `call` finds a result by the identity of the arguments, which must be immutable; `find` and `keep` use a key that is
    a digest. A result that was not used between two calls of `end_run` is dropped. A disabled memo keeps nothing.
    """

    def __init__(self, enabled: bool = True) -> None:
        self.enabled = enabled
        self._previous: dict[str, dict[object, object]] = {}
        self._current: defaultdict[str, dict[object, object]] = defaultdict(dict)
        self._objects: dict[tuple[str, str], object] = {}

    def call(self, slot: str, function: Callable[[*Arguments], ResultT], *arguments: *Arguments) -> ResultT:
        """Return `function(*arguments)`, computed only if this slot has no result for these very objects."""
        if not self.enabled:
            return function(*arguments)
        key = tuple(map(id, arguments))
        entry = self.find(slot, key)
        if entry is not None:
            return cast("tuple[object, ResultT]", entry)[1]
        result = function(*arguments)
        self.keep(slot, key, (arguments, result))  # the arguments stay alive, so no other object gets their ids
        return result

    def find(self, slot: str, key: object) -> object:
        """Return the value under a key, None if there is none."""
        if not self.enabled:
            return None
        current = self._current[slot]
        value = current.get(key)
        if value is None and (value := self._previous.get(slot, {}).get(key)) is not None:
            current[key] = value
        return value

    def keep(self, slot: str, key: object, value: object) -> None:
        """Store a value under a key."""
        if self.enabled:
            self._current[slot][key] = value

    def get_object(self, slot: str, key: str, factory: Callable[[], ObjectT]) -> ObjectT | None:
        """Return the object of a slot and key that lives as long as this memo, created at the first call.

        Returns:
            None if the memo is disabled.
        """
        if not self.enabled:
            return None
        if (slot, key) not in self._objects:
            self._objects[slot, key] = factory()
        return cast("ObjectT", self._objects[slot, key])

    def end_run(self) -> None:
        """Drop the results that were not used since the last call."""
        if self.enabled:
            self._previous, self._current = self._current, defaultdict(dict)
