"""Transports of mcp 2, with the installed SDK."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from mcpgen.config.models import Limits
from mcpgen.introspect.limits import Meter
from mcpgen.introspect.session import McpSession, fetch_pages
from mcpgen.introspect.transports import SdkTransports
from mcpgen.targets import MCP_2

mcp: Any = pytest.importorskip("mcp", reason="no MCP SDK is installed")
pytest.importorskip("mcp_types", reason="mcp 1 is installed")


def test_a_server_object_is_discovered() -> None:
    server: Any = pytest.importorskip("mcp.server").MCPServer("weather")

    @server.tool()  # type: ignore[untyped-decorator]
    def report(city: str) -> str:
        return city

    async def fetch() -> tuple[bool, list[Any]]:
        async with SdkTransports(MCP_2).open_memory(server) as wire:
            session = McpSession(wire, Meter(Limits.model_validate({})))
            return await session.discover(), await fetch_pages(session, "tools", "tools/list", "tools")

    discovered, (tool,) = anyio.run(fetch)
    assert discovered
    assert tool["name"] == "report"


def test_the_environment_of_processes_is_small() -> None:
    assert "PATH" in SdkTransports(MCP_2).get_default_environment()
