"""Answer `resources/list`, `resources/templates/list` and `resources/read` on a server of mcp 2.x."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeAlias

from ..sdk_requirement import (
    REQUIREMENT as REQUIREMENT,
)  # says which SDK is needed, before that is imported

from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
)

from .handler_seam import (
    call_handler,
    find_sdk_parameters,
    find_public_error,
    get_lowlevel_server,
)
from ..package import Package
from ..resource_binding import (
    BoundResource,
    ResourceBinding,
    ResourceFailed,
    add_definitions,
    describe_missing,
    get_member,
    shorten_uri,
)
from .sdk_internals import find_path_rules
from .server_adapter import Server
from .requests import dump_result

_Context: TypeAlias = ServerRequestContext[Any, Any]


class SdkResourceBinding(ResourceBinding):
    """Binds resources to a server; its other answers do not change."""

    def __init__(self, server: Server, package: Package, any_path: Collection[str] = ()) -> None:
        super().__init__(package, any_path)
        self._server, self._lowlevel = server, get_lowlevel_server(server)
        none = ListResourcesResult(resources=[])
        self._adapt_list("resources/list", "resources", "uri", none)
        no_templates = ListResourceTemplatesResult(resource_templates=[])
        self._adapt_list("resources/templates/list", "resourceTemplates", "uriTemplate", no_templates)
        self._adapt_read()

    def _find_sdk_parameters(self, handler: Callable[..., Any]) -> Iterable[str]:
        return find_sdk_parameters(handler)

    def _has_unsafe_path(self, values: Mapping[str, str]) -> bool:
        rules = find_path_rules(self._server)
        return super()._has_unsafe_path(values) if rules is None else rules(values) is not None

    def _adapt_list(self, method: str, member: str, key: str, none: HandlerResult) -> None:
        """Add the bound resources to an answer; `none` is the result of a server without a handler."""
        earlier = self._lowlevel.get_request_handler(method)

        async def list_adapted(context: _Context, params: PaginatedRequestParams | None) -> HandlerResult:
            result = none if earlier is None else await earlier.handler(context, params)
            out = dump_result(result, method in self._lowlevel.cache_hints)
            is_first = params is None or params.cursor is None
            bound = self.list_bound(key) if is_first else []
            out[member] = add_definitions(get_member(out, member), bound, key)
            return out

        self._lowlevel.add_request_handler(method, PaginatedRequestParams, list_adapted)

    def _adapt_read(self) -> None:
        earlier = self._lowlevel.get_request_handler("resources/read")

        async def read_adapted(context: _Context, params: ReadResourceRequestParams) -> HandlerResult:
            uri = str(params.uri)
            bound = self.find_bound(uri)
            if bound is not None and self.refuses(bound[1]):
                raise _make_error(INVALID_PARAMS, describe_missing(uri), uri)
            if bound is not None:
                return await self._read(*bound, uri, context)
            if earlier is not None:
                return await earlier.handler(context, params)
            raise _make_error(INVALID_PARAMS, describe_missing(uri), uri)

        self._lowlevel.add_request_handler("resources/read", ReadResourceRequestParams, read_adapted)

    async def _read(self, bound: BoundResource, values: dict[str, Any], uri: str, context: _Context) -> dict[str, Any]:
        try:
            value = await call_handler(self._server, bound.handler, values, context)
            return bound.write(value, uri, context.protocol_version)
        except ResourceFailed as error:
            raise _make_error(INTERNAL_ERROR, str(error), uri) from None
        except Exception as error:  # noqa: BLE001 # handlers may raise anything
            failed = find_public_error(error)
            if failed is None:
                failed = _make_error(INTERNAL_ERROR, str(bound.report_failure(uri)), uri)
            raise failed from None


def _make_error(code: int, text: str, uri: str) -> MCPError:
    return MCPError(code, text, {"uri": shorten_uri(uri)})
