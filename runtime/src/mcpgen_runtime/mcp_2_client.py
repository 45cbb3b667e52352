"""Typed clients over sessions of the official SDK, mcp 2.x."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, TypeAlias

import mcp_types
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult as ElicitResult
from pydantic import TypeAdapter

from . import client
from .client import CallOptions, Connected
from .client import Contract as Contract
from .client import Pin as Pin
from .client import PromptClient as PromptClient
from .client import ResourceClient as ResourceClient
from .descriptors import RawResourceReader as RawResourceReader
from .descriptors import RawToolCaller as RawToolCaller
from .mcp_internals import MCP_2, get_input_driver, wrap_message_handler

Connection: TypeAlias = ClientSession | Connected[ClientSession]
"""An open session, or a client that has one: mcp's own `Client`, or fastmcp's."""
_Answer: TypeAlias = mcp_types.CallToolResult | mcp_types.InputRequiredResult
_ANSWER: TypeAdapter[_Answer] = TypeAdapter(_Answer)


class _Session(client.Session[Connection]):
    _session_class = ClientSession
    _types: ClassVar = mcp_types
    _wrap_message_handler = staticmethod(partial(wrap_message_handler, MCP_2))

    async def call(self, tool: str, arguments: dict[str, Any], options: CallOptions) -> Any:
        """Call a tool; if it asks for input, the SDK's client answers and continues."""

        async def send(responses: mcp_types.InputResponses | None = None, state: str | None = None) -> Any:
            params = mcp_types.CallToolRequestParams(
                name=tool, arguments=arguments, input_responses=responses, request_state=state, **options.meta_member
            )
            request = mcp_types.CallToolRequest(params=params)
            try:
                return await self._send(request, _ANSWER, options)
            except MCPError as error:
                if error.error.code != mcp_types.HEADER_MISMATCH:
                    raise
            await self.tools()  # the listing tells which arguments also go into headers
            return await self._send(request, _ANSWER, options)

        result = await send()
        if isinstance(result, mcp_types.CallToolResult):
            return result
        if self._connection is self._session or not hasattr(self._connection, "call_tool"):
            raise RuntimeError(f"{tool} asks for input: connect a client, not its session")
        return await get_input_driver(self._connection)(result, send)


class ToolClient(client.ToolClient[Connection]):
    """Calls tools by name over a session of mcp 2.x, see `client.ToolClient`: base of the generated `Client`."""

    _session_type = _Session
