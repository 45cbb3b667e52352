"""What a typed client raises when a server ends during a call, over each transport, as docs/guides/errors.md says."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import sys
from pathlib import Path
from typing import Any

import pytest
from sdk import wire
from sdk.installed import is_installed
from support.packages import package, tool

pytestmark = [pytest.mark.ci, pytest.mark.skipif(not is_installed("mcp"), reason="mcp 2.x is not installed here")]
SERVER = """
import os, sys
from mcp.server.mcpserver import MCPServer

server = MCPServer("lost")

@server.tool()
async def end() -> dict[str, str]:
    os._exit(1)

@server.tool()
async def say() -> dict[str, str]:
    return {"text": "here"}

if sys.argv[1] == "stdio":
    server.run()
else:
    server.run("streamable-http", port=int(sys.argv[1]))
"""
SAY = {"type": "object", "properties": {"text": {"type": "string"}}}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    tools = [tool("end"), tool("say", SAY)]
    return package(tmp_path_factory.mktemp("lost"), tools, "--sdk", "mcp")


@pytest.fixture
def server(tmp_path: Path) -> Path:
    path = tmp_path / "lost_server.py"
    path.write_text(SERVER, "utf-8")
    return path


def open_client(target: Any) -> Any:
    if isinstance(target, list):
        target = importlib.import_module("mcp").StdioServerParameters(command=target[0], args=target[1:])
    return importlib.import_module("mcp.client").Client(target)


def test_over_stdio_the_call_raises(generated: Any, server: Path) -> None:
    error = importlib.import_module("mcp.shared.exceptions").MCPError

    async def use() -> None:
        async with open_client([sys.executable, str(server), "stdio"]) as session:
            client = await generated.connect(session)
            with pytest.raises(error) as caught:
                await client.end()
            assert caught.value.error.code == -32000

    asyncio.run(use())


def test_over_http_the_block_of_the_client_ends(generated: Any, server: Path, tmp_path: Path) -> None:
    calls, errors = list[str](), list[str]()

    async def use(url: str) -> None:
        for name in ("end", "never opened"):
            try:
                async with open_client(url) as session:
                    client = await generated.connect(session)
                    try:
                        await client.end()
                    except asyncio.CancelledError:
                        calls.append("cancelled")
                        raise
            except* Exception as group:
                errors.extend(f"{name}: {type(error).__name__}" for error in group.exceptions)

    with wire.http(lambda port: [sys.executable, str(server), port], tmp_path / "log") as url:
        asyncio.run(use(url))
    assert calls == ["cancelled"]
    assert errors == ["end: RemoteProtocolError", "never opened: ConnectError"]


def test_servers_in_tasks_of_their_own_go_on(generated: Any, server: Path, tmp_path: Path) -> None:
    async def use(target: Any, name: str) -> str:
        async with open_client(target) as session:
            client = await generated.connect(session)
            with contextlib.suppress(Exception):
                await getattr(client, name)()
            return str((await client.say()).text)

    async def use_both(url: str) -> list[Any]:
        healthy = use([sys.executable, str(server), "stdio"], "say")
        return [*await asyncio.gather(use(url, "end"), healthy, return_exceptions=True)]

    with wire.http(lambda port: [sys.executable, str(server), port], tmp_path / "log") as url:
        lost, healthy = asyncio.run(use_both(url))
    assert isinstance(lost, ExceptionGroup)
    assert healthy == "here"
