"""Generated classes as return annotations of plain decorated tools on fastmcp 4.x."""

from __future__ import annotations

import asyncio
import importlib
from pathlib import Path
from typing import Any

import pytest
from sdk import servers
from sdk.installed import is_installed

pytestmark = pytest.mark.skipif(not is_installed("fastmcp"), reason="fastmcp 4.x is not installed here")


async def _exchange(server: Any, mode: str) -> tuple[dict[str, Any], dict[str, Any]]:
    client_type = importlib.import_module("fastmcp").Client
    async with client_type(server, mode=mode) as client:
        tools = {tool.name: tool for tool in await client.list_tools()}
        return tools, {name: await client.call_tool_mcp(name, {}) for name in tools}


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_declared_schema_and_conforming_values(tmp_path: Path, mode: str) -> None:
    """fastmcp inlines references by default; told not to, it advertises what was declared."""
    generated = servers.build(tmp_path)
    server = importlib.import_module("fastmcp").FastMCP("test", dereference_schemas=False)
    for name, handler in servers.handlers(generated, generated.ListDaysResult).items():
        server.tool(handler, name=name)
    tools, results = asyncio.run(_exchange(server, mode))
    for name in ("get-forecast", "open-result"):
        assert tools[name].output_schema == generated.TOOLS[name]["outputSchema"]
        assert results[name].structured_content == servers.EXPECTED[name]
    assert results["list-days"].structured_content == {"result": servers.EXPECTED["list-days"]}
    for name, result in results.items():
        assert not result.is_error
        assert servers.conforms(tools[name].output_schema, result.structured_content)


def test_with_its_default_settings_values_conform_too(tmp_path: Path) -> None:
    generated = servers.build(tmp_path)
    server = importlib.import_module("fastmcp").FastMCP("test")
    for name, handler in servers.handlers(generated, generated.ListDaysResult).items():
        server.tool(handler, name=name)
    tools, results = asyncio.run(_exchange(server, "auto"))
    for name, result in results.items():
        assert not result.is_error
        assert servers.conforms(tools[name].output_schema, result.structured_content)
