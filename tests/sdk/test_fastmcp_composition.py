"""fastmcp's own composition: a bound tool behaves as one of fastmcp's own decorator, on the same server."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import pytest
from sdk import exchange
from sdk.exchange import SDK, VERSIONS
from support.packages import package, tool

pytestmark = pytest.mark.skipif(
    SDK not in ("fastmcp", "fastmcp3") or version("fastmcp").startswith("2."),
    reason="fastmcp 3.x or 4.x is not installed here",
)
DOUBLED: dict[str, Any] = {"type": "object", "properties": {"twice": {"type": "integer"}}, "required": ["twice"]}
ASKED: dict[str, Any] = {
    "type": "object",
    "properties": {"number": {"type": "integer"}},
    "required": ["number"],
    "additionalProperties": False,
}
ROWS: dict[str, Any] = {"type": "array", "items": {"type": "integer"}}
TOOLS = [tool("double", DOUBLED, title="Double", description="Doubles.", inputSchema=ASKED), tool("rows", ROWS)]
Compose = Callable[[Any], Any]
"""Returns the server to ask, made of one that has the tool."""
Behaviour = tuple[dict[str, dict[str, Any]], dict[str, Any], list[int]]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return package(tmp_path_factory.mktemp("composition"), TOOLS, "--sdk", str(SDK), wrap=None)


def _make_own(_: Any, calls: list[int], options: dict[str, Any]) -> Any:
    server = exchange.server()

    @server.tool(title="Double", description="Doubles.", output_schema=DOUBLED, **options)  # type: ignore[untyped-decorator]
    def double(number: int) -> dict[str, int]:
        calls.append(number)
        return {"twice": 2 * number}

    return server


def _make_bound(generated: Any, calls: list[int], options: dict[str, Any]) -> Any:
    def double(number: int) -> dict[str, int]:
        calls.append(number)
        return {"twice": 2 * number}

    server = exchange.server()
    generated.bind(server).options(**options).double(double)
    return server


def _observe(make: Any, generated: Any, compose: Compose, options: dict[str, Any], protocol: str) -> Behaviour:
    """What a client sees of a server: what it lists, what becomes of calls, and the calls that reach the handler."""
    calls: list[int] = []
    server = compose(make(generated, calls, options))

    async def look(connection: Any) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
        tools = await exchange.listed(connection)
        called_names = [*tools, *({"double", "sub_double"} - tools.keys())]
        return tools, {name: await _outcome(connection, name) for name in called_names}

    tools, answers = exchange.talk(server, look, protocol)
    return (
        {name: _pick(definition, "title", "description", "inputSchema") for name, definition in tools.items()},
        answers,
        calls,
    )


async def _outcome(connection: Any, name: str) -> Any:
    try:
        return _pick(await exchange.call(connection, name, {"number": 4}), "isError", "structuredContent")
    except Exception as error:  # fastmcp chooses between an error and a result
        return type(error).__name__


def _pick(values: dict[str, Any], *names: str) -> dict[str, Any]:
    """Members of a wire form; what `inputSchema` says of titles is pydantic's, and no part of a declared one."""
    return {name: sorted(values[name]["properties"]) if name == "inputSchema" else values.get(name) for name in names}


def _as_it_is(server: Any) -> Any:
    return server


def _disable_tag(server: Any) -> Any:
    server.disable(tags={"red"})
    return server


def _disable_name(server: Any) -> Any:
    server.disable(names={"double"})
    return server


def _enable_again(server: Any) -> Any:
    server.disable(tags={"red"})
    server.enable(names={"double"})
    return server


def _enable_only_others(server: Any) -> Any:
    server.enable(tags={"blue"}, only=True)
    return server


def _hide_by_middleware(server: Any) -> Any:
    base = exchange.named("fastmcp.server.middleware", "Middleware")

    class Hide(base):  # type: ignore[misc, valid-type]
        async def on_list_tools(self, context: Any, call_next: Any) -> Any:
            return [listed_tool for listed_tool in await call_next(context) if "red" not in listed_tool.tags]

    server.add_middleware(Hide())
    return server


def _rename(server: Any) -> Any:
    transform = exchange.named("fastmcp.server.transforms", "ToolTransform")
    config = exchange.named("fastmcp.tools.tool_transform", "ToolTransformConfig")
    server.add_transform(transform({"double": config(name="sub_double", title="Other", description="Other.")}))
    return server


def _reword(server: Any) -> Any:
    transform = exchange.named("fastmcp.server.transforms", "ToolTransform")
    config = exchange.named("fastmcp.tools.tool_transform", "ToolTransformConfig")
    server.add_transform(transform({"double": config(title="Twice", description="Twice as much.", tags={"blue"})}))
    return server


def _fix_argument(server: Any) -> Any:
    transform = exchange.named("fastmcp.server.transforms", "ToolTransform")
    config = exchange.named("fastmcp.tools.tool_transform", "ToolTransformConfig")
    argument = exchange.named("fastmcp.tools.tool_transform", "ArgTransformConfig")
    server.add_transform(transform({"double": config(arguments={"number": argument(hide=True, default=7)})}))
    return server


def _double_by_middleware(server: Any) -> Any:
    base = exchange.named("fastmcp.server.middleware", "Middleware")

    class Double(base):  # type: ignore[misc, valid-type]
        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            message = context.message
            arguments = {"number": 2 * message.arguments["number"]}
            result = await call_next(context.copy(message=message.model_copy(update={"arguments": arguments})))
            assert result.structured_content == {"twice": 2 * arguments["number"]}
            return result

    server.add_middleware(Double())
    return server


def _mount(server: Any) -> Any:
    parent = exchange.server()
    parent.mount(server)
    return parent


def _mount_below(server: Any) -> Any:
    parent = exchange.server()
    parent.mount(server, namespace="sub")
    return parent


def _proxy(server: Any) -> Any:
    return exchange.named("fastmcp.server", "create_proxy")(server)


def _mount_proxy(server: Any) -> Any:
    return _mount_below(_proxy(server))


COMPOSITIONS: dict[str, tuple[Compose, dict[str, Any], set[str], list[int]]] = {
    "as it is": (_as_it_is, {}, {"double"}, [4]),
    "tag": (_as_it_is, {"tags": {"red"}}, {"double"}, [4]),
    "disabled by tag": (_disable_tag, {"tags": {"red"}}, set(), []),
    "disabled by name": (_disable_name, {}, set(), []),
    "enabled again": (_enable_again, {"tags": {"red"}}, {"double"}, [4]),
    "only others enabled": (_enable_only_others, {"tags": {"red"}}, set(), []),
    "hidden by middleware": (_hide_by_middleware, {"tags": {"red"}}, set(), [4]),
    "not authorized": (_as_it_is, {"auth": lambda _: False}, set(), []),
    "authorized": (_as_it_is, {"auth": lambda _: True}, {"double"}, [4]),
    "renamed": (_rename, {}, {"sub_double"}, [4]),
    "reworded": (_reword, {}, {"double"}, [4]),
    "reworded and mounted": (lambda server: _mount(_reword(server)), {}, {"double"}, [4]),
    "with a fixed argument": (_fix_argument, {}, {"double"}, []),
    "called through middleware": (_double_by_middleware, {}, {"double"}, [8]),
    "mounted": (_mount, {}, {"double"}, [4]),
    "mounted below": (_mount_below, {}, {"sub_double"}, [4]),
    "disabled and mounted": (lambda server: _mount(_disable_tag(server)), {"tags": {"red"}}, set(), []),
    "mounted and disabled": (lambda server: _disable_tag(_mount(server)), {"tags": {"red"}}, set(), []),
    "proxy": (_proxy, {}, {"double"}, [4]),
    "mounted proxy": (_mount_proxy, {}, {"sub_double"}, [4]),
}
"""How a server is composed, the options of the tool, and what fastmcp documents: the tools listed, the calls made."""


@pytest.mark.parametrize("protocol", VERSIONS)
@pytest.mark.parametrize("composition", COMPOSITIONS)
def test_bound_tools_behave_as_fastmcps_own(generated: Any, composition: str, protocol: str) -> None:
    compose, options, listed, called = COMPOSITIONS[composition]
    observed = _observe(_make_own, generated, compose, options, protocol)
    assert (set(observed[0]), observed[2]) == (listed, called)
    assert _observe(_make_bound, generated, compose, options, protocol) == observed


@pytest.mark.skipif(SDK != "fastmcp3", reason="fastmcp 4 has no import_server")
def test_bound_tools_are_imported_as_fastmcps_own(generated: Any) -> None:
    def compose(server: Any) -> Any:
        parent = exchange.server()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # import_server is deprecated
            asyncio.run(parent.import_server(server, prefix="sub"))
        return parent

    observed = _observe(_make_own, generated, compose, {}, VERSIONS[0])
    assert (set(observed[0]), observed[2]) == ({"sub_double"}, [4])
    assert _observe(_make_bound, generated, compose, {}, VERSIONS[0]) == observed


@pytest.mark.parametrize("protocol", VERSIONS)
@pytest.mark.parametrize("compose", [_mount_below, _proxy, _mount_proxy])
def test_arrays_pass_proxies(generated: Any, compose: Compose, protocol: str) -> None:
    """fastmcp's own proxy and client hold no structured content but objects, so arrays are wrapped by default."""
    server = exchange.server()
    generated.bind(server).rows(lambda: [1, 2])

    composed = compose(server)
    ((name, definition),) = exchange.list_tools(composed, protocol).items()
    answer = exchange.ask(composed, name, {}, protocol)
    assert definition["outputSchema"]["properties"] == {"result": ROWS}
    assert (answer.get("isError", False), answer["structuredContent"]) == (False, {"result": [1, 2]})


def _list_members(make: Any, generated: Any, options: dict[str, Any], protocol: str) -> dict[str, Any]:
    """Return what a server lists of the tool beside its schemas."""
    listed = exchange.list_tools(make(generated, [], options), protocol)["double"]
    return {key: value for key, value in listed.items() if not key.endswith("Schema")}


OPTIONS: dict[str, dict[str, Any]] = {
    "version": {"version": "2"},
    "meta": {"meta": {"team": "sums"}},
    "app": {"app": {"resourceUri": "ui://double", "visibility": ["app"]}},
}
"""The options of a tool that clients see."""


@pytest.mark.parametrize("protocol", VERSIONS)
@pytest.mark.parametrize("option", OPTIONS)
def test_options_are_listed_as_fastmcps_own(generated: Any, option: str, protocol: str) -> None:
    if SDK == "fastmcp3" and option == "app":
        pytest.skip("an option of fastmcp 4")
    own = _list_members(_make_own, generated, OPTIONS[option], protocol)
    assert own != _list_members(_make_own, generated, {}, protocol)
    assert _list_members(_make_bound, generated, OPTIONS[option], protocol) == own


def test_another_option_is_refused(generated: Any) -> None:
    with pytest.raises(TypeError, match="a tool has no option 'annotations'; there is tags, "):
        generated.bind(exchange.server()).options(annotations={})


def test_other_options_leave_a_tool_as_declared(generated: Any) -> None:
    declared = {"name": "double", "title": "Double", "description": "Doubles."}
    for options in ({}, {"tags": {"red", "blue"}}):
        assert _list_members(_make_bound, generated, options, VERSIONS[0]) == declared
