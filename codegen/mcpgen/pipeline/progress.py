"""Reports of a run's progress."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Function that is told how far a step is."""

    def __call__(self, step: str, done_count: int, total: int, item: str = "", /) -> None:
        """Take the name of a step, how many of its items are done, how many there are, and the name of the last one."""
        ...


def ignore_progress(step: str, done_count: int, total: int, item: str = "", /) -> None:
    """Report nothing."""
