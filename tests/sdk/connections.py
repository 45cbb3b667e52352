"""Connections of each SDK's own client to a server, at a protocol version, and what goes into the generated client."""

from __future__ import annotations

import contextlib
import importlib
import inspect
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sdk import installed
from sdk.installed import get_row
from sdk.wire import MODERN

SDK: Any = installed.SDK


@contextlib.asynccontextmanager
async def open_mcp2(target: Any, version: str, answers: Any = None) -> AsyncIterator[tuple[Any, Any]]:
    """A client of mcp 2.x or fastmcp, and its session."""
    mode = MODERN if version == MODERN else "legacy"
    if isinstance(target, list) and SDK == "fastmcp":
        transports = importlib.import_module("fastmcp.client.transports")
        target = transports.StdioTransport(target[0], target[1:], keep_alive=False)
    elif isinstance(target, list):
        target = importlib.import_module("mcp").StdioServerParameters(command=target[0], args=target[1:])
    more = {} if answers is None else {"elicitation_handler" if SDK == "fastmcp" else "elicitation_callback": answers}
    new_client = importlib.import_module("fastmcp" if SDK == "fastmcp" else "mcp").Client(target, mode=mode, **more)
    async with new_client as client:
        yield client, client.session


@contextlib.asynccontextmanager
async def open_mcp1(target: Any, version: str, answers: Any = None) -> AsyncIterator[tuple[Any, Any]]:
    """A session of mcp 1.x, which dedalus-mcp's client is as well."""
    mcp = importlib.import_module("mcp")
    if isinstance(target, list):
        parameters = mcp.StdioServerParameters(command=target[0], args=target[1:])
        streams = importlib.import_module("mcp.client.stdio").stdio_client(parameters)
    else:
        module = importlib.import_module("mcp.client.streamable_http")
        connect = "streamable_http_client" if hasattr(module, "streamable_http_client") else "streamablehttp_client"
        streams = getattr(module, connect)(target)
    async with streams as (read, write, *_), mcp.ClientSession(read, write, elicitation_callback=answers) as session:
        await session.initialize()
        yield session, session


@contextlib.asynccontextmanager
async def open_dedalus(target: Any, version: str, answers: Any = None) -> AsyncIterator[tuple[Any, Any]]:
    """A client of dedalus-mcp, which connects to URLs only, and its session."""
    client_module = importlib.import_module("dedalus_mcp.client")
    capabilities = (
        {} if answers is None else {"capabilities": client_module.ClientCapabilitiesConfig(elicitation=answers)}
    )
    async with await client_module.MCPClient.connect(target, **capabilities) as client:
        yield client, client.session


@contextlib.asynccontextmanager
async def open_fastmcp3(target: Any, version: str, answers: Any = None) -> AsyncIterator[tuple[Any, Any]]:
    """A client of fastmcp 2 or 3, and its session."""
    if isinstance(target, list):
        transports = importlib.import_module("fastmcp.client.transports")
        target = transports.StdioTransport(target[0], target[1:], keep_alive=False)
    async with importlib.import_module("fastmcp").Client(target, elicitation_handler=answers) as client:
        yield client, client.session


def open_own(target: Any, version: str, answers: Any = None) -> Any:
    """The connection of the installed SDK's own client to a URL or a command line; the callback `answers` forms."""
    if get_row(SDK).is_modern:
        return open_mcp2(target, version, answers)
    if SDK == "fastmcp3":
        return open_fastmcp3(target, version, answers)
    if SDK == "dedalus" and not isinstance(target, list):
        return open_dedalus(target, version, answers)
    return open_mcp1(target, version, answers)


def ask_for(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    """Have the SDK's client ask for a version that it speaks, in place of its newest."""
    if not get_row(SDK).is_modern:
        monkeypatch.setattr("mcp.types.LATEST_PROTOCOL_VERSION", version)
    elif version != MODERN:
        monkeypatch.setattr("mcp.client.session.LATEST_HANDSHAKE_VERSION", version)


def dump(model: Any) -> Any:
    """A model of an SDK as JSON, without what is not set."""
    return model.model_dump(by_alias=True, mode="json", exclude_unset=True)


def by_name(package: Any, name: str, call: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments by the Python names of the client's parameters."""
    cls = package.ARGUMENT_TYPES[name]
    instance = cls.model_validate(arguments, by_alias=True, by_name=False)
    values = {field: getattr(instance, field) for field in instance.model_fields_set & set(cls.model_fields)}
    extras = dict(instance.model_extra or {})
    return {**values, **({"extras": extras} if extras and "extras" in inspect.signature(call).parameters else {})}
