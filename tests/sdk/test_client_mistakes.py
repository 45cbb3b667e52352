"""Mistakes in the use of a typed client or server: what the messages say, and what `dir` and `repr` show."""

from __future__ import annotations

import asyncio
import re
import traceback
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest
from sdk import exchange
from sdk.exchange import SDK
from support.packages import package, tool

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
ASKED: dict[str, Any] = {
    "type": "object",
    "properties": {"place-name": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["place-name"],
}
UNION: dict[str, Any] = {
    "type": "object",
    "anyOf": [
        {"properties": {"port": {"type": "string"}}, "required": ["port"], "additionalProperties": False},
        {"properties": {"berth": {"type": "integer"}}, "required": ["berth"], "additionalProperties": False},
    ],
}
TOOLS = [tool("get-forecast", inputSchema=ASKED), tool("find", inputSchema=UNION), tool("say")]
STATION = {"name": "station", "uriTemplate": "station://{id}", "mimeType": "text/plain"}
STYLES = {"arguments": {"style": {"enum": ["short", "long"]}}}
PLAN = {"name": "plan", "arguments": [{"name": "port", "required": True}, {"name": "style"}], "x-mcpgen": STYLES}


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A package of tools alone."""
    return package(tmp_path_factory.mktemp("bare"), TOOLS, "--sdk", str(SDK))


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A package of tools, a resource and a prompt."""
    folder = tmp_path_factory.mktemp("full")
    return package(folder, TOOLS, "--sdk", str(SDK), resourceTemplates=[STATION], prompts=[PLAN])


def use(generated: Any, act: Callable[[Any], Awaitable[Any]]) -> Any:
    """Return what a function returns for a typed client of a server."""

    async def connect(connection: Any) -> Any:
        return await act(await generated.connect(connection))

    server = exchange.server()
    generated.bind(server).say(lambda: "hello")
    return exchange.talk(server, connect)


def fail(generated: Any, error: type[Exception], act: Callable[[Any], Any]) -> str:
    """Return the message of the mistake in a use of a typed client."""

    async def catch(client: Any) -> str:
        with pytest.raises(error) as caught:
            await act(client)
        return str(caught.value)

    message: str = use(generated, catch)
    return message


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda client: client.get_forecast("Oslo"), "get-forecast takes its arguments by name: place_name=…, days=…"),
        (lambda client: client.find("Oslo"), "find takes its arguments by name: port=…, berth=…"),
        (lambda client: client.say("hello"), "say takes no arguments"),
        (lambda client: client.resources.station("a"), "station takes its arguments by name: id=…"),
        (lambda client: client.prompts.plan("a"), "plan takes its arguments by name: port=…, style=…"),
    ],
)
def test_arguments_have_names(full: Any, act: Callable[[Any], Any], message: str) -> None:
    assert fail(full, TypeError, act) == message


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda client: client.get_forcast, "has no tool 'get_forcast'; did you mean 'get_forecast'?"),
        (lambda client: getattr(client, "get-forecast"), "no tool 'get-forecast'; did you mean 'get_forecast'?"),
        (lambda client: client.reserve, "has no tool 'reserve'"),
        (lambda client: client.resources.statoin, "has no resource 'statoin'; did you mean 'station'?"),
        (lambda client: client.prompts.plann, "has no prompt 'plann'; did you mean 'plan'?"),
    ],
)
def test_a_misspelt_name(full: Any, act: Callable[[Any], Any], message: str) -> None:
    assert fail(full, AttributeError, act).endswith(message)


@pytest.mark.parametrize("value", [5, None, b"a"])
def test_a_variable_that_is_no_string(full: Any, value: object) -> None:
    message = fail(full, TypeError, lambda client: client.resources.station(id=value))
    assert message == f"station: id should be a string, not {type(value).__name__}"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [({"port": "a", "style": "wide"}, "style should be one of short, long"), ({"port": 5}, "port should be a string")],
)
def test_an_argument_that_the_prompt_refuses(full: Any, arguments: Any, problem: str) -> None:
    message = fail(full, ValueError, lambda client: client.prompts.plan(**arguments))
    assert message == f"Invalid arguments for plan: {problem}"


def test_a_misspelt_tool_of_a_model(full: Any) -> None:
    message = fail(full, LookupError, lambda client: client.call_tool("get-forcast", {}))
    assert message.endswith("has no tool called 'get-forcast'; did you mean 'get-forecast'?")


def test_python_adds_no_suggestion_of_its_own(full: Any) -> None:
    with pytest.raises(AttributeError) as caught:
        full.bind(exchange.server()).sayy  # noqa: B018  # the attribute is not there
    text = "".join(traceback.format_exception(caught.value))
    assert text.lower().count("did you mean") == 1


@pytest.mark.parametrize("kind", ["prompts", "resources"])
def test_a_package_without_prompts_or_resources(bare: Any, kind: str) -> None:
    assert fail(bare, AttributeError, lambda client: getattr(client, kind)) == f"{bare.__name__} has no {kind}"


def test_a_misspelt_handler(full: Any) -> None:
    for bind, misspelt in ((full.bind, "sayy"), (full.bind_resources, "statoin"), (full.bind_prompts, "plann")):
        with pytest.raises(AttributeError, match=r"; did you mean '(say|station|plan)'"):
            getattr(bind(exchange.server()), misspelt)


def test_the_names_are_listed(full: Any) -> None:
    tools = {"find", "get_forecast", "say"}

    async def list_names(client: Any) -> tuple[list[str], list[str], list[str]]:
        return dir(client), dir(client.resources), dir(client.prompts)

    of_client, of_resources, of_prompts = use(full, list_names)
    assert {*tools, "contract", "with_options", "prompts", "resources"} <= {*of_client}
    assert "station" in of_resources
    assert "plan" in of_prompts
    assert tools <= {*dir(full.bind(exchange.server()))}
    assert "station" in dir(full.bind_resources(exchange.server()))
    assert "plan" in dir(full.bind_prompts(exchange.server()))


def test_a_raw_result_shows_what_it_has(full: Any) -> None:
    async def call(client: Any) -> Any:
        return await client.with_raw_response.say()

    raw = use(full, call)
    assert repr(raw) == f"RawResult({raw.result!r})"
    assert "hello" in repr(raw)


@pytest.mark.parametrize("other", [SimpleNamespace(command="python"), "http://localhost:8000/mcp", None])
def test_connect_takes_a_session(full: Any, other: Any) -> None:
    message = f"connect takes an open client or session of the SDK, not {type(other).__name__}: open it with"
    with pytest.raises(TypeError, match=re.escape(message)):
        asyncio.run(full.connect(other))


def test_a_decorator_takes_a_handler(full: Any) -> None:
    for bind, name, subject, kind in (
        (full.bind, "get_forecast", "get-forecast", "tools"),
        (full.bind_resources, "station", "the resource station", "resources"),
        (full.bind_prompts, "plan", "the prompt plan", "prompts"),
    ):
        message = f"^no handler for {subject}: write the decorator without parentheses, @{kind}.{name}$"
        with pytest.raises(TypeError, match=message):
            getattr(bind(exchange.server()), name)()
