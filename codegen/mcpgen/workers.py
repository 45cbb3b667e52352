"""A `map` over worker processes, which are started when there is enough to do."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from types import TracebackType
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")
FEW = 12
"""Items that are done sooner than a process is started."""
CHUNK, AHEAD = 8, 4
"""Items that are sent to a process at a time, and how many times that each process has before it asks for more."""


class Workers:
    """At most `count` processes; with one, or for a few items, the work is done in this one."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Workers:
        return self

    def map(self, work: Callable[[A], B], items: Iterable[A]) -> Iterator[B]:
        """The results, in the order of the items, of which only a few are asked for before they are needed."""
        rest = iter(items)
        first = list(islice(rest, FEW))
        if self._count <= 1 or (self._pool is None and len(first) < FEW):
            return map(work, chain(first, rest))
        if self._pool is None:
            # a child that looks through what it has from its parent would make a copy of all that
            self._pool = ProcessPoolExecutor(self._count, initializer=gc.freeze)
        return self._spread(self._pool, work, chain(first, rest))

    def _spread(self, pool: ProcessPoolExecutor, work: Callable[[A], B], items: Iterator[A]) -> Iterator[B]:
        running: deque[Future[list[B]]] = deque()
        while chunk := list(islice(items, CHUNK)):
            running.append(pool.submit(_each, work, chunk))
            if len(running) >= AHEAD * self._count:
                yield from running.popleft().result()
        while running:
            yield from running.popleft().result()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def _each(work: Callable[[A], B], items: list[A]) -> list[B]:
    return [work(item) for item in items]
