"""The typed client over sessions in memory, on whichever SDK is installed."""

from __future__ import annotations

import asyncio
import copy
import json
import warnings
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

import pytest
from pydantic import ValidationError
from sdk import exchange
from sdk.exchange import MODERN, NEW, OLD, SDK, VERSIONS, ScriptedServer
from sdk.test_binding import FORECAST, OPEN, ROWS, WHOLE
from support.packages import tool

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
ASKED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "place-name": {"type": "string"},
        "max-days": {"type": "integer"},
        "note": {"type": ["string", "null"]},
        "day": {"$ref": "#/$defs/Day"},
    },
    "required": ["place-name"],
    "$defs": {"Day": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}},
    "additionalProperties": False,
}
LINKED: dict[str, Any] = {
    "type": "object",
    "properties": {"rows": {"type": "array", "items": {"$ref": "#/$defs/Row"}}},
    "required": ["rows"],
    "$defs": {"Row": {"type": "object", "properties": {"n": {"type": ["integer", "null"]}}, "required": ["n"]}},
}
TOOLS = [
    tool("get-forecast", FORECAST, inputSchema=ASKED),
    tool("list-rows", ROWS),
    tool("maybe", {"type": ["string", "null"]}),
    tool("linked", LINKED),
    tool("say"),
    tool("search", inputSchema=OPEN),
    *(tool(name, {"type": "integer"}) for name in ("complete", "implement", "options", "contract")),
]
Use = Callable[[Any], Awaitable[Any]]


def used(generated: Any, server: Any, use: Use, protocol: str = OLD, bare: bool = False, **more: Any) -> Any:
    """Return what `use` gives with a typed client of a server; `bare`: over the session of the SDK's client."""
    if "said" in more:
        more["protocol"] = more.pop("said")

    async def run() -> tuple[Any, Exception | None]:
        async with exchange.connected(server, protocol) as connection:
            session = connection.session if bare and MODERN else connection
            try:
                return await use(await generated.connect(session, **more)), None
            except Exception as error:  # out of the task groups' sight, which would put it into a group
                return None, error

    result, error = asyncio.run(run())
    if error is not None:
        raise error
    return result


def serving(generated: Any) -> Any:
    """A server of every tool, bound."""
    server = exchange.server()
    tools = generated.bind(server)

    async def get_forecast(place_name: str, **_: Any) -> Any:
        if place_name == "slow":
            await asyncio.sleep(600)
        if place_name == "error":
            raise exchange.tool_error("No such place.")
        return {"place": place_name, "wind-speed": None}

    tools.get_forecast(get_forecast)
    tools.list_rows(lambda: [{"n": 1}])
    tools.maybe(lambda: None)
    tools.linked(lambda: {"rows": [{"n": None}]})
    tools.say(lambda: "hello")
    tools.search(lambda q="", **extras: json.dumps([q, extras]))
    for number, name in enumerate(("complete_", "implement_", "options_", "contract_")):
        getattr(tools, name)(lambda number=number: number)
    return server


# --- results ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize("protocol", VERSIONS)
def test_typed_results(generated: Any, protocol: str, bare: bool) -> None:
    async def use(client: Any) -> Any:
        assert client.contract.kept
        assert client.contract.same == tuple(sorted(generated.TOOLS))
        forecast = await client.get_forecast(place_name="Ulm")
        numbers = [await getattr(client, f"{name}_")() for name in ("complete", "implement", "options", "contract")]
        other_results = (await client.list_rows(), await client.maybe(), await client.linked(), await client.say())
        return forecast, [number.root for number in numbers], other_results

    forecast, numbers, (rows, maybe, linked, text) = used(generated, serving(generated), use, protocol, bare)
    assert forecast == generated.GetForecastResult(place="Ulm", wind_speed=None)
    assert type(forecast) is generated.GetForecastResult
    assert [item.n for item in rows.root] == [1]
    assert maybe.root is None
    assert linked.rows[0].n is None
    assert text.content[0].text == "hello"
    assert numbers == [0, 1, 2, 3]


@pytest.mark.parametrize("protocol", VERSIONS)
def test_an_error_result_is_raised(generated: Any, protocol: str) -> None:
    with pytest.raises(generated.ToolCallError) as raised:
        used(generated, serving(generated), lambda client: client.get_forecast(place_name="error"), protocol)
    assert raised.value.tool == "get-forecast"
    assert "No such place." in raised.value.text
    assert raised.value.result is not None


def test_the_error_has_the_whole_result(generated: Any) -> None:
    """What a tool declares no schema for is kept, too: the structured content of an error, and its `_meta`."""
    content = [{"type": "text", "text": "No such place."}, {"type": "text", "text": "Try Ulm."}]
    answer = {"content": content, "structuredContent": {"tried": "Ume"}, "isError": True, "_meta": {"id": 7}}
    raw = ScriptedServer(generated.list_tools(OLD), answer)
    with pytest.raises(generated.ToolCallError) as raised:
        used(generated, raw.made, lambda client: client.get_forecast(place_name="Ume"))
    result = raised.value.result.model_dump(by_alias=True, mode="json", exclude_none=True)
    assert {name: result[name] for name in answer} == answer


def test_what_does_not_fit_is_not_sent(generated: Any) -> None:
    raw = ScriptedServer(generated.list_tools(OLD), {"structuredContent": WHOLE})
    with pytest.raises(ValidationError):
        used(generated, raw.made, lambda client: client.get_forecast(place_name=1))
    assert raw.calls == []


@pytest.mark.parametrize("protocol", VERSIONS)
def test_arguments_on_the_wire(generated: Any, protocol: str) -> None:
    """None is absence, but where null is a value; names are the wire's."""
    raw = ScriptedServer(generated.list_tools(protocol), {"structuredContent": WHOLE})
    day = import_module(f"{generated.__name__}.tools.get_forecast").Day

    async def use(client: Any) -> None:
        await client.get_forecast(place_name="Ulm")
        await client.get_forecast(place_name="Ulm", max_days=None, note=None, day=None)
        await client.get_forecast(place_name="Ulm", max_days=2, note="x", day=day(n=1))
        await client.search(q="x", extras={"a b": 1, "q2": 2})
        await client.search()

    used(generated, raw.made, use, protocol)
    assert [item.get("arguments") or {} for item in raw.calls] == [
        {"place-name": "Ulm"},
        {"place-name": "Ulm", "note": None},
        {"place-name": "Ulm", "max-days": 2, "note": "x", "day": {"n": 1}},
        {"q": "x", "a b": 1, "q2": 2},
        {},
    ]


@pytest.mark.parametrize("protocol", VERSIONS)
def test_a_server_that_violates_its_schema(generated: Any, protocol: str) -> None:
    """Check that the SDK's own validation against the advertised schema does not get in the way."""
    wrong = {"content": [], "structuredContent": {"place": "Ulm", "wind-speed": "strong"}}
    raw = ScriptedServer(generated.list_tools(protocol), wrong)

    def use(client: Any) -> Any:
        return client.get_forecast(place_name="Ulm")

    with pytest.raises(generated.ResultError, match="get-forecast: /wind-speed: ") as raised:
        used(generated, raw.made, use, protocol)
    assert isinstance(raised.value.__cause__, ValidationError)
    assert raised.value.problems[0][0] == "/wind-speed"
    result = raised.value.result.model_dump(by_alias=True, mode="json", exclude_none=True)
    assert {name: result[name] for name in wrong} == wrong
    with pytest.warns(UserWarning, match="get-forecast: an invalid result was read: /wind-speed"):
        result = used(generated, raw.made, use, protocol, on_invalid="warn")
    assert (result.place, result.wind_speed) == ("Ulm", "strong")


def test_a_timeout(generated: Any) -> None:
    with pytest.raises(Exception, match=r"(?i)timed out"):
        used(generated, serving(generated), lambda client: client.get_forecast(place_name="slow"), timeout=0.2)


@pytest.mark.skipif(not MODERN, reason="of protocol version 2026-07-28")
def test_input_is_asked_for_by_the_sdks_client(generated: Any) -> None:
    """Each request is sent once, and the answer may violate what is advertised."""
    interim = {"resultType": "input_required", "requestState": "state"}
    final = {"content": [], "resultType": "complete", "structuredContent": {**WHOLE, "note": 5}}
    raw = ScriptedServer(generated.list_tools(NEW), interim, final)

    def use(client: Any) -> Any:
        return client.get_forecast(place_name="Ulm")

    with pytest.warns(UserWarning, match="note"):
        result = used(generated, raw.made, use, NEW, on_invalid="warn")
    assert (result.place, result.note) == ("Ulm", 5)
    assert [item.get("requestState") for item in raw.calls] == [None, "state"]
    again = ScriptedServer(generated.list_tools(NEW), interim)
    with pytest.raises(RuntimeError, match="get-forecast asks for input"):
        used(generated, again.made, use, NEW, bare=True)


# --- the contract ----------------------------------------------------------------------------------------------------
def compared(generated: Any, tools: list[Any], **more: Any) -> Any:
    async def use(client: Any) -> Any:
        return client.contract

    return used(generated, ScriptedServer(tools, page=2).made, use, **more)


def test_pages_are_followed(generated: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = generated.list_tools(OLD)
    assert len(tools) > 4
    assert compared(generated, tools).kept
    monkeypatch.setattr(import_module("mcpgen_runtime.client"), "PAGES", 3)
    with pytest.raises(RuntimeError, match="list of tools goes on after 3 pages"):
        compared(generated, tools)


def test_what_is_changed_missing_and_new(generated: Any, caplog: pytest.LogCaptureFixture) -> None:
    tools = {tool["name"]: copy.deepcopy(tool) for tool in generated.list_tools(OLD)}
    tools["get-forecast"]["inputSchema"]["required"].append("note")
    tools["list-rows"]["outputSchema"] = {"type": "object", "properties": {"result": {"type": "array"}}}
    tools["say"]["outputSchema"] = {"type": "object"}
    del tools["maybe"], tools["linked"]["outputSchema"]
    contract = compared(generated, [*tools.values(), tool("other")])
    assert contract.changed == ("get-forecast", "linked", "list-rows", "say")
    assert (contract.missing, contract.new, contract.kept) == (("maybe",), ("other",), False)
    assert contract.same == ("complete", "contract", "implement", "options", "search")
    messages = [record.getMessage() for record in caplog.records if record.name == "mcpgen_runtime.client"]
    assert messages[-1] == "The server has no tool 'maybe'"
    assert len(messages) == 5


def _written_otherwise(value: Any, title: str = "a") -> Any:
    """A schema as other SDKs write it: titles, the order of members and of `required`, integral floats."""
    if isinstance(value, list):
        return [_written_otherwise(item) for item in reversed(value)] if value and isinstance(value[0], str) else value
    if not isinstance(value, dict):
        return value
    out = {key: _written_otherwise(inner, key) for key, inner in reversed(value.items())}
    return {"title": title, **out} if "type" in value and isinstance(value["type"], str | list) else out


def test_what_is_only_written_otherwise_is_the_same(generated: Any) -> None:
    tools = copy.deepcopy(generated.list_tools(OLD))
    for listed_tool in tools:
        for member in {"inputSchema", "outputSchema"} & listed_tool.keys():
            listed_tool[member] = _written_otherwise(listed_tool[member])
        listed_tool |= {"description": "Another.", "title": "Another"}
        if listed_tool["name"] == "linked":  # as fastmcp has it
            listed_tool["outputSchema"]["properties"]["rows"]["items"] = listed_tool["outputSchema"].pop("$defs")["Row"]
    assert compared(generated, tools).kept


def test_versions_without_output_schemas(generated: Any) -> None:
    assert compared(generated, generated.list_tools("2025-03-26"), said="2025-03-26").kept
    assert compared(generated, generated.list_tools(OLD), said="2025-06-18").kept
    without = [{key: tool[key] for key in ("name", "inputSchema")} for tool in generated.list_tools(OLD)]
    assert "linked" in compared(generated, without).changed


def test_a_server_with_wrapped_tools_of_its_own(generated: Any) -> None:
    """On 2026-07-28, too, where the natural root is declared, a server that wraps is another."""
    if not MODERN:
        pytest.skip("of protocol version 2026-07-28")

    async def use(client: Any) -> Any:
        return client.contract

    raw = ScriptedServer(generated.list_tools(OLD))
    contract = used(generated, raw.made, use, NEW)
    assert {"list-rows", "maybe"} <= set(contract.changed)
    assert "get-forecast" in contract.same


def test_no_warning_comes_with_what_is_right(generated: Any, caplog: pytest.LogCaptureFixture) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        used(generated, serving(generated), lambda client: client.get_forecast(place_name="Ulm"))
    assert not [record for record in caplog.records if record.name.startswith(generated.__name__)]
