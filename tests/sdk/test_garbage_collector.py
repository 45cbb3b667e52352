"""Large results start the garbage collector less often while they are converted, and leave it as it was."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from sdk import exchange
from sdk.exchange import SDK
from support.packages import package, tool

pytestmark = [pytest.mark.ci, pytest.mark.skipif(SDK is None, reason="no SDK is installed here")]
ROWS = {
    "type": "object",
    "properties": {"rows": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}}},
    "required": ["rows"],
}
TOOLS = [tool("list-rows", ROWS)]
COUNT = 5_000
"""So many new dicts would start the collector several times."""
CYCLES = 120_000
"""So many objects may not all wait for the end."""


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    thresholds = gc.get_threshold()
    yield
    gc.enable()
    gc.set_threshold(*thresholds)


def call(generated: Any, value: Any) -> dict[str, Any]:
    """Return the result of a call whose handler returns the value."""
    server = exchange.server()
    generated.bind(server).list_rows(lambda: value)
    return exchange.ask(server, "list-rows")


def is_converting(frame: FrameType | None) -> bool:
    """Return whether a bound tool's `answer` is on the stack."""
    while frame is not None:
        if frame.f_code.co_qualname.endswith("BoundTool.answer"):
            return True
        frame = frame.f_back
    return False


@contextlib.contextmanager
def note_collections() -> Iterator[list[bool]]:
    """Note for each search for garbage that starts whether a bound tool converts a result."""
    collections: list[bool] = []

    def note(phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            collections.append(is_converting(sys._getframe()))

    gc.callbacks.append(note)
    try:
        yield collections
    finally:
        gc.callbacks.remove(note)


@pytest.mark.parametrize("form", ["instance", "dict", "tuple"])
def test_no_collection_starts_during_the_second_conversion(generated: Any, form: str) -> None:
    rows = [{"n": number} for number in range(COUNT)]
    value: Any = {"rows": rows}
    if form == "instance":
        value = generated.ListRowsResult.from_structured_content(value)
    elif form == "tuple":
        value = ("some rows", value)
    generated.ListRowsResult.normalize({"rows": rows})
    with note_collections() as collections:
        answer = call(generated, value)
    assert answer["structuredContent"]["rows"] == rows
    assert collections  # those before and after
    assert not any(collections)
    assert gc.isenabled()


@pytest.mark.parametrize(
    "way", ["to_call_tool_result", "to_wire_json", "normalize", "normalize_any", "normalize_to_json"]
)
def test_no_collection_starts_without_a_server(generated: Any, way: str) -> None:
    cls, value, thresholds = generated.ListRowsResult, {"rows": [{"n": 1}] * COUNT}, gc.get_threshold()
    arguments = [value] if way.startswith("normalize") else []
    convert = getattr(cls if arguments else cls.from_structured_content(value), way)
    convert(*arguments)
    gc.collect()
    with note_collections() as collections:
        converted = convert(*arguments)
    assert converted
    assert (collections, gc.get_threshold()) == ([], thresholds)


def test_a_small_result_leaves_the_collector_alone(tmp_path: Path) -> None:
    generated = package(tmp_path, TOOLS, "--sdk", str(SDK))
    cls, many = generated.ListRowsResult, {"rows": [{"n": 1}] * COUNT}
    cls.normalize({"rows": []})
    large, small = cls.from_structured_content(many), cls.from_structured_content({"rows": []})
    with note_collections() as collections:
        large.to_call_tool_result()
    assert collections
    assert large.to_wire_json() == cls.normalize_to_json(many)
    assert small.to_wire_json() == cls.normalize_to_json({"rows": []})


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("thresholds", [(700, 10, 10), (500_000, 5, 5), (0, 10, 10)], ids=["usual", "high", "never"])
@pytest.mark.parametrize("value", [{"rows": []}, {"rows": 5}, object()], ids=["fits", "wrong", "foreign"])
def test_the_collector_is_left_as_it_was(
    generated: Any, value: Any, thresholds: tuple[int, int, int], enabled: bool
) -> None:
    (gc.enable if enabled else gc.disable)()
    gc.set_threshold(*thresholds)
    before = gc.get_threshold()
    answer = call(generated, value)
    assert answer.get("isError", False) is (value != {"rows": []})
    assert (gc.isenabled(), gc.get_threshold()) == (enabled, before)


class Cycle:
    """Garbage that only the collector frees."""

    alive = 0

    def __init__(self) -> None:
        self.itself = self
        Cycle.alive += 1

    def __del__(self) -> None:
        Cycle.alive -= 1


@dataclass
class Rows:
    rows: Iterator[dict[str, int]]


@pytest.mark.parametrize("wrap", [lambda rows: {"rows": rows}, Rows], ids=["dict", "object"])
def test_what_a_generator_leaves_is_collected_during_the_conversion(generated: Any, wrap: Any) -> None:
    gc.collect()
    alive: list[int] = []

    def make_rows() -> Iterator[dict[str, int]]:
        for number in range(CYCLES):
            Cycle()
            alive.append(Cycle.alive)
            yield {"n": number}

    answer = call(generated, wrap(make_rows()))
    assert len(answer["structuredContent"]["rows"]) == len(alive) == CYCLES
    assert max(alive) < CYCLES
