"""What mypy, with and without pydantic's plugin, and pyright say of results, calls and whole servers.

`test_handler_types.py` has the mistakes of handlers.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from sdk.exchange import SDK
from sdk.test_handler_types import SERVER
from support import checkers, corpus
from support.packages import mcpgen, tool

pytestmark = [
    pytest.mark.ci,
    pytest.mark.skipif(SDK is None, reason="no SDK is installed here"),
    pytest.mark.skipif(
        not (importlib.util.find_spec("mypy") and importlib.util.find_spec("pyright")), reason="no checkers here"
    ),
]
ASKED: dict[str, Any] = {
    "type": "object",
    "properties": {"place-name": {"type": "string"}, "days": {"type": "integer"}, "note": {"type": ["string", "null"]}},
    "required": ["place-name"],
    "additionalProperties": False,
}
WEATHER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "temperature": {"type": "number"},
        "conditions": {"type": "string"},
        "wind-speed": {"type": "number"},
        "rows": {"type": "array", "items": {"$ref": "#/$defs/Row"}},
    },
    "required": ["temperature", "conditions"],
    "$defs": {"Row": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}},
}
ROWS = {"type": "array", "items": {"type": "integer"}}
TOOLS = [
    tool("get-weather", WEATHER, inputSchema=ASKED),
    tool("closed", {**WEATHER, "additionalProperties": False}),
    tool("numbers", ROWS),
    tool("held", {"type": "object", "properties": {"result": ROWS}, "required": ["result"], "title": "heldOutput"}),
    tool("say"),
    tool("with-context", inputSchema={"type": "object", "properties": {"ctx": {"type": "string"}}}),
]
DEPENDS = """
from fastmcp.dependencies import Depends


def base() -> str:
    return "base"


@tools.get_weather
def with_depends(
    place_name: str, days: int = 1, note: str | None = None, at: str = Depends(base)
) -> GetWeatherResult:
    return RESULT
"""
USER = """\
SERVER

import generated
from generated import ClosedResult, GetWeatherResult
from generated.client import connect
from generated.server import INJECTED
from mcpgen_runtime.sdk.SDK.client import Connection

server = Server("test")
tools = generated.bind(server)
RESULT = GetWeatherResult(temperature=1, conditions="dry")


# --- right
@tools.get_weather
async def other_order(*, note: str | None = "x", days: int | None = None, place_name: str | int) -> GetWeatherResult:
    return RESULT


@tools.get_weather
def with_context(place_name: str, ctx: AnyContext, days: int = 1, note: str | None = None) -> GetWeatherResult:
    return RESULT


@tools.get_weather
async def with_default(
    place_name: str, days: int = 1, note: str | None = None, context: AnyContext = INJECTED
) -> generated.GetWeatherResultDict:
    return {"temperature": 1, "conditions": "dry"}


@tools.numbers
def numbers() -> list[int]:
    return [1]


@tools.held
async def held() -> list[int]:
    return [1]


@tools.say
def say() -> str:
    return ""


@tools.with_context
def called_ctx(ctx: str = "") -> str:
    return ctx
DEPENDS

# --- mistakes, each on the line of its decorator
@tools.numbers  # wrong
def texts() -> list[str]:
    return [""]


@tools.get_wether  # wrong
def renamed() -> None: ...


# --- mistakes of results
def misspelt() -> GetWeatherResult:
    return GetWeatherResult(temperature=1, conditions="dry", wind_sped=2)  # wrong


def misspelt_in_closed() -> ClosedResult:
    return ClosedResult(temperature=1, conditions="dry", wind_sped=2)  # wrong


def none_for_required() -> GetWeatherResult:
    return GetWeatherResult(temperature=None, conditions="dry")  # wrong


def unguarded(result: GetWeatherResult) -> float:
    return result.wind_speed + 1  # wrong


def guarded(result: GetWeatherResult) -> float:
    return result.wind_speed + 1 if result.wind_speed is not None else 0


def misspelt_in_dict() -> generated.ClosedResultDict:
    return {"temperature": 1, "conditions": "dry", "wind": 2}  # wrong


# --- calls
async def called(connection: Connection) -> None:
    client = await connect(connection)
    result: GetWeatherResult = await client.get_weather(place_name="Ulm", days=None, note=None)
    first: int = (await client.numbers()).root[0]
    print(result.temperature, first)
    await client.get_weather()  # wrong
    await client.get_weather(place="Ulm")  # wrong
    await client.get_weather(place_name=1)  # wrong
    await client.get_weather(place_name="Ulm", days="1")  # wrong
    await client.get_wether(place_name="Ulm")  # wrong
    print(result.temprature)  # wrong
    another: ClosedResult = await client.get_weather(place_name="Ulm")  # wrong
    print(another)


# --- all of them; that none is missing is checked at run time
class Complete:
    def get_weather(self, place_name: str, days: int = 1, note: str | None = None) -> GetWeatherResult:
        return RESULT

    async def closed(self) -> ClosedResult:
        return ClosedResult(temperature=1, conditions="dry")

    def numbers(self) -> list[int]:
        return []

    def held(self) -> list[int]:
        return []

    def say(self) -> None: ...

    def with_context(self, ctx: str = "") -> None: ...


tools.implement(Complete())
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("static")
    (folder / "tools.json").write_text(json.dumps({"tools": TOOLS}), "utf-8")
    run = mcpgen("build", "tools.json", "--out", "generated", "--sdk", str(SDK), "--jobs", "1", cwd=folder)
    assert run.returncode == 0, run.stderr
    return folder


@pytest.mark.parametrize("checker", checkers.CHECKERS)
def test_each_mistake_is_an_error_on_its_line(folder: Path, checker: str) -> None:
    """And nothing is said of the rest, the package included."""
    server = SERVER[str(SDK)]
    text = USER.replace("SERVER", f"from typing import Any\n{server}" if "Any]" in server else server, 1)
    text = text.replace("DEPENDS", DEPENDS if SDK in ("fastmcp", "fastmcp3") else "")
    text = text.replace("sdk.SDK.client", f"sdk.{SDK}.client")
    lines, output = checkers.reported(folder, checker, text)
    assert lines == checkers.wrong(text), output


def test_the_package_is_clean(folder: Path) -> None:
    assert corpus.checked(folder, "generated") == []


@pytest.mark.slow
@pytest.mark.parametrize("tools", [[], TOOLS[5:]])
def test_a_package_of_little_is_clean_too(tmp_path: Path, tools: list[Any]) -> None:
    """Without tools, or of tools that need no Context and have no results: nothing is imported in vain."""
    definitions = (
        {"tools": tools, "resources": [{"name": "page", "uri": "x:y"}]} if tools else {"name": "page", "uri": "x:y"}
    )
    (tmp_path / "little.json").write_text(json.dumps(definitions), "utf-8")
    run = mcpgen("build", "little.json", "--out", "little", "--sdk", str(SDK), "--jobs", "1", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert corpus.checked(tmp_path, "little") == []
