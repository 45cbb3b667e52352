"""Bind handlers to the definitions of a package: what tools, resources and prompts have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from .package import Package, is_attribute

EntryT = TypeVar("EntryT")
BoundT = TypeVar("BoundT")


class IncompleteServer(TypeError):
    """Raised when definitions of the package have no handler; `missing` are their names on the wire."""

    def __init__(self, places: Mapping[str, str]) -> None:
        """Take the names on the wire, and where the handler of each is looked for, such as `@tools.get_row`."""
        self.missing = [*places]
        self._places = places
        names = ", ".join(f"{name} (`{place}`)" for name, place in places.items())
        pronoun = "it" if len(places) == 1 else "them"
        super().__init__(
            f"no handler is bound for {names}: write {pronoun} there, "
            f"or take {pronoun} out of the definitions and run `mcpgen build`"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._places,), self.__dict__


class HandlerBinding(ABC, Generic[EntryT, BoundT]):
    """Registers the handlers of one kind of definitions on a server: each attribute is a decorator.

    A definition has a key: its name on the wire, or its URI if several resources have the same name.
    """

    _kind: ClassVar[str]
    """The kind of the definitions, as in the names of the variables of programs: `tools`."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._bound: dict[str, BoundT] = {}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Any]:
            if not is_attribute(name):
                raise AttributeError(name)
            return partial(self._bind, *self._find(name))

        def __dir__(self) -> list[str]:
            return sorted({*super().__dir__(), *self._get_attributes().values()})

    @abstractmethod
    def _get_attributes(self) -> Mapping[str, str]:
        """Return the attributes of all definitions, by their keys."""

    @abstractmethod
    def _find(self, attribute: str) -> tuple[str, EntryT]:
        """Return the key and the entry of the definition of this attribute.

        Raises:
            AttributeError: there is no such attribute.
        """

    @abstractmethod
    def _add(self, key: str, entry: EntryT, handler: Callable[..., Any]) -> BoundT:
        """Check a handler, and add it to the server.

        Raises:
            TypeError: it does not fit.
        """

    def _bind(self, key: str, entry: EntryT, handler: Callable[..., Any] | None = None, /) -> Callable[..., Any]:
        if handler is None:
            decorator = f"@{self._kind}.{self._get_attributes()[key]}"
            raise TypeError(
                f"no handler for {self._describe(key)}: write the decorator without parentheses, {decorator}"
            )
        if key in self._bound:
            raise TypeError(f"{self._describe(key)} has a handler already: remove one of the two")
        self._bound[key] = self._add(key, entry, handler)
        return handler

    def _describe(self, key: str) -> str:
        """Return what messages call a definition."""
        return f"the {self._kind[:-1]} {key}"

    def implement(self, handlers: object) -> None:
        """Bind each definition that has no handler yet to the attribute of its name.

        Args:
            handlers: an object or a module with a function for each definition.

        Raises:
            IncompleteServer: an attribute is missing.
            TypeError: a function cannot be called with the arguments of its definition.
        """
        attributes = self._find_missing()
        lacking = {key: f"handlers.{name}" for key, name in attributes.items() if not hasattr(handlers, name)}
        if lacking:
            raise IncompleteServer(lacking)
        for name in attributes.values():
            self._bind(*self._find(name), getattr(handlers, name))

    def complete(self) -> None:
        """Check that every definition has a handler.

        Raises:
            IncompleteServer: some definitions have no handler.
        """
        if missing := self._find_missing():
            raise IncompleteServer({key: f"@{self._kind}.{name}" for key, name in missing.items()})

    def _find_missing(self) -> dict[str, str]:
        """Return the attributes of the definitions that have no handler yet."""
        return {key: name for key, name in self._get_attributes().items() if key not in self._bound}

    def __contains__(self, key: object) -> bool:
        return key in self._bound


def add_definitions(listed: list[dict[str, Any]], bound: list[dict[str, Any]], member: str) -> list[dict[str, Any]]:
    """Return the definitions of a list; bound ones replace others with the same value of a member."""
    keys = {definition[member] for definition in bound}
    return [*(item for item in listed if item.get(member) not in keys), *bound]
