"""What mypy, with and without pydantic's plugin, and pyright say of every kind of handler, on the SDK that is here.

Handlers of resource templates and prompts may have defaults of their own, which need not be None.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from sdk.exchange import SDK
from support import checkers
from support.packages import mcpgen, tool

pytestmark = [
    pytest.mark.ci,
    pytest.mark.skipif(SDK is None, reason="no SDK is installed here"),
    pytest.mark.skipif(
        not (importlib.util.find_spec("mypy") and importlib.util.find_spec("pyright")), reason="no checkers here"
    ),
]
ASKED = {
    "type": "object",
    "properties": {"place-name": {"type": "string"}, "days": {"type": "integer"}, "note": {"type": ["string", "null"]}},
    "required": ["place-name"],
    "additionalProperties": False,
}
WEATHER = {
    "type": "object",
    "properties": {"temperature": {"type": "number"}, "conditions": {"type": "string"}},
    "required": ["temperature", "conditions"],
    "additionalProperties": False,
}
TOOLS = [
    tool("get-weather", WEATHER, inputSchema=ASKED),
    tool("other", {**WEATHER, "properties": {**WEATHER["properties"], "x": {"type": "string"}}}, inputSchema=ASKED),  # type: ignore[dict-item]
    tool("numbers", {"type": "array", "items": {"type": "integer"}}),
    tool(
        "search",
        WEATHER,
        inputSchema={
            "type": "object",
            "properties": {"schema": {"type": "string"}, "maxResults": {"type": "integer"}, "from": {"type": "string"}},
            "required": ["schema"],
        },
    ),
    tool("list-rows", inputSchema={"type": "object", "properties": {"page": ASKED, "limit": {"type": "integer"}}}),
]
DEFINITIONS = {
    "tools": TOOLS,
    "resourceTemplates": [{"name": "station", "uriTemplate": "bikes://{id}{?lang}", "mimeType": "text/plain"}],
    "prompts": [
        {
            "name": "plan",
            "arguments": [{"name": "city", "required": True}, {"name": "mood"}, {"name": "note"}],
            "x-mcpgen": {"arguments": {"mood": {"enum": ["calm", "sporty"]}}},
        }
    ],
}
SERVER = {
    "mcp": "from mcp.server.mcpserver import Context, MCPServer as Server\n\nAnyContext = Context[Any, Any]",
    "mcp1": "from mcp.server.fastmcp import Context, FastMCP as Server\n\nAnyContext = Context[Any, Any, Any]",
    "fastmcp": "from fastmcp import Context, FastMCP as Server\n\nAnyContext = Context",
    "fastmcp3": "from fastmcp import Context, FastMCP as Server\n\nAnyContext = Context",
    "dedalus": "from dedalus_mcp import Context, MCPServer as Server\n\nAnyContext = Context",
}
HEAD = """\
import functools
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, ParamSpec, TypeVar

from pydantic import Field

SERVER

import generated
from generated import GetWeatherArguments, GetWeatherResult, OtherArguments, OtherResult
from generated.server import INJECTED

P = ParamSpec("P")
T = TypeVar("T")
tools = generated.bind(Server("test"))
resources = generated.bind_resources(Server("bikes"))
prompts = generated.bind_prompts(Server("bikes"))
RESULT = GetWeatherResult(temperature=1, conditions="dry")


def traced(function: Callable[P, T]) -> Callable[P, T]:
    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        return function(*args, **kwargs)

    return wrapper
"""
RIGHT = """

@tools.get_weather
def field(place_name: str, days: int = Field(default=3, ge=1), note: str | None = None) -> GetWeatherResult:
    return RESULT


@tools.get_weather
def described(
    place_name: Annotated[str, Field(description="Where?")],
    days: Annotated[int, Field(ge=1)] = 3,
    note: str | None = Field(default=None),
) -> GetWeatherResult:
    return RESULT


@tools.get_weather
def whole(args: GetWeatherArguments) -> GetWeatherResult:
    return RESULT


@tools.get_weather
async def whole_awaited(arguments: GetWeatherArguments) -> generated.GetWeatherResultDict:
    return {"temperature": arguments.days or 0, "conditions": "dry"}


@tools.get_weather
async def whole_with_context(args: GetWeatherArguments, ctx: AnyContext) -> GetWeatherResult:
    return RESULT


@tools.get_weather
def whole_as_json(args: dict[str, Any]) -> GetWeatherResult:
    return RESULT


@tools.get_weather
async def whole_as_json_with_context(args: Mapping[str, Any], ctx: AnyContext) -> GetWeatherResult:
    return RESULT


@tools.list_rows
def object_as_json(page: dict[str, Any] | None = None, limit: int = 3) -> int:
    return len(page or {}) + limit


@tools.get_weather
def whole_with_injected(args: GetWeatherArguments, context: AnyContext = INJECTED) -> GetWeatherResult:
    return RESULT


@tools.get_weather
@traced
def decorated(place_name: str, days: int = 3, note: str | None = None) -> GetWeatherResult:
    return RESULT


class Service:
    def method(self, place_name: str, days: int = 3, note: str | None = None) -> GetWeatherResult:
        return RESULT

    async def of_object(self, args: GetWeatherArguments) -> GetWeatherResult:
        return RESULT

    @classmethod
    def of_class(cls, place_name: str, days: int = 3, note: str | None = None) -> GetWeatherResult:
        return RESULT

    @staticmethod
    def static(place_name: str, days: int = 3, note: str | None = None) -> GetWeatherResult:
        return RESULT

    @tools.get_weather
    @staticmethod
    def bound_in_place(place_name: str, days: int = 3, note: str | None = None) -> GetWeatherResult:
        return RESULT

    async def __call__(self, place_name: str, days: int = 3, note: str | None = None) -> GetWeatherResult:
        return RESULT


def with_word(word: str, place_name: str, days: int = 3, note: str | None = None) -> GetWeatherResult:
    return RESULT


service: Service = tools.get_weather(Service())
tools.get_weather(service.method)
tools.get_weather(service.of_object)
tools.get_weather(Service.of_class)
tools.get_weather(Service.static)
tools.get_weather(functools.partial(with_word, "hi"))
shown: GetWeatherResult = field(place_name="Ulm")


@tools.search
def by_python(schema_: str, max_results: int = 3, from_: str = "") -> generated.SearchResult:
    return generated.SearchResult(temperature=max_results, conditions=schema_)


@tools.search
async def by_wire(schema: str, maxResults: int = Field(3), from_: str = "") -> generated.SearchResult:
    return generated.SearchResult(temperature=maxResults, conditions=schema)


@tools.search
def by_wire_with_context(schema: str, ctx: AnyContext, maxResults: int = 3, from_: str = "") -> generated.SearchResult:
    return generated.SearchResult(temperature=maxResults, conditions=schema)


@resources.station
def station(id: str, lang: str = "en") -> str:
    return f"{id} {lang}"


@resources.station
def station_or_none(id: str, lang: str | None = None) -> str:
    return f"{id} {lang}"


@prompts.plan
def plan(city: str, mood: Literal["calm", "sporty"] = "calm", note: str = "") -> str:
    return f"{city} {mood} {note}"


@prompts.plan
def plan_or_none(city: str, mood: str | None = None, note: str | None = None) -> str:
    return f"{city} {mood} {note}"
"""
STREAMED = """
from collections.abc import AsyncGenerator, Generator


@tools.numbers
async def streamed() -> AsyncGenerator[int, None]:
    yield 1


@tools.numbers
def generated_items() -> Generator[int, None, None]:
    yield 1
"""
WRONG = """
@tools.get_weather  # wrong
def misses_required(days: int = 1, note: str | None = None) -> GetWeatherResult:
    return RESULT


@tools.get_weather  # wrong
async def misses_optional(place_name: str, note: str | None = None) -> GetWeatherResult:
    return RESULT


@tools.get_weather  # wrong
def another_name(place: str, days: int = 1, note: str | None = None) -> GetWeatherResult:
    return RESULT


@tools.get_weather  # wrong
def another_type(place_name: str, days: str = "", note: str | None = None) -> GetWeatherResult:
    return RESULT


@tools.get_weather  # wrong
def another_type_in_field(place_name: str, days: str = Field(default=""), note: Any = None) -> GetWeatherResult:
    return RESULT


@tools.get_weather  # wrong
def no_default(place_name: str, days: int, note: str | None = None) -> GetWeatherResult:
    return RESULT


@tools.get_weather  # wrong
def no_null(place_name: str, days: int = 1, note: str = "") -> GetWeatherResult:
    return RESULT


@tools.get_weather  # wrong
def one_more(place_name: str, more: int, days: int = 1, note: str | None = None) -> GetWeatherResult:
    return RESULT


@tools.get_weather  # wrong
def another_result(place_name: str, days: int = 1, note: str | None = None) -> OtherResult:
    return OtherResult(temperature=1, conditions="dry")


@tools.get_weather  # wrong
async def another_awaited(place_name: str, days: int = 1, note: str | None = None) -> OtherResult:
    return OtherResult(temperature=1, conditions="dry")


@tools.get_weather  # wrong
def text(place_name: str, days: int = 1, note: str | None = None) -> str:
    return ""


@tools.get_weather  # wrong
def nothing(place_name: str, days: int = 1, note: str | None = None) -> None: ...


@tools.get_weather  # wrong
def another_object(args: OtherArguments) -> GetWeatherResult:
    return RESULT


@tools.get_weather  # wrong
def object_to_another_result(args: GetWeatherArguments) -> OtherResult:
    return OtherResult(temperature=1, conditions="dry")


@tools.get_weather  # wrong
def object_and_argument(args: GetWeatherArguments, days: int) -> GetWeatherResult:
    return RESULT


@tools.get_weather  # wrong
def object_and_text(args: GetWeatherArguments, ctx: str) -> GetWeatherResult:
    return RESULT


@tools.get_weather  # wrong
@traced
def decorated_wrongly(place: str) -> GetWeatherResult:
    return RESULT


class Wrong:
    def method(self, place_name: str) -> GetWeatherResult:
        return RESULT

    def __call__(self, args: str) -> GetWeatherResult:
        return RESULT


def with_number(place_name: str, number: int, days: int = 3, note: str | None = None) -> GetWeatherResult:
    return RESULT


@tools.list_rows  # wrong
def text_for_an_object(page: str = "", limit: int = 3) -> int:
    return limit


@tools.search  # wrong
def by_wire_wrongly(schema: int, maxResults: int = 3, from_: str = "") -> generated.SearchResult:
    return generated.SearchResult(temperature=1, conditions="")


@resources.station  # wrong
def station_without_default(id: str, lang: str) -> str:
    return f"{id} {lang}"


@prompts.plan  # wrong
def plan_narrow(city: str, mood: Literal["calm"] = "calm", note: str = "") -> str:
    return f"{city} {mood} {note}"


tools.get_weather(Wrong().method)  # wrong
tools.get_weather(Wrong())  # wrong
tools.get_weather(Wrong)  # wrong
tools.get_weather(3)  # wrong
tools.numbers(with_number)  # wrong
"""


@pytest.mark.parametrize("checker", checkers.CHECKERS)
def test_every_kind_is_accepted_and_each_mistake_is_an_error_on_its_line(tmp_path: Path, checker: str) -> None:
    (tmp_path / "tools.json").write_text(json.dumps(DEFINITIONS), "utf-8")
    run = mcpgen("build", "tools.json", "--out", "generated", "--sdk", str(SDK), "--jobs", "1", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    text = (
        HEAD.replace("SERVER", SERVER[str(SDK)], 1)
        + RIGHT
        + (STREAMED if SDK in ("fastmcp", "fastmcp3") else "")
        + WRONG
    )
    lines, output = checkers.reported(tmp_path, checker, text)
    assert lines == checkers.wrong(text), output
    assert len(lines) >= 15
    assert "(*, place_name: str, days: int = ..., note: str | None = ...) -> " in output
    if checker != "pyright":  # which says one mistake in three ways, all on its line
        # a handler of all arguments as one object that returns another type gets two errors, the first about the type
        assert output.count("error:") == len(lines) + 2, output
