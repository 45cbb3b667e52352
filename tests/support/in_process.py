"""The command line in this process: what it says, its exit code, and what it raised; it cannot hang."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from mcpgen.cli import app
from typer.testing import CliRunner

LONGEST = 120
"""Seconds of wall time that a command may take, far more than any does."""


@dataclass(frozen=True)
class Said:
    """What a run came to. `traceback` is empty unless it raised something."""

    returncode: int
    stdout: str
    stderr: str
    traceback: str


def run(*arguments: str, cwd: Path, **environment: str) -> Said:
    """Run a command in a folder.

    Raises:
        TimeoutError: it takes longer than `LONGEST`.
    """
    old_folder = os.getcwd()
    os.chdir(cwd)
    try:
        with _limited():
            result = CliRunner().invoke(app, list(arguments), env=environment)
    finally:
        os.chdir(old_folder)
    raised = result.exception if not isinstance(result.exception, SystemExit) else None
    if isinstance(raised, TimeoutError):
        raise raised
    traceback_text = "".join(traceback.format_exception(raised)) if raised is not None else ""
    stdout = result.stdout_bytes.decode("utf-8", "surrogateescape")
    return Said(result.exit_code, stdout, result.stderr_bytes.decode("utf-8", "surrogateescape"), traceback_text)


@contextmanager
def _limited() -> Iterator[None]:
    def hangs(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"more than {LONGEST} seconds")

    old_handler = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(LONGEST)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old_handler)
