"""Answer requests for resources and prompts on a server of mcp 1.x."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from mcp import types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import McpError
from pydantic import BaseModel

from .. import handlers
from ..handlers import Answer, Extend, Request
from ..server_binding import ServerT
from .requests import get_session_version

Handler: TypeAlias = Callable[[Any], Awaitable[types.ServerResult]]
"""Answers a request."""


class _Listing(NamedTuple):
    request: type[BaseModel]
    member: str
    """The member of the result that is the list."""
    item: type[BaseModel]
    empty: types.Result
    """The result of a server without a handler."""


_LISTS: Mapping[str, _Listing] = {
    "prompts/list": _Listing(types.ListPromptsRequest, "prompts", types.Prompt, types.ListPromptsResult(prompts=[])),
    "resources/list": _Listing(
        types.ListResourcesRequest, "resources", types.Resource, types.ListResourcesResult(resources=[])
    ),
    "resources/templates/list": _Listing(
        types.ListResourceTemplatesRequest,
        "resourceTemplates",
        types.ResourceTemplate,
        types.ListResourceTemplatesResult(resourceTemplates=[]),
    ),
}
_REQUESTS: Mapping[str, tuple[type[BaseModel], type[Any]]] = {
    "completion/complete": (types.CompleteRequest, types.CompleteResult),
    "prompts/get": (types.GetPromptRequest, types.GetPromptResult),
    "resources/read": (types.ReadResourceRequest, types.ReadResourceResult),
}
"""The classes of each request and its result."""


class HandlerSeam(handlers.HandlerSeam[ServerT, Server[Any, Any]]):
    """What the SDKs on mcp 1.x have in common."""

    protocol_error = McpError
    unknown_resource = -32002

    def make_error(self, code: int, text: str, data: Any = None) -> McpError:
        """Make an error that the client should see."""
        return McpError(types.ErrorData(code=code, message=text, data=data))

    def find_handler(self, server: Server[Any, Any], request: type[BaseModel]) -> Handler | None:
        """Return the server's own handler of a request; None: it has none."""
        return server.request_handlers.get(request)

    def extend_list(self, server: Server[Any, Any], method: str, add: Extend) -> None:
        """Add definitions to the first page of a list."""
        listing = _LISTS[method]
        earlier = self.find_handler(server, listing.request)

        async def list_extended(request: types.PaginatedRequest[Any] | None) -> types.ServerResult:
            page: Any = listing.empty if earlier is None else (await earlier(request)).root
            if request is not None and request.params is not None and request.params.cursor is not None:
                return types.ServerResult(page)
            listed = getattr(page, listing.member)
            items = add([item.model_dump(by_alias=True, mode="json", exclude_none=True) for item in listed])
            models = [listing.item.model_validate(item) for item in items]
            return types.ServerResult(page.model_copy(update={listing.member: models}))

        server.request_handlers[listing.request] = list_extended

    def answer(
        self, server: Server[Any, Any], method: str, answer: Answer, fall_back: Callable[[Request], dict[str, Any]]
    ) -> None:
        """Answer a request."""
        request_class, result_class = _REQUESTS[method]
        earlier = self.find_handler(server, request_class)

        async def answer_request(sdk_request: Any) -> types.ServerResult:
            request = Request(sdk_request.params, get_session_version(server))
            result = await answer(request)
            if result is None and earlier is not None:
                return await earlier(sdk_request)
            out = fall_back(request) if result is None else result
            return types.ServerResult(result_class.model_validate(out))

        server.request_handlers[request_class] = answer_request
