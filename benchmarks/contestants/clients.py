"""Calls by clients on mcp 2.x: the typed client, and the SDK's own, whose result is untyped.

Both have a session with the same bound server in their process, whose values were made before. So a call is what the
server, the messages and the client take. The SDK's client also checks results, by jsonschema.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from typing import Any

from benchmarks import serving, values
from benchmarks.cases import CALL, Case
from benchmarks.values import SMALL, Value

TYPED, OWN = "mcpgen on mcp 2.x, typed client", "mcp 2.x"


def make_cases(package: str) -> list[Case]:
    """Return the cases of both; `package` is the generated one. The sessions stay open as long as the process."""
    generated: Any = importlib.import_module(package)
    loop = asyncio.new_event_loop()

    server = serving.make("mcp")
    serving.bound("mcp", server)

    async def connect() -> tuple[Any, Any]:
        connection = await AsyncExitStack().enter_async_context(importlib.import_module("mcp").Client(server))
        return connection, await generated.connect(connection)

    connection, client = loop.run_until_complete(connect())

    def run(call: Callable[[], Coroutine[Any, Any, Any]]) -> Callable[[], Any]:
        return lambda: loop.run_until_complete(call())

    cases: list[Case] = []
    for value in values.make_values():
        if value.name in (SMALL, *values.ROWS):
            arguments = {} if value.name == SMALL else {"rows": values.ROWS[value.name]}
            typed, own = _make_calls(connection, client, value.tool, arguments)
            cases.append(Case(CALL, value.name, TYPED, run(typed), _make_check(value, "to_structured_content")))
            cases.append(Case(CALL, value.name, OWN, run(own), _make_check(value, "structured_content")))
    return cases


def _make_calls(connection: Any, client: Any, tool: str, arguments: dict[str, Any]) -> tuple[Any, Any]:
    return lambda: getattr(client, tool)(**arguments), lambda: connection.call_tool(tool, arguments)


def _make_check(value: Value, name: str) -> Callable[[Any], None]:
    def check(result: Any) -> None:
        found = getattr(result, name)
        assert (found() if callable(found) else found) == value.json, result

    return check
