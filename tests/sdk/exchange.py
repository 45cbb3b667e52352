"""The SDK that is installed here: its servers, sessions with them in memory, and what goes over the wire."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from sdk.installed import ROW as ROW_HERE
from sdk.installed import SDK as SDK
from sdk.installed import import_attribute

OLD, NEW = "2025-11-25", "2026-07-28"


ROW: Any = ROW_HERE
"""The row of the installed SDK; tests that need one are skipped without."""
MODERN = ROW is not None and ROW.is_modern
VERSIONS = (OLD, NEW) if MODERN else (OLD,)


named = import_attribute


def context_type() -> Any:
    """Return the class of the Context that the SDK hands to handlers."""
    return named(ROW.server_module, "Context")


def tool_error(text: str) -> Exception:
    """Return the SDK's own error, whose text is for the model."""
    error: Exception = named(ROW.error_module, "ToolError")(text)
    return error


def server(**more: Any) -> Any:
    """A server without tools."""
    return named(ROW.server_module, ROW.server_class)("test", **more)


def decorate(server: Any, function: Callable[..., Any]) -> None:
    """Register a function as the SDK's own decorator does."""
    if ROW.collects:
        server.collect(named(ROW.server_module, "tool")()(function))
    else:
        server.tool()(function)


Listing = Callable[[str | None], dict[str, Any]]
Answering = Callable[[dict[str, Any]], Any]


def raw(listing: Listing, answering: Answering) -> Any:
    """A server that says on the wire what it is told, however wrong.

    Args:
        listing: the result of `tools/list` for a cursor.
        answering: the result of `tools/call` for its parameters.
    """
    server_object = server()
    answer(server_object, "tools/list", lambda params: listing(params.get("cursor")))
    answer(server_object, "tools/call", answering)
    return server_object


def answer(server: Any, method: str, answering: Answering) -> None:
    """Have a server answer requests of a method on the wire as it is told: with the result for their parameters."""
    name = REQUESTS[method]
    low = vars(server)[ROW.low_level] if ROW.low_level else server
    types = importlib.import_module("mcp_types" if MODERN else "mcp.types")

    def read_params(params: Any) -> dict[str, Any]:
        return params.model_dump(by_alias=True, mode="json", exclude_unset=True) if params else {}

    async def answers(_: Any, params: Any) -> Any:
        return answering(read_params(params))

    async def answers_1(request: Any) -> Any:
        result_type = getattr(types, name.replace("Request", "Result"))
        return types.ServerResult(result_type.model_validate(answering(read_params(request.params))))

    if MODERN:
        params_type = "PaginatedRequestParams" if method.endswith("/list") else f"{name}Params"
        low.add_request_handler(method, getattr(types, params_type), answers)
    else:
        low.request_handlers[getattr(types, name)] = answers_1


class ScriptedServer:
    """A server that lists what it is told to, and answers calls one after another, the last answer again and again.

    `made` is what a client connects to, `calls` has the parameters of the calls that came.
    """

    def __init__(self, tools: list[dict[str, Any]], *answers: dict[str, Any], page: int = 100) -> None:
        self.tools, self._answers, self._page = tools, answers or ({},), page
        self.calls, self.listings = list[dict[str, Any]](), 0
        self._complete = {"resultType": "complete"} if MODERN else {}
        self.made = raw(self._list, self._answer)

    def _list(self, cursor: str | None) -> dict[str, Any]:
        self.listings += 1
        start = int(cursor or 0)
        end = start + self._page
        more = {"nextCursor": str(end)} if end < len(self.tools) else {}
        cached = {"ttlMs": 0, "cacheScope": "private"} if MODERN else {}
        return {"tools": self.tools[start:end], **self._complete, **cached, **more}

    def _answer(self, params: dict[str, Any]) -> dict[str, Any]:
        self.calls.append(params)
        answer = self._answers[min(len(self.calls), len(self._answers)) - 1]
        return answer if "resultType" in answer else {"content": [], "isError": False, **self._complete, **answer}


async def announce_change(connection: Any) -> None:
    """Give a client the notification that its server's list of tools has changed."""
    types = "mcp_types" if MODERN else "mcp.types"
    changed = named(types, "ToolListChangedNotification")(method="notifications/tools/list_changed")
    session = connection.session if MODERN else connection
    await vars(session)["_message_handler"](changed if MODERN else named(types, "ServerNotification")(changed))


@asynccontextmanager
async def connected(server: Any, protocol: str = OLD, answers: Any = None, name: str = "") -> AsyncIterator[Any]:
    """Yield the SDK's client of a server, in memory, under a protocol version.

    The callback `answers` forms; a client introduces itself by its name, or else as the SDK does.
    """
    keyword = "elicitation_handler" if str(SDK).startswith("fastmcp") else "elicitation_callback"
    more = {} if answers is None else {keyword: answers}
    if name:
        more["client_info"] = named("mcp_types" if MODERN else "mcp.types", "Implementation")(name=name, version="1")
    if MODERN:
        client_type = named("mcp.client" if SDK == "mcp" else "fastmcp", "Client")
        async with client_type(server, mode="legacy" if protocol == OLD else protocol, **more) as client:
            yield client
    elif SDK == "fastmcp3":
        async with named("fastmcp", "Client")(server, **more) as client:
            yield client.session
    else:
        connect = named("mcp.shared.memory", "create_connected_server_and_client_session")
        async with connect(server, **more) as session:
            yield session


def find_context(ctx: Any) -> Any:
    """Return the context of the current call; dedalus does not hand it to handlers."""
    return named("dedalus_mcp", "get_context")() if SDK == "dedalus" else ctx


REQUESTS = {
    "tools/list": "ListToolsRequest",
    "tools/call": "CallToolRequest",
    "resources/list": "ListResourcesRequest",
    "resources/templates/list": "ListResourceTemplatesRequest",
    "resources/read": "ReadResourceRequest",
    "prompts/list": "ListPromptsRequest",
    "prompts/get": "GetPromptRequest",
    "completion/complete": "CompleteRequest",
}
"""The SDKs' classes of requests by method."""


class Wire:
    """Stands where the SDK expects the class of an answer, and leaves it as it came over the wire."""

    @staticmethod
    def model_validate(value: Any, **_: Any) -> Any:
        return value


async def request(connection: Any, method: str, **params: Any) -> dict[str, Any]:
    """Return the result of a request, as it is on the wire."""
    name = REQUESTS[method]
    session = getattr(connection, "session", connection)
    if not MODERN:
        types = importlib.import_module("mcp.types")
        instance = types.ClientRequest(getattr(types, name).model_validate({"method": method, "params": params}))
        answer: dict[str, Any] = await session.send_request(instance, Wire)
        return answer
    types = importlib.import_module("mcp_types")
    adapter = named("pydantic", "TypeAdapter")(dict[str, Any])
    instance = getattr(types, name).model_validate({"method": method, "params": params})
    out: dict[str, Any] = await session.send_request(instance, adapter)
    return out


async def call(connection: Any, tool: str, arguments: Any = None) -> dict[str, Any]:
    """Return the result of a tool, as it is on the wire."""
    return await request(connection, "tools/call", name=tool, arguments=arguments or {})


async def listed(connection: Any) -> dict[str, dict[str, Any]]:
    """Every tool of a server, as it is on the wire."""
    listed_tools: dict[str, dict[str, Any]] = {}
    params: dict[str, Any] = {}
    while True:
        page = await request(connection, "tools/list", **params)
        listed_tools |= {tool["name"]: tool for tool in page["tools"]}
        if page.get("nextCursor") is None:
            return listed_tools
        params = {"cursor": page["nextCursor"]}


def talk(server: Any, use: Callable[[Any], Awaitable[Any]], protocol: str = OLD) -> Any:
    """Return what a function says of a connection of the SDK's client."""

    async def connect() -> Any:
        async with connected(server, protocol) as connection:
            return await use(connection)

    return asyncio.run(connect())


def ask(server: Any, tool: str, arguments: Any = None, protocol: str = OLD) -> dict[str, Any]:
    """Return the answer to one call, as it is on the wire."""
    answer: dict[str, Any] = talk(server, lambda connection: call(connection, tool, arguments), protocol)
    return answer


def list_tools(server: Any, protocol: str = OLD) -> dict[str, dict[str, Any]]:
    """Return the tools that a server lists, as they are on the wire."""
    tools: dict[str, dict[str, Any]] = talk(server, listed, protocol)
    return tools


def request_once(server: Any, method: str, protocol: str = OLD, **params: Any) -> dict[str, Any]:
    """Return the result of a request, as it is on the wire but for the name of the server."""
    answer: dict[str, Any] = talk(server, lambda connection: request(connection, method, **params), protocol)
    answer.get("_meta", {}).pop("io.modelcontextprotocol/serverInfo", None)
    if not answer.get("_meta", True):
        del answer["_meta"]
    return answer


def text(result: dict[str, Any]) -> str:
    """Return what the model reads."""
    return "".join(str(block["text"]) for block in result["content"])
