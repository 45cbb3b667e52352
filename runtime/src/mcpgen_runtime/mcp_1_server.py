"""Low-level servers of mcp 1.x."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import anyio
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import request_ctx
from mcp.shared.exceptions import McpError
from mcp.shared.version import SUPPORTED_PROTOCOL_VERSIONS
from pydantic import BaseModel

from . import low_level
from .low_level import Classes, Handler, Request
from .mcp_internals import enable_tasks, get_task_support, run_tasks_in_session
from .server_binding import IN_PROCESS, BoundTool

_LOOK_SECONDS = 0.1
"""Time until a handler in the background notices that its task is cancelled."""


@dataclass(frozen=True)
class OwnHandler:
    """Calls a server's handler of a request."""

    handler: Callable[[Any], Awaitable[Any]]

    async def __call__(self, request: Request) -> BaseModel:
        """Return the result."""
        answer = await self.handler(request.context)
        result: BaseModel = answer.root
        return result


class LowLevel(low_level.LowLevel[Server[Any, Any]]):
    """The low-level servers of mcp 1.x, each of whose requests is of the protocol version of its session."""

    protocol_error = McpError
    unknown_resource = -32002
    classes: ClassVar[Classes] = {
        "completion/complete": (types.CompleteRequest, types.CompleteResult),
        "prompts/get": (types.GetPromptRequest, types.GetPromptResult),
        "prompts/list": (types.ListPromptsRequest, types.ListPromptsResult),
        "resources/list": (types.ListResourcesRequest, types.ListResourcesResult),
        "resources/read": (types.ReadResourceRequest, types.ReadResourceResult),
        "resources/templates/list": (types.ListResourceTemplatesRequest, types.ListResourceTemplatesResult),
        "tools/call": (types.CallToolRequest, types.CallToolResult),
        "tools/list": (types.ListToolsRequest, types.ListToolsResult),
    }

    def make_error(self, code: int, text: str, data: Any = None) -> McpError:
        """Make an error that the client should see."""
        return McpError(types.ErrorData(code=code, message=text, data=data))

    def get_handler(self, server: Server[Any, Any], method: str) -> Handler | None:
        """Return a server's handler of a request."""
        handler = server.request_handlers.get(self.classes[method][0])
        return None if handler is None else OwnHandler(handler)

    def set_handler(self, server: Server[Any, Any], method: str, handler: Handler) -> None:
        """Set a server's handler of a request."""
        request_class, result_class = self.classes[method]

        async def answer(sent: Any) -> types.ServerResult:
            request: Any = request_class() if sent is None else sent  # the SDK lists tools so, to know their schemas
            result = await handler(Request(request.params, _find_session_version(server), request))
            form: Any = result_class.model_validate(result) if isinstance(result, dict) else result
            return types.ServerResult(form)

        server.request_handlers[request_class] = answer

    def find_client(self, server: Server[Any, Any], request: Request) -> str | None:
        """Return the name of the client, which the session of a stateless server does not know."""
        try:
            params = server.request_context.session.client_params
        except LookupError:
            return None
        return None if params is None else params.clientInfo.name

    def enable_tasks(self, server: Server[Any, Any], tool: BoundTool) -> None:
        """Let clients run a tool in the background if it is declared so."""
        if tool.info.task_support != "forbidden" and get_task_support(server) is None:
            enable_tasks(server)

    async def run_call(
        self, server: Server[Any, Any], tool: BoundTool, request: Request, run: Callable[[], Awaitable[Any]]
    ) -> Any:
        """Call a bound tool, in the background if the client asks for a task (2025-11-25)."""
        if (support := get_task_support(server)) is None:
            return await run()
        context = server.request_context
        if context.session.client_params is None:  # a session of one request would end its task
            return await run()
        experimental = context.experimental
        experimental.validate_task_mode(tool.info.task_support)
        if not experimental.is_task:
            return await run()

        async def work(task: Any) -> types.Result:
            """Return the result; if the client cancels the task, or its time to live is over, stop the handler."""
            request_ctx.set(replace(context, session=_TaskSession(context.session)))
            outcome: list[Any] = []

            async def keep_outcome() -> None:
                try:
                    outcome.append(types.Result.model_validate(await run()))
                except Exception as error:
                    outcome.append(error)
                group.cancel_scope.cancel()

            async with anyio.create_task_group() as group:
                group.start_soon(keep_outcome)
                while await _goes_on(support.store, task.task_id):  # it notifies one waiter alone
                    await anyio.sleep(_LOOK_SECONDS)
                group.cancel_scope.cancel()
            if not outcome or not await _goes_on(support.store, task.task_id):
                await anyio.sleep_forever()  # mcp 1.30 ends the session if a task that is cancelled or gone returns
            if isinstance(outcome[0], Exception):
                raise outcome[0]
            return cast(types.Result, outcome[0])

        run_tasks_in_session(support, context.session)
        return await experimental.run_task(work)

    def turn_page(self, request: Request, cursor: str | None) -> Request:
        """Return a request for another page of a list of tools."""
        params = None if cursor is None else types.PaginatedRequestParams(cursor=cursor)
        return request._replace(params=params, context=types.ListToolsRequest(params=params))


LOW_LEVEL = LowLevel()


class _TaskSession:
    """The session for a handler in the background: what it sends does not go with the request, which has ended."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._session, name)
        if not inspect.iscoroutinefunction(member):
            return member

        async def send(*arguments: Any, related_request_id: object = None, **keywords: Any) -> Any:
            return await member(*arguments, **keywords)

        return send


async def _goes_on(store: Any, task_id: str) -> bool:
    task = await store.get_task(task_id)
    return task is not None and task.status in ("working", "input_required")


def _find_session_version(server: Server[Any, Any]) -> str:
    """Return the protocol version of the session whose request is being answered.

    An initialized session knows the version that its client requested. A stateless one over HTTP has the header,
    without which the server must assume 2025-03-26 (specification 2025-11-25, Transports, Protocol Version Header).
    """
    try:
        context = server.request_context
    except LookupError:
        return IN_PROCESS
    if context.session.client_params is not None:
        requested = str(context.session.client_params.protocolVersion)
        return requested if requested in SUPPORTED_PROTOCOL_VERSIONS else types.LATEST_PROTOCOL_VERSION
    headers: Any = getattr(context.request, "headers", None)
    if headers is None:
        return IN_PROCESS
    return str(headers.get("mcp-protocol-version", types.DEFAULT_NEGOTIATED_VERSION))
