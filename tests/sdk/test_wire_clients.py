"""Each SDK's own client, and the generated one over it, against the example's server, at every protocol version."""

from __future__ import annotations

import asyncio
import importlib
from typing import Any

import pytest
from sdk import connections, harbour, wire
from sdk.installed import get_row
from sdk.served import SDK, Served, arguments_of, instance, same, unstamped
from sdk.wire import VERSIONS
from support.packages import get_package

pytestmark = [pytest.mark.skipif(SDK is None, reason="no MCP SDK is installed here"), pytest.mark.ci]


@pytest.fixture(params=[f"{transport} {version}" for version in VERSIONS for transport in ("stdio", "http")])
def asked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """A transport and the version that the client asks for there."""
    transport, version = request.param.split()
    if version not in wire.versions(SDK):
        pytest.skip(f"{SDK} does not speak {version}")
    connections.ask_for(monkeypatch, version)
    return transport, version


def test_the_sdk_s_own_client_and_the_generated_one(asked: tuple[str, str], served: Served) -> None:
    transport, version = asked
    target: Any = served.url if transport == "http" else wire.command(SDK, served.folder, "stdio")
    connect = connections.open_mcp2 if get_row(SDK).is_modern else connections.open_mcp1
    if SDK == "dedalus" and transport == "http" and version == wire.versions(SDK)[-1]:
        connect = connections.open_dedalus  # it names its newest version in a header whatever it asks for
    asyncio.run(_exchange(connect(target, version), served, version))


async def _exchange(opening: Any, served: Served, version: str) -> None:
    async with opening as (client, session):
        listed = await session.list_tools()
        by_name = {tool.name: connections.dump(tool) for tool in listed.tools}
        for package in served.packages:
            for tool in package.list_tools(version):
                assert same(by_name[tool["name"]], tool), tool["name"]
        connected = await importlib.import_module("harbour.client").connect(
            client, **({} if SDK in ("mcp", "fastmcp") else {"protocol": version})
        )
        assert connected.contract.changed == connected.contract.missing == ()
        assert set(connected.contract.new) == {*served.pilotage.TOOLS, "turn_to"}
        methods = get_package(importlib.import_module("harbour")).tool_attributes
        for turn in range(2):
            await session.call_tool("turn_to", {"turn": turn})
            for name in served.example.TOOLS:
                arguments, created = arguments_of(served.example, name), instance(served.example, name, turn)
                result = connections.dump(await session.call_tool(name, arguments))
                assert same(unstamped(result, version), created.to_wire(protocol=version)), (name, turn)
                if version < "2025-06-18" and not _says_it_all(served.example, name, created):
                    continue
                call = getattr(connected, methods[name])
                assert await call(**connections.by_name(served.example, name, call, arguments)) == created, (name, turn)


def _says_it_all(package: Any, name: str, instance: Any) -> bool:
    """Return whether the content alone, which is all that the oldest versions have, holds the value."""
    try:
        read = type(instance).from_call_tool_result(instance.to_wire(protocol="2024-11-05"))
    except ValueError:
        return False
    return bool(read == instance)


def test_the_server_refuses_in_words_that_the_generated_client_raises(served: Served) -> None:
    connect = connections.open_mcp2 if get_row(SDK).is_modern else connections.open_mcp1

    async def exchange() -> None:
        async with connect(served.url, VERSIONS[-1] if SDK in ("mcp", "fastmcp") else VERSIONS[-2]) as (client, _):
            connected = await importlib.import_module("pilotage.client").connect(client)
            with pytest.raises(served.pilotage.ToolCallError, match=harbour.REFUSAL):
                await connected.refuse_pilot()
            assert (await connected.pilots_on_duty(watches=2)).root == [7, 7]

    asyncio.run(exchange())
