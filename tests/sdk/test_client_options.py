"""Options of typed calls, and what a client does when its server changes, on whichever SDK is installed."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from sdk import exchange
from sdk.exchange import MODERN, NEW, OLD, SDK, VERSIONS, ScriptedServer
from support.packages import tool

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
TOOLS = [
    tool("get-depth", {"type": "object", "properties": {"m": {"type": "number"}}, "required": ["m"]}),
    *(tool(name) for name in ("say", "resources", "prompts", "refresh")),
]
RESOURCES = [{"name": "chart", "uri": "x://chart"}]
DEPTH = {"structuredContent": {"m": 2.5, "undeclared": True}}
PROMPTS = [{"name": "greet"}]


def talk(generated: Any, server: Any, use: Callable[[Any, Any], Awaitable[None]], protocol: str = OLD) -> None:
    async def connect(connection: Any) -> None:
        await use(await generated.connect(connection), connection)

    exchange.talk(server, connect, protocol)


def test_names_of_the_client_are_no_tools_attributes(generated: Any) -> None:
    async def use(client: Any, _: Any) -> None:
        assert (await client.get_depth()).m == 2.5
        for name in ("resources_", "prompts_", "refresh_"):
            await getattr(client, name)()

    server = ScriptedServer(TOOLS, DEPTH)
    talk(generated, server.made, use)
    assert [call["name"] for call in server.calls] == ["get-depth", "resources", "prompts", "refresh"]


@pytest.mark.parametrize("protocol", VERSIONS)
def test_meta_of_requests(generated: Any, protocol: str) -> None:
    server = ScriptedServer(TOOLS, DEPTH)

    async def use(client: Any, _: Any) -> None:
        await client.with_options(meta={"example.test/a": 1}, timeout=20).get_depth()
        await client.get_depth()

    talk(generated, server.made, use, protocol)
    first, second = (call.get("_meta") or {} for call in server.calls)
    assert first["example.test/a"] == 1
    assert "example.test/a" not in second


def test_progress_is_reported(generated: Any) -> None:
    if SDK == "dedalus":
        pytest.skip("its Context reports progress in another way")
    server = exchange.server()

    async def say(ctx: Any) -> str:
        await ctx.report_progress(1, 2)
        return "said"

    say.__annotations__["ctx"] = exchange.context_type()
    generated.bind(server).say(say)
    heard: list[tuple[float, float | None]] = []

    async def hear(progress: float, total: float | None, _: str | None) -> None:
        heard.append((progress, total))

    async def use(client: Any, _: Any) -> None:
        await client.with_options(on_progress=hear).say()
        await client.with_options(on_progress=lambda *step: heard.append(step[:2])).say()
        await client.say()

    talk(generated, server, use)
    assert heard == [(1, 2), (1, 2)]


def test_undeclared_structured_content_is_in_the_raw_result(generated: Any) -> None:
    async def use(client: Any, _: Any) -> None:
        raw = await client.with_raw_response.say()
        structured = raw.result.structured_content if MODERN else raw.result.structuredContent
        assert structured == {"m": 2.5, "undeclared": True}
        assert isinstance(raw.parse(), generated.SayResult)

    talk(generated, ScriptedServer(TOOLS, DEPTH).made, use)


MISMATCHES: list[tuple[Any, str, str | None]] = [
    ({"m": 2.5}, '{"m": 2.5}', None),
    ({"m": 2}, '{"m": 2.0}', None),
    ({"m": 2.5}, '{"m": 3}', " at /m"),
    ({"m": 1, "deep": [{"a/b": True}]}, '{"deep": [{"a/b": 1}], "m": 1}', " at /deep/0/a~1b"),
    ({"m": 2.5, "more": 1}, '{"m": 2.5}', ""),
    ({"m": 2.5}, "It is 2.5 m deep.", None),
    ({"m": 2.5}, "3", None),
    ({"m": 2.5, "result": "a"}, "b", None),
]


@pytest.mark.parametrize(("structured", "text", "place"), MISMATCHES)
@pytest.mark.parametrize("in_resource", [False, True])
def test_a_client_is_told_of_content_that_says_something_else(
    generated: Any, structured: Any, text: str, place: str | None, in_resource: bool
) -> None:
    block: dict[str, Any] = {"type": "text", "text": text}
    content = [block]
    if in_resource:
        resource = {"uri": "x://1", "mimeType": "application/json", "text": text}
        content = [{"type": "text", "text": '{"m": 99}'}, {"type": "resource", "resource": resource}]

    async def use(client: Any, _: Any) -> None:
        told = client.with_options(on_mismatch="warn")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert (await client.get_depth()).m == structured["m"]
            assert caught == []
            assert (await told.get_depth()).m == structured["m"]
        expected = f"get-depth: the JSON in content is not that of structuredContent{place}"
        assert [str(warning.message) for warning in caught] == ([] if place is None else [expected])

    talk(generated, ScriptedServer(TOOLS, {"structuredContent": structured, "content": content}).made, use)


@pytest.mark.parametrize(
    ("value", "texts", "differs"),
    [
        (["a"], ["a"], False),
        ([{"a": 1}], ['{"a": 1}'], False),
        ([[1, 2]], ["[1, 2]"], False),
        ([[1, 2]], ["[[1, 2]]"], False),
        ([[1, 2]], ["[1, 3]"], True),
        ([1, 2], ["[1, 2]"], False),
        ([1, 2], ["[1, 3]"], True),
        ([1], ["2"], True),
        ("5", ["5"], False),
        (5, ["6"], True),
        ([1, 2], ["1", "3"], False),
    ],
)
def test_a_wrapped_value_is_compared_without_its_wrapper(
    generated: Any, value: Any, texts: list[str], differs: bool
) -> None:
    """A server may write a block for each item: several blocks say nothing as a whole."""
    content = [{"type": "text", "text": text} for text in texts]
    answer = {"structuredContent": {"result": value}, "content": content}

    async def use(client: Any, _: Any) -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            await client.with_options(on_mismatch="warn").say()
        assert bool(caught) == differs

    talk(generated, ScriptedServer(TOOLS, answer).made, use)


def test_the_contract_is_compared_again(generated: Any) -> None:
    server = ScriptedServer(TOOLS, DEPTH)

    async def use(client: Any, _: Any) -> None:
        other = client.with_options(timeout=20)
        assert client.contract.kept
        server.tools = TOOLS[1:]
        assert client.contract.kept
        contract = await client.refresh()
        assert contract.missing == ("get-depth",)
        assert other.contract is client.contract is contract

    talk(generated, server.made, use)


def test_a_call_compares_again_after_the_server_said_that_its_tools_changed(generated: Any) -> None:
    server = ScriptedServer(TOOLS, DEPTH)

    async def use(client: Any, connection: Any) -> None:
        await client.get_depth()
        listings = server.listings
        server.tools = TOOLS[1:]
        await exchange.announce_change(connection)
        await client.get_depth()
        assert client.contract.missing == ("get-depth",)
        await client.get_depth()
        assert server.listings == listings + 1

    talk(generated, server.made, use)


def test_a_connection_with_another_session_is_compared_again(generated: Any) -> None:
    first, second = ScriptedServer(TOOLS, DEPTH), ScriptedServer(TOOLS[1:], DEPTH)

    class Connection:
        session: Any = None

    async def use() -> None:
        connection = Connection()
        async with exchange.connected(first.made) as item, exchange.connected(second.made) as two:
            connection.session = getattr(item, "session", item)
            client = await generated.connect(connection)
            assert client.contract.kept
            connection.session = getattr(two, "session", two)
            await client.get_depth()
            assert client.contract.missing == ("get-depth",)
            assert (len(first.calls), len(second.calls)) == (0, 1)

    asyncio.run(use())


@pytest.mark.skipif(not MODERN, reason="the SDK has the older versions only")
def test_the_newest_version_is_compared_again(generated: Any) -> None:
    server = ScriptedServer(TOOLS, DEPTH)

    async def use(client: Any, _: Any) -> None:
        server.tools = TOOLS[1:]
        assert (await client.refresh()).missing == ("get-depth",)

    talk(generated, server.made, use, NEW)


def test_missing_members_of_an_invalid_result_are_named(generated: Any) -> None:
    async def use(client: Any, _: Any) -> None:
        with pytest.warns(UserWarning, match="an invalid result was read") as warned:
            depth = await client.with_options(on_invalid="warn").get_depth()
        assert [warning.filename for warning in warned] == [__file__], "it is about the line that calls the tool"
        with pytest.raises(generated.MissingValue, match="nothing at /m") as caught:
            _ = depth.m
        assert caught.value.pointer == "/m"
        assert isinstance(caught.value, AttributeError)
        assert not hasattr(depth, "m")
        with pytest.raises(generated.MissingValue):
            depth.to_structured_content()
        assert await client.with_options(on_invalid="raw").get_depth() == {"n": 1}

    talk(generated, ScriptedServer(TOOLS, {"structuredContent": {"n": 1}}).made, use)
