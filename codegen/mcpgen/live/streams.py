"""What the transports of both SDK generations have in common: two streams of messages, one process, one HTTP client."""

from __future__ import annotations

import importlib
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TextIO

from mcpgen.json_types import Json
from mcpgen.live.errors import CannotAsk
from mcpgen.live.secrets import Access
from mcpgen.live.session import Ended, Nonsense, Wire
from mcpgen.live.source import Command, Url


@dataclass
class Seen:
    """What a transport noticed on the way: the server's standard error, and how HTTP answered the last request."""

    stderr: TextIO
    status: int = 0
    content_type: str = ""


class Generation(Protocol):
    """The transports of one generation of the SDK; each gives an open `Wire`."""

    name: str
    knows_discovery: bool

    def stdio(self, command: Command, access: Access, seen: Seen) -> AbstractAsyncContextManager[Wire]:
        """A process that serves on its standard streams."""
        ...

    def http(self, url: Url, access: Access, seen: Seen) -> AbstractAsyncContextManager[Wire]:
        """A Streamable HTTP endpoint."""
        ...

    def memory(self, server: Any) -> AbstractAsyncContextManager[Wire]:
        """A server object of this process."""
        ...


@dataclass
class Streams:
    """The two streams of a transport as a `Wire`."""

    read: Any
    write: Any
    encode: Callable[[dict[str, Json], dict[str, str]], Any]
    decode: Callable[[Any], dict[str, Json]]
    _closed: tuple[type[BaseException], ...] = field(init=False)

    def __post_init__(self) -> None:
        anyio: Any = importlib.import_module("anyio")
        self._closed = (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError)

    async def send(self, message: dict[str, Json], headers: dict[str, str]) -> None:
        """Send a message; `Ended` when the other side is gone."""
        try:
            await self.write.send(self.encode(message, headers))
        except self._closed:
            raise Ended from None

    async def receive(self) -> dict[str, Json] | Nonsense:
        """The next message; `Ended` when there is none to come."""
        try:
            item = await self.read.receive()
        except self._closed:
            raise Ended from None
        return Nonsense(_said(item)) if isinstance(item, BaseException) else self.decode(item.message)


def _said(error: BaseException) -> str:
    """The text that could not be read as a message, as far as the error holds it."""
    errors: Any = getattr(error, "errors", None)
    if not callable(errors):
        return ""
    found: Any = errors()
    given: Any = found[0].get("input") if found else ""
    return given if isinstance(given, str) else ""


def parameters(stdio: Any, command: Command, access: Access) -> Any:
    """How the SDK starts a process: with the few variables that it passes on by itself, and the given ones."""
    env = {**stdio.get_default_environment(), **access.env}
    return stdio.StdioServerParameters(command=command.words[0], args=list(command.words[1:]), env=env)


@asynccontextmanager
async def http_client(module: str, access: Access, seen: Seen) -> AsyncGenerator[Any]:
    """An HTTP client that sends the headers and notes how requests are answered."""
    httpx: Any = importlib.import_module(module)

    async def note(response: Any) -> None:
        if response.request.method == "POST":
            seen.status, seen.content_type = response.status_code, response.headers.get("content-type", "")

    timeout = httpx.Timeout(30, read=None)
    async with httpx.AsyncClient(headers=dict(access.headers), timeout=timeout, event_hooks={"response": [note]}) as it:
        yield it


@asynccontextmanager
async def memory_streams(server: Any, memory: Any) -> AsyncGenerator[tuple[Any, Any]]:
    """The client's ends of streams to a server object, which runs as long as they are open.

    fastmcp wants its lifespan around the server's task.
    """
    anyio: Any = importlib.import_module("anyio")
    low = low_level(server)
    lifespan = getattr(server, "_lifespan_manager", None)
    async with memory.create_client_server_memory_streams() as ((read, write), (server_read, server_write)):

        async def serve() -> None:
            try:
                await low.run(server_read, server_write, low.create_initialization_options())
            finally:
                await server_write.aclose()

        async with _entered(lifespan), anyio.create_task_group() as tasks:
            tasks.start_soon(serve)
            try:
                yield read, write
            finally:
                tasks.cancel_scope.cancel()


@asynccontextmanager
async def _entered(lifespan: Any) -> AsyncGenerator[None]:
    if not callable(lifespan):
        yield
        return
    manager: Any = lifespan()
    async with manager:
        yield


def low_level(server: Any) -> Any:
    """The low-level server inside of a server object of any SDK.

    Raises:
        CannotAsk: the object is no server.
    """
    for name in ("_lowlevel_server", "_mcp_server"):
        server = getattr(server, name, server)
    if not (hasattr(server, "create_initialization_options") and callable(getattr(server, "run", None))):
        help = "name an MCPServer, FastMCP or low-level Server, or a function without arguments that makes one"
        raise CannotAsk("MG703", f"what is there is no MCP server, but of the type {type(server).__name__}", help)
    return server
