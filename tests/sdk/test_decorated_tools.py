"""Generated classes as return annotations of plain decorated tools, and in handlers of a low-level server."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
from sdk import exchange, servers
from sdk.exchange import NEW, OLD, SDK, VERSIONS
from typing_extensions import TypeAliasType

alias: Any = TypeAliasType
"""As a plain call, since the class is only known at run time."""
pytestmark = pytest.mark.skipif(SDK not in ("mcp", "mcp1", "fastmcp"), reason="no such SDK is installed here")


def exchange_all(server: Any, protocol: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the tools of a server, and the results of all of them."""
    tools = exchange.list_tools(server, protocol)
    return tools, {name: exchange.ask(server, name, {}, protocol) for name in tools}


def decorate(generated: Any, **options: Any) -> Any:
    """Return a server whose tools are plain functions."""
    server = exchange.server(**options)
    days = generated.ListDaysResult
    for name, handler in servers.handlers(generated, days if SDK == "fastmcp" else alias("Days", days)).items():
        server.tool(name=name)(handler)
    return server


@pytest.mark.parametrize("sdk", ["none", str(SDK)])
@pytest.mark.parametrize("protocol", VERSIONS)
def test_the_declared_schema_is_advertised_and_values_conform(tmp_path: Path, protocol: str, sdk: str) -> None:
    """fastmcp inlines references by default; told not to, it advertises what was declared."""
    generated = servers.build(tmp_path, "--sdk", sdk)
    server = decorate(generated, **({"dereference_schemas": False} if SDK == "fastmcp" else {}))
    tools, results = exchange_all(server, protocol)
    for name in ("get-forecast", "open-result"):
        assert tools[name]["outputSchema"] == generated.TOOLS[name]["outputSchema"]
        assert results[name]["structuredContent"] == servers.EXPECTED[name]
    assert results["list-days"]["structuredContent"] == {"result": servers.EXPECTED["list-days"]}
    for name, result in results.items():
        assert not result.get("isError")
        assert servers.conforms(tools[name]["outputSchema"], result["structuredContent"])


@pytest.mark.skipif(SDK != "fastmcp", reason="fastmcp's own")
def test_with_its_default_settings_values_conform_too(tmp_path: Path) -> None:
    tools, results = exchange_all(decorate(servers.build(tmp_path)), NEW)
    for name, result in results.items():
        assert not result.get("isError")
        assert servers.conforms(tools[name]["outputSchema"], result["structuredContent"])


@pytest.mark.skipif(SDK != "mcp", reason="a low-level server of mcp 2.x")
@pytest.mark.parametrize("protocol", VERSIONS)
def test_a_low_level_server_with_generated_definitions_and_results(tmp_path: Path, protocol: str) -> None:
    """Every protocol version gets its form: the array root is wrapped for older clients, natural for new ones."""
    generated = servers.build(tmp_path, "--sdk", "mcp")
    types = importlib.import_module("mcp_types")
    results = {name: handler() for name, handler in servers.handlers(generated, None).items()}

    async def list_tools(context: Any, params: Any) -> Any:
        tools = [types.Tool.model_validate(tool) for tool in generated.list_tools(protocol)]
        return types.ListToolsResult(tools=tools)

    async def call_tool(context: Any, params: Any) -> Any:
        return results[params.name].to_call_tool_result(protocol=protocol)

    server_type = importlib.import_module("mcp.server.lowlevel").Server
    tools, called = exchange_all(server_type("test", on_list_tools=list_tools, on_call_tool=call_tool), protocol)
    for name, value in servers.EXPECTED.items():
        expected = {"result": value} if name == "list-days" and protocol == OLD else value
        assert called[name]["structuredContent"] == expected
        assert servers.conforms(tools[name]["outputSchema"], expected)
        result_type = generated.RESULT_TYPES[name]
        received = types.CallToolResult.model_validate(called[name])
        assert result_type.from_call_tool_result(received, protocol=protocol) == results[name]
        assert result_type.from_call_tool_result(received) == results[name]
