"""A `map` over worker processes, which are started only if there are enough items."""

from __future__ import annotations

import gc
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import chain, islice
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")
MIN_PARALLEL_ITEMS = 12
"""Number of items from which on starting processes pays off."""
ITEMS_PER_CHUNK, CHUNKS_PER_PROCESS = 8, 4
"""Items that are sent to a process at once, and how many such chunks are queued per process."""
MAX_PROCESSES = 61 if sys.platform == "win32" else 1024
"""Most processes that a pool may have: Windows can wait for so many at once."""
CAN_COPY_PROCESSES = sys.platform == "linux"
"""Whether a process can be copied at any time; elsewhere, system libraries do not bear it, or there is no way to."""
_INHERITED: ContextVar[Callable[[int], object]] = ContextVar("work of a copied process, by the index of its item")


class Workers:
    """Pool of at most `count` processes. With one process, or few items, the work is done in the calling process."""

    def __init__(self, count: int) -> None:
        self._count = min(count, MAX_PROCESSES)
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Workers:
        return self

    def start(self) -> None:
        """Start the processes now. Each is a copy of this one, so it should not use much memory yet."""
        if self._count > 1:
            self._start_pool()

    def _start_pool(self) -> ProcessPoolExecutor:
        if self._pool is None:
            from concurrent.futures import ProcessPoolExecutor  # most runs after an edit need none

            # a garbage collection in a child would copy the memory that it shares with its parent
            self._pool = ProcessPoolExecutor(self._count, initializer=gc.freeze)
            self._pool.submit(int)
        return self._pool

    @property
    def are_running(self) -> bool:
        """Tell whether processes have been started."""
        return self._pool is not None

    def submit(self, work: Callable[[ItemT], ResultT], item: ItemT) -> Callable[[], ResultT]:
        """Start work in a running process, and return a function that waits for it; without one, that does it."""
        if self._pool is None:
            return partial(work, item)
        return self._pool.submit(work, item).result

    def map(self, work: Callable[[ItemT], ResultT], items: Iterable[ItemT]) -> Iterator[ResultT]:
        """Yield the results in the order of the items. Only a few items are drawn before their results are needed."""
        remaining = iter(items)
        first = list(islice(remaining, MIN_PARALLEL_ITEMS))
        if self._count <= 1 or (self._pool is None and len(first) < MIN_PARALLEL_ITEMS):
            return map(work, chain(first, remaining))
        return self._distribute(self._start_pool(), partial(_map_chunk, work), chain(first, remaining))

    def map_made(self, work: Callable[[ItemT], ResultT], makers: Sequence[Callable[[], ItemT]]) -> Iterator[ResultT]:
        """Yield the results of work for items that are large, in order: each is made when it is needed.

        Where processes can be copied from this one with all that it knows, they make the items themselves, and start
        with that before a result is needed. The work has to be picklable, the makers need not be.
        """
        if self._count <= 1 or len(makers) < MIN_PARALLEL_ITEMS:
            return (work(make()) for make in makers)
        if not CAN_COPY_PROCESSES:
            return self.map(work, (make() for make in makers))
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        self._stop()  # processes that were started earlier don't know the functions

        def make_result(index: int) -> ResultT:
            return work(makers[index]())

        self._pool = ProcessPoolExecutor(self._count, get_context("fork"), _inherit, (make_result,))
        return _submit_all(self._pool, _call_inherited, range(len(makers)))

    def start_map(self, work: Callable[[ItemT], ResultT], items: Sequence[ItemT]) -> Iterator[ResultT]:
        """Yield the results in the order of the items, which go to the processes at once, while this one goes on."""
        if self._count <= 1 or len(items) < MIN_PARALLEL_ITEMS:
            return map(work, items)
        return _submit_all(self._start_pool(), partial(_map_chunk, work), items)

    def map_completed(
        self, work: Callable[[ItemT], ResultT], items: Sequence[ItemT]
    ) -> Iterator[tuple[ItemT, ResultT]]:
        """Yield each item with its result as soon as that is there, for work that mostly waits."""
        if self._count <= 1 or len(items) < 2:
            yield from ((item, work(item)) for item in items)
            return
        from concurrent.futures import as_completed

        pool = self._start_pool()
        running = {pool.submit(work, item): item for item in items}
        for future in as_completed(running):
            yield running[future], future.result()

    def _distribute(
        self, pool: ProcessPoolExecutor, work: Callable[[Sequence[ItemT]], Sequence[ResultT]], items: Iterator[ItemT]
    ) -> Iterator[ResultT]:
        running: deque[Future[Sequence[ResultT]]] = deque()
        for chunk in _iterate_chunks(items):
            running.append(pool.submit(work, chunk))
            if len(running) >= CHUNKS_PER_PROCESS * self._count:
                yield from running.popleft().result()
        while running:
            yield from running.popleft().result()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def _stop(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def _submit_all(
    pool: ProcessPoolExecutor, work: Callable[[Sequence[ItemT]], Sequence[ResultT]], items: Iterable[ItemT]
) -> Iterator[ResultT]:
    running = [pool.submit(work, chunk) for chunk in _iterate_chunks(items)]
    return chain.from_iterable(future.result() for future in running)


def _iterate_chunks(items: Iterable[ItemT]) -> Iterator[Sequence[ItemT]]:
    remaining = iter(items)
    while chunk := list(islice(remaining, ITEMS_PER_CHUNK)):
        yield chunk


def _inherit(work: Callable[[int], object]) -> None:
    gc.freeze()
    _INHERITED.set(work)


def _call_inherited(indexes: Sequence[int]) -> list[Any]:
    return [_INHERITED.get()(index) for index in indexes]


def _map_chunk(work: Callable[[ItemT], ResultT], items: Sequence[ItemT]) -> list[ResultT]:
    return [work(item) for item in items]


@contextmanager
def pause_garbage_collection() -> Generator[None, None, None]:
    """Collect no garbage, here and in the processes that are copied from this one: classes are none, and many."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
