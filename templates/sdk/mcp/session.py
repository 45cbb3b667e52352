"""Adapt a session of the official SDK, mcp 2.x, to typed clients."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, cast

from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types import (
    HEADER_MISMATCH,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    InputResponses,
    PaginatedRequestParams,
)
from pydantic import TypeAdapter

PAGES = 1000
"""Maximum pages of a listing; a server with more is assumed never to end."""
_ANSWER: TypeAdapter[CallToolResult | InputRequiredResult] = TypeAdapter(
    CallToolResult | InputRequiredResult
)


class Connected(Protocol):
    """A client that has a session: mcp's own `Client`, or fastmcp's."""

    @property
    def session(self) -> ClientSession: ...


Connection: TypeAlias = ClientSession | Connected


class Session:
    """Lists and calls tools over a connection; results are not checked against the server's schemas."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._session = connection if isinstance(connection, ClientSession) else connection.session

    @property
    def protocol(self) -> str | None:
        """Protocol version of the session."""
        return self._session.protocol_version

    async def tools(self) -> list[dict[str, Any]]:
        """Return all tools of the server in wire form.

        Raises:
            RuntimeError: the listing does not end.
        """
        listed: list[dict[str, Any]] = []
        params: PaginatedRequestParams | None = None
        for _ in range(PAGES):
            page = await self._session.list_tools(params=params)
            listed += [
                tool.model_dump(by_alias=True, mode="json", exclude_none=True)
                for tool in page.tools
            ]
            if page.next_cursor is None:
                return listed
            params = PaginatedRequestParams(cursor=page.next_cursor)
        raise RuntimeError(f"the server's list of tools goes on after {PAGES} pages")

    async def call(
        self, tool: str, arguments: dict[str, Any], timeout: float | None
    ) -> CallToolResult:
        """Call a tool. If it asks for input, the SDK's client answers and continues.

        Args:
            tool: its name.
            arguments: its arguments, a JSON object.
            timeout: seconds that the call may take; None: the session's own.

        Raises:
            mcp.shared.exceptions.MCPError: the server answered with a protocol error.
            RuntimeError: it asks for input, but the connection is a session without a client.
        """

        async def send(
            responses: InputResponses | None = None, state: str | None = None
        ) -> CallToolResult | InputRequiredResult:
            params = CallToolRequestParams(
                name=tool, arguments=arguments, input_responses=responses, request_state=state
            )
            request = CallToolRequest(params=params)
            try:
                return await self._session.send_request(request, _ANSWER, timeout)
            except MCPError as error:
                if error.error.code != HEADER_MISMATCH:
                    raise
            await self.tools()  # the listing tells which arguments also go into headers
            return await self._session.send_request(request, _ANSWER, timeout)

        result = await send()
        if isinstance(result, CallToolResult):
            return result
        drive = getattr(self._connection, "_drive_input_required", None)
        if drive is None:
            raise RuntimeError(f"{tool} asks for input: connect a client, not its session")
        return cast(CallToolResult, await drive(result, send))
