"""Progress bar of a long run."""

from __future__ import annotations

import sys
import time
from types import TracebackType

BAR_DELAY = 1.0
"""Seconds after which a progress bar appears."""


class ProgressBar:
    """Progress bar on standard error. It appears after `BAR_DELAY`, and only on a terminal."""

    def __init__(self, quiet: bool) -> None:
        self._on = sys.stderr.isatty() and not quiet
        self._start = time.monotonic()
        self._bar: object = None

    def __enter__(self) -> ProgressBar:
        return self

    def show(self, step: str, done_count: int, total: int) -> None:
        """Show how many items of a step are done."""
        if not self._on or time.monotonic() - self._start < BAR_DELAY:
            return
        from rich.progress import Progress

        if not isinstance(self._bar, Progress):
            from rich.console import Console

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._bar.start()
        for task in self._bar.tasks:
            if task.description == step:
                self._bar.update(task.id, completed=done_count, total=total)
                return
        self._bar.add_task(step, completed=done_count, total=total)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        stop = getattr(self._bar, "stop", None)
        if stop is not None:
            stop()
