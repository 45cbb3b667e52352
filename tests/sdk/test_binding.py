"""Handlers bound to tools, on whichever SDK is installed: what they get, what becomes of what they return."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import logging
import math
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest
from sdk import exchange
from sdk.exchange import MODERN, NEW, OLD, SDK, VERSIONS, ask
from sdk.exchange import list_tools as shown
from support.packages import get_package, get_tool, package, tool

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
FORECAST: dict[str, Any] = {
    "type": "object",
    "properties": {"place": {"type": "string"}, "wind-speed": {"type": ["number", "null"]}, "note": {"type": "string"}},
    "required": ["place", "wind-speed"],
    "additionalProperties": False,
}
ASKED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "place-name": {"type": "string", "pattern": "^[A-Z]"},
        "max-days": {"type": "integer", "minimum": 1},
        "note": {"type": ["string", "null"]},
        "area": {"$ref": "#/$defs/Area"},
    },
    "required": ["place-name"],
    "additionalProperties": False,
    "$defs": {"Area": {"type": "object", "properties": {"km": {"type": "number"}}, "required": ["km"]}},
}
ROW = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
ROWS = {"type": "array", "items": ROW}
OPEN = {"type": "object", "properties": {"q": {"type": "string"}}, "additionalProperties": {"type": "integer"}}
TOOLS = [
    tool("get-forecast", FORECAST, description="Looks ahead.", inputSchema=ASKED, annotations={"readOnlyHint": True}),
    tool("list-rows", ROWS),
    tool("maybe", {"type": ["string", "null"]}),
    tool("held", {"type": "object", "properties": {"result": ROWS}, "required": ["result"], "title": "heldOutput"}),
    tool("say"),
    tool("search", inputSchema=OPEN),
    tool("renamed", inputSchema={"type": "object", "properties": {"place-name": {"type": "string"}}}),
    tool("named", inputSchema={"type": "object", "properties": {"ctx": {"type": "string"}}, "required": ["ctx"]}),
    *(tool(name, {"type": "integer"}) for name in ("complete", "implement", "options", "contract")),
]
WHOLE = {"place": "Ulm", "wind-speed": None}
Handler = Callable[..., Any]


def bound(generated: Any, name: str, handler: Handler, *, sdk: dict[str, Any] | None = None) -> Any:
    """A server with one bound tool."""
    server = exchange.server(**(sdk or {}))
    getattr(generated.bind(server), name)(handler)
    return server


def annotated(handler: Handler, **annotations: Any) -> Handler:
    """A handler whose annotations are classes that only this SDK has."""
    handler.__annotations__.update(annotations)
    return handler


class Seen:
    """A handler of `get-forecast` that remembers its arguments; `default` stands for an absent one."""

    def __init__(self, generated: Any) -> None:
        self._result, self.arguments = generated.GetForecastResult, dict[str, Any]()

    def handler(self) -> Handler:
        def get_forecast(place_name: str, max_days: Any = "own", note: Any = "own", area: Any = "own") -> Any:
            self.arguments = {"place_name": place_name, "max_days": max_days, "note": note, "area": area}
            return self._result(place=place_name, wind_speed=None)

        return get_forecast


# --- arguments -------------------------------------------------------------------------------------------------------
def test_arguments_come_by_python_names_and_absent_ones_not_at_all(generated: Any) -> None:
    recorder = Seen(generated)
    server = bound(generated, "get_forecast", recorder.handler())
    answer = ask(server, "get-forecast", {"place-name": "Ulm"})
    assert answer["structuredContent"] == WHOLE
    assert not answer.get("isError")
    assert recorder.arguments == {"place_name": "Ulm", "max_days": "own", "note": "own", "area": "own"}
    ask(server, "get-forecast", {"place-name": "Ulm", "max-days": 3, "note": None, "area": {"km": 2.5}})
    assert (recorder.arguments["max_days"], recorder.arguments["note"]) == (3, None)
    assert recorder.arguments["area"] == {"km": 2.5}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "/place-name: is required"),
        ({"place-name": 1}, "/place-name: "),
        ({"place-name": "ulm"}, "/place-name: "),
        ({"place-name": "Ulm", "max-days": 0}, "/max-days: "),
        ({"place-name": "Ulm", "max-days": None}, "/max-days: "),
        ({"place-name": "Ulm", "area": {}}, "/area/km: is required"),
        ({"place-name": "Ulm", "a/b": 1}, "/a~1b: there is no such property"),
        ({"place_name": "Ulm"}, "/place_name: there is no such property"),
    ],
)
def test_arguments_that_do_not_fit_are_told_by_pointer(generated: Any, arguments: Any, message: str) -> None:
    recorder = Seen(generated)
    answer = ask(bound(generated, "get_forecast", recorder.handler()), "get-forecast", arguments)
    assert answer["isError"] is True
    assert message in exchange.text(answer)
    assert "structuredContent" not in answer
    assert recorder.arguments == {}


def test_undeclared_arguments_go_to_extras(generated: Any) -> None:
    received: list[Any] = []

    def search(q: str = "", **extras: Any) -> Any:
        received.append((q, extras))

    server = bound(generated, "search", search)
    sent = {"q": "x", "a b": 1, "self": 2, "fn": 3, "func": 4, "handler": 5, "arguments": 6, "name": 7, "cls": 8}
    assert not ask(server, "search", sent).get("isError")
    sent.pop("q")
    assert received == [("x", sent)]
    assert "isError" in ask(server, "search", {"a": "no integer"})

    def without(q: str = "") -> Any:
        received.append(q)

    ask(bound(generated, "search", without), "search", {"q": "y", "a b": 1})
    assert received[1:] == ["y"]


def test_no_argument_of_a_client_reaches_an_injected_parameter(generated: Any) -> None:
    """Nor one that has a default of the handler's own: what the inputSchema does not declare is never a parameter."""
    received: list[Any] = []
    context = exchange.context_type()

    def search(ctx: Any, is_admin: int = 0, q: str = "", **extras: Any) -> Any:
        received.append((type(ctx), is_admin, extras))

    server = bound(generated, "search", annotated(search, ctx=context))
    ask(server, "search", {"ctx": 1, "is_admin": 1, "other": 1})
    assert [(issubclass(received[0][0], context), *received[0][1:])] == [(True, 0, {"other": 1})]


def test_no_undeclared_argument_stands_for_a_declared_one(generated: Any) -> None:
    """Check that what is sent under the Python name of a property has not been checked against its schema."""
    received: list[Any] = []
    server = bound(generated, "renamed", lambda **arguments: received.append(arguments))
    ask(server, "renamed", {"place-name": "Ulm", "place_name": {"other": 1}, "more": 1})
    ask(server, "renamed", {"place_name": {"other": 1}})
    assert received == [{"place_name": "Ulm", "more": 1}, {}]


# --- what the SDK fills in -------------------------------------------------------------------------------------------
def test_the_context_is_filled_in_by_annotation(generated: Any) -> None:
    received: list[Any] = []
    context, injected = exchange.context_type(), __import__(f"{generated.__name__}.server", fromlist=["x"]).INJECTED

    def plain(where: Any) -> Any:
        received.append(where)

    async def with_default(where: Any = injected) -> Any:
        received.append(where)

    def optional(where: Any = None) -> Any:
        received.append(where)

    handlers = [annotated(plain, where=context), annotated(with_default, where=context)]
    handlers.append(annotated(optional, where=context | None))
    for handler in handlers:
        assert not ask(bound(generated, "say", handler), "say").get("isError")
    assert [isinstance(item, context) for item in received] == [True] * 3


def test_an_argument_may_be_called_ctx(generated: Any) -> None:
    def named(ctx: str, context: Any) -> Any:
        return f"{ctx} {type(context).__name__}"

    answer = ask(bound(generated, "named", annotated(named, context=exchange.context_type())), "named", {"ctx": "x"})
    assert exchange.text(answer) == "x Context"


@pytest.mark.skipif(not (exchange.ROW and exchange.ROW.depends_module), reason="this SDK has no Depends")
def test_dependencies_are_resolved(generated: Any) -> None:
    if importlib.util.find_spec(exchange.ROW.depends_module) is None:
        pytest.skip("this version has no Depends")

    async def database() -> str:
        return "database"

    filled = exchange.named(exchange.ROW.depends_module, "Depends")(database)

    async def get_forecast(place_name: str, base: Any = filled, note: Any = None, **_: Any) -> Any:
        return {"place": f"{place_name} {base} {note}", "wind-speed": None}

    def plain(place_name: str, base: Any = filled, **_: Any) -> Any:
        return {"place": f"{place_name} {base}", "wind-speed": None}

    arguments = {"place-name": "Ulm", "note": "n"}
    answer = ask(bound(generated, "get_forecast", get_forecast), "get-forecast", arguments)
    assert answer["structuredContent"]["place"] == "Ulm database n"
    answer = ask(bound(generated, "get_forecast", plain), "get-forecast", arguments)
    assert answer["structuredContent"]["place"] == "Ulm database"
    refused = ask(bound(generated, "get_forecast", get_forecast), "get-forecast", {**arguments, "base": "mine"})
    assert "/base: there is no such property" in exchange.text(refused)


@pytest.mark.skipif(SDK != "fastmcp", reason="fastmcp's own")
def test_current_context_is_filled_in(generated: Any) -> None:
    filled = exchange.named("fastmcp.dependencies", "CurrentContext")()

    def say(ctx: Any = filled) -> Any:
        return type(ctx).__name__

    assert exchange.text(ask(bound(generated, "say", say), "say")) == "Context"


def _user() -> str:
    return "user"


@pytest.mark.skipif(SDK != "mcp", reason="mcp 2.x's own")
def test_resolved_parameters_are_filled_in(generated: Any) -> None:
    resolve = exchange.named("mcp.server.mcpserver", "Resolve")

    def search(q: str, user: Any, **extras: Any) -> Any:
        return f"{q} {user} {extras}"

    handler = annotated(search, user=Annotated[str, resolve(_user)])
    handler.__defaults__ = None
    with pytest.raises(TypeError, match="'q' may be absent, so the parameter needs a default"):
        bound(generated, "search", handler)

    def again(user: Any, q: str = "", **extras: Any) -> Any:
        return f"{q} {user} {extras}"

    answer = ask(
        bound(generated, "search", annotated(again, user=Annotated[str, resolve(_user)])), "search", {"q": "x"}
    )
    assert exchange.text(answer) == "x user {}"


# --- what handlers return --------------------------------------------------------------------------------------------
def returning(value: Any) -> Handler:
    def handler(**_: Any) -> Any:
        return value() if callable(value) else value

    return handler


@pytest.mark.parametrize("protocol", VERSIONS)
def test_every_form_of_a_result(generated: Any, protocol: str) -> None:
    result = generated.GetForecastResult
    created = result(place="Ulm", wind_speed=None)
    for value in (created, WHOLE, created.to_call_tool_result(protocol=protocol), ("said", created), ("said", WHOLE)):
        server = bound(generated, "get_forecast", returning(value))
        answer = ask(server, "get-forecast", {"place-name": "A"}, protocol)
        assert answer["structuredContent"] == WHOLE
        assert exchange.text(answer) == (
            "said" if isinstance(value, tuple) else json.dumps(WHOLE, separators=(",", ":"))
        )
        assert (answer.get("resultType") == "complete") == (protocol == NEW)


@pytest.mark.parametrize("protocol", VERSIONS)
def test_bare_inner_values(generated: Any, protocol: str) -> None:
    rows, natural = [{"n": 1}, {"n": 2}], protocol == NEW
    for name, value in (("list-rows", rows), ("held", rows), ("held", {"result": rows})):
        server = bound(generated, name.replace("-", "_"), returning(lambda value=value: value))
        answer = ask(server, name, {}, protocol)
        assert answer["structuredContent"] == (rows if natural and name == "list-rows" else {"result": rows})
    for inner in ("x", None):
        answer = ask(bound(generated, "maybe", returning(inner)), "maybe", {}, protocol)
        assert answer["structuredContent"] == (inner if natural else {"result": inner})
        assert exchange.text(answer) == json.dumps(inner)
        assert not answer.get("isError")


@pytest.mark.parametrize("protocol", VERSIONS)
def test_a_tool_without_an_output_schema_answers_in_content_alone(generated: Any, protocol: str) -> None:
    for value, text in (("text", "text"), ({"a": 1}, '{"a":1}'), (3, "3")):
        answer = ask(bound(generated, "say", returning(value)), "say", {}, protocol)
        assert exchange.text(answer).replace(" ", "").replace("\n", "") == text
        assert "structuredContent" not in answer


@pytest.mark.parametrize("protocol", VERSIONS)
def test_what_is_advertised_is_what_is_declared(generated: Any, protocol: str) -> None:
    server = exchange.server()
    generated.bind(server).implement(everything(generated))
    tools = shown(server, protocol)
    assert tools == {tool["name"]: tool for tool in generated.list_tools(protocol)}
    assert tools["get-forecast"] == generated.TOOLS["get-forecast"]
    assert tools["list-rows"]["outputSchema"]["type"] == ("array" if protocol == NEW else "object")


@pytest.mark.skipif(SDK not in ("mcp", "fastmcp"), reason="other SDKs do not show which function a tool has")
def test_a_handler_with_the_decorator_of_the_sdk_is_reported_once(
    generated: Any, caplog: pytest.LogCaptureFixture
) -> None:
    server = exchange.server()
    tools = generated.bind(server)

    def list_all() -> list[dict[str, int]]:
        return []

    def say() -> str:
        return ""

    def other() -> str:
        return ""

    tools.list_rows(list_all)
    tools.say(say)
    for function in (list_all, say, other):
        exchange.decorate(server, function)
    caplog.clear()

    async def list_twice(connection: Any) -> list[dict[str, dict[str, Any]]]:
        return [await exchange.listed(connection) for _ in range(2)]

    assert {"list-rows", "list_all", "say", "other"} <= exchange.talk(server, list_twice)[0].keys()
    logged = [record.getMessage() for record in caplog.records if record.name == "mcpgen_runtime.low_level"]
    messages = [
        f"the handler of {tool} (test_binding.py, line {handler.__code__.co_firstlineno}) also has the SDK's "
        f"decorator: its tool {effect}, without the checks of mcpgen. Remove the SDK's decorator"
        for tool, handler, effect in (
            ("list-rows", list_all, "list_all is a second tool"),
            ("say", say, "say replaces it"),
        )
    ]
    assert sorted(logged) == messages[: 2 if SDK == "fastmcp" else 1]  # mcp keeps the first tool


def test_a_wrong_value_is_an_error_result_and_in_the_log(generated: Any, caplog: pytest.LogCaptureFixture) -> None:
    secret = {"place": "Ulm", "wind-speed": "secret"}
    for value in (secret, {"place": "Ulm"}, 5, ("said", secret)):
        caplog.clear()
        answer = ask(bound(generated, "get_forecast", returning(value)), "get-forecast", {"place-name": "A"})
        assert answer["isError"] is True
        assert "structuredContent" not in answer
        assert "secret" not in exchange.text(answer)
        if value in (secret, ("said", secret)):
            assert "/wind-speed" in exchange.text(answer)
        logged = [record for record in caplog.records if record.name == "mcpgen_runtime.server_binding"]
        assert [item.levelno for item in logged] == [logging.ERROR]


# --- errors ----------------------------------------------------------------------------------------------------------
def raising(error: BaseException) -> Handler:
    def handler(**_: Any) -> Any:
        raise error

    return handler


@pytest.mark.parametrize("protocol", VERSIONS)
@pytest.mark.parametrize("kind", ["arguments", "exception", "value", "returned", "raised"])
def test_an_error_result_has_no_structured_content(generated: Any, kind: str, protocol: str) -> None:
    handlers: dict[str, Handler] = {
        "arguments": returning(WHOLE),
        "exception": raising(ValueError("no")),
        "value": returning({"place": "Ulm", "wind-speed": math.nan}),
        "returned": returning(generated.tool_error("no")),
        "raised": raising(exchange.tool_error("no")),
    }
    server = bound(generated, "get_forecast", handlers[kind])
    answer = ask(server, "get-forecast", {} if kind == "arguments" else {"place-name": "Ulm"}, protocol)
    assert answer["isError"] is True
    assert answer.keys() - {"resultType", "_meta"} == {"content", "isError"}


@pytest.mark.parametrize(
    "error", [RuntimeError("secret"), TypeError("secret"), KeyError("secret"), ValueError("secret")]
)
def test_an_unexpected_exception_is_logged_and_not_told(
    generated: Any, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    answer = ask(bound(generated, "say", raising(error)), "say")
    assert answer["isError"] is True
    assert "secret" not in json.dumps(answer)
    assert any(
        record.exc_info and error in (record.exc_info[1], _cause(record.exc_info[1])) for record in caplog.records
    )


def _cause(error: BaseException | None) -> BaseException | None:
    return error.__cause__ if error is not None else None


def test_a_validation_error_of_a_handler_is_not_told(generated: Any, caplog: pytest.LogCaptureFixture) -> None:
    def handler(**_: Any) -> Any:
        return generated.GetForecastResult(place="secret", wind_speed="secret")

    answer = ask(bound(generated, "get_forecast", handler), "get-forecast", {"place-name": "A"})
    assert answer["isError"] is True
    assert "secret" not in json.dumps(answer)
    assert caplog.records


@pytest.mark.skipif(not MODERN, reason="of protocol version 2026-07-28")
def test_a_handler_may_ask_for_input(generated: Any) -> None:
    kinds = __import__("mcp_types")
    input_required_result = kinds.InputRequiredResult(request_state="state")
    server = bound(generated, "get_forecast", returning(input_required_result))
    answer = ask(server, "get-forecast", {"place-name": "A"}, NEW)
    assert answer["resultType"] == "input_required"
    refused = ask(server, "get-forecast", {"place-name": "A"}, OLD)
    assert refused["isError"] is True
    assert "asks for input" in exchange.text(refused)


# --- handlers that do not fit ----------------------------------------------------------------------------------------
def test_handlers_that_do_not_fit_are_refused_at_once(generated: Any) -> None:
    def misses() -> Any: ...
    def unknown(place_name: str, town: str, **_: Any) -> Any: ...
    def misspelt(place_nam: str | None = None) -> Any: ...
    def by_position(place_name: str, /, **_: Any) -> Any: ...
    def needs(place_name: str, max_days: int, **_: Any) -> Any: ...

    injected = __import__(f"{generated.__name__}.server", fromlist=["x"]).INJECTED

    def never_filled_in(place_name: str, town: str = injected, **_: Any) -> Any: ...

    messages = {
        misses: r"of get-forecast does not fit: it takes no 'place_name'; .*it takes no 'area'",
        misspelt: r"of get-forecast does not fit: it takes no 'place_name' \(did you mean that by 'place_nam'\?\)",
        unknown: "'town' is not an argument of the tool, and the SDK does not fill it in",
        by_position: "'place_name' can only be passed by position",
        needs: "'max_days' may be absent, so the parameter needs a default",
        never_filled_in: "'town' is not an argument of the tool, and the SDK does not fill it in",
    }
    for handler, message in messages.items():
        server = exchange.server()
        tools = generated.bind(server)
        with pytest.raises(TypeError, match=message):
            tools.get_forecast(handler)
        assert "get-forecast" not in tools
        assert shown(server) == {}


def test_a_tool_is_bound_once_and_takes_no_decorated_tools_name(generated: Any) -> None:
    server = exchange.server()
    tools = generated.bind(server)
    assert tools.say(returning("a")).__name__ == "handler"
    assert "say" in tools
    assert "maybe" not in tools
    with pytest.raises(TypeError, match="say has a handler already"):
        tools.say(returning("b"))

    def maybe() -> str:
        return "own"

    exchange.decorate(server, maybe)
    if SDK not in ("fastmcp", "fastmcp3"):  # fastmcp warns and replaces, unless its settings say otherwise
        with pytest.raises(TypeError, match="the server has a tool maybe already"):
            tools.maybe(returning("b"))
    assert exchange.text(ask(server, "say")) == "a"


# --- whole servers ---------------------------------------------------------------------------------------------------
def everything(generated: Any) -> Any:
    """A handler for every tool, under its name."""
    handlers = types.SimpleNamespace()
    for name, method in get_package(generated).tool_attributes.items():
        setattr(handlers, method, returning({"get-forecast": WHOLE, "list-rows": [], "held": []}.get(name, 1)))
    handlers.maybe = returning(None)
    return handlers


def test_completeness(generated: Any) -> None:
    incomplete = __import__(f"{generated.__name__}.server", fromlist=["x"]).IncompleteServer
    tools = generated.bind(exchange.server())
    with pytest.raises(incomplete, match=r"no handler is bound for .*get-forecast") as raised:
        tools.complete()
    assert set(raised.value.missing) == set(generated.TOOLS)
    handlers = everything(generated)
    del handlers.say
    with pytest.raises(incomplete, match="no handler is bound for say"):
        tools.implement(handlers)
    assert "maybe" not in tools
    tools.say(returning("own"))
    tools.implement(handlers)
    tools.complete()
    assert all(name in tools for name in generated.TOOLS)


def test_beside_the_servers_own_tools_and_another_package(generated: Any, tmp_path: Path) -> None:
    """An array root of the server's own does not keep the others from a client of an old version."""
    other_package = package(tmp_path, [tool("other-one", {"type": "boolean"})], "--sdk", str(SDK))
    server = exchange.server()

    def own(n: int) -> int:
        return n + 1

    exchange.decorate(server, own)
    generated.bind(server).list_rows(returning([]))
    other_package.bind(server).other_one(returning(True))
    for protocol in VERSIONS:
        tools = shown(server, protocol)
        assert set(tools) == {"own", "list-rows", "other-one"}
        assert tools["list-rows"] == next(
            tool for tool in generated.list_tools(protocol) if tool["name"] == "list-rows"
        )
        assert tools["other-one"] == other_package.list_tools(protocol)[0]
        expected = True if protocol == NEW else {"result": True}
        assert ask(server, "other-one", {}, protocol)["structuredContent"] == expected
        assert ask(server, "list-rows", {}, protocol)["structuredContent"] == (
            [] if protocol == NEW else {"result": []}
        )
        assert exchange.text(ask(server, "own", {"n": 1}, protocol)) == "2"


@pytest.mark.parametrize("value", [WHOLE, None])
def test_in_process(generated: Any, value: Any) -> None:
    """Without a session results have the form that the SDK's objects can hold."""
    server = bound(generated, "get_forecast", returning(value))
    arguments = {"place-name": "Ulm"}

    async def called() -> Any:
        owner = server.tools if SDK == "dedalus" else getattr(server, "_tool_manager", server)
        return await (owner if SDK == "fastmcp3" else getattr(server, "tools", server)).call_tool(
            "get-forecast", arguments
        )

    result = asyncio.run(called())
    structured = getattr(result, "structured_content", None) or getattr(result, "structuredContent", None)
    assert structured == value
    if hasattr(server, "list_tools") and SDK != "dedalus":  # there it is a decorator
        (listed,) = asyncio.run(server.list_tools())
        assert listed.name == "get-forecast"


def test_pages_of_a_listing(generated: Any) -> None:
    if SDK == "fastmcp":
        server = exchange.server(list_page_size=2)
    elif SDK == "dedalus":
        config = exchange.named("dedalus_mcp", "ServerConfig")
        try:
            server = exchange.server(config=config(pagination_limit=2))
        except TypeError:
            server = exchange.server(server_config=config(pagination_limit=2))
    else:
        pytest.skip("this SDK's server lists all at once")
    generated.bind(server).implement(everything(generated))

    first, every = exchange.request_once(server, "tools/list"), exchange.list_tools(server)
    assert len(first["tools"]) == 2
    assert first["nextCursor"]
    assert every == {tool["name"]: tool for tool in generated.list_tools(OLD)}


# --- the SDK's options, middleware and the like ----------------------------------------------------------------------
@pytest.mark.skipif(SDK != "fastmcp", reason="fastmcp's own")
def test_options_of_fastmcp(generated: Any) -> None:
    server = exchange.server()
    tools = generated.bind(server)

    async def slow() -> Any:
        await asyncio.sleep(5)

    tools.options(tags={"red"}).options(timeout=0.05).say(slow)
    tools.options(auth=lambda _: False).maybe(returning("x"))
    tools.list_rows(returning([]))
    tools_by_name = {item.name: item for item in asyncio.run(server.list_tools())}
    assert (tools_by_name["say"].tags, tools_by_name["say"].timeout) == ({"red"}, 0.05)
    assert (tools_by_name["list-rows"].tags, tools_by_name["list-rows"].timeout) == (set(), None)
    assert "timed out" in exchange.text(ask(server, "say"))


@pytest.mark.skipif(SDK != "dedalus", reason="dedalus-mcp's own")
def test_options_of_dedalus(generated: Any) -> None:
    server = exchange.server()
    tools = generated.bind(server)
    tools.options(tags={"red"}, required_scopes={"admin"}).say(returning("x"))
    tools.options(enabled=lambda _: False).maybe(returning("x"))
    tools.list_rows(returning([]))
    assert set(shown(server)) == {"say", "list-rows"}
    assert server.tools._tool_specs["say"].tags == {"red"}
    assert server.tools._tool_specs["say"].required_scopes == {"admin"}
    assert not ask(server, "list-rows").get("isError")
    assert ask(server, "maybe")["isError"]


@pytest.mark.skipif(SDK != "fastmcp", reason="fastmcp's own")
def test_middleware_of_fastmcp_sees_the_calls_and_parents_mount(generated: Any) -> None:
    observed: list[Any] = []
    base = exchange.named("fastmcp.server.middleware", "Middleware")

    class Listener(base):  # type: ignore[misc, valid-type]
        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            result = await call_next(context)
            observed.append((context.message.name, result.structured_content))
            return result

    server = bound(generated, "list_rows", returning([{"n": 1}]), sdk={"middleware": [Listener()]})
    for protocol in VERSIONS:
        expected = [{"n": 1}] if protocol == NEW else {"result": [{"n": 1}]}
        assert ask(server, "list-rows", {}, protocol)["structuredContent"] == expected
    assert observed == [("list-rows", {"result": [{"n": 1}]})] * 2
    parent = exchange.server()
    parent.mount(server, namespace="sub")
    for protocol in VERSIONS:
        (name,) = shown(parent, protocol)
        answer = ask(parent, name, {}, protocol)
        assert answer["structuredContent"] == {"result": [{"n": 1}]}
        assert not answer.get("isError")


@pytest.mark.skipif(SDK != "fastmcp", reason="fastmcp's own")
@pytest.mark.parametrize("protocol", VERSIONS)
def test_what_middleware_of_fastmcp_changes_is_sent(generated: Any, protocol: str) -> None:
    base = exchange.named("fastmcp.server.middleware", "Middleware")

    class Editor(base):  # type: ignore[misc, valid-type]
        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            result = await call_next(context)
            result.structured_content["place"] = "Bonn"
            return result.model_copy(update={"content": [], "meta": {"edited": True}})

    server = bound(generated, "get_forecast", returning(WHOLE), sdk={"middleware": [Editor()]})
    answer = ask(server, "get-forecast", {"place-name": "Ulm"}, protocol)
    assert answer["structuredContent"] == {**WHOLE, "place": "Bonn"}
    assert answer["content"] == []
    assert answer["_meta"]["edited"] is True


@pytest.mark.skipif(SDK != "mcp", reason="mcp 2.x's own")
def test_middleware_and_extensions_of_mcp_see_the_calls(generated: Any) -> None:
    observed: list[Any] = []
    base = exchange.named("mcp.server.extension", "Extension")

    class Listener(base):  # type: ignore[misc, valid-type]
        identifier = "org.example/listener"

        async def intercept_tool_call(self, params: Any, ctx: Any, call_next: Any) -> Any:
            result = await call_next(ctx)
            observed.append((params.name, result.structured_content))
            return result

    async def middleware(ctx: Any, call_next: Any) -> Any:
        observed.append(ctx.method)
        return await call_next(ctx)

    server = bound(
        generated, "list_rows", returning([{"n": 1}]), sdk={"extensions": [Listener()], "middleware": [middleware]}
    )
    for protocol in VERSIONS:
        observed.clear()
        expected = [{"n": 1}] if protocol == NEW else {"result": [{"n": 1}]}
        assert ask(server, "list-rows", {}, protocol)["structuredContent"] == expected
        assert "tools/call" in observed
        assert [item[0] for item in observed if isinstance(item, tuple)] == ["list-rows"]


@pytest.mark.skipif(SDK != "mcp", reason="mcp 2.x's own")
def test_middleware_that_comes_after_the_binding_sees_the_whole_result(generated: Any) -> None:
    observed: list[Any] = []

    async def middleware(ctx: Any, call_next: Any) -> Any:
        result = await call_next(ctx)
        if ctx.method == "tools/call":
            observed.append(result["structuredContent"])
        return result

    server = bound(generated, "list_rows", returning([{"n": 1}]))
    low_level = vars(server)["_lowlevel_server"]
    for append in (True, False):  # nothing goes past it; else only it is passed
        if append:
            low_level.middleware.append(middleware)
        else:
            low_level.middleware.remove(middleware)
        for protocol in VERSIONS:
            observed.clear()
            expected = [{"n": 1}] if protocol == NEW else {"result": [{"n": 1}]}
            assert ask(server, "list-rows", {}, protocol)["structuredContent"] == expected
            assert observed == ([expected] if append else [])


@pytest.mark.skipif(SDK != "mcp", reason="mcp 2.x's own")
def test_cache_hints_of_mcp_are_kept(generated: Any) -> None:
    hint = exchange.named("mcp.server.caching", "CacheHint")(ttl_ms=5000, scope="public")
    for hints, expected in (({"tools/list": hint}, (5000, "public")), ({}, (0, "private"))):
        server = bound(generated, "say", returning("x"), sdk={"cache_hints": hints})
        answer = exchange.request_once(server, "tools/list", NEW)
        assert (answer["ttlMs"], answer["cacheScope"]) == expected


def test_importing_the_package_imports_no_server_and_no_client(generated: Any) -> None:
    code = f"import sys, {generated.__name__} as g; g.list_tools; g.GetForecastResult; print(*sys.modules)"
    folder = Path(generated.__file__).parent.parent
    run = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    modules = set(run.stdout.split())
    lazy_modules = {f"{generated.__name__}.{name}" for name in ("server", "client", "glue", "binding", "session")}
    heavy = {"fastmcp.server.server", "dedalus_mcp.server.core", "mcp.server.mcpserver", "mcp.client.session"}
    if not MODERN:
        heavy = {"dedalus_mcp.server.core"}  # mcp 1.x imports its servers and sessions in `mcp` itself
    assert modules & (lazy_modules | heavy) == set()


# --- what no session can bring about ---------------------------------------------------------------------------------
def test_arguments_that_are_no_json_are_refused(generated: Any) -> None:
    binding: Any = importlib.import_module("mcpgen_runtime.server_binding")
    bound = binding.BoundTool.of(get_tool(generated, "get-forecast"), returning(None), ())
    for wrong in ("A\ud800", float("nan"), {1, 2}):
        with pytest.raises(binding.ArgumentsError, match="Invalid arguments for get-forecast: "):
            bound.read({"place-name": wrong})
    search = binding.BoundTool.of(get_tool(generated, "search"), returning(None), ())
    assert search.read(None) == {}


def test_an_output_schema_that_a_version_cannot_carry_is_left_out() -> None:
    """Of a tool that is not the package's: it would take the whole listing down."""
    listed: Any = importlib.import_module("mcpgen_runtime.tool_definitions")
    foreign_tool = {"name": "own", "inputSchema": {"type": "object"}, "outputSchema": {"type": "array"}}
    adapt = listed.adapt_foreign_definition
    assert adapt(foreign_tool, NEW) == foreign_tool
    assert adapt(foreign_tool, OLD) == {"name": "own", "inputSchema": {"type": "object"}}
    assert adapt({**foreign_tool, "outputSchema": {"type": "object"}}, OLD)["outputSchema"] == {"type": "object"}


def test_a_default_that_differs_from_the_schema_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    kinds = {"integer": 20, "boolean": True, "string": "a", "number": 1}
    properties = {f"{kind}_value": {"type": kind, "default": default} for kind, default in kinds.items()}
    schema = {"type": "object", "properties": {**properties, "none": {"type": "string"}}}
    generated = package(tmp_path, [tool("find", inputSchema=schema)], "--sdk", str(SDK))
    binding: Any = importlib.import_module("mcpgen_runtime.server_binding")

    def handle(
        integer_value: int = 10,
        boolean_value: bool = True,
        string_value: str | None = None,
        number_value: float = 1.0,
        none: str = "x",
    ) -> None: ...

    binding.BoundTool.of(get_tool(generated, "find"), handle, ())
    (record,) = [record for record in caplog.records if record.name.startswith("mcpgen_runtime.")]
    assert "integer_value=10" in record.getMessage()
    assert "20" in record.getMessage()
