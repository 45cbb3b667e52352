"""Typed clients over sessions of the official SDK, mcp 2.x."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types import (
    HEADER_MISMATCH,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequest,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    InputResponses,
    PaginatedRequestParams,
    ReadResourceRequest,
    ReadResourceRequestParams,
    ReadResourceResult,
    Request,
)
from pydantic import BaseModel, TypeAdapter

from .. import client
from ..client import CallOptions, Connected, MessageHandler
from ..client import Contract as Contract
from ..client import Pin as Pin
from ..client import PromptClient as PromptClient
from ..client import ResourceClient as ResourceClient
from ..descriptors import RawResourceReader as RawResourceReader
from ..descriptors import RawToolCaller as RawToolCaller
from .internals import get_input_driver, wrap_message_handler

Connection: TypeAlias = ClientSession | Connected[ClientSession]
"""An open session, or a client that has one: mcp's own `Client`, or fastmcp's."""
_ANSWER: TypeAdapter[CallToolResult | InputRequiredResult] = TypeAdapter(CallToolResult | InputRequiredResult)


_ResultT = TypeVar("_ResultT", bound=BaseModel)


class Session(client.Session[ClientSession]):
    """Lists and calls tools over a connection; results are not checked against the server's schemas.

    Its methods raise `mcp.shared.exceptions.MCPError` if the server answers with a protocol error.
    """

    _session_class = ClientSession

    @property
    def protocol(self) -> str | None:
        """Protocol version of the session."""
        return self._session.protocol_version

    def _wrap_message_handler(self, session: ClientSession, wrap: Callable[[MessageHandler], MessageHandler]) -> None:
        wrap_message_handler(session, wrap)

    async def _list_page(self, cursor: str | None) -> tuple[list[Any], str | None]:
        params = None if cursor is None else PaginatedRequestParams(cursor=cursor)
        page = await self._session.list_tools(params=params)
        return [*page.tools], page.next_cursor

    async def call(self, tool: str, arguments: dict[str, Any], options: CallOptions) -> CallToolResult:
        """Call a tool; see `client.Session`. If it asks for input, the SDK's client answers and continues."""

        async def send(
            responses: InputResponses | None = None, state: str | None = None
        ) -> CallToolResult | InputRequiredResult:
            params = CallToolRequestParams(
                name=tool, arguments=arguments, input_responses=responses, request_state=state, **options.meta_member
            )
            request = CallToolRequest(params=params)
            try:
                return await self._send(request, _ANSWER, options)
            except MCPError as error:
                if error.error.code != HEADER_MISMATCH:
                    raise
            await self.tools()  # the listing tells which arguments also go into headers
            return await self._send(request, _ANSWER, options)

        result = await send()
        if isinstance(result, CallToolResult):
            return result
        if self._connection is self._session or not hasattr(self._connection, "call_tool"):
            raise RuntimeError(f"{tool} asks for input: connect a client, not its session")
        return cast(CallToolResult, await get_input_driver(self._connection)(result, send))

    async def read(self, uri: str, options: CallOptions) -> ReadResourceResult:
        """Read a resource; see `client.Session`."""
        params = ReadResourceRequestParams(uri=uri, **options.meta_member)
        return await self._send(ReadResourceRequest(params=params), ReadResourceResult, options)

    async def get_prompt(self, name: str, arguments: dict[str, str], options: CallOptions) -> GetPromptResult:
        """Get a prompt; see `client.Session`."""
        params = GetPromptRequestParams(name=name, arguments=arguments, **options.meta_member)
        return await self._send(GetPromptRequest(params=params), GetPromptResult, options)

    async def _send(
        self, request: Request[Any, Any], form: type[_ResultT] | TypeAdapter[_ResultT], options: CallOptions
    ) -> _ResultT:
        return await self._session.send_request(
            request, form, options.timeout, progress_callback=options.progress_callback
        )


class ToolClient(client.ToolClient[Connection]):
    """Calls tools by name over a session of mcp 2.x: base of the generated `Client`.

        client = await Client.connect(session)
        result = await client.get_weather(city="Oslo")

    A call has the parameters of the tool, by name, and returns an instance of its result class. It raises:

    - `pydantic.ValidationError` if the arguments do not fit; nothing was sent then
    - `ToolCallError` if the result has `isError`
    - `ResultError` if the result violates the outputSchema
    - `ToolChangedError` if the tool does not match the pin
    - `mcp.shared.exceptions.MCPError` if the server answers with a protocol error
    """

    @staticmethod
    def _make_session(connection: Connection) -> Session:
        return Session(connection)
