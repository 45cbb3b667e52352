"""Classes that handlers return, compared with outputSchemas. Oracle: what pydantic writes, and jsonschema-rs."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.returned_classes import find_misfits
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, computed_field
from typing_extensions import TypedDict


class Wind(BaseModel):
    speed: float
    gusts: list[int] = []


class Weather(BaseModel):
    place: str
    wind: Wind | None = None
    day: date = date(2026, 1, 2)


class Named(BaseModel):
    wind_speed: float = Field(serialization_alias="windSpeed")


class Price(BaseModel):
    total: Decimal


class Computed(BaseModel):
    net: Decimal

    @computed_field  # type: ignore[prop-decorator]
    @property
    def total(self) -> Decimal:
        return 2 * self.net


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    place: str


@dataclass
class Node:
    name: str
    children: list[Node] = field(default_factory=list)


@dataclass
class PlainPrice:
    total: Decimal


class Row(TypedDict):
    height: int


class Unknown:
    pass


Rows = list[Row]
MaybeRow = Row | None


class Wrapped(BaseModel):
    result: Row | None


WEATHER = Weather(place="Ulm", wind=Wind(speed=1.5))


def _object(required: list[str] | None = None, closed: bool = False, **properties: Json) -> dict[str, Json]:
    schema: dict[str, Json] = {"type": "object", "properties": properties}
    schema |= {"required": [*required]} if required else {}
    return schema | ({"additionalProperties": False} if closed else {})


STRING: Json = {"type": "string"}
NUMBER: Json = {"type": "number"}
NODE: dict[str, Json] = {
    "$ref": "#/$defs/Node",
    "$defs": {"Node": _object(name=NUMBER, children={"type": "array", "items": {"$ref": "#/$defs/Node"}})},
}


def _wrap(inner: Json) -> dict[str, Json]:
    """Return the wrapper that SDKs derive for a value that is not an object."""
    return {**_object(["result"], result=inner), "title": "findOutput"}


MAYBE: dict[str, Json] = {"anyOf": [_object(["height"], height=NUMBER), {"type": "null"}]}


def _check(cls: str, schema: Json) -> list[str]:
    return [str(misfit) for misfit in find_misfits(Schema(schema, DRAFT_2020_12), f"{__name__}:{cls}", {})]


@pytest.mark.parametrize(
    ("cls", "value", "schema", "misfits"),
    [
        ("Weather", WEATHER, _object(place=NUMBER), ['"place" is string in the class, and number in the schema']),
        (
            "Weather",
            WEATHER,
            _object(["height"], height=NUMBER),
            ['"height" is required by the schema, and the class does not have it'],
        ),
        (
            "Weather",
            WEATHER,
            _object(closed=True, place=STRING, wind={"anyOf": [{"type": "object"}, {"type": "null"}]}),
            ['"day" is in the class, and the schema does not allow it'],
        ),
        (
            "Weather",
            WEATHER,
            _object(wind={"anyOf": [_object(speed={"type": ["string", "null"]}), {"type": "null"}]}),
            ['"wind.speed" is number in the class, and string in the schema'],
        ),
        (
            "Rows",
            [Row(height=1)],
            {"type": "array", "items": _object(height={"enum": ["low", "high"]})},
            ['"[].height" is number in the class, and string in the schema'],
        ),
        ("Rows", [Row(height=1)], {"type": "object"}, ["the result is array in the class, and object in the schema"]),
        ("Node", Node("a"), NODE, ['"name" is string in the class, and number in the schema']),
        (
            "Price",
            Price(total=Decimal(1)),
            _object(total={"type": "boolean"}),
            ['"total" is number or string in the class, and boolean in the schema'],
        ),
        (
            "MaybeRow",
            {"height": 1},
            _wrap({"anyOf": [_object(["height"], height=STRING), {"type": "null"}]}),
            ['"height" is number in the class, and string in the schema'],
        ),
        (
            "Wrapped",
            Wrapped(result={"height": 1}),
            _wrap({"anyOf": [_object(["height"], height=STRING), {"type": "null"}]}),
            ['"result.height" is number in the class, and string in the schema'],
        ),
    ],
)
def test_what_never_fits_is_found(cls: str, value: Any, schema: dict[str, Any], misfits: list[str]) -> None:
    written = TypeAdapter(globals()[cls]).dump_python(value, mode="json", by_alias=True)
    assert not jsonschema_rs.validator_for(schema).is_valid(written)
    assert _check(cls, schema) == misfits


@pytest.mark.parametrize("cls", ["Weather", "Named", "Price", "Open", "Node", "Rows", "Row", "PlainPrice"])
@pytest.mark.parametrize("mode", ["serialization", "validation"])
def test_a_class_fits_its_own_schema(cls: str, mode: Any) -> None:
    schema = TypeAdapter(globals()[cls]).json_schema(mode=mode)
    assert _check(cls, schema) == []


@pytest.mark.parametrize(
    ("cls", "schema"),
    [
        ("Named", _object(["windSpeed"], windSpeed=NUMBER)),
        ("Named", _object(["wind_speed"], wind_speed=NUMBER)),
        *((cls, _object(total=total)) for cls in ("Price", "Computed", "PlainPrice") for total in (NUMBER, STRING)),
        ("Open", _object(["more"], place=STRING, more=NUMBER)),
        ("Weather", {"anyOf": [_object(place=NUMBER), _object(place=STRING)]}),
        ("Weather", {"type": "object", "patternProperties": {"^": True}, "additionalProperties": False}),
        ("Weather", True),
        ("Unknown", _object(["a"], a=NUMBER)),
        ("Rows", _wrap({"type": "array", "items": _object(height=NUMBER)})),
        *((cls, _wrap(MAYBE)) for cls in ("MaybeRow", "Row", "Wrapped")),
    ],
)
def test_what_can_fit_is_no_misfit(cls: str, schema: Json) -> None:
    assert _check(cls, schema) == []


def test_classes_that_do_not_exist() -> None:
    schema = Schema({"type": "object"}, DRAFT_2020_12)
    with pytest.raises(IntrospectionError, match='has no "Weathr"') as failure:
        find_misfits(schema, f"{__name__}:Weathr", {})
    assert failure.value.help == 'did you mean "Weather"?'
    with pytest.raises(IntrospectionError, match='there is no module "nowhere"'):
        find_misfits(schema, "nowhere:Weather", {})
    assert "nowhere" not in sys.modules
