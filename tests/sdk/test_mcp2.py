"""Generated classes as return annotations of plain decorated tools on the official SDK, mcp 2.x."""

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


pytestmark = pytest.mark.skipif(not is_installed("mcp"), reason="mcp 2.x is not installed here")
MODES = ("legacy", "auto", "2026-07-28")


async def _exchange(server: Any, mode: str) -> tuple[dict[str, Any], dict[str, Any]]:
    client_type = importlib.import_module("mcp.client").Client
    async with client_type(server, mode=mode, raise_exceptions=True) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        return tools, {name: await client.call_tool(name, {}) for name in tools}


@pytest.mark.parametrize("sdk", ["none", "mcp"])
@pytest.mark.parametrize("mode", MODES)
def test_declared_schema_and_conforming_values(tmp_path: Path, mode: str, sdk: str) -> None:
    generated = servers.build(tmp_path, "--sdk", sdk)
    server = importlib.import_module("mcp.server.mcpserver").MCPServer("test")
    days = alias("Days", generated.ListDaysResult)
    for name, handler in servers.handlers(generated, days).items():
        server.tool(name=name)(handler)
    tools, results = asyncio.run(_exchange(server, mode))
    for name in ("get-forecast", "open-result"):
        assert tools[name].output_schema == generated.TOOLS[name]["outputSchema"]
        assert results[name].structured_content == servers.EXPECTED[name]
    assert results["list-days"].structured_content == {"result": servers.EXPECTED["list-days"]}
    for name, result in results.items():
        assert not result.is_error
        assert servers.conforms(tools[name].output_schema, result.structured_content)


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_a_low_level_server_with_generated_definitions_and_results(tmp_path: Path, mode: str) -> None:
    """Every protocol version gets its form: the array root is wrapped for older clients, natural for new ones."""
    generated = servers.build(tmp_path, "--sdk", "mcp")
    types = importlib.import_module("mcp_types")
    protocol = "2025-11-25" if mode == "legacy" else "2026-07-28"
    results = {name: handler() for name, handler in servers.handlers(generated, None).items()}

    async def list_tools(context: Any, params: Any) -> Any:
        tools = [types.Tool.model_validate(tool) for tool in generated.list_tools(protocol)]
        return types.ListToolsResult(tools=tools)

    async def call_tool(context: Any, params: Any) -> Any:
        return results[params.name].to_call_tool_result(protocol=protocol)

    server_type = importlib.import_module("mcp.server.lowlevel").Server
    server = server_type("test", on_list_tools=list_tools, on_call_tool=call_tool)
    tools, called = asyncio.run(_exchange(server, mode))
    for name, value in servers.EXPECTED.items():
        expected = {"result": value} if name == "list-days" and mode == "legacy" else value
        assert called[name].structured_content == expected
        assert servers.conforms(tools[name].output_schema, expected)
        result_type = generated.RESULT_TYPES[name]
        assert result_type.from_call_tool_result(called[name], protocol=protocol) == results[name]
        assert result_type.from_call_tool_result(called[name]) == results[name]
