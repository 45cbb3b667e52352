"""Progress of a long run: a bar on a terminal, and lines about finished steps with `--verbose`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from mcpgen.report.visible import escape_line

if TYPE_CHECKING:
    from rich.progress import Progress

BAR_DELAY = 1.0
"""Seconds after which a progress bar appears."""
MAX_NAME_LENGTH = 40
"""Characters of the name of what is worked on."""


class ProgressBar:
    """Progress bar on standard error. It appears after `BAR_DELAY`, and only on a terminal.

    Args:
        quiet: Whether to show no bar.
        print_detail: Prints a line about each finished step, if details are wanted.
        colored: Whether the bar has colors.
    """

    def __init__(
        self, quiet: bool, print_detail: Callable[[str], None] = lambda line: None, colored: bool = True
    ) -> None:
        self._on = sys.stderr.isatty() and not quiet
        self._print_detail, self._colored = print_detail, colored
        self._start = self._step_start = time.monotonic()
        self._bar: Progress | None = None

    def __enter__(self) -> ProgressBar:
        return self

    def show(self, step: str, done_count: int, total: int, item: str = "") -> None:
        """Show how many items of a step are done, and the name of the last one."""
        now = time.monotonic()
        if done_count == total:
            self._print_detail(f"{step}: {total} in {now - self._step_start:.2f} s")
            self._step_start = now
        if not self._on or now - self._start < BAR_DELAY:
            return
        if self._bar is None:
            self._bar = _make_bar(self._colored)
            self._bar.start()
        name = _shorten(item)
        for task in self._bar.tasks:
            if task.description == step:
                self._bar.update(task.id, completed=done_count, total=total, name=name)
                return
        self._bar.add_task(step, completed=done_count, total=total, name=name)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def _make_bar(colored: bool) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    name = TextColumn("{task.fields[name]}", markup=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), name)
    return Progress(*columns, console=Console(stderr=True, no_color=not colored), transient=True)


def _shorten(item: str) -> str:
    name = escape_line(item)
    return name if len(name) <= MAX_NAME_LENGTH else "…" + name[1 - MAX_NAME_LENGTH :]
