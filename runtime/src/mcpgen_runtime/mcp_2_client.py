"""Typed clients over sessions of the official SDK, mcp 2.x."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, TypeAlias, cast

import mcp_types
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult as ElicitResult
from pydantic import BaseModel, TypeAdapter

from . import client
from .client import AnswerForm, CallOptions, Connected, WireRequest
from .client import Contract as Contract
from .client import Pin as Pin
from .client import PromptClient as PromptClient
from .client import ResourceClient as ResourceClient
from .descriptors import RawResourceReader as RawResourceReader
from .descriptors import RawToolCaller as RawToolCaller
from .descriptors import TaskCaller as TaskCaller
from .mcp_internals import MCP_2, declare_tasks, get_input_driver, send_unchecked, wrap_message_handler
from .tasks import TaskStatus as TaskStatus
from .tasks import ToolTask as ToolTask

Connection: TypeAlias = ClientSession | Connected[ClientSession]
"""An open session, or a client that has one: mcp's own `Client`, or fastmcp's."""
_Answer: TypeAlias = mcp_types.CallToolResult | mcp_types.InputRequiredResult
_RESPONSES: TypeAdapter[mcp_types.InputResponses] = TypeAdapter(mcp_types.InputResponses)
_ADAPTER: TypeAdapter[_Answer] = TypeAdapter(_Answer)
_ANSWER = AnswerForm(_ADAPTER.validate_python)


class _Session(client.Session[Connection]):
    _session_class = ClientSession
    _types: ClassVar = mcp_types
    _wrap_message_handler = staticmethod(partial(wrap_message_handler, MCP_2))

    async def _call(self, tool: str, arguments: dict[str, Any], options: CallOptions) -> Any:
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

        return await self._drive(tool, await send(), send)

    async def _drive(self, asking: str, answer: Any, send: Callable[..., Awaitable[Any]]) -> Any:
        """Have the SDK's client answer a request for input, and `send` the responses, until there is no request."""
        if not isinstance(answer, mcp_types.InputRequiredResult):
            return answer
        if self._connection is self._session or not hasattr(self._connection, "call_tool"):
            raise RuntimeError(f"{asking} asks for input: connect a client, not its session")
        return await get_input_driver(self._connection)(answer, send)

    def _get_capabilities(self) -> BaseModel | None:
        return cast("BaseModel | None", self._session.server_capabilities)

    async def call(self, tool: str, arguments: dict[str, Any], options: CallOptions, as_task: bool = False) -> Any:
        """Call a tool; if it is called `as_task`, the server learns that this client understands tasks."""
        if as_task:
            options = replace(options, meta={**(options.meta or {}), **declare_tasks(self._session)})
        return await super().call(tool, arguments, options, as_task)

    async def ask(self, method: str, params: dict[str, Any], options: CallOptions) -> dict[str, Any]:
        """Send a request for or about a task, and return its result in wire form."""
        declared = {**params.get("_meta", {}), **declare_tasks(self._session)}
        return await super().ask(method, {**params, "_meta": declared}, options)

    async def _send_raw(self, request: WireRequest, options: CallOptions) -> Any:
        if request.method == "tools/call":  # the SDK takes no task for an answer
            return await send_unchecked(self._session, request.method, request.params, options.timeout)
        return await super()._send_raw(request, options)

    async def answer_input(self, task: str, requests: Mapping[str, Any], options: CallOptions) -> None:
        """Have the client's callbacks answer what a task asks, and send that."""

        async def send(responses: mcp_types.InputResponses | None = None, state: str | None = None) -> None:
            given: Any = _RESPONSES.dump_python(responses or {}, by_alias=True, mode="json", exclude_none=True)
            await self.ask("tasks/update", {"taskId": task, "inputResponses": given}, options)

        wire = {"resultType": "input_required", "inputRequests": requests}
        await self._drive(f"the task {task}", _ADAPTER.validate_python(wire, by_name=False), send)

    def make_error(self, code: int, message: str, data: Any) -> Exception:
        """Make the SDK's exception for a protocol error."""
        return MCPError(code, message, data)


class ToolClient(client.ToolClient[Connection]):
    """Calls tools by name over a session of mcp 2.x, see `client.ToolClient`: base of the generated `Client`."""

    _session_type = _Session
