"""Typed clients over sessions of the official SDK, mcp 1.x."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeAlias, TypeVar

from mcp import types
from mcp.client.session import ClientSession
from pydantic import AnyUrl, BaseModel

from .. import client
from ..client import CallOptions, Connected, MessageHandler
from ..client import Contract as Contract
from ..client import Pin as Pin
from ..client import PromptClient as PromptClient
from ..client import ResourceClient as ResourceClient
from ..descriptors import RawResourceReader as RawResourceReader
from ..descriptors import RawToolCaller as RawToolCaller
from .internals import wrap_message_handler

Connection: TypeAlias = ClientSession | Connected[ClientSession]
"""An open session, or a client that has one."""
_ResultT = TypeVar("_ResultT", bound=BaseModel)


class Session(client.Session[ClientSession]):
    """Lists and calls tools over a connection; results are not checked against the server's schemas.

    Its methods raise `mcp.shared.exceptions.McpError` if the server answers with a protocol error.
    """

    _session_class = ClientSession

    def _wrap_message_handler(self, session: ClientSession, wrap: Callable[[MessageHandler], MessageHandler]) -> None:
        wrap_message_handler(session, wrap)

    async def _list_page(self, cursor: str | None) -> tuple[list[Any], str | None]:
        params = None if cursor is None else types.PaginatedRequestParams(cursor=cursor)
        page = await self._session.list_tools(params=params)
        return [*page.tools], page.nextCursor

    async def call(self, tool: str, arguments: dict[str, Any], options: CallOptions) -> types.CallToolResult:
        """Call a tool; see `client.Session`."""
        params = types.CallToolRequestParams(name=tool, arguments=arguments, **options.meta_member)
        return await self._send(types.CallToolRequest(params=params), types.CallToolResult, options)

    async def read(self, uri: str, options: CallOptions) -> types.ReadResourceResult:
        """Read a resource; see `client.Session`."""
        params = types.ReadResourceRequestParams(uri=AnyUrl(uri), **options.meta_member)
        return await self._send(types.ReadResourceRequest(params=params), types.ReadResourceResult, options)

    async def get_prompt(self, name: str, arguments: dict[str, str], options: CallOptions) -> types.GetPromptResult:
        """Get a prompt; see `client.Session`."""
        params = types.GetPromptRequestParams(name=name, arguments=arguments, **options.meta_member)
        return await self._send(types.GetPromptRequest(params=params), types.GetPromptResult, options)

    async def _send(self, request: Any, form: type[_ResultT], options: CallOptions) -> _ResultT:
        timeout = None if options.timeout is None else timedelta(seconds=options.timeout)
        callback = options.progress_callback
        return await self._session.send_request(types.ClientRequest(request), form, timeout, progress_callback=callback)


class ToolClient(client.ToolClient[Connection]):
    """Calls tools by name over a session of mcp 1.x: base of the generated `Client`.

        client = await Client.connect(session)
        result = await client.get_weather(city="Oslo")

    A call has the parameters of the tool, by name, and returns an instance of its result class. It raises:

    - `pydantic.ValidationError` if the arguments do not fit; nothing was sent then
    - `ToolCallError` if the result has `isError`
    - `ResultError` if the result violates the outputSchema
    - `ToolChangedError` if the tool does not match the pin
    - `mcp.shared.exceptions.McpError` if the server answers with a protocol error
    """

    @staticmethod
    def _make_session(connection: Connection) -> Session:
        return Session(connection)
