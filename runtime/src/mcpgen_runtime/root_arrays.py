"""Root models: the value is `root`. Those of arrays behave as sequences of their items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, SupportsIndex, TypeVar, overload

from pydantic import RootModel

from .deep_values import read_value

Item_co = TypeVar("Item_co", covariant=True)
Item = TypeVar("Item")


_MISSING: Any = object()


class RootValue(RootModel[Any]):
    """Mixin for a schema whose root is not an object: the value is `root`."""

    if not TYPE_CHECKING:

        def __init__(self, /, root: Any = _MISSING, **data: Any) -> None:
            read_value(type(self), data if root is _MISSING else root, instance=self)

        __init__.__pydantic_base_init__ = True


class HasItems(Protocol[Item_co]):
    """A root model of an array, by the type of its items."""

    @property
    def root(self) -> Sequence[Item_co]: ...


class RootArray(RootModel[Any]):
    """Base for a root that is an array: iterate over the items, index and count them.

    A model without items is false, like an empty list.
    """

    def __iter__(self: HasItems[Item]) -> Iterator[Item]:  # type: ignore[override] # pyright: ignore[reportIncompatibleMethodOverride] # pydantic's yields fields
        return iter(self.root)

    def __len__(self: HasItems[Any]) -> int:
        return len(self.root)

    @overload
    def __getitem__(self: HasItems[Item], index: SupportsIndex, /) -> Item: ...
    @overload
    def __getitem__(self: HasItems[Item], index: slice, /) -> Sequence[Item]: ...
    def __getitem__(self: HasItems[Any], index: Any, /) -> Any:
        return self.root[index]


__all__ = ["RootArray", "RootValue"]
