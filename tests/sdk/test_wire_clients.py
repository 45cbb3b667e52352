"""Each SDK's own client, and the generated one over it, against the example's server, at every protocol version."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import inspect
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sdk import harbour, wire
from sdk.installed import get_row
from sdk.served import SDK, Served, arguments_of, instance, same, unstamped
from sdk.wire import MODERN, VERSIONS
from support.packages import get_package

pytestmark = [pytest.mark.skipif(SDK is None, reason="no MCP SDK is installed here"), pytest.mark.ci]


@contextlib.asynccontextmanager
async def _mcp2(target: Any, version: str) -> AsyncIterator[tuple[Any, Any]]:
    """A client of mcp 2.x or fastmcp, and its session."""
    mode = MODERN if version == MODERN else "legacy"
    if isinstance(target, list) and SDK == "fastmcp":
        transports = importlib.import_module("fastmcp.client.transports")
        target = transports.StdioTransport(target[0], target[1:], keep_alive=False)
    elif isinstance(target, list):
        target = importlib.import_module("mcp").StdioServerParameters(command=target[0], args=target[1:])
    made = importlib.import_module("fastmcp" if SDK == "fastmcp" else "mcp").Client(target, mode=mode)
    async with made as client:
        yield client, client.session


@contextlib.asynccontextmanager
async def _mcp1(target: Any, version: str) -> AsyncIterator[tuple[Any, Any]]:
    """A session of mcp 1.x, which dedalus-mcp's client is as well."""
    mcp = importlib.import_module("mcp")
    if isinstance(target, list):
        parameters = mcp.StdioServerParameters(command=target[0], args=target[1:])
        streams = importlib.import_module("mcp.client.stdio").stdio_client(parameters)
    else:
        streams = importlib.import_module("mcp.client.streamable_http").streamable_http_client(target)
    async with streams as (read, write, *_), mcp.ClientSession(read, write) as session:
        await session.initialize()
        yield session, session


@contextlib.asynccontextmanager
async def _dedalus(target: Any, version: str) -> AsyncIterator[tuple[Any, Any]]:
    client_type = importlib.import_module("dedalus_mcp.client").MCPClient
    async with await client_type.connect(target) as client:
        yield client, client.session


def _asking_for(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    """Have the SDK's client ask for a version that it speaks, in place of its newest."""
    if not get_row(SDK).is_modern:
        monkeypatch.setattr("mcp.types.LATEST_PROTOCOL_VERSION", version)
    elif version != MODERN:
        monkeypatch.setattr("mcp.client.session.LATEST_HANDSHAKE_VERSION", version)


@pytest.fixture(params=[f"{transport} {version}" for version in VERSIONS for transport in ("stdio", "http")])
def asked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """A transport and the version that the client asks for there."""
    transport, version = request.param.split()
    if version not in wire.versions(SDK):
        pytest.skip(f"{SDK} does not speak {version}")
    _asking_for(monkeypatch, version)
    return transport, version


def test_the_sdk_s_own_client_and_the_generated_one(asked: tuple[str, str], served: Served) -> None:
    transport, version = asked
    target: Any = served.url if transport == "http" else wire.command(SDK, served.folder, "stdio")
    connect = _mcp2 if get_row(SDK).is_modern else _mcp1
    if SDK == "dedalus" and transport == "http" and version == wire.versions(SDK)[-1]:
        connect = _dedalus  # it names its newest version in a header whatever it asks for
    asyncio.run(_exchange(connect(target, version), served, version))


async def _exchange(opening: Any, served: Served, version: str) -> None:
    async with opening as (client, session):
        listed = await session.list_tools()
        by_name = {tool.name: _dump(tool) for tool in listed.tools}
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
                result = _dump(await session.call_tool(name, arguments))
                assert same(unstamped(result, version), created.to_wire(protocol=version)), (name, turn)
                if version < "2025-06-18" and not _says_it_all(served.example, name, created):
                    continue
                call = getattr(connected, methods[name])
                assert await call(**_by_name(served.example, name, call, arguments)) == created, (name, turn)


def _dump(model: Any) -> Any:
    return model.model_dump(by_alias=True, mode="json", exclude_unset=True)


def _says_it_all(package: Any, name: str, instance: Any) -> bool:
    """Return whether the content alone, which is all that the oldest versions have, holds the value."""
    try:
        read = type(instance).from_call_tool_result(instance.to_wire(protocol="2024-11-05"))
    except ValueError:
        return False
    return bool(read == instance)


def _by_name(package: Any, name: str, call: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments by the Python names of the client's parameters."""
    cls = package.ARGUMENT_TYPES[name]
    instance = cls.model_validate(arguments, by_alias=True, by_name=False)
    members = {field: getattr(instance, field) for field in instance.model_fields_set & set(cls.model_fields)}
    extras = dict(instance.model_extra or {})
    return {**members, **({"extras": extras} if extras and "extras" in inspect.signature(call).parameters else {})}


def test_the_server_refuses_in_words_that_the_generated_client_raises(served: Served) -> None:
    connect = _mcp2 if get_row(SDK).is_modern else _mcp1

    async def exchange() -> None:
        async with connect(served.url, VERSIONS[-1] if SDK in ("mcp", "fastmcp") else VERSIONS[-2]) as (client, _):
            connected = await importlib.import_module("pilotage.client").connect(client)
            with pytest.raises(served.pilotage.ToolCallError, match=harbour.REFUSAL):
                await connected.refuse_pilot()
            assert (await connected.pilots_on_duty(watches=2)).root == [7, 7]

    asyncio.run(exchange())
