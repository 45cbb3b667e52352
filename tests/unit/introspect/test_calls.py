"""Calls of a scripted server's tools: which are made, and what of the answers is told."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest
from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings, Span
from mcpgen.introspect import client
from mcpgen.introspect.calls import ToolCalls, advise_about_call, call_tools
from mcpgen.introspect.server_address import Url
from mcpgen.introspect.server_query import Credentials, ServerQuery
from mcpgen.introspect.transports import SdkTransports
from mcpgen.learn.recordings import RecordedCall
from support.documents import list_messages
from support.scripted_wire import ScriptedTransports, ScriptedWire

SECRET = "s3cret-s3cret"
HARMLESS = {"readOnlyHint": True, "idempotentHint": True}
RESULT: dict[str, Any] = {"content": [], "structuredContent": {"x": 1}}


def call(
    monkeypatch: pytest.MonkeyPatch,
    tools: list[Any],
    calls: list[tuple[str, dict[str, Any]]],
    answers: list[Any],
    allowed: Collection[str] = (),
) -> tuple[ToolCalls | None, list[tuple[str, str]], list[dict[str, Any]], list[dict[str, str]]]:
    """Return what came of the calls, the findings, and what was sent: parameters and headers of calls."""
    wire = ScriptedWire(
        {
            "server/discover": [{"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}],
            "tools/list": [{"tools": tools}],
            "tools/call": answers,
        }
    )

    def select_transports() -> SdkTransports:
        return ScriptedTransports(lambda: wire)

    monkeypatch.setattr(client, "select_transports", select_transports)
    findings = Findings()
    made = call_tools(
        ServerQuery(Url("https://example.com/mcp"), Credentials({"X": SECRET}), 5.0),
        [RecordedCall(tool, Span("calls.json"), arguments) for tool, arguments in calls],
        allowed,
        Limits.model_validate({}),
        findings,
    )
    sent = [
        (message["params"], headers)
        for message, headers in zip(wire.sent, wire.headers, strict=True)
        if message["method"] == "tools/call"
    ]
    return made, list_messages(findings), [params for params, _ in sent], [headers for _, headers in sent]


def test_a_tool_that_may_be_called_is_one_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    tools = [{"name": "stats", "annotations": HARMLESS}]
    made, messages, sent, _ = call(monkeypatch, tools, [("stats", {})], [RESULT], allowed={"stat"})
    assert (made, sent) == (ToolCalls((), (), ()), []), "nothing is called"
    assert messages == [("MG718", 'the server has no tool "stat", which --call names')]


def test_what_to_do_about_a_tool_that_the_server_lacks() -> None:
    tools = ["get_stats", "add_book"]
    assert advise_about_call("get_stat", tools) == 'did you mean "get_stats"?'
    assert advise_about_call("find_book", tools) == "it has add_book, get_stats"
    assert advise_about_call("find_book", []) == "it has no tools"
    for several in ("get_stats,add_book", "get_stats, add_book"):
        assert advise_about_call(several, tools) == "name one tool at a time: --call get_stats --call add_book"


@pytest.mark.parametrize(
    ("annotations", "is_called"),
    [
        (HARMLESS, True),
        ({**HARMLESS, "destructiveHint": False}, True),
        ({**HARMLESS, "destructiveHint": True}, False),
        ({"readOnlyHint": True}, False),
        ({"idempotentHint": True}, False),
        ({"readOnlyHint": "true", "idempotentHint": 1}, False),
        ({}, False),
        (None, False),
        ([], False),
    ],
)
def test_only_annotated_tools_are_called(monkeypatch: pytest.MonkeyPatch, annotations: Any, is_called: bool) -> None:
    tools = [{"name": "a", "annotations": annotations}]
    made, messages, sent, _ = call(monkeypatch, tools, [("a", {"n": 1})], [RESULT])
    assert made is not None
    assert messages == []
    assert [params["name"] for params in sent] == ["a"] * is_called
    assert [answer.result for answer in made.answered] == [RESULT] * is_called
    assert made.withheld == (() if is_called else ("a",))


def test_others_are_called_if_that_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    tools = [{"name": "a"}, {"name": "b"}, {"name": "c", "annotations": HARMLESS}, 3, {}]
    calls: list[tuple[str, dict[str, Any]]] = [("b", {}), ("d", {}), ("a", {"n": 1}), ("a", {"n": 2}), ("d", {"n": 1})]
    made, _, sent, _ = call(monkeypatch, tools, calls, [RESULT], allowed={"a"})
    assert made is not None
    assert [(params["name"], params["arguments"]) for params in sent] == [("a", {"n": 1}), ("a", {"n": 2})]
    assert (made.withheld, made.unknown) == (("b",), ("d",))


def test_errors_of_a_tool_do_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    tools = [{"name": name, "annotations": HARMLESS} for name in "ab"]
    answers = [{"error": {"code": -32602, "message": f"no {SECRET}"}}, RESULT]
    made, messages, _, _ = call(monkeypatch, tools, [("a", {}), ("b", {})], answers)
    assert made is not None
    assert [answer.result for answer in made.answered] == [None, RESULT]
    assert messages == [("MG718", 'the server answers calls of "a" with an error')]


@pytest.mark.parametrize("place", ["structuredContent", "_meta"])
def test_a_secret_that_comes_back_is_not_kept(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    tools = [{"name": "a", "annotations": HARMLESS}]
    made, messages, _, _ = call(monkeypatch, tools, [("a", {})], [{"content": [], place: {"seen": [f"<{SECRET}>"]}}])
    assert made is None
    assert [code for code, _ in messages] == ["MG715"]
    assert SECRET not in str(messages)


@pytest.mark.parametrize("answers", [[None], [RESULT, None]], ids=["the first call", "the second call"])
def test_a_server_that_ends_is_an_error_after_its_answers(monkeypatch: pytest.MonkeyPatch, answers: list[Any]) -> None:
    tools = [{"name": "a", "annotations": HARMLESS}]
    made, messages, _, _ = call(monkeypatch, tools, [("a", {}), ("a", {"n": 1})], answers)
    assert made is not None
    assert [answer.result for answer in made.answered] == answers[:-1]
    assert [code for code, _ in messages] == ["MG705"]


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("get_weather", "get_weather"),
        ("two words", "two words"),
        ("é", "=?base64?w6k=?="),
        ("a\r\nX-Other: 1", "=?base64?YQ0KWC1PdGhlcjogMQ==?="),
        (" a", "=?base64?IGE=?="),
        ("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="),
    ],
)
def test_names_in_headers(monkeypatch: pytest.MonkeyPatch, name: str, header: str) -> None:
    tools = [{"name": name, "annotations": HARMLESS}]
    made, messages, _, headers = call(monkeypatch, tools, [(name, {})], [RESULT])
    assert made is not None
    assert messages == []
    assert [item["mcp-name"] for item in headers] == [header]
    inbound = pytest.importorskip("mcp.shared.inbound", reason="the SDK that is installed knows no such headers")
    assert inbound.decode_header_value(header) == name
