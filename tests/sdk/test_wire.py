"""The example's tools on the wire of each SDK, at every protocol version, over stdio and Streamable HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jsonschema_rs
import pytest
from sdk import harbour, wire
from sdk.installed import get_row
from sdk.served import SDK, Served, arguments_of, hold, instance, same, unstamped
from sdk.wire import MODERN, VERSIONS, Session, WireError

TURNS = max(len(of["valid"]) for of in harbour.VALUES.values())

pytestmark = [pytest.mark.skipif(SDK is None, reason="no MCP SDK is installed here"), pytest.mark.ci]


@pytest.fixture(
    scope="module", params=[f"{transport} {version}" for version in VERSIONS for transport in ("stdio", "http")]
)
def session(request: pytest.FixtureRequest, served: Served) -> Iterator[Session]:
    transport, version = request.param.split()
    if version not in wire.versions(SDK):
        pytest.skip(f"{SDK} does not speak {version}")
    with served.session(transport, version) as opened:
        assert opened.negotiated == version
        yield opened


def test_every_tool_with_every_kind_of_value(session: Session, served: Served) -> None:
    version, package = session.version, served.example
    listed = {tool["name"]: tool for page in session.tools() for tool in page["tools"]}
    for turn in range(TURNS):
        assert session.call("turn_to", {"turn": turn})["content"][0]["text"] == f"turn {turn}"
        for name in package.TOOLS:
            if turn >= len(harbour.answers(package, name)):
                continue
            result = session.call(name, arguments_of(package, name))
            hold(version, "CallToolResult", result)
            sent = instance(package, name, turn).to_wire(protocol=version)
            assert same(unstamped(result, version), sent), (name, turn, result, sent)
            if "outputSchema" in listed[name]:
                against = jsonschema_rs.validator_for(listed[name]["outputSchema"])
                assert against.is_valid(result["structuredContent"]), (name, turn, result)


def test_tools_are_listed_as_they_are_declared(session: Session, served: Served) -> None:
    pages = session.tools()
    listed = {tool["name"]: tool for page in pages for tool in page["tools"]}
    for page in pages:
        hold(session.version, "ListToolsResult", page)
    declared = [tool for package in served.packages for tool in package.list_tools(session.version)]
    for tool in declared:
        assert same(listed.pop(tool["name"]), tool), tool["name"]
    assert [*listed] == ["turn_to"]
    assert listed["turn_to"]["inputSchema"]["required"] == ["turn"]


def _text(result: dict[str, Any]) -> str:
    (block,) = result["content"]
    return str(block["text"])


def test_a_handler_that_asks_for_input(session: Session) -> None:
    result = session.call("ask_captain")
    if not get_row(SDK).is_modern:
        assert _text(result) == "false"
    elif session.version == MODERN:
        hold(MODERN, "InputRequiredResult", result)
        assert result["resultType"] == "input_required"
        assert result["inputRequests"]["captain"]["params"]["message"] == harbour.QUESTION
    else:
        hold(session.version, "CallToolResult", result)
        assert result["isError"] is True
        assert session.version in _text(result)


def test_a_tool_that_is_not_there(session: Session) -> None:
    try:
        answer = json.dumps(session.call("no_such_tool"))
    except WireError as error:
        answer = f"isError {error}"
    assert "isError" in answer
    assert "no_such_tool" in answer


# --- clients of several versions at once -----------------------------------------------------------------------------
def test_one_process_serves_every_version_its_own_form(served: Served) -> None:
    """An array root is wrapped for older clients and natural for new ones, schema and value alike, side by side."""
    spoken = wire.versions(SDK)
    sessions = [Session(wire.over_http(served.url, version), version) for version in spoken * 2]

    def exchange(session: Session) -> None:
        for _ in range(3):
            listed = {tool["name"]: tool for page in session.tools() for tool in page["tools"]}
            result = session.call("pilots_on_duty", {"watches": 1})
            if session.version < "2025-06-18":
                assert "outputSchema" not in listed["pilots_on_duty"]
                assert "structuredContent" not in result
                continue
            schema = listed["pilots_on_duty"]["outputSchema"]
            assert schema["type"] == ("array" if session.version == MODERN else "object")
            assert result["structuredContent"] == ([7] if session.version == MODERN else {"result": [7]})
            assert jsonschema_rs.validator_for(schema).is_valid(result["structuredContent"])

    with ThreadPoolExecutor(len(sessions)) as pool:
        list(pool.map(exchange, sessions))
