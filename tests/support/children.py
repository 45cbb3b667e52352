"""Processes that tests start: each is ended with all that it started, whatever happens to the test."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
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


def run_in_fork(work: Callable[[], object], cwd: Path, patience: int = 120) -> tuple[int, str]:
    """Do some work in a copy of this process, in a folder; its exit code (negative: by a signal) and all it prints."""
    with tempfile.TemporaryFile() as printed:
        pid = os.fork()
        if pid == 0:
            _do_and_end(work, cwd, printed.fileno(), patience)
        _, status = os.waitpid(pid, 0)
        printed.seek(0)
        return os.waitstatus_to_exitcode(status), printed.read().decode("utf-8")


def _do_and_end(work: Callable[[], object], cwd: Path, out: int, patience: int) -> None:
    code = 1
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(patience)
        os.chdir(cwd)
        for number in (1, 2):
            os.dup2(out, number)
        sys.stdout = sys.stderr = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        try:
            work()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
    finally:
        os._exit(code)


def _signal(process: subprocess.Popen[Any], number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
