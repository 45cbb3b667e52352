"""Adapt a session of the official SDK, mcp 1.x, to typed clients."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Protocol, TypeAlias

from mcp import types
from mcp.client.session import ClientSession

PAGES = 1000
"""Maximum pages of a listing; a server with more is assumed never to end."""


class Connected(Protocol):
    """A client that has a session."""

    @property
    def session(self) -> ClientSession: ...


Connection: TypeAlias = ClientSession | Connected


class Session:
    """Lists and calls tools over a connection; results are not checked against the server's schemas."""

    def __init__(self, connection: Connection) -> None:
        self._session = connection if isinstance(connection, ClientSession) else connection.session

    @property
    def protocol(self) -> str | None:
        """Protocol version of the session, which mcp 1.x does not keep."""
        return None

    async def tools(self) -> list[dict[str, Any]]:
        """Return all tools of the server in wire form.

        Raises:
            RuntimeError: the listing does not end.
        """
        listed: list[dict[str, Any]] = []
        params: types.PaginatedRequestParams | None = None
        for _ in range(PAGES):
            page = await self._session.list_tools(params=params)
            listed += [
                tool.model_dump(by_alias=True, mode="json", exclude_none=True)
                for tool in page.tools
            ]
            if page.nextCursor is None:
                return listed
            params = types.PaginatedRequestParams(cursor=page.nextCursor)
        raise RuntimeError(f"the server's list of tools goes on after {PAGES} pages")

    async def call(
        self, tool: str, arguments: dict[str, Any], timeout: float | None
    ) -> types.CallToolResult:
        """Call a tool.

        Args:
            tool: its name.
            arguments: its arguments, a JSON object.
            timeout: seconds that the call may take; None: the session's own.

        Raises:
            mcp.shared.exceptions.McpError: the server answered with a protocol error.
        """
        seconds = None if timeout is None else timedelta(seconds=timeout)
        params = types.CallToolRequestParams(name=tool, arguments=arguments)
        request = types.ClientRequest(types.CallToolRequest(params=params))
        return await self._session.send_request(request, types.CallToolResult, seconds)
