"""Calls in saved traffic: where messages are found, and which answers belong to which requests."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from mcpgen.learn.messages import CallMatcher, iterate_messages

DEPTH = 50


def request(id: Any, tool: str = "a", **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def answer(id: Any, value: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": {"content": [], "structuredContent": value}}


def match(*messages: dict[str, Any]) -> tuple[list[tuple[str, Any]], list[str], int]:
    """Return the answered calls with what they are answered with, the tools of the others, and the uncertain calls."""
    matcher = CallMatcher()
    calls = [call for message in messages if (call := matcher.add_message(message)) is not None]
    answered = [
        (call.tool, call.result.get("structuredContent") if isinstance(call.result, dict) else call.result)
        for call in calls
    ]
    return answered, [call.tool for call in matcher.list_open()], matcher.ambiguous_count


def test_answers_are_found_by_their_ids() -> None:
    assert match(request(1, "a"), request("1", "b"), answer("1", 5), answer(1, 6)) == ([("b", 5), ("a", 6)], [], 0)


def test_an_id_that_is_used_again_after_its_answer() -> None:
    assert match(request(1, "a"), answer(1, 5), request(1, "b"), answer(1, 6)) == ([("a", 5), ("b", 6)], [], 0)


def test_two_open_requests_with_an_id_are_uncertain() -> None:
    assert match(request(1, "a"), request(1, "b"), answer(1, 5), answer(1, 6)) == ([], [], 2)
    assert match(request(1, "a"), request(1, "b"), request(1, "c"), answer(1, 5)) == ([], [], 3)


def test_the_same_request_twice_is_one_that_a_proxy_passed_on() -> None:
    assert match(request(1, "a"), request(1, "a"), answer(1, 5), answer(1, 5)) == ([("a", 5)], [], 0)


def test_a_server_counts_its_own_requests() -> None:
    roots = {"jsonrpc": "2.0", "id": 1, "method": "roots/list"}
    nothing = {"jsonrpc": "2.0", "id": 1, "result": {"roots": []}}
    assert match(request(1), roots, nothing, answer(1, 5)) == ([], [], 1)
    assert match(roots, request(1), nothing, answer(1, 5)) == ([], [], 1)
    assert match(roots, nothing, request(1), answer(1, 5)) == ([("a", 5)], [], 0)
    assert match({**roots, "id": 2}, request(1), answer(1, 5)) == ([("a", 5)], [], 0)


def test_what_is_no_answer() -> None:
    progress = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1}}
    assert match(answer(1, 5), request(1), progress, {"jsonrpc": "2.0", "id": 1}) == ([], ["a"], 0)


def test_errors_and_results_that_are_missing() -> None:
    error = {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "no"}}
    assert match(request(1), error) == ([("a", None)], [], 0)
    assert match(request(1), {"jsonrpc": "2.0", "id": 1, "result": None}) == ([("a", None)], [], 0)


@pytest.mark.parametrize("params", [None, [], {}, {"name": 1}, "a"])
def test_malformed_requests(params: Any) -> None:
    assert match({**request(1), "params": params}, answer(1, 5)) == ([], [], 0)
    assert match({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "a"}}, answer(None, 5)) == ([], [], 0)


# --- where messages are ----------------------------------------------------------------------------------------------
ONE, TWO, THREE = request(1), answer(1, {"text": "…\u2028\x85", "request": 1}), request(2)


def read(value: Any) -> list[Any]:
    return list(iterate_messages(value, DEPTH))


@pytest.mark.parametrize(
    "value",
    [
        [ONE, TWO, THREE],
        [[ONE, TWO], THREE],
        {"a": {"b": ONE}, "c": [{"message": TWO}, 1, None, "x", True], "d": THREE},
        [json.dumps(ONE), json.dumps([TWO, THREE])],
        {"text": "  \n" + json.dumps([ONE, TWO, THREE], indent=1)},
        {"response": {"body": TWO, "also": THREE}, "request": {"body": ONE}},
        {"text": base64.b64encode(json.dumps([ONE, TWO, THREE]).encode()).decode(), "encoding": "base64"},
    ],
)
def test_messages_are_found_anywhere_in_their_order(value: Any) -> None:
    assert read(value) == [ONE, TWO, THREE]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_event_streams(end: str) -> None:
    """As the HTML standard has it (section 9.2.6): comments, other fields, and data over several lines."""
    several = json.dumps(TWO, indent=1, ensure_ascii=False).split("\n")
    lines = [
        ": hello",
        "event: message",
        "id: 7",
        f"data: {json.dumps(ONE)}",
        "",
        *(f"data:{line}" for line in several),
        "",
        'data: not json, but it has a "jsonrpc"',
        "",
        f"data: {json.dumps(THREE)}",
    ]
    assert read({"text": end.join(lines)}) == [ONE, TWO, THREE]


@pytest.mark.parametrize(
    "text",
    [
        '{"jsonrpc": "2.0", "id": 1',
        '{"jsonrpc": NaN}',
        '{"jsonrpc": "\\ud800"}',
        '{"jsonrpc": 1, "jsonrpc": 2}',
        '{"jsonrpc": ' + "[" * 100 + "]" * 100 + "}",
        '{"jsonrpc": ' + "[" * 100_000 + "]" * 100_000 + "}",
        'data: {"jsonrpc": ',
        'the word "jsonrpc"',
    ],
)
def test_texts_that_hold_no_message(text: str) -> None:
    assert read([text]) == []


@pytest.mark.parametrize("text", ["%%%", "/w==", "é", "YQ"])
def test_texts_that_are_no_base64(text: str) -> None:
    assert read({"text": text, "encoding": "base64"}) == []
