"""Adapt a session of the official SDK, mcp 1.x, to typed clients."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Protocol, TypeAlias

from mcp import types
from mcp.client.session import ClientSession
from pydantic import AnyUrl

from ..call_options import CallOptions, SessionWatch

PAGES = 1000
"""Maximum pages of a listing; a server with more pages probably never ends it."""


class Connected(Protocol):
    """A client that has a session."""

    @property
    def session(self) -> ClientSession: ...


Connection: TypeAlias = ClientSession | Connected


class Session:
    """Lists and calls tools over a connection; results are not checked against the server's schemas."""

    def __init__(self, connection: Connection) -> None:
        if not isinstance(connection, ClientSession) and not hasattr(connection, "session"):
            raise TypeError(
                f"connect takes an open client or session of the SDK, not {type(connection).__name__}: "
                "open it with `async with … as client`, and pass the client"
            )
        self._connection = connection
        self._watch = SessionWatch()
        self._watch.watch(self._session)

    @property
    def _session(self) -> ClientSession:
        """The session that the connection has now: one that reconnects gets another."""
        connection = self._connection
        return connection if isinstance(connection, ClientSession) else connection.session

    def take_change(self) -> bool:
        """Return whether the session is another one, or the server said that its tools have changed, since last asked."""
        self._watch.watch(self._session)
        return self._watch.take_change()

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
            listed += [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in page.tools]
            if page.nextCursor is None:
                return listed
            params = types.PaginatedRequestParams(cursor=page.nextCursor)
        raise RuntimeError(f"the server's list of tools goes on after {PAGES} pages")

    async def call(self, tool: str, arguments: dict[str, Any], options: CallOptions) -> types.CallToolResult:
        """Call a tool.

        Args:
            tool: its name.
            arguments: its arguments, a JSON object.
            options: of the call.

        Raises:
            mcp.shared.exceptions.McpError: the server answered with a protocol error.
        """
        params = types.CallToolRequestParams(name=tool, arguments=arguments, **_make_meta(options))
        request = types.ClientRequest(types.CallToolRequest(params=params))
        return await self._session.send_request(
            request,
            types.CallToolResult,
            _get_timeout(options),
            progress_callback=options.progress_callback,
        )

    async def read(self, uri: str, options: CallOptions) -> types.ReadResourceResult:
        """Read a resource.

        Args:
            uri: its URI.
            options: of the read.

        Raises:
            mcp.shared.exceptions.McpError: the server answered with a protocol error.
        """
        params = types.ReadResourceRequestParams(uri=AnyUrl(uri), **_make_meta(options))
        request = types.ClientRequest(types.ReadResourceRequest(params=params))
        return await self._session.send_request(
            request,
            types.ReadResourceResult,
            _get_timeout(options),
            progress_callback=options.progress_callback,
        )

    async def get_prompt(self, name: str, arguments: dict[str, str], options: CallOptions) -> types.GetPromptResult:
        """Get a prompt.

        Args:
            name: its name.
            arguments: its arguments.
            options: of the request.

        Raises:
            mcp.shared.exceptions.McpError: the server answered with a protocol error.
        """
        params = types.GetPromptRequestParams(name=name, arguments=arguments, **_make_meta(options))
        request = types.ClientRequest(types.GetPromptRequest(params=params))
        return await self._session.send_request(
            request,
            types.GetPromptResult,
            _get_timeout(options),
            progress_callback=options.progress_callback,
        )


def _get_timeout(options: CallOptions) -> timedelta | None:
    return None if options.timeout is None else timedelta(seconds=options.timeout)


def _make_meta(options: CallOptions) -> dict[str, Any]:
    """Return the `_meta` of a request as a member of its parameters; an empty dict if there is none."""
    return {} if options.meta is None else {"_meta": dict(options.meta)}
