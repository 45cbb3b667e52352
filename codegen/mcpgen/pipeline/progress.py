"""Reports of a run's progress."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with the name of a step, how many of its items are done, and how many there are."""


def ignore_progress(step: str, done_count: int, total: int) -> None:
    """Report nothing."""
