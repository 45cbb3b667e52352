"""Calls in saved traffic: where messages are found, and which answers belong to which requests."""

from __future__ import annotations

import base64
import json
from collections import Counter
from random import Random
from typing import Any

import pytest
from mcpgen.learn.recordings import NAMELESS, UNASKED, UNCERTAIN, UNREADABLE, CallMatcher, Reason, iterate_messages

DEPTH = 50


def request(id: Any, tool: str = "a", **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def answer(id: Any, value: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": {"content": [], "structuredContent": value}}


Matched = tuple[list[tuple[str, Any]], list[str], dict[Reason, int]]


def match(*values: Any) -> Matched:
    """Return the answered calls with what they are answered with, the tools of the others, and what is left out."""
    matcher, calls = CallMatcher(), []
    for value in values:
        for message, place in iterate_messages(value, DEPTH, matcher.left_out):
            matcher.add_message(message, place)
        calls += matcher.take_answered()
    answered = [
        (call.tool, call.result.get("structuredContent") if isinstance(call.result, dict) else call.result)
        for call in calls
    ]
    return answered, [call.tool for call in matcher.list_open()], dict(+matcher.left_out)


def test_answers_are_found_by_their_ids() -> None:
    assert match(request(1, "a"), request("1", "b"), answer("1", 5), answer(1, 6)) == ([("b", 5), ("a", 6)], [], {})


def test_an_id_that_is_used_again_after_its_answer() -> None:
    assert match(request(1, "a"), answer(1, 5), request(1, "b"), answer(1, 6)) == ([("a", 5), ("b", 6)], [], {})


def test_two_open_requests_with_an_id_are_uncertain() -> None:
    assert match(request(1, "a"), request(1, "b"), answer(1, 5), answer(1, 6)) == ([], [], {UNCERTAIN: 2})
    assert match(request(1, "a"), request(1, "b"), request(1, "c"), answer(1, 5)) == ([], [], {UNCERTAIN: 3})


def test_the_same_request_twice_is_one_that_a_proxy_passed_on() -> None:
    assert match(request(1, "a"), request(1, "a"), answer(1, 5), answer(1, 5)) == ([("a", 5)], [], {})


def test_a_server_counts_its_own_requests() -> None:
    roots = {"jsonrpc": "2.0", "id": 1, "method": "roots/list"}
    nothing = {"jsonrpc": "2.0", "id": 1, "result": {"roots": []}}
    assert match(request(1), roots, nothing, answer(1, 5)) == ([], [], {UNCERTAIN: 1})
    assert match(roots, request(1), nothing, answer(1, 5)) == ([], [], {UNCERTAIN: 1})
    assert match(roots, nothing, request(1), answer(1, 5)) == ([("a", 5)], [], {})
    assert match({**roots, "id": 2}, request(1), answer(1, 5)) == ([("a", 5)], [], {})


def test_what_is_no_answer() -> None:
    progress = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1}}
    left_out = {UNASKED: 1}
    assert match(answer(1, 5), request(1), progress, {"jsonrpc": "2.0", "id": 1}) == ([], ["a"], left_out)


def test_errors_and_results_that_are_missing() -> None:
    error = {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "no"}}
    assert match(request(1), error) == ([("a", None)], [], {})
    assert match(request(1), {"jsonrpc": "2.0", "id": 1, "result": None}) == ([("a", None)], [], {})


@pytest.mark.parametrize("params", [None, [], {}, {"name": 1}, "a"])
def test_malformed_requests(params: Any) -> None:
    assert match({**request(1), "params": params}, answer(1, 5)) == ([], [], {NAMELESS: 1})
    assert match({**request(1), "id": None}, answer(None, 5)) == ([], [], {NAMELESS: 1, UNASKED: 1})


OTHER = {"jsonrpc": "2.0", "id": 1, "method": "tools/cal$refl"}


def exchange(asked: Any, answered: Any) -> dict[str, Any]:
    """Return an entry of an HTTP archive."""
    texts = [None if value is None else json.dumps(value) for value in (asked, answered)]
    return {"response": {"content": {"text": texts[1]}}, "request": {"postData": {"text": texts[0]}}}


@pytest.mark.parametrize(
    ("entries", "matched"),
    [
        ([(OTHER, None), (request(1), answer(1, 5))], ([("a", 5)], [], {})),
        ([(request(1, "b"), None), (OTHER, None), (request(1), answer(1, 5))], ([("a", 5)], ["b"], {})),
        ([(request(1, "a"), answer(1, 5)), (request(1, "b"), answer(1, 5))], ([("a", 5), ("b", 5)], [], {})),
        ([(request(1), [OTHER, answer(1, 5)]), (answer(1, 6), None)], ([("a", 5)], [], {})),
        ([(request(1), None), (None, answer(1, 5))], ([("a", 5)], [], {})),
        ([(request(1), None), (answer(1, 5), None)], ([], ["a"], {UNASKED: 1})),
        ([(request(1), answer(2, 5))], ([], ["a"], {UNASKED: 1})),
        ([([request(1), request(1, "b")], answer(1, 5))], ([], [], {UNCERTAIN: 2})),
    ],
)
def test_an_exchange_has_the_request_beside_its_answer(entries: list[Any], matched: Matched) -> None:
    """So that an id in another one is no conflict."""
    assert match({"log": {"entries": [exchange(*entry) for entry in entries]}}) == matched
    assert match(*(exchange(*entry) for entry in entries)) == matched


@pytest.mark.parametrize("seed", range(30))
def test_nothing_is_mispaired_or_lost(seed: int) -> None:
    """Of sessions that all count from the same number, at once in one file, and whose messages can be missing."""
    random, tools = Random(seed), [[(n, f"{session}/{n}") for n in range(9)] for session in "abc"]
    sessions = [[[request(n, tool), answer(n, tool)] for n, tool in session] for session in tools]
    pairs = [pair for session in sessions for pair in session]
    random.shuffle(pairs)
    entries = [exchange(*pair) for pair in pairs]
    assert sorted(match(*entries)[0]) == sorted((tool, tool) for tool, _ in match(*entries)[0])
    assert len(match(*entries)[0]) == len(pairs)
    messages: list[Any] = []
    while any(sessions):
        session = random.choice([session for session in sessions if session])
        messages.append(session[0].pop(0))
        if not session[0]:
            session.pop(0)
    answered, unanswered, left_out = match(*messages)
    assert all(tool == value for tool, value in answered)
    assert len(answered) + len(unanswered) + left_out.get(UNCERTAIN, 0) == len(pairs)
    assert UNASKED not in left_out
    kept = [message for message in messages if random.random() < 0.8]
    answered, unanswered, left_out = match(*kept)
    assert len(answered) + len(unanswered) + left_out.get(UNCERTAIN, 0) == sum("method" in item for item in kept)


def test_many_open_requests_with_an_id() -> None:
    answered, unanswered, _ = match(*(exchange(request(1, n=n), None) for n in range(20_000)))
    assert (len(answered), len(unanswered)) == (0, 20_000)
    _, _, left_out = match(*(item for n in range(20_000) for item in (request(1, n=n), request(1, m=n), answer(1, n))))
    assert left_out[UNCERTAIN] == 40_000


# --- where messages are ----------------------------------------------------------------------------------------------
ONE, TWO, THREE = request(1), answer(1, {"text": "…\u2028\x85", "request": 1}), request(2)


def read(value: Any, unreadable: int = 0) -> list[Any]:
    left_out = Counter[Reason]()
    messages = [message for message, _ in iterate_messages(value, DEPTH, left_out)]
    assert left_out[UNREADABLE] == unreadable
    return messages


@pytest.mark.parametrize(
    "value",
    [
        [ONE, TWO, THREE],
        [[ONE, TWO], THREE],
        {"a": {"b": ONE}, "c": [{"message": TWO}, 1, None, "x", True], "d": THREE},
        {"jsonrpc": {"method": ONE}, "result": [TWO, {"jsonrpc": json.dumps(THREE)}]},
        {"text": json.dumps({"line": json.dumps([ONE, TWO, THREE])})},
        [json.dumps(ONE), json.dumps([TWO, THREE])],
        {"text": "  \n" + json.dumps([ONE, TWO, THREE], indent=1)},
        {"response": {"body": TWO, "also": THREE}, "request": {"body": ONE}},
        {"text": base64.b64encode(json.dumps([ONE, TWO, THREE]).encode()).decode(), "encoding": "base64"},
        {"text": base64.encodebytes(json.dumps([ONE, TWO, THREE]).encode()).decode(), "encoding": "base64"},
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
    assert read({"text": end.join(lines)}, 1) == [ONE, TWO, THREE]


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
    assert read([text], 1) == []
    assert read([f"x{text}x".replace("jsonrpc", "json")]) == []


@pytest.mark.parametrize(("text", "unreadable"), [("%%%", 1), ("/w==", 0), ("é", 1), ("YQ", 1)])
def test_texts_that_are_no_base64(text: str, unreadable: int) -> None:
    """Or no text, as an image is none."""
    assert read({"text": text, "encoding": "base64"}, unreadable) == []
