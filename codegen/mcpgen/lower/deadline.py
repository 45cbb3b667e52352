"""Call a function that is stopped at a deadline."""

from __future__ import annotations

import ctypes
import signal
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

INTERRUPT_INTERVAL = 0.5
"""Seconds until the next interrupt, in case the function caught the first one."""
MAX_TIMER_SECONDS = 30 * 86400.0
"""The longest time that timers of all systems can count, in seconds."""
ResultT = TypeVar("ResultT")


class DeadlinePassed(Exception):
    """The deadline came before the function returned."""


class _Interrupt(BaseException):
    """Stops the function. It is not an `Exception`, because libraries catch some of those."""


def compute_deadline(seconds: float) -> float:
    """Return the time of `time.monotonic` at which a number of seconds will have passed."""
    return time.monotonic() + min(seconds, MAX_TIMER_SECONDS)


def call_until(until: float, function: Callable[[], ResultT]) -> ResultT:
    """Return what a function returns, unless it takes until a time of `time.monotonic`.

    Where the system has timers that send signals (not on Windows), and in the main thread, a function is stopped that
    waits, too. Elsewhere it is stopped at its next step of Python code.

    Raises:
        DeadlinePassed: the function was stopped, or the time was over before.
    """
    seconds = until - time.monotonic()
    if seconds <= 0:
        raise DeadlinePassed
    has_timer = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    interrupter = _SignalInterrupter() if has_timer else _ThreadInterrupter()
    try:
        try:
            interrupter.start(seconds)
            return function()
        finally:
            interrupter.end()
    except _Interrupt:
        raise DeadlinePassed from None
    finally:
        interrupter.end()  # the first call may have been interrupted


class _SignalInterrupter:
    def __init__(self) -> None:
        self._handler: Any = signal.getsignal(signal.SIGALRM)

    def start(self, seconds: float) -> None:
        def raise_interrupt(*_: object) -> None:
            raise _Interrupt

        signal.signal(signal.SIGALRM, raise_interrupt)
        signal.setitimer(signal.ITIMER_REAL, seconds, INTERRUPT_INTERVAL)

    def end(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._handler)


class _ThreadInterrupter:
    """Interrupts by another thread, which has the interpreter raise the exception in this one."""

    def __init__(self) -> None:
        self._target = ctypes.c_ulong(threading.get_ident())
        self._ended = threading.Event()
        self._sending = threading.Lock()

    def start(self, seconds: float) -> None:
        threading.Thread(target=self._send_interrupts, args=(seconds,), daemon=True).start()

    def _send_interrupts(self, seconds: float) -> None:
        while not self._ended.wait(seconds):
            with self._sending:
                if not self._ended.is_set():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(self._target, ctypes.py_object(_Interrupt))
            seconds = INTERRUPT_INTERVAL

    def end(self) -> None:
        while True:
            try:
                self._ended.set()
                with self._sending:  # from here on, none is sent
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(self._target, None)
                return
            except _Interrupt:
                continue
