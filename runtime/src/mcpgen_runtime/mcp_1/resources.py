"""Answer `resources/list`, `resources/templates/list` and `resources/read` on a server of mcp 1.x."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
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
    get_template_list,
)
from ..package import Package
from ..resource_binding import (
    BoundResource,
    ResourceBinding,
    ResourceFailed,
    add_definitions,
    describe_missing,
    shorten_uri,
)
from .server_adapter import Server
from .requests import get_session_version

_NOT_FOUND = -32002


class SdkResourceBinding(ResourceBinding):
    """Binds resources to a server; its other answers do not change."""

    def __init__(self, server: Server, package: Package, any_path: Collection[str] = ()) -> None:
        super().__init__(package, any_path)
        self._server, self._lowlevel = server, get_lowlevel_server(server)
        self._adapt_list()
        self._adapt_template_list()
        self._adapt_read()

    def _find_sdk_parameters(self, handler: Callable[..., Any]) -> Iterable[str]:
        return find_sdk_parameters(handler)

    def _adapt_list(self) -> None:
        handlers = self._lowlevel.request_handlers
        earlier = handlers.get(types.ListResourcesRequest)

        async def list_adapted(request: types.ListResourcesRequest | None) -> types.ServerResult:
            result: Any = types.ListResourcesResult(resources=[])
            if earlier is not None:
                result = (await earlier(request)).root
            listed = [_dump(resource) for resource in result.resources]
            resources = add_definitions(listed, self._list_first(request, "uri"), "uri")
            models = [types.Resource.model_validate(resource) for resource in resources]
            return types.ServerResult(result.model_copy(update={"resources": models}))

        handlers[types.ListResourcesRequest] = list_adapted

    def _adapt_template_list(self) -> None:
        handlers = self._lowlevel.request_handlers
        earlier = get_template_list(self._server)

        async def list_adapted(
            request: types.ListResourceTemplatesRequest | None,
        ) -> types.ServerResult:
            result: Any = types.ListResourceTemplatesResult(resourceTemplates=[])
            if earlier is not None:
                result = (await earlier(request)).root
            listed = [_dump(template) for template in result.resourceTemplates]
            bound = self._list_first(request, "uriTemplate")
            models = [
                types.ResourceTemplate.model_validate(template)
                for template in add_definitions(listed, bound, "uriTemplate")
            ]
            return types.ServerResult(result.model_copy(update={"resourceTemplates": models}))

        handlers[types.ListResourceTemplatesRequest] = list_adapted

    def _list_first(self, request: Any, member: str) -> list[dict[str, Any]]:
        """Return the bound resources if the request is for the first page."""
        params = None if request is None else request.params
        return self.list_bound(member) if params is None or params.cursor is None else []

    def _adapt_read(self) -> None:
        handlers = self._lowlevel.request_handlers
        earlier = handlers.get(types.ReadResourceRequest)

        async def read_adapted(request: types.ReadResourceRequest) -> types.ServerResult:
            uri = str(request.params.uri)
            bound = self.find_bound(uri)
            if bound is not None and self.refuses(bound[1]):
                raise _make_error(_NOT_FOUND, describe_missing(uri), uri)
            if bound is not None:
                return types.ServerResult(await self._read(*bound, uri))
            if earlier is not None:
                result: types.ServerResult = await earlier(request)
                return result
            raise _make_error(_NOT_FOUND, describe_missing(uri), uri)

        handlers[types.ReadResourceRequest] = read_adapted

    async def _read(self, bound: BoundResource, values: dict[str, Any], uri: str) -> types.ReadResourceResult:
        try:
            value = await call_handler(self._server, bound.handler, values)
            out = bound.write(value, uri, get_session_version(self._lowlevel))
        except ResourceFailed as error:
            raise _make_error(types.INTERNAL_ERROR, str(error), uri) from None
        except Exception as error:  # noqa: BLE001 # handlers may raise anything
            failed = find_public_error(error)
            if failed is None:
                failed = _make_error(types.INTERNAL_ERROR, str(bound.report_failure(uri)), uri)
            raise failed from None
        return types.ReadResourceResult.model_validate(out)


def _dump(definition: types.Resource | types.ResourceTemplate) -> dict[str, Any]:
    return definition.model_dump(by_alias=True, mode="json", exclude_none=True)


def _make_error(code: int, text: str, uri: str) -> McpError:
    return McpError(types.ErrorData(code=code, message=text, data={"uri": shorten_uri(uri)}))
