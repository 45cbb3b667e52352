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
    GetPromptRequest,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    InputResponses,
    PaginatedRequestParams,
    ReadResourceRequest,
    ReadResourceRequestParams,
    ReadResourceResult,
)
from pydantic import TypeAdapter

from ..call_options import CallOptions, SessionWatch

PAGES = 1000
"""Maximum pages of a listing; a server with more pages probably never ends it."""
_ANSWER: TypeAdapter[CallToolResult | InputRequiredResult] = TypeAdapter(CallToolResult | InputRequiredResult)


class Connected(Protocol):
    """A client that has a session: mcp's own `Client`, or fastmcp's."""

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
        """The connection's current session: after reconnecting, it is a new one."""
        connection = self._connection
        return connection if isinstance(connection, ClientSession) else connection.session

    def take_change(self) -> bool:
        """Return whether the session or the server's list of tools has changed since the last call of this method."""
        self._watch.watch(self._session)
        return self._watch.take_change()

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
            listed += [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in page.tools]
            if page.next_cursor is None:
                return listed
            params = PaginatedRequestParams(cursor=page.next_cursor)
        raise RuntimeError(f"the server's list of tools goes on after {PAGES} pages")

    async def call(self, tool: str, arguments: dict[str, Any], options: CallOptions) -> CallToolResult:
        """Call a tool. If it asks for input, the SDK's client answers and continues.

        Args:
            tool: its name.
            arguments: its arguments, a JSON object.
            options: of the call.

        Raises:
            mcp.shared.exceptions.MCPError: the server answered with a protocol error.
            RuntimeError: it asks for input, but the connection is a session without a client.
        """

        async def send(
            responses: InputResponses | None = None, state: str | None = None
        ) -> CallToolResult | InputRequiredResult:
            params = CallToolRequestParams(
                name=tool,
                arguments=arguments,
                input_responses=responses,
                request_state=state,
                **_make_meta(options),
            )
            request = CallToolRequest(params=params)
            try:
                return await self._session.send_request(
                    request,
                    _ANSWER,
                    options.timeout,
                    progress_callback=options.progress_callback,
                )
            except MCPError as error:
                if error.error.code != HEADER_MISMATCH:
                    raise
            await self.tools()  # the listing tells which arguments also go into headers
            return await self._session.send_request(
                request,
                _ANSWER,
                options.timeout,
                progress_callback=options.progress_callback,
            )

        result = await send()
        if isinstance(result, CallToolResult):
            return result
        drive = getattr(self._connection, "_drive_input_required", None)
        if drive is None:
            raise RuntimeError(f"{tool} asks for input: connect a client, not its session")
        return cast(CallToolResult, await drive(result, send))

    async def read(self, uri: str, options: CallOptions) -> ReadResourceResult:
        """Read a resource.

        Args:
            uri: its URI.
            options: of the read.

        Raises:
            mcp.shared.exceptions.MCPError: the server answered with a protocol error.
        """
        request = ReadResourceRequest(params=ReadResourceRequestParams(uri=uri, **_make_meta(options)))
        return await self._session.send_request(
            request,
            ReadResourceResult,
            options.timeout,
            progress_callback=options.progress_callback,
        )

    async def get_prompt(self, name: str, arguments: dict[str, str], options: CallOptions) -> GetPromptResult:
        """Get a prompt.

        Args:
            name: its name.
            arguments: its arguments.
            options: of the request.

        Raises:
            mcp.shared.exceptions.MCPError: the server answered with a protocol error.
        """
        params = GetPromptRequestParams(name=name, arguments=arguments, **_make_meta(options))
        return await self._session.send_request(
            GetPromptRequest(params=params),
            GetPromptResult,
            options.timeout,
            progress_callback=options.progress_callback,
        )


def _make_meta(options: CallOptions) -> dict[str, Any]:
    """Return the `_meta` of a request as a member of its parameters; an empty dict if there is none."""
    return {} if options.meta is None else {"_meta": dict(options.meta)}
