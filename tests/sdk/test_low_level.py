"""Handlers bound to low-level servers of the official SDK: beside those that the servers have already."""

from __future__ import annotations

import functools
import importlib
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field
from sdk import exchange
from sdk.exchange import MODERN, NEW, OLD, SDK, VERSIONS, ask
from sdk.exchange import list_tools as listed
from support.packages import package, tool

pytestmark = pytest.mark.skipif(SDK not in ("mcp", "mcp1"), reason="no SDK with low-level servers is installed here")
ROW = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
TOOLS = [
    tool("list-rows", {"type": "array", "items": ROW}),
    tool("get-row", ROW, inputSchema={**ROW, "additionalProperties": False}, annotations={"readOnlyHint": True}),
    tool("say", inputSchema=TEXT),
]
OWN = {"first": "one", "second": "two", "third": "three"}
"""The server's own tools, and what they answer."""
Handler = Callable[..., Any]


def types() -> Any:
    return importlib.import_module("mcp_types" if MODERN else "mcp.types")


def make_own_tool(name: str) -> Any:
    schema = {"type": "object"}
    return types().Tool.model_validate({"name": name, "inputSchema": schema})


class OwnHandlers:
    """The handlers that a server has before anything is bound to it, one tool a page."""

    def __init__(self, names: list[str], size: int = 10) -> None:
        self.names, self.size, self.pages = names, size, 0

    def page(self, cursor: str | None) -> Any:
        self.pages += 1
        start = int(cursor or 0)
        end = start + self.size
        own_tools = [make_own_tool(name) for name in self.names[start:end]]
        more = str(end) if end < len(self.names) else None
        kwargs = {"next_cursor" if MODERN else "nextCursor": more}
        return types().ListToolsResult(tools=own_tools, **kwargs)

    def call(self, name: str) -> Any:
        if name not in self.names:
            raise ValueError(f"nobody knows {name}")
        return types().CallToolResult(content=[types().TextContent(type="text", text=OWN.get(name, "own"))])

    async def list_2(self, ctx: Any, params: Any) -> Any:
        return self.page(params.cursor)

    async def call_2(self, ctx: Any, params: Any) -> Any:
        return self.call(params.name)

    def add(self, server: Any) -> None:
        """Register them as the SDK has it."""
        if MODERN:
            server.add_request_handler("tools/list", types().PaginatedRequestParams, self.list_2)
            server.add_request_handler("tools/call", types().CallToolRequestParams, self.call_2)
            return

        async def lists(request: Any) -> Any:
            return self.page(request.params.cursor if request.params else None)

        lists.__annotations__["request"] = types().ListToolsRequest

        async def calls(name: str, arguments: dict[str, Any]) -> Any:
            return self.call(name).content

        server.list_tools()(lists)
        server.call_tool()(calls)


def low_level(handlers: OwnHandlers | None = None, **options: Any) -> Any:
    server = exchange.named("mcp.server.lowlevel", "Server")("test", **options)
    if handlers is not None:
        handlers.add(server)
    return server


def bind_all(generated: Any, server: Any) -> Any:
    tools = generated.bind(server)
    tools.list_rows(lambda: [{"n": 1}])
    tools.get_row(lambda n: {"n": n})
    tools.say(lambda text, **_: text)
    tools.complete()
    return tools


def refused(server: Any, name: str = "", protocol: str = OLD) -> str:
    """Return the message of the JSON-RPC error to a call, or to a listing."""

    async def fail(connection: Any) -> str:
        with pytest.raises(Exception) as raised:  # noqa: PT011
            await (exchange.call(connection, name) if name else exchange.request(connection, "tools/list"))
        return str(raised.value)

    message: str = exchange.talk(server, fail, protocol)
    return message


# --- handlers as they are --------------------------------------------------------------------------------------------
def with_field(n: int = Field(default=3, ge=1)) -> Any:
    return {"n": n}


def with_word(prefix: str, n: int = 3) -> Any:
    return {"n": n + len(prefix)}


class Rows:
    async def get(self, n: int = Field(default=3)) -> Any:
        return {"n": n}


@pytest.mark.parametrize(
    ("handler", "sent", "n"),
    [
        (with_field, {}, 3),
        (with_field, {"n": "5"}, 5),
        (functools.partial(with_word, "hi"), {"n": 1}, 3),
        (Rows().get, {"n": " 7 "}, 7),
    ],
    ids=["default", "lenient", "partial", "method"],
)
def test_handlers_and_lenient_arguments_are_as_on_other_servers(
    tmp_path: Path, handler: Handler, sent: Any, n: int
) -> None:
    optional = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}}
    (tmp_path / "mcpgen.toml").write_text("lenient = true\n", "utf-8")
    lenient = package(tmp_path, [tool("get-row", ROW, inputSchema=optional)], "--sdk", str(SDK))
    server = low_level(OwnHandlers(["first"]))
    lenient.bind(server).get_row(handler)
    assert ask(server, "get-row", sent)["structuredContent"] == {"n": n}


def test_a_handler_may_take_one_object_and_the_context(generated: Any) -> None:
    def handler(request: Any, ctx: Any) -> Any:
        return {"n": request.n if type(ctx).__name__ == "Context" else 0}

    handler.__annotations__ = {"request": generated.GetRowArguments, "ctx": exchange.context_type()}
    server = low_level()
    generated.bind(server).get_row(handler)
    assert ask(server, "get-row", {"n": 4})["structuredContent"] == {"n": 4}


@pytest.mark.parametrize("protocol", VERSIONS)
def test_texts_differ_at_run_time(generated: Any, protocol: str) -> None:
    server = low_level(OwnHandlers(["first"]))
    override = {"get-row": {"description": "One row.", "annotations": {"openWorldHint": False}}}
    generated.bind(server, override=override).get_row(lambda n: {"n": n})
    declared = next(tool for tool in generated.list_tools(protocol) if tool["name"] == "get-row")
    assert listed(server, protocol)["get-row"] == {**declared, **override["get-row"]}


# --- what is listed and called ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("protocol", VERSIONS)
def test_a_server_without_handlers_has_the_bound_tools(generated: Any, protocol: str) -> None:
    server = low_level()
    bind_all(generated, server)
    assert listed(server, protocol) == {tool["name"]: tool for tool in generated.list_tools(protocol)}
    rows = [{"n": 1}]
    assert ask(server, "list-rows", {}, protocol)["structuredContent"] == (
        rows if protocol == NEW else {"result": rows}
    )
    assert ask(server, "get-row", {"n": 5}, protocol)["structuredContent"] == {"n": 5}
    assert exchange.text(ask(server, "say", {"text": "Æ"}, protocol)) == "Æ"
    unfit = ask(server, "get-row", {"n": "5"}, protocol)
    assert unfit["isError"] is True
    assert "/n: " in exchange.text(unfit)
    assert "Unknown tool: other" in refused(server, "other", protocol)


@pytest.mark.parametrize("protocol", VERSIONS)
@pytest.mark.parametrize("size", [1, 2, 10])
@pytest.mark.parametrize("is_later", [False, True])
def test_own_tools_are_listed_and_called_too(generated: Any, protocol: str, size: int, is_later: bool) -> None:
    """However many pages they come in, and whether they were there before the package was bound or come later."""
    own_handlers = OwnHandlers([*OWN], size)
    server = low_level(None if is_later else own_handlers)
    bind_all(generated, server)
    if is_later:
        own_handlers.add(server)
    tools = listed(server, protocol)
    assert sorted(tools) == sorted([*OWN, *generated.TOOLS])
    assert {name: tools[name] for name in generated.TOOLS} == {
        tool["name"]: tool for tool in generated.list_tools(protocol)
    }
    for name, text in OWN.items():
        assert exchange.text(ask(server, name, {}, protocol)) == text
    assert ask(server, "get-row", {"n": 5}, protocol)["structuredContent"] == {"n": 5}


def test_each_bound_tool_is_listed_once_and_cursors_are_the_servers_own(generated: Any) -> None:
    server = low_level(OwnHandlers([*OWN], 1))
    bind_all(generated, server)

    pages = [exchange.request_once(server, "tools/list")]
    while cursor := pages[-1].get("nextCursor"):
        pages.append(exchange.request_once(server, "tools/list", cursor=cursor))
    names = [[tool["name"] for tool in page["tools"]] for page in pages]
    assert names == [["first", "list-rows", "get-row", "say"], ["second"], ["third"]]


def test_two_packages_on_one_server(generated: Any, tmp_path: Path) -> None:
    other_package = package(tmp_path, [tool("other-one", {"type": "boolean"})], "--sdk", str(SDK))
    server = low_level(OwnHandlers(["first"]))
    bind_all(generated, server)
    other_package.bind(server).other_one(lambda: True)
    OwnHandlers(["second"]).add(server)
    for protocol in VERSIONS:
        assert set(listed(server, protocol)) == {"second", "other-one", *generated.TOOLS}
        natural = protocol == NEW
        assert ask(server, "other-one", {}, protocol)["structuredContent"] == (True if natural else {"result": True})
        assert ask(server, "get-row", {"n": 5}, protocol)["structuredContent"] == {"n": 5}
        assert exchange.text(ask(server, "second", {}, protocol)) == "two"


# --- names in both ---------------------------------------------------------------------------------------------------
TAKEN = "the server has a tool get-row already: remove it there, or bind no handler to get-row here"


def test_a_name_of_the_servers_own_is_an_error_when_it_is_listed_or_called(
    generated: Any, caplog: pytest.LogCaptureFixture
) -> None:
    server = low_level(OwnHandlers(["first", "get-row"]))
    bind_all(generated, server)
    for name in ("", "list-rows"):
        caplog.clear()
        assert TAKEN in refused(server, name)
        assert TAKEN in [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    server = low_level(OwnHandlers(["first", "get-row"], size=1))
    bind_all(generated, server)
    assert TAKEN in refused(server, "list-rows")


def test_a_name_of_another_package_is_an_error_when_it_is_bound(generated: Any, tmp_path: Path) -> None:
    other_package = package(tmp_path, [tool("get-row", {"type": "boolean"}), tool("more")], "--sdk", str(SDK))
    server = low_level()
    generated.bind(server).get_row(lambda n: {"n": n})
    tools = other_package.bind(server)
    with pytest.raises(TypeError, match=TAKEN):
        tools.get_row(lambda: True)
    tools.more(lambda **_: "more")
    assert set(listed(server)) == {"get-row", "more"}
    assert ask(server, "get-row", {"n": 5})["structuredContent"] == {"n": 5}


def test_the_servers_own_tools_are_listed_once_for_many_calls(generated: Any) -> None:
    own_handlers = OwnHandlers(["first"])
    server = low_level(own_handlers)
    bind_all(generated, server)
    for _ in range(3):
        assert ask(server, "get-row", {"n": 5})["structuredContent"] == {"n": 5}
    assert own_handlers.pages == 1


def test_a_listing_of_the_servers_own_that_fails_leaves_the_bound_tools_callable(
    generated: Any, caplog: pytest.LogCaptureFixture
) -> None:
    own_handlers = OwnHandlers(["first"])
    server = low_level(own_handlers)
    bind_all(generated, server)
    own_handlers.page = lambda cursor: 1 / 0  # type: ignore[method-assign]
    assert ask(server, "get-row", {"n": 5})["structuredContent"] == {"n": 5}
    assert "The server's own tools cannot be listed" in [record.getMessage() for record in caplog.records]


# --- contexts --------------------------------------------------------------------------------------------------------
def request_context() -> Any:
    if MODERN:
        return exchange.named("mcp.server.context", "ServerRequestContext")
    return exchange.named("mcp.shared.context", "RequestContext")


@pytest.mark.parametrize("is_low_level", [False, True])
def test_both_contexts_reach_handlers_with_the_lifespan(generated: Any, is_low_level: bool) -> None:
    contextlib = importlib.import_module("contextlib")

    @contextlib.asynccontextmanager  # type: ignore[untyped-decorator]
    async def lifespan(_: Any) -> Any:
        yield {"database": "base"}

    def with_request(text: str, request: Any, **_: Any) -> str:
        return f"{text} {request.lifespan_context['database']}"

    async def with_context(text: str, where: Any, **_: Any) -> str:
        return f"{text} {where.request_context.lifespan_context['database']}"

    with_request.__annotations__["request"] = request_context() | None
    with_context.__annotations__["where"] = exchange.context_type()
    for handler in (with_request, with_context):
        server = low_level(lifespan=lifespan) if is_low_level else exchange.server(lifespan=lifespan)
        generated.bind(server).say(handler)
        assert exchange.text(ask(server, "say", {"text": "a"})) == "a base"


# --- what the server's own decorator converts ------------------------------------------------------------------------
@pytest.mark.skipif(SDK != "mcp1", reason="handlers of mcp 2.x return a CallToolResult")
def test_values_of_undeclared_tools_are_converted_as_by_the_servers_own_decorator(tmp_path: Path) -> None:
    definition = tool("say", inputSchema=TEXT, **{"x-mcpgen": {"content": "sdk"}})
    generated = package(tmp_path, [definition], "--sdk", "mcp1")
    text = types().TextContent(type="text", text="Æ")
    values: list[Any] = [
        [text],
        (text,),
        {"a": "Æ", "b": [1, 2.5]},
        ([text], {"a": 1}),
        types().CallToolResult(content=[text]),
    ]
    for value in values:
        plain_server, bound_server = low_level(), low_level()

        async def lists() -> Any:
            return [types().Tool(name="say", inputSchema=TEXT)]

        async def calls(name: str, arguments: dict[str, Any], value: Any = value) -> Any:
            return value

        plain_server.list_tools()(lists)
        plain_server.call_tool()(calls)
        generated.bind(bound_server).say(lambda text, value=value, **_: value)
        assert ask(bound_server, "say", {"text": "a"}) == ask(plain_server, "say", {"text": "a"})


# --- wrong servers ---------------------------------------------------------------------------------------------------
def test_what_is_no_server_of_the_sdk_is_refused_with_what_to_do(generated: Any) -> None:
    expected = {
        "mcp": "bind takes an MCPServer or a low-level Server of mcp 2.x, not ",
        "mcp1": "bind takes a FastMCP or a low-level Server of mcp 1.x, not ",
    }[str(SDK)]
    foreign = type("FastMCP", (), {"__module__": "fastmcp.server.server"})
    older = type("FastMCP", (), {"__module__": "mcp.server.fastmcp.server"})
    session = type("ClientSession", (), {"__module__": "mcp.client.session"})
    app = type("Starlette", (), {"__module__": "starlette.applications"})
    subclass = type("Mine", (foreign,), {"__module__": "acme"})
    advice = " in the settings and run mcpgen build"
    for server, text in (
        (
            foreign(),
            'a fastmcp.server.server.FastMCP: set sdk = "fastmcp" (fastmcp 4) or "fastmcp3" (fastmcp 2.13 to 3)'
            + advice,
        ),
        (subclass(), f'a acme.Mine: set sdk = "fastmcp" (fastmcp 4) or "fastmcp3" (fastmcp 2.13 to 3){advice}'),
        (older(), f'a mcp.server.fastmcp.server.FastMCP: set sdk = "mcp1"{advice}'),
        (session(), "a mcp.client.session.ClientSession, which is a session: pass the server itself"),
        (app(), "a starlette.applications.Starlette: pass the server that the app is made from"),
        (object(), "an object of the type object: pass the server that offers the tools"),
        (None, "an object of the type NoneType: pass the server that offers the tools"),
        (object, "the class object: pass the server, an instance"),
    ):
        with pytest.raises(TypeError) as raised:
            generated.bind(server)
        assert str(raised.value) == expected + text
