"""A `map` over worker processes, which are started when there is enough to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from types import TracebackType
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")
FEW = 12
"""Items that are done sooner than a process is started."""


class Workers:
    """At most `count` processes; with one, or for a few items, the work is done in this one."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Workers:
        return self

    def map(self, work: Callable[[A], B], items: Sequence[A]) -> Iterator[B]:
        """The results, in the order of the items."""
        if self._count <= 1 or (self._pool is None and len(items) < FEW):
            return map(work, items)
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self._count)
        return self._pool.map(work, items, chunksize=max(1, min(8, len(items) // (self._count * 4))))

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
