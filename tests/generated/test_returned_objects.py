"""Objects of classes without fields, such as rows of a database, as results: the schema says what is read of them."""

from __future__ import annotations

import enum
import importlib
import importlib.util
import json
from functools import cached_property
from pathlib import Path
from typing import Any

import attrs
import pytest
from pydantic import BaseModel, ConfigDict, Field
from support.handled_tools import TOOLS
from support.packages import package, tool
from support.wire_forms import wire

msgspec: Any = importlib.import_module("msgspec") if importlib.util.find_spec("msgspec") else None


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return package(tmp_path_factory.mktemp("objects"), TOOLS, "--sdk", "none")


class Kind(enum.Enum):
    PIER = "pier"


class Lazy:
    """A value that is loaded when it is read, as in an object-relational mapper."""

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._name = name

    def __get__(self, row: Any, owner: type[Any]) -> Any:
        if row is None:
            return self
        return vars(row)["_stored"][self._name]


class Row:
    wind_speed, note = Lazy(), Lazy()
    password_hash = "of the class"

    def __init__(self, **stored: Any) -> None:
        self._stored = stored
        self.session = object()


class Computed:
    windSpeed = 1.5

    def __init__(self) -> None:
        self.secret = "s"

    @property
    def note(self) -> str:
        return "computed"

    @cached_property
    def gust_max(self) -> int:
        return 2


class Method:
    def __init__(self) -> None:
        self.wind_speed = 1.5

    def note(self) -> str:
        return "not a property"


class Broken:
    wind_speed = 1.5

    @property
    def note(self) -> str:
        raise LookupError("the session has ended: password=x")


class Branch:
    def __init__(self, full_name: str, *parts: Any) -> None:
        self.full_name, self.sub_parts, self.parent = full_name, list(parts), None
        for part in parts:
            part.parent = self


class Holder:
    def __init__(self, **values: Any) -> None:
        vars(self).update(values)


@attrs.define
class WithFields:
    wind_speed: float
    _cache: int = 0

    @property
    def note(self) -> str:
        return "computed"


def send(generated: Any, name: str, value: Any) -> Any:
    """Return the structured content of a value, which is the same in the JSON for the wire."""
    result_type = generated.RESULT_TYPES[name]
    content = wire(result_type.normalize_any(value))["structuredContent"]
    assert content == json.loads(result_type.normalize_to_json(value))["structuredContent"]
    return content


READING = {"windSpeed": 1.5, "note": "computed"}


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("reading", Row(wind_speed=1.5, note="a"), {"windSpeed": 1.5, "note": "a"}),
        ("reading", Row(wind_speed=1.5, note=None), {"windSpeed": 1.5}),
        ("reading", Computed(), {**READING, "gust-max": 2}),
        ("reading", Method(), {"windSpeed": 1.5}),
        ("reading", WithFields(1.5), READING),
        (
            "nested",
            Holder(many=[Row(wind_speed=1.5, note=None), WithFields(1.5)]),
            {"many": [{"windSpeed": 1.5}, READING]},
        ),
        ("nested", {"either": Computed()}, {"either": {**READING, "gust-max": 2}}),
        ("mapped", {"by": {"a": Computed()}}, {"by": {"a": {**READING, "gust-max": 2}}}),
        ("place", Holder(kind="pier", max_length=3, other=1), {"kind": "pier", "maxLength": 3}),
        ("place", Holder(kind=Kind.PIER, max_length=3), {"kind": "pier", "maxLength": 3}),
        ("tree", Branch("a", Branch("b")), {"fullName": "a", "subParts": [{"fullName": "b", "subParts": []}]}),
        ("bare", [Method()], {"result": [{"windSpeed": 1.5}]}),
        ("bare", Holder(result=[Method()]), {"result": [{"windSpeed": 1.5}]}),
        ("anything", Holder(a=1, _b=2, c=[Holder(d=None)]), {"a": 1, "c": [{"d": None}]}),
    ],
)
def test_declared_properties_are_read(generated: Any, name: str, value: Any, expected: Any) -> None:
    assert send(generated, name, value) == expected


def test_an_object_is_of_the_class_that_has_its_names_on_the_wire(tmp_path: Path) -> None:
    closed = {"type": "object", "properties": {"wind-speed": {"type": "boolean"}}, "additionalProperties": False}
    open_ = {"type": "object", "properties": {"wind_speed": {"type": "number"}}}
    schema = {"type": "object", "properties": {"at": {"anyOf": [closed, open_]}, "more": {"type": "array"}}}
    generated = package(tmp_path, [tool("read", schema)], "--sdk", "none")
    for value in ({"at": Holder(wind_speed=6)}, {"at": Holder(wind_speed=6), "more": iter([])}):
        assert send(generated, "read", value)["at"] == {"wind_speed": 6}


class Reading(BaseModel):
    """What pydantic reads of an object's attributes."""

    model_config = ConfigDict(from_attributes=True)
    wind_speed: float = Field(serialization_alias="windSpeed")
    note: str | None = None
    gust_max: float | None = Field(default=None, serialization_alias="gust-max")


@pytest.mark.parametrize(
    "value",
    [Row(wind_speed=2, note="b"), WithFields(3.5), Holder(wind_speed=1, other=1)],
    ids=lambda value: type(value).__name__,
)
def test_pydantic_reads_the_same(generated: Any, value: Any) -> None:
    expected = Reading.model_validate(value).model_dump(by_alias=True, exclude_none=True)
    assert send(generated, "reading", value) == expected


@pytest.mark.skipif(msgspec is None, reason="msgspec is not installed here")
def test_a_struct_has_fields(generated: Any) -> None:
    struct = msgspec.defstruct("Struct", [("wind_speed", float), ("secret", int, 1)])
    with pytest.raises(generated.ResultError, match="secret"):
        generated.ReadingResult.normalize_any(struct(1.5))


def test_undeclared_fields_of_attrs_are_not_lost(generated: Any) -> None:
    more = attrs.make_class("More", ["wind_speed", "secret"])(1.5, 2)
    with pytest.raises(generated.ResultError, match="secret"):
        generated.ReadingResult.normalize_any(more)


def make_cycle() -> Any:
    branch = Branch("a")
    branch.sub_parts.append(branch)
    return branch


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("reading", Broken(), "/note: cannot be read from the object (LookupError)"),
        ("nested", Holder(many=[Broken()]), "/many/0/note: cannot be read from the object (LookupError)"),
        ("mapped", {"by": {"a/b": Broken()}}, "/by/a~1b/note: cannot be read from the object (LookupError)"),
        ("reading", Holder(speed=1), "an object of type Holder has none of the properties"),
        ("nested", {"first": object()}, "/first: an object of type object has none of the properties"),
        ("reading", Row(note="a", wind_speed=float("nan")), "/windSpeed: JSON has no nan"),
        ("tree", make_cycle(), "/subParts/0: refers back to what it is inside of"),
        ("anything", Holder(a={"b": float("nan")}), "/a/b: JSON has no nan"),
        ("word", object(), "a value of type object has no JSON form"),
    ],
)
def test_what_cannot_be_read_is_an_error_with_its_place(generated: Any, name: str, value: Any, problem: str) -> None:
    with pytest.raises(generated.ResultError) as caught:
        generated.RESULT_TYPES[name].normalize_any(value)
    assert problem in str(caught.value)
    assert "password" not in str(caught.value)
