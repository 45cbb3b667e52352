"""Stop a block of code at a deadline."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import threading
import time
from collections.abc import Generator

INTERRUPT_INTERVAL = 0.5
"""Seconds until the next interrupt, in case the block caught the first one."""


class DeadlinePassed(Exception):
    """The deadline came before the block ended."""


class _Interrupt(BaseException):
    """Stops the block. It is not an `Exception`, because libraries catch some of those."""


@contextlib.contextmanager
def stop_at(until: float) -> Generator[None]:
    """Stop the block at a time of `time.monotonic`.

    Where the system has timers that send signals (not on Windows), and in the main thread, code is stopped that waits,
    too. Elsewhere it is stopped at its next step of Python code.

    Raises:
        DeadlinePassed: the block was stopped, or the time was over before it began.
    """
    seconds = until - time.monotonic()
    if seconds <= 0:
        raise DeadlinePassed
    has_timer = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    try:
        with _interrupt_by_signal(seconds) if has_timer else _interrupt_by_thread(seconds):
            yield
    except _Interrupt:
        raise DeadlinePassed from None


@contextlib.contextmanager
def _interrupt_by_signal(seconds: float) -> Generator[None]:
    def raise_interrupt(*_: object) -> None:
        raise _Interrupt

    before = signal.signal(signal.SIGALRM, raise_interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds, INTERRUPT_INTERVAL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _interrupt_by_thread(seconds: float) -> Generator[None]:
    """Have another thread raise the exception in this one; none is left to be raised after the block."""
    target = ctypes.c_ulong(threading.get_ident())
    ended = threading.Event()
    sending = threading.Lock()

    def interrupt() -> None:
        wait = seconds
        while not ended.wait(wait):
            with sending:
                if not ended.is_set():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(target, ctypes.py_object(_Interrupt))
            wait = INTERRUPT_INTERVAL

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    try:
        yield
    finally:
        _end_interrupts(ended, sending, target)
        thread.join()


def _end_interrupts(ended: threading.Event, sending: threading.Lock, target: ctypes.c_ulong) -> None:
    """Let no more interrupts come, and drop one that has been sent and not raised yet."""
    while True:
        try:
            ended.set()
            with sending:  # after this, none is sent
                pass
            ctypes.pythonapi.PyThreadState_SetAsyncExc(target, None)
            return
        except _Interrupt:  # it was raised here
            continue
