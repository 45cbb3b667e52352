"""Classes of the user's own that handlers return: at run time, and for type checkers by `returns` in the settings."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import attrs
import pytest
from pydantic import BaseModel, Field
from pydantic.dataclasses import dataclass as pydantic_dataclass
from sdk import exchange
from sdk.exchange import SDK
from sdk.test_handler_types import SERVER
from support import checkers
from support.packages import mcpgen, tool

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
ROW = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
WEATHER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "temperature": {"type": "number"},
        "wind-speed": {"type": "number"},
        "rows": {"type": "array", "items": ROW},
    },
    "required": ["temperature", "rows"],
    "additionalProperties": False,
}
TOOLS = [tool("get_weather", WEATHER), tool("position", {"type": "array", "items": {"type": "number"}})]
WIRE = {"temperature": 1.5, "rows": [{"n": 1}, {"n": 2}]}


class RowModel(BaseModel):
    n: int


class WeatherModel(BaseModel):
    temperature: float
    rows: list[RowModel]
    wind_speed: float | None = Field(default=None, alias="wind-speed")


@dataclass
class RowData:
    n: int


@dataclass
class WeatherData:
    temperature: float
    rows: list[RowData] = field(default_factory=list[RowData])
    wind_speed: float | None = None


@pydantic_dataclass
class WeatherPydanticData:
    temperature: float
    rows: list[RowModel]


@attrs.define
class RowAttrs:
    n: int


@attrs.define
class WeatherAttrs:
    temperature: float
    rows: list[RowAttrs]
    wind_speed: float | None = None


class Pair(NamedTuple):
    x: float
    y: float


class RowDict(TypedDict):
    n: int


class WeatherDict(TypedDict):
    temperature: float
    rows: list[RowDict]


VALUES: dict[str, Any] = {
    "pydantic": WeatherModel(temperature=1.5, rows=[RowModel(n=1), RowModel(n=2)]),
    "dataclass": WeatherData(1.5, [RowData(1), RowData(2)]),
    "pydantic dataclass": WeatherPydanticData(1.5, [RowModel(n=1), RowModel(n=2)]),
    "attrs": WeatherAttrs(1.5, [RowAttrs(1), RowAttrs(2)]),
    "TypedDict": WeatherDict(temperature=1.5, rows=[RowDict(n=1), RowDict(n=2)]),
    "mixed": WeatherData(1.5, [RowAttrs(1), RowModel(n=2)]),  # type: ignore[list-item]
    "in a dict": {"temperature": 1.5, "rows": [RowAttrs(1), RowModel(n=2)]},
}
WRONG: dict[str, Any] = {
    "pydantic": WeatherModel.model_construct(temperature=1.5, rows=[RowModel.model_construct(n="x")]),
    "dataclass": WeatherData(1.5, [RowData("x")]),  # type: ignore[arg-type]
    "attrs": WeatherAttrs(1.5, [RowAttrs("x")]),  # type: ignore[arg-type]
    "TypedDict": {"temperature": 1.5, "rows": [{"n": "x"}]},
}


def ask(generated: Any, value: Any, name: str = "get_weather") -> dict[str, Any]:
    server = exchange.server()

    def handler() -> Any:
        return value

    getattr(generated.bind(server), name)(handler)
    return exchange.ask(server, name)


@pytest.mark.parametrize("kind", VALUES)
def test_a_class_of_ones_own_is_returned(generated: Any, kind: str) -> None:
    answer = ask(generated, VALUES[kind])
    assert not answer.get("isError"), answer
    assert answer["structuredContent"] == WIRE


@pytest.mark.parametrize("kind", WRONG)
def test_it_is_held_against_the_schema(generated: Any, kind: str) -> None:
    answer = ask(generated, WRONG[kind])
    assert answer["isError"] is True
    assert "/rows/0/n" in exchange.text(answer)


def test_a_named_tuple_is_an_array_as_for_the_sdk(generated: Any) -> None:
    assert ask(generated, Pair(1.5, 2.5), "position")["structuredContent"] == {"result": [1.5, 2.5]}


MODELS = """\
from dataclasses import dataclass


@dataclass
class Weather:
    temperature: float

    @dataclass
    class Nested:
        temperature: float
"""
USER = """\
SERVER

import generated
from models import Weather

tools = generated.bind(Server("test"))


@tools.of_class
def of_class() -> Weather:
    return Weather(1.5)


@tools.of_class
async def of_class_awaited() -> Weather:
    return Weather(1.5)


@tools.of_class
def of_payload() -> generated.OfClassResult:
    return generated.OfClassResult(temperature=1.5)


@tools.of_nested
def of_nested() -> Weather.Nested:
    return Weather.Nested(1.5)


@tools.of_nested  # wrong
def of_another() -> Weather:
    return Weather(1.5)


@tools.of_nothing  # wrong
def of_nothing() -> Weather:
    return Weather(1.5)
"""


@pytest.mark.ci
@pytest.mark.skipif(
    not (importlib.util.find_spec("mypy") and importlib.util.find_spec("pyright")), reason="no checkers here"
)
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_checkers_accept_the_class_that_the_settings_name(tmp_path: Path, checker: str) -> None:
    output = {"type": "object", "properties": {"temperature": {"type": "number"}}, "required": ["temperature"]}
    tools = [tool(name, output) for name in ("of_class", "of_nested", "of_nothing")]
    (tmp_path / "tools.json").write_text(json.dumps({"tools": tools}), "utf-8")
    (tmp_path / "models.py").write_text(MODELS, "utf-8")
    (tmp_path / "mcpgen.toml").write_text(
        f'sdk = "{SDK}"\nschemas = ["tools.json"]\n'
        '[tools.of_class]\nreturns = "models:Weather"\n[tools.of_nested]\nreturns = "models:Weather.Nested"\n',
        "utf-8",
    )
    run = mcpgen("build", "--jobs", "1", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    server = SERVER[str(SDK)]
    text = USER.replace("SERVER", f"from typing import Any\n{server}" if "Any]" in server else server, 1)
    lines, report = checkers.reported(tmp_path, checker, text)
    assert lines == checkers.wrong(text), report
