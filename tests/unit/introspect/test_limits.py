"""What a server answers, and limits of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from mcpgen.config.models import Limits, suggest_raising
from mcpgen.diagnostics import Findings
from mcpgen.introspect import client
from mcpgen.introspect.client import fetch_definitions
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import FIXED_LIMITS, JsonScanner, LimitName, Meter, RepeatedNameFinder
from mcpgen.introspect.server_address import Command
from mcpgen.introspect.server_query import Credentials, ServerQuery
from mcpgen.introspect.session import ServerListing
from support.listings import LIMITS
from support.packages import tool


# --- counters that end a query ----------------------------------------------------------------------------------------
def make_meter(**limits: int) -> Meter:
    return Meter(Limits.model_validate({name.replace("_", "-"): value for name, value in limits.items()}))


class Scope:
    cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


@pytest.mark.parametrize(
    ("setting", "count"),
    [
        ("transfer_size", lambda meter: meter.count("transfer_size", 51)),
        ("response_size", lambda meter: meter.count("response_size", 51)),
        ("pages", lambda meter: meter.check("pages", 51, "tools/list")),
        ("definitions", lambda meter: meter.count("definitions", 51)),
        ("response_values", lambda meter: meter.count("response_values", 51)),
        ("depth", lambda meter: meter.check("depth", 51)),
    ],
)
def test_limits_of_the_settings(setting: str, count: Callable[[Meter], Any]) -> None:
    meter, scope = make_meter(**{setting: 50}), Scope()
    meter.watch(scope)
    with pytest.raises(IntrospectionError) as caught:
        count(meter)
    assert caught.value.code == "MG712"
    assert caught.value.help == suggest_raising(setting.replace("_", "-"))
    assert scope.cancelled
    assert meter.error is caught.value


def test_counts_add_up() -> None:
    meter = make_meter(definitions=10)
    meter.count("definitions", 6)
    meter.restart("definitions")
    meter.count("definitions", 6)
    with pytest.raises(IntrospectionError, match="more than 10 definitions"):
        meter.count("definitions", 6)


def test_requests_and_messages_of_the_server() -> None:
    for limit, most in FIXED_LIMITS.items():
        meter = make_meter()
        for _ in range(most):
            meter.count(limit)
        with pytest.raises(IntrospectionError):
            meter.count(limit)


def test_the_first_error_counts() -> None:
    meter, first = make_meter(), IntrospectionError("MG708", "first")
    assert meter.fail(first) is first
    assert meter.fail(IntrospectionError("MG708", "second")) is first


# --- validated definitions with diagnostics ---------------------------------------------------------------------------
QUERY = ServerQuery(Command(("serve",)), Credentials({}, {"TOKEN": "s3cret-s3cret"}), None)


def run(monkeypatch: pytest.MonkeyPatch, result: Any, *exclude: str) -> tuple[Any, list[tuple[str, str]]]:
    def query_server(query: Any, limits: Any) -> ServerListing:
        if isinstance(result, IntrospectionError):
            raise result
        return ServerListing("2025-11-25", {"tools": result})

    monkeypatch.setattr(client, "query_server", query_server)
    findings = Findings()
    definitions = fetch_definitions(QUERY, exclude, LIMITS, findings)
    return definitions, [(finding.code, finding.message) for finding in findings]


def test_valid_definitions(monkeypatch: pytest.MonkeyPatch) -> None:
    definitions, findings = run(monkeypatch, [tool("b"), tool("a"), tool("c")], "c")
    assert [definition["name"] for definition in definitions.tools] == ["a", "b"]
    assert findings == []


def test_a_failed_query_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, IntrospectionError("MG706", "late")) == (None, [("MG706", "late")])


def test_secrets_are_neither_shown_nor_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "s3cret-s3cret"
    definitions, findings = run(
        monkeypatch,
        [
            {"name": secret},
            tool("a", description=f"uses {secret}"),
            tool("b", enum=[secret]),
            {**tool("c"), "title": secret},
        ],
    )
    assert [code for code, _ in findings] == ["MG710", "MG715", "MG715", "MG715", "MG715"]
    assert [message.split('"')[1] for _, message in findings] == ["***", "a", "b", "c", "***"]
    assert secret not in str(findings)
    assert definitions.tools == [tool("a", description="uses ***"), {**tool("c"), "title": "***"}]


# --- values and depth of JSON text, counted before it is parsed -------------------------------------------------------
class Recorder(Meter):
    def __init__(self) -> None:
        self.values = self.depth = 0

    def count(self, limit: LimitName, amount: int = 1) -> None:
        self.values += amount

    def check(self, limit: LimitName, value: int, subject: str = "") -> None:
        self.depth = max(self.depth, value)


def scan(data: bytes, size: int) -> tuple[int, int]:
    recorder = Recorder()
    scanner = JsonScanner(recorder)
    for start in range(0, len(data), size):
        scanner.feed(data[start : start + size])
    return recorder.values, recorder.depth


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
@pytest.mark.parametrize(
    ("text", "is_stream", "is_refused"),
    [
        ('{"a": [{"b": 1, "b": 1}]}', False, True),
        ('{"a": [{"b": 1}, {"b": 1}]}', False, False),
        ('{"\\u0061": 1, "a": 2}', False, True),
        ('event: message\r\ndata: {"a": 1}\r\n\r\ndata: {"a": 1,\ndata: "a": 2}\n\n', True, True),
        ('data: {"a": 1}\r\rdata: {"a": 1}\n\n: {"a": 1, "a": 1}\n\n', True, False),
        ('data: {"a": 1, "a": 2}', True, False),
        ('{"a": 1, "a": ', False, False),
    ],
)
def test_a_name_that_stands_twice_ends_the_query(text: str, is_stream: bool, is_refused: bool, size: int) -> None:
    meter = make_meter()
    finder = RepeatedNameFinder(meter, is_stream)
    with pytest.raises(IntrospectionError) if is_refused else nullcontext():
        for start in range(0, len(text), size):
            finder.feed(text[start : start + size].encode())
        finder.finish()
    assert (meter.error is not None) == is_refused


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_pieces_of_any_size_count_alike(size: int) -> None:
    value: Any = {"a": [1, {"b,:{[": 'quoted " and \\ {[,:'}], 'c\\"': []}
    assert scan(json.dumps(value).encode(), size) == (9, 3)


def test_a_line_break_ends_a_string() -> None:
    assert scan(b'data: {"a": "unfinished\n[1]', 1000) == (4, 2)


def test_depth_goes_on_over_pieces() -> None:
    assert scan(b"[" * 40, 7) == (40, 40)
    assert scan(b"[]" * 40, 7)[1] == 1
