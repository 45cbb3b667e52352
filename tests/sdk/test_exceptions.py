"""Errors of handlers: exceptions, logged or reported as the SDK reports those of its own tools, and declared data."""

from __future__ import annotations

import importlib.util
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from sdk import exchange
from sdk.exchange import SDK, VERSIONS
from sdk.test_low_level import low_level
from support.checkers import CHECKERS, reported, wrong
from support.packages import mcpgen, tool

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
SECRET = "swordfish"
SETTINGS = 'wrap = "legacy"\nexceptions = "sdk"\n[tools.quiet]\nexceptions = "logged"\n'
TEXT: dict[str, Any] = {"type": "object", "properties": {"way": {"type": "string"}}, "required": ["way"]}
STAY: dict[str, Any] = {"type": "object", "properties": {"berth": {"type": "string"}}, "required": ["berth"]}
DECLINED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "reason": {"enum": ["full", "too long"]},
        "free": {"type": "array", "items": {"type": "string", "pattern": "^[A-Z]"}},
        "class": {"type": ["integer", "null"]},
    },
    "required": ["reason"],
    "additionalProperties": False,
}
TOOLS = [
    tool("bound", {"type": "array"}),
    tool("quiet", {"type": "array"}),
    tool("free"),
    tool("book", STAY, inputSchema=TEXT, **{"x-mcpgen": {"error": DECLINED}}),
    tool("leave", inputSchema=TEXT, **{"x-mcpgen": {"error": DECLINED}}),
]


def refuse() -> Any:
    raise ValueError(f"there is no {SECRET}")


async def refuse_later() -> Any:
    raise KeyError(SECRET)


def mistake_data() -> Any:
    return TypeAdapter(int).validate_python(SECRET)


def say() -> Any:
    raise exchange.tool_error(f"ask for {SECRET}")


def mistake_types() -> Any:
    raise TypeError(f"{SECRET} is no number")


HANDLERS = [refuse, refuse_later, mistake_data, mistake_types, say]


def compare(generated: Any, handler: Callable[[], Any], bound: str, protocol: str) -> tuple[Any, Any]:
    """Return what a client gets of a handler under the SDK's own decorator, and of the bound one."""
    own = exchange.server()
    handler.__name__ = bound
    exchange.decorate(own, handler)
    server = exchange.server()
    getattr(generated.bind(server), bound)(handler)
    return exchange.ask(own, bound, {}, protocol), exchange.ask(server, bound, {}, protocol)


@pytest.mark.parametrize("protocol", VERSIONS)
@pytest.mark.parametrize("name", ["bound", "free"])
@pytest.mark.parametrize("handler", HANDLERS, ids=lambda handler: handler.__name__)
def test_the_sdk_reports_them(generated: Any, handler: Callable[[], Any], name: str, protocol: str) -> None:
    expected, result = compare(generated, handler, name, protocol)
    assert expected["isError"]
    assert result == expected


@pytest.mark.parametrize("handler", HANDLERS[:-1], ids=lambda handler: handler.__name__)
def test_a_tool_can_leave_that_to_the_log(
    generated: Any, handler: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        _, result = compare(generated, handler, "quiet", VERSIONS[-1])
    assert result["isError"]
    assert SECRET not in str(result)
    assert SECRET in caplog.text


# --- declared data ---------------------------------------------------------------------------------------------------
FULL = {"reason": "full", "free": ["A1"], "class": None}
FORM = '{"reason":"full","free":["A1"],"class":null}'
WRONG = {"isError": True, "content": [{"type": "text", "text": "Wrong."}], "structuredContent": {"reason": "?"}}
SERVERS = [
    pytest.param(exchange.server, id="server"),
    pytest.param(low_level, id="low-level", marks=pytest.mark.skipif(SDK not in ("mcp", "mcp1"), reason="has none")),
]


@pytest.mark.parametrize("protocol", VERSIONS)
@pytest.mark.parametrize("make_server", SERVERS)
@pytest.mark.parametrize("name", ["book", "leave"])
def test_declared_data_reaches_the_client(
    generated: Any, name: str, make_server: Callable[[], Any], protocol: str, caplog: pytest.LogCaptureFixture
) -> None:
    error_class = generated.BookError if name == "book" else generated.LeaveError
    error = error_class(reason="full", free=["A1"], class_=None)
    answers: dict[str, tuple[Callable[[], Any], str, Any]] = {
        "data": (lambda: generated.tool_error(error, protocol), FORM, FULL),
        "text": (lambda: generated.tool_error(error, text="It is full."), "It is full.", FULL),
        "mapping": (lambda: {**WRONG, "structuredContent": FULL}, "Wrong.", FULL),
        "none": (lambda: generated.tool_error("No."), "No.", None),
        "wrong": (lambda: WRONG, "Wrong.", None),
    }
    server = make_server()
    tools = generated.bind(server)
    getattr(tools, name)(lambda way: answers[way][0]())

    async def use(connection: Any) -> None:
        client = await generated.connect(connection)
        for way, (_, text, data) in answers.items():
            sent = await exchange.call(connection, name, {"way": way})
            assert (sent["isError"], exchange.text(sent), sent.get("structuredContent")) == (True, text, data)
            with pytest.raises(generated.ToolCallError) as raised:
                await getattr(client, name)(way=way)
            assert (raised.value.text, raised.value.data) == (text, error if data else None)

        assert "reason" not in json.dumps(await exchange.listed(connection))

    exchange.talk(server, use, protocol)
    assert caplog.text.count(f"The data of an error of '{name}' does not fit: /reason") == 2  # of both calls


USER = """
import generated
from generated import BookError, BookResult, ToolCallError
from generated.client import Client


async def ask(client: Client) -> str:
    try:
        return (await client.book(way="a")).berth
    except ToolCallError as error:
        match error.data:
            case BookError(reason="full", free=free):
                return ", ".join(free or [])
            case BookError() as data:
                return data.free  # wrong
            case _:
                return error.data.reason  # wrong


BookError(reason="other")  # wrong
generated.tool_error(BookError(reason="full", free=["A"], class_=None), "2025-06-18", text="It is full.")
generated.tool_error(BookResult(berth="A"))  # wrong
result: BookResult = BookResult.normalize(generated.tool_error(BookError(reason="full")))  # wrong
"""


@pytest.mark.ci
@pytest.mark.skipif(
    not (importlib.util.find_spec("mypy") and importlib.util.find_spec("pyright")), reason="no checkers here"
)
@pytest.mark.parametrize("checker", CHECKERS)
def test_checkers_know_the_data(tmp_path: Path, checker: str) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/all.json").write_text(json.dumps({"tools": TOOLS}), "utf-8")
    assert mcpgen("build", "--sdk", str(SDK), cwd=tmp_path).returncode == 0
    found, said = reported(tmp_path, checker, USER)
    assert found == wrong(USER), said
