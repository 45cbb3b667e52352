"""What constructors take, what the wire has to hold, and the order in which members are written."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from pydantic import ValidationError
from support.packages import package, tool

INNER: dict[str, Any] = {
    "type": "object",
    "title": "Inner",
    "properties": {"size": {"type": ["integer", "null"]}, "unit": {"const": "m"}, "gone": {"type": "string"}},
    "required": ["unit"],
}
ROW: dict[str, Any] = {
    "type": "object",
    "properties": {
        "note": {"type": "string"},
        "place": {"type": "string"},
        "kind": {"const": "row"},
        "windFrom": {"type": ["number", "null"]},
        "level": {"const": 3},
        "inner": INNER,
        "flag": {"type": "boolean"},
        "tree": {"$ref": "#/$defs/tree"},
    },
    "required": ["place", "kind", "level", "flag"],
    "$defs": {"tree": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#/$defs/tree"}}]}},
}
CLOSED = {**ROW, "additionalProperties": False}
ROWS = {"type": "array", "items": {**ROW, "$defs": {}}, "$defs": ROW["$defs"]}
WHOLE: dict[str, Any] = {
    "note": "n",
    "place": "p",
    "kind": "row",
    "windFrom": None,
    "level": 3,
    "inner": {"size": None, "unit": "m", "gone": "g"},
    "flag": True,
    "tree": [1, [2]],
}
EXTRAS = {"b": 1, "a": [None]}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    tools = [tool("open", ROW), tool("closed", CLOSED), tool("rows", ROWS)]
    return package(tmp_path_factory.mktemp("constructors"), tools)


CLASSES = ["OpenResult", "ClosedResult"]


def shuffled(value: dict[str, Any]) -> dict[str, Any]:
    return dict(sorted(value.items(), reverse=True))


# --- order -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", CLASSES)
def test_members_are_written_in_the_order_of_the_schema_and_extras_last(name: str, generated: Any) -> None:
    cls = getattr(generated, name)
    extras = EXTRAS if name == "OpenResult" else {}
    instance = cls.from_structured_content({**shuffled(WHOLE), **extras})
    expected = json.dumps({**WHOLE, **extras})
    assert json.dumps(instance.to_structured_content()) == expected
    assert json.dumps(json.loads(instance.to_wire_json())["structuredContent"]) == expected
    assert json.dumps(instance.model_dump(mode="json")) == expected
    for returned in (instance, {**shuffled(WHOLE), **extras}):
        result = cls.normalize(returned)
        assert json.dumps(json.loads(result.to_structured_content()["content"][0]["text"])) == expected


def test_rows_of_a_list_are_written_in_the_order_of_the_schema(generated: Any) -> None:
    rows = generated.RowsResult.from_structured_content([shuffled(WHOLE), WHOLE])
    assert [json.dumps(row) for row in rows.to_structured_content()] == [json.dumps(WHOLE)] * 2


# --- constants -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", CLASSES)
def test_constructors_fill_in_constants(name: str, generated: Any) -> None:
    instance = getattr(generated, name)(place="p", flag=True)
    assert (instance.kind, instance.level) == ("row", 3)
    assert instance.to_structured_content() == {"place": "p", "kind": "row", "level": 3, "flag": True}
    assert instance.model_copy(update={"place": "q"}).kind == "row"


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("wire", ["kind", "level", "place"])
def test_a_value_that_is_read_has_to_hold_what_is_required(name: str, wire: str, generated: Any) -> None:
    cls = getattr(generated, name)
    value = {key: item for key, item in WHOLE.items() if key != wire}
    with pytest.raises(ValidationError):
        cls.from_structured_content(value)
    with pytest.raises(ValidationError):
        cls.model_validate(value)
    with pytest.raises(generated.ResultError):
        cls.normalize(value)


@pytest.mark.parametrize(("wire", "wrong"), [("kind", "raw"), ("level", True), ("level", 4), ("kind", None)])
def test_another_value_than_the_constant_is_refused(wire: str, wrong: object, generated: Any) -> None:
    with pytest.raises(ValidationError):
        generated.OpenResult(place="p", flag=True, **{wire: wrong})
    with pytest.raises(ValidationError):
        generated.OpenResult.model_validate({**WHOLE, wire: wrong})


# --- absence ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", CLASSES)
def test_absent_says_that_a_nullable_property_is_absent(name: str, generated: Any) -> None:
    cls, absent = getattr(generated, name), generated.ABSENT
    without = cls(place="p", flag=True, wind_from=absent, note=absent)
    assert without == cls(place="p", flag=True)
    assert without.wind_from is None
    assert "windFrom" not in without.to_structured_content()
    null = cls(place="p", flag=True, wind_from=None)
    assert null.to_structured_content()["windFrom"] is None
    assert null.model_copy(update={"wind_from": absent}) == without
    assert without.model_copy(update={"wind_from": None}) == null


def test_a_required_property_cannot_be_absent(generated: Any) -> None:
    with pytest.raises(ValidationError, match="place"):
        generated.OpenResult(place=generated.ABSENT, flag=True)


def test_absent_is_one_object_that_no_instance_holds(generated: Any) -> None:
    absent = generated.ABSENT
    assert repr(absent) == "ABSENT"
    assert copy.deepcopy(absent) is absent
    assert pickle.loads(pickle.dumps(absent)) is absent
    instance = generated.OpenResult.model_construct(place="p", flag=True)
    assert instance.wind_from is None
    assert absent not in vars(generated.OpenResult.from_structured_content(WHOLE | {"flag": False})).values()
    assert "windFrom" not in instance.to_structured_content()


@pytest.mark.parametrize("name", CLASSES)
def test_null_is_read_where_the_schema_has_it(name: str, generated: Any) -> None:
    cls = getattr(generated, name)
    assert cls.from_structured_content(WHOLE).to_structured_content() == WHOLE
    for wrong in ({"note": None}, {"inner": None}, {"inner": {"unit": "m", "gone": None}}):
        with pytest.raises(ValidationError):
            cls.model_validate({**WHOLE, **wrong})


# --- types -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("wire", "value"),
    [
        ("place", 1),
        ("place", "\ud800"),
        ("flag", 1),
        ("flag", "true"),
        ("windFrom", "1"),
        ("windFrom", True),
        ("windFrom", float("nan")),
        ("tree", "1"),
        ("tree", [True]),
        ("tree", [[1.5]]),
        ("inner", {"unit": "m", "size": "1"}),
        ("inner", {"unit": "m", "size": 1.5}),
    ],
)
def test_plain_types_read_json_and_nothing_else(wire: str, value: object, generated: Any) -> None:
    for name in CLASSES:
        cls = getattr(generated, name)
        with pytest.raises(ValidationError):
            cls.model_validate({**WHOLE, wire: value})


def test_whole_floats_are_integers_and_numbers_stay_what_they_are(generated: Any) -> None:
    value = {**WHOLE, "windFrom": 2, "tree": [1.0], "inner": {"unit": "m", "size": 4.0}, "level": 3.0}
    result = generated.OpenResult.model_validate(value)
    assert [type(item) for item in (result.wind_from, result.tree[0], result.inner.size)] == [int, int, int]
    assert type(generated.OpenResult.model_validate({**WHOLE, "windFrom": 2.0}).wind_from) is float


def test_subclasses_read_what_their_base_reads(generated: Any) -> None:
    class Mine(generated.OpenResult):  # type: ignore[misc]
        count: int

    assert Mine(place="p", flag=True, count=1).kind == "row"
    mine = Mine.model_validate({**WHOLE, "count": 1})
    assert mine.wind_from is None
    assert "wind_from" in mine.model_fields_set
    for wrong in ({"count": "1"}, {"note": None}, {"flag": 1}):
        with pytest.raises(ValidationError):
            Mine.model_validate({**WHOLE, "count": 1, **wrong})


def test_undeclared_properties_are_an_attribute(generated: Any) -> None:
    assert generated.OpenResult(place="p", flag=True, extras=EXTRAS).extras == EXTRAS
    assert generated.OpenResult(place="p", flag=True).extras == {}
