"""The map over processes: its order, what it draws ahead, and what it raises."""

from __future__ import annotations

import importlib.util
import os
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import mcpgen.workers as workers_module
import pytest
from mcpgen.workers import CHUNKS_PER_PROCESS, ITEMS_PER_CHUNK, MIN_PARALLEL_ITEMS, Workers


def _squared(number: int) -> tuple[int, int]:
    if number == 333:
        raise ValueError("333 is not squared")
    return os.getpid(), number * number


@pytest.mark.parametrize("count", [1, 3])
def test_each_result_comes_when_it_is_there(count: int) -> None:
    with Workers(count) as workers:
        results = dict(workers.map_completed(_squared, [3, 1, 2]))
        assert list(workers.map_completed(_squared, [])) == []
    assert {item: square for item, (_, square) in results.items()} == {1: 1, 2: 4, 3: 9}
    with Workers(count) as workers, pytest.raises(ValueError, match="333"):
        list(workers.map_completed(_squared, [1, 333]))


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("size", [0, 1, MIN_PARALLEL_ITEMS - 1, MIN_PARALLEL_ITEMS, 100])
@pytest.mark.parametrize("copies", [True, False])
def test_items_are_made_where_they_are_needed(
    count: int, size: int, copies: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers_module, "CAN_COPY_PROCESSES", copies and workers_module.CAN_COPY_PROCESSES)
    made: list[int] = []

    def make(number: int) -> int:
        made.append(number)
        return number

    with Workers(count) as workers:
        assert len(list(workers.map(_squared, range(20)))) == 20
        actual = list(workers.map_made(_squared, [partial(make, number) for number in range(size)]))
    assert [item for _, item in actual] == [number * number for number in range(size)]
    is_elsewhere = copies and count > 1 and size >= MIN_PARALLEL_ITEMS and workers_module.CAN_COPY_PROCESSES
    assert made == ([] if is_elsewhere else [*range(size)])


def test_what_fails_where_it_is_made_fails_here() -> None:
    def make() -> int:
        raise ValueError("no item")

    with Workers(2) as workers, pytest.raises(ValueError, match="no item"):
        list(workers.map_made(_squared, [make] * 50))


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("size", [0, 1, MIN_PARALLEL_ITEMS - 1, MIN_PARALLEL_ITEMS, 300])
@pytest.mark.parametrize("starts_all", [False, True])
def test_results_come_in_the_order_of_the_items(count: int, size: int, starts_all: bool) -> None:
    with Workers(count) as workers:
        actual = list((workers.start_map if starts_all else workers.map)(_squared, range(size)))
    assert [item for _, item in actual] == [number * number for number in range(size)]
    in_processes = {process for process, _ in actual} - {os.getpid()}
    assert len(in_processes) == (0 if count == 1 or size < MIN_PARALLEL_ITEMS else len(in_processes) or -1)
    assert len(in_processes) <= count


def test_items_are_made_only_a_little_before_they_are_needed() -> None:
    drawn: list[int] = []

    def item(number: int) -> int:
        drawn.append(number)
        return number

    with Workers(2) as workers:
        results = workers.map(_squared, map(item, range(300)))
        next(results)
        assert len(drawn) <= MIN_PARALLEL_ITEMS + ITEMS_PER_CHUNK * (CHUNKS_PER_PROCESS * 2 + 1)
        assert len(list(results)) == 299
    assert len(drawn) == 300


def test_all_items_are_worked_on_before_a_result_is_needed(tmp_path: Path) -> None:
    paths = [tmp_path / str(number) for number in range(300)]
    with Workers(2) as workers:
        results = workers.start_map(Path.touch, paths)
        deadline = time.monotonic() + 60
        while not all(path.exists() for path in paths):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert list(results) == [None] * 300


def test_what_a_process_raises_is_raised_here() -> None:
    with Workers(2) as workers, pytest.raises(ValueError, match="333"):
        list(workers.map(_squared, range(400)))
    with Workers(2) as workers, pytest.raises(ValueError, match="333"):
        list(workers.start_map(_squared, range(400)))


def test_windows_has_no_pool_of_more_than_61_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python refuses to make one there, and machines with 64 cores exist."""
    monkeypatch.setattr("concurrent.futures.process.sys.platform", "win32")
    with pytest.raises(ValueError, match="61"):
        ProcessPoolExecutor(62)
    spec = importlib.util.find_spec("mcpgen.workers")
    assert spec is not None
    assert spec.loader is not None
    elsewhere: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(elsewhere)  # as it is on Windows
    assert (elsewhere.MAX_PROCESSES, elsewhere.CAN_COPY_PROCESSES) == (61, False)
    assert elsewhere.Workers(64)._count == 61


@pytest.mark.parametrize("starts", [True, False])
def test_work_begins_before_its_result_is_needed_if_processes_run(tmp_path: Path, starts: bool) -> None:
    path = tmp_path / "begun"
    with Workers(2) as workers:
        if starts:
            workers.start()
        assert workers.are_running == starts
        wait = workers.submit(Path.touch, path)
        deadline = time.monotonic() + 60
        while starts and not path.exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert path.exists() == starts
        assert wait() is None
        assert path.exists()
    with Workers(2) as workers:
        workers.start()
        wait_for_failure = workers.submit(_squared, 333)
        with pytest.raises(ValueError, match="333"):
            wait_for_failure()
