"""What is read without an instance: the same values that the classes read, and the others left to them."""

from __future__ import annotations

import functools
import importlib
import json
import math
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_serializer
from support.handled_tools import TOOLS
from support.packages import package, tool
from support.wire_forms import wire

FORMATS = [
    tool("dated", {"type": "object", "properties": {"on": {"type": "string", "format": "date"}}}),
    tool("counted", {"type": "object", "properties": {"n": {"type": "array", "maxItems": 2, "uniqueItems": True}}}),
]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("readers")
    (folder / "mcpgen.toml").write_text('formats = "native"\n', "utf-8")
    return package(folder, [*TOOLS, *FORMATS])


@pytest.fixture(scope="module")
def readers(generated: Any) -> Any:
    return importlib.import_module("mcpgen_runtime.handler_values")


@dataclass
class Reading:
    windSpeed: float
    note: str | None = None


@dataclass(slots=True)
class Slotted:
    wind_speed: float
    note: str | None = None


@dataclass
class Cached:
    windSpeed: float

    @functools.cached_property
    def note(self) -> str:
        return "kept beside the fields"

    @functools.cached_property
    def other(self) -> str:
        return "not in the schema"


@dataclass
class Both:
    """The wire name is another attribute's."""

    wind_speed: float
    windSpeed: float


@dataclass
class Tree:
    full_name: str
    sub_parts: list[Any] = field(default_factory=list[Any])


class Text(str):
    pass


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


BINARY = {"picture", "sound", "archive"}
CLASSES = [tool["name"] for tool in TOOLS if "outputSchema" in tool and tool["name"] not in BINARY]


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_whose_values_are_json_has_readers(generated: Any, readers: Any, name: str) -> None:
    cls = generated.RESULT_TYPES[name]
    assert readers.json_reader(cls) is not None
    assert readers.attribute_reader(cls) is not None


def test_classes_that_write_otherwise_than_they_read_have_none(generated: Any, readers: Any) -> None:
    for name in ("dated", *BINARY):
        assert readers.json_reader(generated.RESULT_TYPES[name]) is None
    cls = generated.RESULT_TYPES["dated"]
    assert wire(cls.normalize({"on": "2026-11-21"}))["structuredContent"] == {"on": "2026-11-21"}


def test_json_comes_out_in_json_s_own_types(generated: Any, readers: Any) -> None:
    value = OrderedDict({Text("windSpeed"): Level.HIGH, "note": Colour.RED})
    read = readers.json_reader(generated.ReadingResult)(value)
    assert read == {"windSpeed": 3, "note": "red"}
    assert [type(part) for pair in read.items() for part in pair] == [str, int, str, str]


def test_nothing_is_shared_with_the_value(generated: Any, readers: Any) -> None:
    value: dict[str, Any] = {"first": {"windSpeed": 1}, "many": [{"windSpeed": 2}]}
    read = readers.json_reader(generated.NestedResult)(value)
    assert read == value
    assert read is not value
    assert read["first"] is not value["first"]
    assert read["many"] is not value["many"]
    anything = {"a": [1]}
    assert readers.json_reader(generated.AnythingResult)(anything)["a"] is not anything["a"]


NO_JSON: list[tuple[str, Any]] = [
    ("reading", {"windSpeed": math.nan}),
    ("reading", {"windSpeed": True}),
    ("reading", {"windSpeed": 1, "note": None}),
    ("reading", {"windSpeed": 1, "note": "\ud800"}),
    ("reading", {"windSpeed": 1, "more": 1}),
    ("reading", MappingProxyType({"windSpeed": 1})),
    ("reading", Reading(1)),
    ("extras", {"\ud800": {"windSpeed": 1}}),
    ("extras", {1: {"windSpeed": 1}}),
    ("anything", {"a": math.inf}),
    ("anything", {"a": {1}}),
    ("couple", [{"windSpeed": 1}]),
    ("grid", [({"windSpeed": 1},)]),
]


@pytest.mark.parametrize(("name", "value"), NO_JSON)
def test_what_is_no_json_is_left_to_the_class(generated: Any, readers: Any, name: str, value: Any) -> None:
    with pytest.raises(ValidationError):
        readers.json_reader(generated.RESULT_TYPES[name])(value)


def test_no_iterator_is_used_up(generated: Any) -> None:
    def rows() -> Iterator[dict[str, Any]]:
        yield {"windSpeed": 1}
        yield {"windSpeed": 2}

    for normalize in (generated.NestedResult.normalize, generated.NestedResult.normalize_any):
        result = wire(normalize({"many": rows()}))
        assert result["structuredContent"] == {"many": [{"windSpeed": 1}, {"windSpeed": 2}]}


def test_what_the_types_cannot_say_holds(generated: Any) -> None:
    cls = generated.CountedResult
    assert wire(cls.normalize({"n": [1, 2]}))["structuredContent"] == {"n": [1, 2]}
    for value in ({"n": [1, 1]}, {"n": [1, 2, 3]}):
        with pytest.raises(generated.ResultError):
            cls.normalize(value)
        with pytest.raises(generated.ResultError):
            cls.normalize_any(value)


class Plain(BaseModel):
    speed: float = Field(alias="windSpeed")
    note: str | None = None


class Loud(Plain):
    @field_serializer("note")
    def _loud(self, note: str | None) -> str | None:
        return note and note.upper()


class Hidden(Plain):
    secret: str = Field(default="s", exclude=True)


class Louder(Plain):
    def model_dump(self, **options: Any) -> dict[str, Any]:
        return {**super().model_dump(**options), "note": "overridden"}


class Undeclared(Plain):
    model_config = ConfigDict(extra="allow")


class Outer(BaseModel):
    first: Plain
    many: list[Plain]


ATTRIBUTES: list[tuple[str, Any, Any]] = [
    ("reading", Reading(1.5), {"windSpeed": 1.5}),
    ("reading", Reading(1.5, "a"), {"windSpeed": 1.5, "note": "a"}),
    ("reading", Slotted(1.5), {"windSpeed": 1.5}),
    ("nested", {"many": [Reading(1), Slotted(2, "b")]}, {"many": [{"windSpeed": 1}, {"windSpeed": 2, "note": "b"}]}),
    ("tree", Tree("a", [Tree("b")]), {"fullName": "a", "subParts": [{"fullName": "b", "subParts": []}]}),
    ("bare", {"result": [Reading(1)]}, {"result": [{"windSpeed": 1}]}),
    ("reading", Plain(windSpeed=1.5), {"windSpeed": 1.5}),
    ("reading", Plain.model_construct(speed=1.5), {"windSpeed": 1.5}),
    (
        "nested",
        Outer(first=Plain(windSpeed=1, note="a"), many=[Plain(windSpeed=2)]),
        {"first": {"windSpeed": 1, "note": "a"}, "many": [{"windSpeed": 2}]},
    ),
]
MODELS = [
    (Loud(windSpeed=1, note="a"), {"windSpeed": 1, "note": "A"}),
    (Hidden(windSpeed=1), {"windSpeed": 1}),
    (Louder(windSpeed=1), {"windSpeed": 1, "note": "overridden"}),
    (Undeclared.model_validate({"windSpeed": 1, "at": "noon"}), {"windSpeed": 1, "at": "noon"}),
]


@pytest.mark.parametrize(("name", "value", "expected"), ATTRIBUTES)
def test_attributes(generated: Any, readers: Any, name: str, value: Any, expected: Any) -> None:
    cls = generated.RESULT_TYPES[name]
    before = repr(value)
    assert readers.attribute_reader(cls)(value) == expected
    assert repr(value) == before
    assert wire(cls.normalize_any(value))["structuredContent"] == expected


@pytest.mark.parametrize(("value", "expected"), MODELS)
def test_models_that_say_how_they_are_written_are_dumped(
    generated: Any, readers: Any, value: Any, expected: Any
) -> None:
    with pytest.raises(ValidationError):
        readers.attribute_reader(generated.ReadingResult)(value)
    assert wire(generated.ReadingResult.normalize_any(value))["structuredContent"] == expected


def test_a_field_that_holds_a_subclass_keeps_what_that_adds(generated: Any) -> None:
    class Wider(Plain):
        gust: float | None = Field(default=None, alias="gust-max")

    value = Outer(first=Wider.model_validate({"windSpeed": 1, "gust-max": 2}), many=[])
    expected = {"first": {"windSpeed": 1, "gust-max": 2}, "many": []}
    assert wire(generated.NestedResult.normalize_any(value))["structuredContent"] == expected
    slowly = {"first": value.first, "many": ()}  # a tuple is not read in one pass
    assert wire(generated.NestedResult.normalize_any(slowly))["structuredContent"] == expected


def test_instances_in_a_dict(generated: Any, readers: Any) -> None:
    reading_result = generated.ReadingResult(wind_speed=1)
    nested = generated.NestedResult.from_structured_content({"first": {"windSpeed": 1}})
    expected = {"first": {"windSpeed": 1}, "many": [{"windSpeed": 1}]}
    value = {"first": nested.first, "many": [reading_result]}
    assert readers.attribute_reader(generated.NestedResult)(value) == expected
    assert wire(generated.NestedResult.normalize_any(value))["structuredContent"] == expected


def test_what_a_dataclass_holds_beside_its_fields_needs_a_declaration(generated: Any) -> None:
    value = Cached(1.5)
    assert value.note
    assert value.other
    result = generated.ReadingResult.normalize_any(value)
    assert wire(result)["structuredContent"] == {"windSpeed": 1.5, "note": "kept beside the fields"}


def test_a_wire_name_that_another_attribute_has(generated: Any) -> None:
    with pytest.raises(generated.ResultError, match="wind_speed"):
        generated.ReadingResult.normalize_any(Both(1, 2))


def test_a_cycle_is_an_error_that_says_where(generated: Any) -> None:
    value = Tree("a")
    value.sub_parts.append(value)
    with pytest.raises(generated.ResultError, match="refers back"):
        generated.TreeResult.normalize_any(value)


def test_a_dataclass_may_look_like_a_result(generated: Any) -> None:
    """Then it is one, wherever the schema does not say otherwise."""

    @dataclass
    class Result:
        content: list[Any]
        isError: bool

    instance = wire(generated.RESULT_TYPES["open"].normalize_any(Result([{"type": "text", "text": "a"}], True)))
    assert instance["isError"] is True
    assert instance["content"] == [{"type": "text", "text": "a"}]


def test_the_text_is_that_of_the_value(generated: Any) -> None:
    value = {"windSpeed": 1.0, "note": "é"}
    for version in ("2024-11-05", "2025-06-18", "2026-07-28"):
        read = generated.ReadingResult.normalize(value, version)
        instance = generated.ReadingResult.from_structured_content(value).to_call_tool_result(protocol=version)
        assert read == instance
        assert json.loads(wire(read)["content"][0]["text"]) == value
