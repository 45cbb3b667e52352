"""Generated classes as return annotations of plain decorated tools on the official SDK, mcp 1.x."""

from __future__ import annotations

import asyncio
import importlib
from pathlib import Path
from typing import Any

import pytest
from sdk import servers
from sdk.installed import is_installed
from typing_extensions import TypeAliasType

alias: Any = TypeAliasType
"""As a plain call, since the class is only known at run time."""


pytestmark = pytest.mark.skipif(not is_installed("mcp1"), reason="mcp 1.x is not installed here")


async def _exchange(server: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    connect = importlib.import_module("mcp.shared.memory").create_connected_server_and_client_session
    async with connect(server, raise_exceptions=True) as session:
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        return tools, {name: await session.call_tool(name, {}) for name in tools}


def test_declared_schema_and_conforming_values(tmp_path: Path) -> None:
    generated = servers.build(tmp_path)
    server = importlib.import_module("mcp.server.fastmcp").FastMCP("test")
    days = alias("Days", generated.ListDaysResult)
    for name, handler in servers.handlers(generated, days).items():
        server.tool(name=name)(handler)
    tools, results = asyncio.run(_exchange(server))
    for name in ("get-forecast", "open-result"):
        assert tools[name].outputSchema == generated.TOOLS[name]["outputSchema"]
        assert results[name].structuredContent == servers.EXPECTED[name]
    assert results["list-days"].structuredContent == {"result": servers.EXPECTED["list-days"]}
    for name, result in results.items():
        assert not result.isError
        assert servers.conforms(tools[name].outputSchema, result.structuredContent)
