"""Answer requests for resources and prompts on a server of mcp 2.x."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CompleteRequestParams,
    CompleteResult,
    GetPromptRequestParams,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
)
from pydantic import BaseModel

from .. import handler_seam
from ..handler_seam import INVALID_PARAMS, Answer, Extend, PathRules, Request, ServerT
from . import find_path_rules
from .requests import add_handler, dump_result

_Context: TypeAlias = ServerRequestContext[Any, Any]
_LISTS: Mapping[str, tuple[str, BaseModel]] = {
    "prompts/list": ("prompts", ListPromptsResult(prompts=[])),
    "resources/list": ("resources", ListResourcesResult(resources=[])),
    "resources/templates/list": ("resourceTemplates", ListResourceTemplatesResult(resource_templates=[])),
}
"""The member of each result that is the list, and the result of a server without a handler."""
_PARAMS: Mapping[str, type[BaseModel]] = {
    "completion/complete": CompleteRequestParams,
    "prompts/get": GetPromptRequestParams,
    "resources/read": ReadResourceRequestParams,
}


class HandlerSeam(handler_seam.HandlerSeam[ServerT, Server[Any]]):
    """What the SDKs on mcp 2.x have in common."""

    protocol_error = MCPError
    unknown_resource = INVALID_PARAMS

    def make_error(self, code: int, text: str, data: Any = None) -> MCPError:
        """Make an error that the client should see."""
        return MCPError(code, text, data)

    def find_path_rules(self, server: ServerT) -> PathRules | None:
        """Return the server's own rules for variables of URIs; None: it has none, and the usual ones apply."""
        return find_path_rules(server)

    def extend_list(self, server: Server[Any], method: str, add: Extend) -> None:
        """Add definitions to the first page of a list."""
        earlier = server.get_request_handler(method)
        member, empty = _LISTS[method]

        async def list_extended(context: _Context, params: PaginatedRequestParams | None) -> HandlerResult:
            result = empty if earlier is None else await earlier.handler(context, params)
            out = dump_result(result, method in server.cache_hints)
            if params is None or params.cursor is None:
                out[member] = add([*out.get(member, ())])
            return out

        add_handler(server, method, PaginatedRequestParams, list_extended)

    def answer(
        self, server: Server[Any], method: str, answer: Answer, fall_back: Callable[[Request], dict[str, Any]]
    ) -> None:
        """Answer a request."""
        earlier = server.get_request_handler(method)

        async def answer_request(context: _Context, params: Any) -> HandlerResult:
            request = Request(params, context.protocol_version, context)
            result = await answer(request)
            if result is None and earlier is not None:
                return await earlier.handler(context, params)
            out = fall_back(request) if result is None else result
            return CompleteResult.model_validate(out) if method == "completion/complete" else out

        add_handler(server, method, _PARAMS[method], answer_request)
