"""A raw JSON-RPC client over stdio and Streamable HTTP, the same for every server, that reads no more than it must."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import socket
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol, TypeAlias

VERSION = "2025-11-25"
"""The newest protocol version that every SDK speaks."""
LIMIT = 1 << 26
PATIENCE, IDLE = 60.0, 2.0
"""Seconds that a start may take; that a connection may have been idle and is used again."""
_ID = re.compile(rb'"id":\s*(\d+)')


class Line(Protocol):
    """A way to a server."""

    async def ask(self, body: bytes, number: int) -> bytes:
        """Return the answer to a request as it came: with `data:` before it where that is an event."""
        ...

    async def tell(self, body: bytes) -> None:
        """Send a notification."""
        ...


class Client:
    """A session of MCP with a server."""

    def __init__(self, line: Line, process: int) -> None:
        self._line, self.process = line, process
        self._numbers = itertools.count(1)

    async def request(self, method: str, params: Mapping[str, Any]) -> Any:
        """Return the result of a request.

        Raises:
            RuntimeError: it is an error.
        """
        answer = json.loads(await self.raw(_prepare_request(method, params)))
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["result"]

    async def raw(self, prepared: bytes) -> bytes:
        """Return the answer to what `call` prepared, as JSON text."""
        number = next(self._numbers)
        answer = await self._line.ask(b'{"jsonrpc":"2.0","id":%d,%b' % (number, prepared), number)
        return answer if answer.startswith(b"{") else get_last_data(answer)

    async def begin(self) -> None:
        """Introduce itself."""
        about = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "benchmarks", "version": "1"}}
        await self.request("initialize", about)
        await self._line.tell(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')


Opened: TypeAlias = AbstractAsyncContextManager[Client]


def call(tool: str, arguments: Mapping[str, Any]) -> bytes:
    """A call of a tool, but for the beginning with its number."""
    return _prepare_request("tools/call", {"name": tool, "arguments": dict(arguments)})


def _prepare_request(method: str, params: Mapping[str, Any]) -> bytes:
    return json.dumps({"method": method, "params": params}).encode()[1:]


def get_last_data(events: bytes) -> bytes:
    """Return the last event's data, whose answer it is: a response comes last."""
    lines = [line for line in events.splitlines() if line.startswith(b"data:")]
    return lines[-1][5:].strip()


# --- stdio -----------------------------------------------------------------------------------------------------------
class StdioLine:
    """The lines of a process."""

    def __init__(self, out: asyncio.StreamReader, into: asyncio.StreamWriter) -> None:
        self._out, self._into = out, into
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self.reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        while line := await self._out.readline():
            match = _ID.search(line, 0, 200)
            if match and (future := self._waiting.pop(int(match[1]), None)):
                future.set_result(line)
        for future in self._waiting.values():
            future.set_exception(EOFError("the server is gone"))

    async def ask(self, body: bytes, number: int) -> bytes:
        """Return the line that answers."""
        future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        await self.tell(body)
        return await future

    async def tell(self, body: bytes) -> None:
        """Write a line."""
        self._into.write(body + b"\n")
        await self._into.drain()


@asynccontextmanager
async def connect_stdio(command: Sequence[str], variables: Mapping[str, str], log: Path) -> AsyncIterator[Client]:
    """A client of a process that it starts."""
    pipe = asyncio.subprocess.PIPE
    with log.open("ab") as errors:
        process = await asyncio.create_subprocess_exec(
            *command, "stdio", stdin=pipe, stdout=pipe, stderr=errors, env=dict(variables), limit=LIMIT
        )
    assert process.stdin is not None
    assert process.stdout is not None
    line = StdioLine(process.stdout, process.stdin)
    try:
        client = Client(line, process.pid)
        await asyncio.wait_for(client.begin(), PATIENCE)
        yield client
    finally:
        process.stdin.close()
        await _end_process(process)
        await line.reading


async def _end_process(process: asyncio.subprocess.Process) -> None:
    try:
        await asyncio.wait_for(process.wait(), 5)
    except TimeoutError:
        process.kill()
        await process.wait()


# --- Streamable HTTP -------------------------------------------------------------------------------------------------
class HttpLine:
    """Connections to a server that are kept, one for each request in flight."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter, float]] = []
        self._headers = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\n"
        ).encode()

    async def ask(self, body: bytes, number: int) -> bytes:
        """Return the body of the response."""
        out, into = await self._connection()
        into.write(b"%bContent-Length: %d\r\n\r\n%b" % (self._headers, len(body), body))
        head = (await out.readuntil(b"\r\n\r\n")).lower()
        said = await read_body(out, head)
        self._free.append((out, into, time.monotonic()))
        if b'"initialize"' in body:
            self._begin(head)
        return said

    async def _connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """One that was in use a moment ago, or a new one: servers close those that are idle."""
        while self._free:
            out, into, used = self._free.pop()
            if time.monotonic() - used < IDLE:
                return out, into
            into.close()
        return await asyncio.open_connection("127.0.0.1", self._port, limit=LIMIT)

    async def tell(self, body: bytes) -> None:
        """Send a message that has no answer."""
        await self.ask(body, 0)

    def _begin(self, head: bytes) -> None:
        """Remember what every later request of the session has to say."""
        self._headers += f"MCP-Protocol-Version: {VERSION}\r\n".encode()
        if match := re.search(rb"mcp-session-id: *(\S+)", head):
            self._headers += b"Mcp-Session-Id: %b\r\n" % match[1]

    def close(self) -> None:
        """Close what is open."""
        for _, into, _ in self._free:
            into.close()


async def read_body(out: asyncio.StreamReader, head: bytes) -> bytes:
    """Return the body of a response whose head, in lower case, has been read."""
    if match := re.search(rb"content-length: *(\d+)", head):
        return await out.readexactly(int(match[1]))
    if b"transfer-encoding: chunked" not in head:
        return b""
    parts: list[bytes] = []
    while size := int((await out.readline()).split(b";")[0], 16):
        parts.append((await out.readexactly(size + 2))[:-2])
    await out.readline()
    return b"".join(parts)


@asynccontextmanager
async def connect_http(command: Sequence[str], variables: Mapping[str, str], log: Path) -> AsyncIterator[Client]:
    """A client of a server process that it starts at a port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    with log.open("ab") as out:
        process = await asyncio.create_subprocess_exec(
            *command, str(port), stdin=asyncio.subprocess.DEVNULL, stdout=out, stderr=out, env=dict(variables)
        )
    line = HttpLine(port)
    try:
        await asyncio.wait_for(_wait_for_port(port), PATIENCE)
        client = Client(line, process.pid)
        await asyncio.wait_for(client.begin(), PATIENCE)
        yield client
    finally:
        line.close()
        process.terminate()
        await _end_process(process)


async def _wait_for_port(port: int) -> None:
    while True:
        try:
            _, into = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.1)
        else:
            into.close()
            return
