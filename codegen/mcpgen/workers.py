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
MIN_PARALLEL_ITEMS = 12
"""Items that are done sooner than a process is started."""
ITEMS_PER_CHUNK, CHUNKS_PER_PROCESS = 8, 4
"""Items that are sent to a process at a time, and how many times that each process has before it asks for more."""


class Workers:
    """At most `count` processes; with one, or for a few items, the work is done in this one."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Workers:
        return self

    def start(self) -> None:
        """Have the processes before this one holds much, as each starts as a copy of it."""
        if self._count > 1 and self._pool is None:
            # a child that looks through what it has from its parent would make that its own
            self._pool = ProcessPoolExecutor(self._count, initializer=gc.freeze)
            self._pool.submit(int)

    def map(self, work: Callable[[A], B], items: Iterable[A]) -> Iterator[B]:
        """The results, in the order of the items, of which only a few are asked for before they are needed."""
        rest = iter(items)
        first = list(islice(rest, MIN_PARALLEL_ITEMS))
        if self._count <= 1 or (self._pool is None and len(first) < MIN_PARALLEL_ITEMS):
            return map(work, chain(first, rest))
        self.start()
        assert self._pool is not None
        return self._spread(self._pool, work, chain(first, rest))

    def _spread(self, pool: ProcessPoolExecutor, work: Callable[[A], B], items: Iterator[A]) -> Iterator[B]:
        running: deque[Future[list[B]]] = deque()
        while chunk := list(islice(items, ITEMS_PER_CHUNK)):
            running.append(pool.submit(_map_chunk, work, chunk))
            if len(running) >= CHUNKS_PER_PROCESS * self._count:
                yield from running.popleft().result()
        while running:
            yield from running.popleft().result()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def _map_chunk(work: Callable[[A], B], items: list[A]) -> list[B]:
    return [work(item) for item in items]
