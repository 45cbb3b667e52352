"""Answer `prompts/list`, `prompts/get` and `completion/complete` on a server of mcp 2.x."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from ..sdk_requirement import (
    REQUIREMENT as REQUIREMENT,
)  # says which SDK is needed, before that is imported

from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CompleteRequestParams,
    CompleteResult,
    GetPromptRequestParams,
    ListPromptsResult,
    PaginatedRequestParams,
)

from .handler_seam import (
    call_handler,
    find_sdk_parameters,
    find_public_error,
    get_lowlevel_server,
)
from ..package import Package
from ..prompt_binding import BoundPrompt, PromptBinding, PromptFailed, describe_missing
from ..prompts import PromptArgumentsError
from ..resource_binding import add_definitions, get_member
from .server_adapter import Server
from .requests import dump_result

_Context: TypeAlias = ServerRequestContext[Any, Any]


class SdkPromptBinding(PromptBinding):
    """Binds prompts to a server; its other answers do not change."""

    def __init__(self, server: Server, package: Package) -> None:
        super().__init__(package)
        self._server, self._lowlevel = server, get_lowlevel_server(server)
        self._adapt_list()
        self._adapt_get()
        if any("completions" in content for content in package.load_prompt_files()):
            self._adapt_completion()

    def _find_sdk_parameters(self, handler: Callable[..., Any]) -> Iterable[str]:
        return find_sdk_parameters(handler)

    def _adapt_list(self) -> None:
        earlier = self._lowlevel.get_request_handler("prompts/list")

        async def list_adapted(context: _Context, params: PaginatedRequestParams | None) -> HandlerResult:
            result: HandlerResult = ListPromptsResult(prompts=[])
            if earlier is not None:
                result = await earlier.handler(context, params)
            out = dump_result(result, "prompts/list" in self._lowlevel.cache_hints)
            bound = self.list_bound() if params is None or params.cursor is None else []
            out["prompts"] = add_definitions(get_member(out, "prompts"), bound, "name")
            return out

        self._lowlevel.add_request_handler("prompts/list", PaginatedRequestParams, list_adapted)

    def _adapt_get(self) -> None:
        earlier = self._lowlevel.get_request_handler("prompts/get")

        async def get_adapted(context: _Context, params: GetPromptRequestParams) -> HandlerResult:
            bound = self.find_bound(params.name)
            if bound is not None:
                return await self._get(bound, params.arguments, context)
            if earlier is not None:
                return await earlier.handler(context, params)
            raise MCPError(INVALID_PARAMS, describe_missing(params.name))

        self._lowlevel.add_request_handler("prompts/get", GetPromptRequestParams, get_adapted)

    async def _get(self, bound: BoundPrompt, sent: dict[str, str] | None, context: _Context) -> dict[str, Any]:
        try:
            value = await call_handler(self._server, bound.handler, bound.read(sent), context)
        except PromptArgumentsError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from None
        except Exception as error:  # noqa: BLE001 # handlers may raise anything
            failed = find_public_error(error)
            raise failed or MCPError(INTERNAL_ERROR, str(bound.report_failure())) from None
        try:
            return bound.write(value, context.protocol_version)
        except PromptFailed as error:
            raise MCPError(INTERNAL_ERROR, str(error)) from None

    def _adapt_completion(self) -> None:
        earlier = self._lowlevel.get_request_handler("completion/complete")

        async def complete_adapted(context: _Context, params: CompleteRequestParams) -> HandlerResult:
            if params.ref.type == "ref/prompt":
                argument = params.argument
                completion = self.complete_argument(params.ref.name, argument.name, argument.value)
                if completion is not None:
                    return CompleteResult.model_validate({"completion": completion})
            if earlier is not None:
                return await earlier.handler(context, params)
            return CompleteResult.model_validate({"completion": {"values": []}})

        self._lowlevel.add_request_handler("completion/complete", CompleteRequestParams, complete_adapted)
