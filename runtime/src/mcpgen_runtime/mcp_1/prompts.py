"""Answer `prompts/list`, `prompts/get` and `completion/complete` on a server of mcp 1.x."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..sdk_requirement import (
    REQUIREMENT as REQUIREMENT,
)  # says which SDK is needed, before that is imported

from mcp import types
from mcp.shared.exceptions import McpError

from .handler_seam import (
    call_handler,
    find_sdk_parameters,
    find_public_error,
    get_lowlevel_server,
)
from ..package import Package
from ..prompt_binding import BoundPrompt, PromptBinding, PromptFailed, describe_missing
from ..prompts import PromptArgumentsError
from ..resource_binding import add_definitions
from .server_adapter import Server
from .requests import get_session_version


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
        handlers = self._lowlevel.request_handlers
        earlier = handlers.get(types.ListPromptsRequest)

        async def list_adapted(request: types.ListPromptsRequest | None) -> types.ServerResult:
            result: Any = types.ListPromptsResult(prompts=[])
            if earlier is not None:
                result = (await earlier(request)).root
            listed = [prompt.model_dump(by_alias=True, mode="json", exclude_none=True) for prompt in result.prompts]
            params = None if request is None else request.params
            bound = self.list_bound() if params is None or params.cursor is None else []
            models = [types.Prompt.model_validate(prompt) for prompt in add_definitions(listed, bound, "name")]
            return types.ServerResult(result.model_copy(update={"prompts": models}))

        handlers[types.ListPromptsRequest] = list_adapted

    def _adapt_get(self) -> None:
        handlers = self._lowlevel.request_handlers
        earlier = handlers.get(types.GetPromptRequest)

        async def get_adapted(request: types.GetPromptRequest) -> types.ServerResult:
            bound = self.find_bound(request.params.name)
            if bound is not None:
                return types.ServerResult(await self._get(bound, request.params.arguments))
            if earlier is not None:
                other: types.ServerResult = await earlier(request)
                return other
            text = describe_missing(request.params.name)
            raise McpError(types.ErrorData(code=types.INVALID_PARAMS, message=text))

        handlers[types.GetPromptRequest] = get_adapted

    async def _get(self, bound: BoundPrompt, sent: dict[str, str] | None) -> types.GetPromptResult:
        try:
            value = await call_handler(self._server, bound.handler, bound.read(sent))
        except PromptArgumentsError as error:
            raise _make_error(types.INVALID_PARAMS, error) from None
        except Exception as error:  # noqa: BLE001 # handlers may raise anything
            failed = find_public_error(error)
            raise failed or _make_error(types.INTERNAL_ERROR, bound.report_failure()) from None
        try:
            out = bound.write(value, get_session_version(self._lowlevel))
        except PromptFailed as error:
            raise _make_error(types.INTERNAL_ERROR, error) from None
        return types.GetPromptResult.model_validate(out)

    def _adapt_completion(self) -> None:
        handlers = self._lowlevel.request_handlers
        earlier = handlers.get(types.CompleteRequest)

        async def complete_adapted(request: types.CompleteRequest) -> types.ServerResult:
            params = request.params
            values: dict[str, Any] = {"values": []}
            if isinstance(params.ref, types.PromptReference):
                argument = params.argument
                completion = self.complete_argument(params.ref.name, argument.name, argument.value)
                if completion is not None:
                    return _make_completion(completion)
            if earlier is not None:
                other: types.ServerResult = await earlier(request)
                return other
            return _make_completion(values)

        handlers[types.CompleteRequest] = complete_adapted


def _make_completion(completion: dict[str, Any]) -> types.ServerResult:
    return types.ServerResult(types.CompleteResult.model_validate({"completion": completion}))


def _make_error(code: int, error: Exception) -> McpError:
    return McpError(types.ErrorData(code=code, message=str(error)))
