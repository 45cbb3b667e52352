"""Processes that tests start: each is ended with all that it started, whatever becomes of the test."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

_LISTENING = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])"
)


def interruptible(command: Sequence[str]) -> list[str]:
    """A command that Ctrl-C ends, also where this process ignores it, as those in the background of a shell do."""
    return [sys.executable, "-c", _LISTENING, *command]


@contextmanager
def child(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """A process in a group of its own, which is ended with the block."""
    process: subprocess.Popen[Any] = subprocess.Popen(command, start_new_session=True, **options)
    try:
        yield process
    finally:
        end(process)


def end(process: subprocess.Popen[Any], patience: float = 5) -> None:
    """End a process that leads a group, and the group: asked first, then killed."""
    if process.poll() is None:
        _signal(process, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
    _signal(process, signal.SIGKILL)
    process.wait(patience)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


def _signal(process: subprocess.Popen[Any], number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
