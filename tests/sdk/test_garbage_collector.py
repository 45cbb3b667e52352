"""Bound tools pause the garbage collector while they convert a result, and leave it as it was."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest
from sdk import exchange
from sdk.exchange import OLD, SDK
from support.packages import package, tool

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
ROWS = {
    "type": "object",
    "properties": {"rows": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}}},
    "required": ["rows"],
}
COUNT = 5_000
"""So many new dicts would start the collector several times."""


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return package(tmp_path_factory.mktemp("collector"), [tool("list-rows", ROWS)], "--sdk", str(SDK))


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    yield
    gc.enable()


def call(generated: Any, value: Any) -> dict[str, Any]:
    """Return the result of a call whose handler returns the value."""
    server = exchange.server()
    generated.bind(server).list_rows(lambda: value)

    async def ask() -> dict[str, Any]:
        async with exchange.connected(server, OLD) as connection:
            return await exchange.call(connection, "list-rows")

    return asyncio.run(ask())


def is_converting(frame: FrameType | None) -> bool:
    """Return whether a bound tool's `answer` is on the stack."""
    while frame is not None:
        if frame.f_code.co_qualname.endswith("BoundTool.answer"):
            return True
        frame = frame.f_back
    return False


@pytest.mark.parametrize("form", ["instance", "dict", "tuple"])
def test_no_collection_starts_during_the_conversion(generated: Any, form: str) -> None:
    rows = [{"n": number} for number in range(COUNT)]
    value: Any = {"rows": rows}
    if form == "instance":
        value = generated.ListRowsResult.from_structured_content(value)
    elif form == "tuple":
        value = ("some rows", value)
    collections: list[bool] = []

    def note(phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            collections.append(is_converting(sys._getframe()))

    gc.callbacks.append(note)
    try:
        answer = call(generated, value)
    finally:
        gc.callbacks.remove(note)
    assert answer["structuredContent"]["rows"] == rows
    assert collections  # those before and after
    assert not any(collections)
    assert gc.isenabled()


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("value", [{"rows": []}, {"rows": 5}, object()], ids=["fits", "wrong", "foreign"])
def test_the_collector_is_left_as_it_was(generated: Any, value: Any, enabled: bool) -> None:
    (gc.enable if enabled else gc.disable)()
    answer = call(generated, value)
    assert answer.get("isError", False) is (value != {"rows": []})
    assert gc.isenabled() is enabled
