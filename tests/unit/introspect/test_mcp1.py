"""Transports of mcp 1, over stand-ins for the SDK's modules."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import anyio
import pytest
from mcpgen.config.models import Limits
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import Meter, TransportLog
from mcpgen.introspect.server_address import Url
from mcpgen.introspect.server_query import Credentials
from mcpgen.introspect.transports import SdkTransports
from mcpgen.targets import MCP_1


class Server:
    """Server that sends every message back."""

    def create_initialization_options(self) -> None: ...

    async def run(self, read: Any, write: Any, options: None) -> None:
        async for item in read:
            await write.send(item)


@asynccontextmanager
async def create_streams() -> AsyncGenerator[Any]:
    send_to_server, server_read = anyio.create_memory_object_stream[Any](9)
    send_to_client, client_read = anyio.create_memory_object_stream[Any](9)
    yield (client_read, send_to_server), (server_read, send_to_client)


def add_module(monkeypatch: pytest.MonkeyPatch, name: str, **members: Any) -> None:
    module = ModuleType(name)
    module.__dict__.update(members)
    monkeypatch.setitem(sys.modules, name, module)


@pytest.fixture
def sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    def validate(message: Any) -> Any:
        return SimpleNamespace(root=SimpleNamespace(model_dump=lambda **options: {"echo": message}))

    add_module(monkeypatch, "mcp")
    add_module(monkeypatch, "mcp.client")
    add_module(monkeypatch, "mcp.shared")
    add_module(monkeypatch, "mcp.types", JSONRPCMessage=SimpleNamespace(model_validate=validate))
    add_module(monkeypatch, "mcp.shared.message", SessionMessage=lambda message: SimpleNamespace(message=message))
    add_module(monkeypatch, "mcp.shared.memory", create_client_server_memory_streams=create_streams)
    add_module(monkeypatch, "mcp.client.stdio", get_default_environment=lambda: {"PATH": "/bin"})
    add_module(monkeypatch, "mcp.client.streamable_http")


@pytest.mark.usefixtures("sdk")
def test_a_server_object() -> None:
    async def exchange() -> Any:
        async with SdkTransports(MCP_1).open_memory(Server()) as wire:
            await wire.send({"id": 1}, {"ignored": "header"})
            return await wire.receive()

    assert anyio.run(exchange) == {"echo": {"id": 1}}
    assert SdkTransports(MCP_1).get_default_environment() == {"PATH": "/bin"}


@pytest.mark.usefixtures("sdk")
def test_versions_without_the_http_client_are_too_old() -> None:
    async def connect() -> None:
        log = TransportLog(Meter(Limits.model_validate({})))
        async with SdkTransports(MCP_1).open_http(Url("https://example.com"), Credentials(), log):
            pass

    with pytest.raises(IntrospectionError, match="too old for HTTP"):
        anyio.run(connect)
