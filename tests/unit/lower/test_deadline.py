"""Deadlines of blocks, by signals and, as on Windows and in other threads, without them."""

from __future__ import annotations

import signal
import threading
import time

import pytest
from mcpgen.lower.deadline import MAX_TIMER_SECONDS, DeadlinePassed, call_until, compute_deadline
from mcpgen.lower.type_generator import generate_module
from mcpgen.schema.values import Json

LONG = 60.0


@pytest.fixture(params=["signal", "thread"])
def means(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "thread":
        monkeypatch.delattr(signal, "setitimer")
    return str(request.param)


def loop() -> None:
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        pass


def test_a_function_that_loops_is_stopped(means: str) -> None:
    started = time.monotonic()
    with pytest.raises(DeadlinePassed):
        call_until(started + 0.05, loop)
    assert time.monotonic() < started + LONG


def test_a_function_that_catches_exceptions_is_stopped(means: str) -> None:
    def catch() -> None:
        try:
            loop()
        except Exception:
            loop()

    started = time.monotonic()
    with pytest.raises(DeadlinePassed):
        call_until(started + 0.05, catch)
    assert time.monotonic() < started + LONG


def test_a_function_that_catches_all_is_stopped_by_the_next_interrupt(means: str) -> None:
    caught: list[BaseException] = []

    def catch() -> None:
        try:
            loop()
        except BaseException as error:
            caught.append(error)
        loop()

    with pytest.raises(DeadlinePassed):
        call_until(time.monotonic() + 0.05, catch)
    assert len(caught) == 1


def test_nothing_comes_after_the_call(means: str) -> None:
    """The deadlines come while a function starts, while it ends, just before, or just after it."""

    def work() -> int:
        for _ in range(200):
            time.monotonic()
        return 1

    stopped = 0
    for number in range(300):
        try:
            assert call_until(time.monotonic() + number * 1e-6, work) == 1
        except DeadlinePassed:
            stopped += 1
        sum(range(500))  # where an interrupt that is left over would be raised
    assert stopped > 0
    assert call_until(time.monotonic() + LONG, work) == 1


def test_a_deadline_that_has_passed(means: str) -> None:
    with pytest.raises(DeadlinePassed):
        call_until(time.monotonic() - 1, lambda: pytest.fail("it must not run"))


def test_errors_of_the_function_stay_what_they_are(means: str) -> None:
    def fail() -> None:
        raise KeyError

    with pytest.raises(KeyError):
        call_until(time.monotonic() + LONG, fail)


def test_a_handler_of_signals_is_as_it_was(means: str) -> None:
    before = signal.getsignal(signal.SIGALRM)
    call_until(time.monotonic() + LONG, int)
    with pytest.raises(DeadlinePassed):
        call_until(time.monotonic() + 0.05, loop)
    assert signal.getsignal(signal.SIGALRM) is before


def test_deadlines_are_within_what_timers_count() -> None:
    assert compute_deadline(1e300) <= time.monotonic() + MAX_TIMER_SECONDS


def test_the_type_generator_stops(means: str) -> None:
    names = [f"p{number}" for number in range(400)]
    properties: dict[str, Json] = {name: {"type": "string"} for name in names}
    definition: Json = {"type": "object", "properties": properties}
    document: dict[str, Json] = {
        "type": "object",
        "properties": {f"a{number}": {"$ref": f"#/$defs/A{number}"} for number in range(400)},
        "$defs": {f"A{number}": definition for number in range(400)},
    }
    with pytest.raises(DeadlinePassed):
        generate_module(document, time.monotonic() + 0.2)


def test_another_thread_has_deadlines_too() -> None:
    outcome: list[str] = []

    def run() -> None:
        try:
            call_until(time.monotonic() + 0.05, loop)
        except DeadlinePassed:
            outcome.append("stopped")

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(LONG)
    assert outcome == ["stopped"]
