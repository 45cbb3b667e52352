"""Exceptions of handlers: logged, or reported as the SDK reports those of its own tools."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import TypeAdapter
from sdk import exchange
from sdk.exchange import SDK, VERSIONS
from support.packages import tool

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
SECRET = "swordfish"
SETTINGS = 'wrap = "legacy"\nexceptions = "sdk"\n[tools.quiet]\nexceptions = "logged"\n'
TOOLS = [tool("bound", {"type": "array"}), tool("quiet", {"type": "array"}), tool("free")]


def refuse() -> Any:
    raise ValueError(f"there is no {SECRET}")


async def refuse_later() -> Any:
    raise KeyError(SECRET)


def mistake_data() -> Any:
    return TypeAdapter(int).validate_python(SECRET)


def say() -> Any:
    raise exchange.tool_error(f"ask for {SECRET}")


def mistake_types() -> Any:
    raise TypeError(f"{SECRET} is no number")


HANDLERS = [refuse, refuse_later, mistake_data, mistake_types, say]


def compare(generated: Any, handler: Callable[[], Any], bound: str, protocol: str) -> tuple[Any, Any]:
    """Return what a client gets of a handler under the SDK's own decorator, and of the bound one."""
    own = exchange.server()
    handler.__name__ = bound
    exchange.decorate(own, handler)
    server = exchange.server()
    getattr(generated.bind(server), bound)(handler)
    return exchange.ask(own, bound, {}, protocol), exchange.ask(server, bound, {}, protocol)


@pytest.mark.parametrize("protocol", VERSIONS)
@pytest.mark.parametrize("name", ["bound", "free"])
@pytest.mark.parametrize("handler", HANDLERS, ids=lambda handler: handler.__name__)
def test_the_sdk_reports_them(generated: Any, handler: Callable[[], Any], name: str, protocol: str) -> None:
    expected, result = compare(generated, handler, name, protocol)
    assert expected["isError"]
    assert result == expected


@pytest.mark.parametrize("handler", HANDLERS[:-1], ids=lambda handler: handler.__name__)
def test_a_tool_can_leave_that_to_the_log(
    generated: Any, handler: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        _, result = compare(generated, handler, "quiet", VERSIONS[-1])
    assert result["isError"]
    assert SECRET not in str(result)
    assert SECRET in caplog.text
