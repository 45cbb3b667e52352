"""Handlers bound to prompts, on whichever SDK is installed: what they get, and what arrives over the wire."""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from pydantic import Field
from sdk import exchange
from sdk.exchange import MODERN, NEW, OLD, SDK, VERSIONS, talk
from sdk.exchange import request_once as ask
from support.packages import get_types

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
PROMPTS: list[dict[str, Any]] = [
    {
        "name": "plan-voyage",
        "title": "Plan a voyage",
        "description": "Plans a voyage.",
        "arguments": [
            {"name": "port", "title": "Port", "description": "Where to.", "required": True},
            {"name": "style", "description": "How long."},
            {"name": "class"},
        ],
        "icons": [{"src": "https://example.test/a.png"}],
        "_meta": {"example.test/shelf": 3},
        "x-mcpgen": {"arguments": {"style": {"enum": ["short", "Shortest", "long"]}}},
    },
    {"name": "greet"},
    {"name": "complete"},
]
Handler = Callable[..., Any]


def serve(generated: Any, **handlers: Handler) -> Any:
    """Return a server with some bound prompts."""
    server = exchange.server()
    prompts = generated.bind_prompts(server)
    for name, handler in handlers.items():
        assert getattr(prompts, name)(handler) is handler
    return server


def get(server: Any, name: str, arguments: Any = None, protocol: str = OLD) -> dict[str, Any]:
    return ask(server, "prompts/get", protocol, name=name, arguments=arguments or {})


def fail(server: Any, name: str, arguments: Any = None) -> str:
    """Return the text of the protocol error that a request ends with."""
    error_type = exchange.named("mcp.shared.exceptions", "MCPError" if MODERN else "McpError")

    async def use(session: Any) -> str:
        with pytest.raises(error_type) as caught:
            await exchange.request(session, "prompts/get", name=name, arguments=arguments or {})
        return str(caught.value)

    text: str = talk(server, use)
    return text


def make_text(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": {"type": "text", "text": text}}


@pytest.mark.parametrize("protocol", VERSIONS)
def test_bound_prompts_are_listed_as_declared(generated: Any, protocol: str) -> None:
    server = serve(generated, plan_voyage=lambda **_: "", greet=lambda: "")
    declared = {key: value for key, value in PROMPTS[0].items() if key != "x-mcpgen"}
    assert ask(server, "prompts/list", protocol)["prompts"] == [declared, PROMPTS[1]]
    assert generated.list_prompts() == [PROMPTS[2], PROMPTS[1], declared]
    assert generated.PROMPTS["plan-voyage"] == declared


def test_prompts_of_the_server_stay(generated: Any) -> None:
    def own() -> str:
        return "own"

    def own_of_dedalus(_: Any) -> Any:
        return [{"role": "user", "content": "own"}]

    server = exchange.server()
    if SDK == "dedalus":
        server.collect(importlib.import_module("dedalus_mcp").prompt("own")(own_of_dedalus))
    else:
        server.prompt()(own)
    generated.bind_prompts(server).greet(lambda: "bound")
    assert [prompt["name"] for prompt in ask(server, "prompts/list")["prompts"]] == ["own", "greet"]
    assert get(server, "own")["messages"] == [make_text("user", "own")]
    assert get(server, "greet")["messages"] == [make_text("user", "bound")]


@pytest.mark.parametrize("protocol", VERSIONS)
def test_what_a_handler_returns_arrives_as_messages(generated: Any, protocol: str) -> None:
    types = get_types(generated)
    image = {"type": "image", "data": "eA==", "mimeType": "image/png"}
    audio = {"type": "audio", "data": "eA==", "mimeType": "audio/wav"}
    resource = {"type": "resource", "resource": {"uri": "x://y", "text": "z", "mimeType": "text/plain"}}
    contents = (image, audio, resource)
    wire = [{"role": "user", "content": block} for block in contents]
    texts = [make_text("user", "a"), make_text("assistant", "b"), make_text("user", "c")]
    user, assistant = generated.user_message, generated.assistant_message
    result = {"description": "Mine.", "messages": [make_text("assistant", "a")], "_meta": {"a": 1}}
    rows: list[tuple[Any, dict[str, Any]]] = [
        ("Hello.", {"messages": [make_text("user", "Hello.")]}),
        (["a", assistant("b"), user("c")], {"messages": texts}),
        (assistant("b"), {"messages": [make_text("assistant", "b")]}),
        ([user(types.TYPES.read_block(block)) for block in contents], {"messages": wire}),
        (types.GetPromptResult.model_validate(result), result),
    ]
    more = {"resultType": "complete"} if protocol == NEW else {}
    for value, expected in rows:
        assert get(serve(generated, greet=lambda value=value: value), "greet", protocol=protocol) == {
            **expected,
            **more,
        }

    async def plan(port: str, **_: Any) -> str:
        await asyncio.sleep(0)
        return port

    answer = get(serve(generated, plan_voyage=plan), "plan-voyage", {"port": "Oslo"}, protocol)
    assert answer == {"description": "Plans a voyage.", "messages": [make_text("user", "Oslo")], **more}


def test_blocks_are_those_of_the_version(generated: Any) -> None:
    types = get_types(generated)
    audio = {"type": "audio", "data": "eA==", "mimeType": "audio/wav"}
    message = generated.user_message(types.TYPES.read_block(audio))
    wire = generated.GreetPrompt.to_wire(message, "2024-11-05")
    assert wire["messages"][0]["content"]["type"] == "resource"
    assert generated.GreetPrompt.to_wire(message, "2025-03-26")["messages"][0]["content"] == audio
    assert generated.GreetPrompt.normalize("x", OLD).messages[0].content.text == "x"


def test_arguments_come_by_python_names_and_absent_ones_not_at_all(generated: Any) -> None:
    received: list[tuple[str, str | None, str | None]] = []

    def plan(port: str, style: str | None = "own", class_: str | None = "own") -> str:
        received.append((port, style, class_))
        return ""

    server = serve(generated, plan_voyage=plan)
    get(server, "plan-voyage", {"port": "Oslo"})
    get(server, "plan-voyage", {"port": "Oslo", "style": "long", "class": "A"})
    assert received == [("Oslo", "own", "own"), ("Oslo", "long", "A")]
    assert "port is missing" in fail(server, "plan-voyage")
    text = fail(server, "plan-voyage", {"port": "Oslo", "style": "epic", "other": "x"})
    assert "style should be one of short, Shortest, long" in text
    assert "there is no argument 'other'" in text
    assert len(received) == 2


def test_a_default_in_field_is_the_default(generated: Any) -> None:
    def plan(port: str, style: Annotated[str, Field(default="long")], class_: str = Field(default="A")) -> str:
        return f"{port} {style} {class_}"

    server = serve(generated, plan_voyage=plan)
    assert get(server, "plan-voyage", {"port": "Oslo"})["messages"] == [make_text("user", "Oslo long A")]
    assert get(server, "plan-voyage", {"port": "Oslo", "class": "B"})["messages"] == [make_text("user", "Oslo long B")]


def test_the_context_is_filled_in(generated: Any) -> None:
    received: list[str] = []

    def greet(ctx: Any) -> str:
        received.append(type(ctx).__name__)
        return ""

    greet.__annotations__["ctx"] = exchange.context_type()
    get(serve(generated, greet=greet), "greet")
    assert received == ["Context"]


@pytest.mark.parametrize("protocol", VERSIONS)
def test_declared_values_are_completed(generated: Any, protocol: str) -> None:
    server = serve(generated, plan_voyage=lambda **_: "")

    def complete(argument: str, value: str) -> Any:
        ref = {"type": "ref/prompt", "name": "plan-voyage"}
        answer = ask(server, "completion/complete", protocol, ref=ref, argument={"name": argument, "value": value})
        return answer["completion"]

    assert complete("style", "sh") == {"values": ["short", "Shortest"], "total": 2, "hasMore": False}
    assert complete("style", "")["values"] == ["short", "Shortest", "long"]
    assert complete("port", "O")["values"] == []


def test_failures_of_handlers_are_logged_and_not_told(generated: Any, caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> str:
        raise RuntimeError("swordfish")

    with caplog.at_level(logging.ERROR):
        text = fail(serve(generated, greet=broken), "greet")
    assert "swordfish" not in text
    assert "Error getting prompt greet" in text
    assert "swordfish" in caplog.text
    with caplog.at_level(logging.ERROR):
        assert "Error getting prompt greet" in fail(serve(generated, greet=lambda: 5), "greet")
    assert "returned a int, which is not a message" in caplog.text

    def refused() -> str:
        raise exchange.tool_error("closed for the night")

    assert "closed for the night" in fail(serve(generated, greet=refused), "greet")


def test_wrong_handlers_and_missing_ones_are_refused(generated: Any) -> None:
    server = exchange.server()
    prompts = generated.bind_prompts(server)
    with pytest.raises(TypeError, match=r"the handler of the prompt plan-voyage does not fit: it takes no 'port'"):
        prompts.plan_voyage(lambda style=None, class_=None: "")
    problems = r"'prt' is not an argument of the prompt, and .*; it takes no 'port' \(did you mean that by 'prt'\?\)"
    with pytest.raises(TypeError, match=problems):
        prompts.plan_voyage(lambda prt, style=None, class_=None: "")
    with pytest.raises(AttributeError, match="has no prompt 'nothing'"):
        prompts.nothing(lambda: "")
    prompts.greet(lambda: "")
    with pytest.raises(TypeError, match="the prompt greet has a handler already"):
        prompts.greet(lambda: "")
    module = importlib.import_module(f"{generated.__name__}.server")
    with pytest.raises(module.IncompleteServer) as caught:
        prompts.complete()
    assert caught.value.missing == ["complete", "plan-voyage"]
    assert "greet" in prompts

    class Handlers:
        complete_ = staticmethod(lambda: "")
        plan_voyage = staticmethod(lambda port, style=None, class_=None: port)

    prompts.implement(Handlers())
    prompts.complete()
    assert get(server, "plan-voyage", {"port": "x"})["messages"] == [make_text("user", "x")]


@pytest.mark.parametrize("protocol", VERSIONS)
def test_the_typed_client_gets_prompts(generated: Any, protocol: str) -> None:
    server = serve(generated, plan_voyage=lambda port, style="no", class_=None: f"{port} {style} {class_}")

    async def use(connection: Any) -> None:
        client = await generated.connect(connection)
        result = await client.prompts.plan_voyage(port="Oslo", class_="A")
        assert result.messages[0].content.text == "Oslo no A"
        with pytest.raises(TypeError, match="port"):
            await client.prompts.plan_voyage()

    talk(server, use, protocol)
