"""The values that handlers return, as JSON and in the types that people write: models, dataclasses, TypedDicts."""

from __future__ import annotations

import base64
import random
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NotRequired

from pydantic import BaseModel, TypeAdapter
from typing_extensions import TypedDict

SMALL, MIDDLE, LARGE, TEXT, BINARY = "3 fields", "50 rows", "2,000 rows", "text template", "1 MiB binary"
ROWS = {MIDDLE: 50, LARGE: 2000}
BYTES = 1 << 20


# --- by hand: pydantic -----------------------------------------------------------------------------------------------
class Weather(BaseModel):
    """The result of `get_weather`."""

    temperature: float
    sky: str
    wind: float | None


class Place(BaseModel):
    """Where a berth is."""

    pier: str
    bollard: int


class Berth(BaseModel):
    """A row."""

    number: int
    name: str
    kind: str
    place: Place
    depth: float
    free: bool
    note: str | None = None


class Berths(BaseModel):
    """The result of `list_berths`."""

    berths: list[Berth]


class Stop(BaseModel):
    """Where a vessel stops."""

    name: str
    hours: int


class Passage(BaseModel):
    """The result of `report_passage`."""

    vessel: str
    draught: float
    pilot: str | None
    stops: list[Stop]


# --- by hand: dataclasses --------------------------------------------------------------------------------------------
@dataclass
class WeatherData:
    """`Weather` as a dataclass."""

    temperature: float
    sky: str
    wind: float | None


@dataclass
class PlaceData:
    """`Place` as a dataclass."""

    pier: str
    bollard: int


@dataclass
class BerthData:
    """`Berth` as a dataclass."""

    number: int
    name: str
    kind: str
    place: PlaceData
    depth: float
    free: bool
    note: str | None = None


@dataclass
class BerthsData:
    """`Berths` as a dataclass."""

    berths: list[BerthData]


@dataclass
class StopData:
    """`Stop` as a dataclass."""

    name: str
    hours: int


@dataclass
class PassageData:
    """`Passage` as a dataclass."""

    vessel: str
    draught: float
    pilot: str | None
    stops: list[StopData]


# --- by hand: TypedDicts ---------------------------------------------------------------------------------------------
class WeatherDict(TypedDict):
    """`Weather` as a dict."""

    temperature: float
    sky: str
    wind: float | None


class PlaceDict(TypedDict):
    """`Place` as a dict."""

    pier: str
    bollard: int


class BerthDict(TypedDict):
    """`Berth` as a dict."""

    number: int
    name: str
    kind: str
    place: PlaceDict
    depth: float
    free: bool
    note: NotRequired[str]


class BerthsDict(TypedDict):
    """`Berths` as a dict."""

    berths: list[BerthDict]


class StopDict(TypedDict):
    """`Stop` as a dict."""

    name: str
    hours: int


class PassageDict(TypedDict):
    """`Passage` as a dict."""

    vessel: str
    draught: float
    pilot: str | None
    stops: list[StopDict]


# --- the values ------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Value:
    """A value, and the types that a handler may return it as."""

    name: str
    tool: str
    json: Any
    model: type[BaseModel]
    dataclass: type[Any]
    typed_dict: Any

    @cached_property
    def as_model(self) -> BaseModel:
        """As a hand-written pydantic model."""
        return self.model.model_validate(self.json)

    @cached_property
    def as_dataclass(self) -> Any:
        """As a dataclass, which holds dataclasses."""
        return TypeAdapter(self.dataclass).validate_python(self.json)


def make_berths(count: int) -> dict[str, Any]:
    """So many rows."""
    return {"berths": [_make_berth(number) for number in range(1, count + 1)]}


def _make_berth(number: int) -> dict[str, Any]:
    """A row of the kind that public servers declare: mostly text, few fractions, one member may be absent."""
    row: dict[str, Any] = {
        "number": number,
        "name": f"Nørre Mole {number}" if number % 10 == 0 else f"West Quay {number}",
        "kind": "leisure" if number % 3 else "cargo",
        "place": {"pier": f"Pier {'ABCDE'[number % 5]}", "bollard": number % 40},
        "depth": 4.25 + number % 8,
        "free": number % 3 != 0,
    }
    return row if number % 4 else {**row, "note": f"Reserved for the pilots from {number % 24}:00."}


@cache
def make_values() -> list[Value]:
    """All but the binary one: once, as each process has them once."""
    weather = {"temperature": 22.5, "sky": "Partly cloudy", "wind": None}
    stops = [{"name": name, "hours": hours} for hours, name in enumerate(("Byrum", "Vesterø", "Hals", "Sæby"), 2)]
    passage = {"vessel": "Otter", "draught": 3.5, "pilot": "M. Juul", "stops": stops}
    rows = [
        Value(name, "list_berths", make_berths(count), Berths, BerthsData, BerthsDict) for name, count in ROWS.items()
    ]
    return [
        Value(SMALL, "get_weather", weather, Weather, WeatherData, WeatherDict),
        *rows,
        Value(TEXT, "report_passage", passage, Passage, PassageData, PassageDict),
    ]


@cache
def make_chart() -> bytes:
    """Return the binary value."""
    return random.Random(0).randbytes(BYTES)


@cache
def make_chart_text() -> str:
    """Return the binary value, as JSON has it."""
    return base64.b64encode(make_chart()).decode()


# --- what has to come out --------------------------------------------------------------------------------------------
def check(value: Value, result: dict[str, Any], exact: bool) -> None:
    """Hold a result on the wire against the value.

    Args:
        value: the value that the handler returned.
        result: the result of `tools/call`, from its JSON.
        exact: nulls for what is absent are wrong too, as the schema has it; else they are passed over.

    Raises:
        AssertionError: another value came out.
    """
    structured = result["structuredContent"]
    assert (structured if exact else _drop_absent(structured)) == value.json, (value.name, result)


def _drop_absent(structured: Any) -> Any:
    if not isinstance(structured, dict) or "berths" not in structured:
        return structured
    rows = [
        {key: item for key, item in row.items() if key != "note" or item is not None} for row in structured["berths"]
    ]
    return {**structured, "berths": rows}


def check_binary(result: dict[str, Any]) -> None:
    """Hold a result on the wire against the binary value.

    Raises:
        AssertionError: other data came out.
    """
    data = [block["data"] for block in result["content"] if block["type"] == "image"]
    assert data == [make_chart_text()]
    structured = result.get("structuredContent", make_chart_text())
    assert structured in (make_chart_text(), {"result": make_chart_text()})
