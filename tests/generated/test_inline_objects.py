"""Objects that a result's serializer writes itself: as their own method writes them, whatever a program puts there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcpgen_runtime.models import write_members
from support.packages import package, tool

PLACE = {
    "type": "object",
    "properties": {"street": {"type": "string"}, "city": {"type": "string"}, "code": {"type": ["string", "null"]}},
    "required": ["city"],
}
ROW = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "na-me": {"type": "string"},
        "note": {"type": ["string", "null"]},
        "home": {"anyOf": [PLACE, {"type": "null"}]},
        "work": {**PLACE, "properties": {"floor": {"type": "integer"}}, "required": ["floor"]},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["id", "home"],
}
PORT = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "note": {"type": ["string", "null"]},
        "deep": {"type": "boolean"},
        "kinds": {"type": "array", "items": {"type": "string"}},
        "quay": {
            **PLACE,
            "properties": {"quay": {"type": "string"}, "number": {"type": "integer"}},
            "required": ["quay", "number"],
        },
        "size": {"type": ["number", "null"]},
        "code": {"type": "string"},
    },
    "required": ["name", "deep", "kinds", "size", "code"],
}
"""Most of its properties are required and JSON as they are, so its instances' attributes are copied."""
RESULT = {
    "type": "object",
    "properties": {
        "rows": {"type": "array", "items": ROW},
        "ports": {"type": "array", "items": PORT},
        "by_name": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "properties": {"{x}": {"type": "number"}, "y": {"type": "string"}},
                "required": ["{x}"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["rows"],
}
INPUT = {
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "none": {"type": ["integer", "null"]},
        "must": {"type": ["integer", "null"]},
        "place": PLACE,
    },
    "required": ["must"],
}
FULL: dict[str, Any] = {
    "rows": [
        {"id": 1, "home": None, "more": {"a": [1]}},
        {"id": 2, "na-me": "b", "note": None, "home": {"city": "c", "else": 1}, "work": {"floor": 3}, "tags": ["d"]},
        {"id": 3, "note": "e", "home": {"street": "f", "city": "g", "code": None}},
    ],
    "ports": [
        {"name": "a", "deep": True, "kinds": ["b"], "size": None, "code": "c"},
        {
            "name": "a",
            "note": None,
            "deep": True,
            "kinds": [],
            "quay": {"quay": "d", "number": 1},
            "size": 2,
            "code": "e",
        },
        {
            "name": "a",
            "note": "",
            "deep": True,
            "kinds": [],
            "quay": {"quay": "d", "number": 1, "f": []},
            "size": 0,
            "code": "",
            "g": 1,
        },
    ],
    "by_name": {"h": {"{x}": 1.5}, "i": {"{x}": 2, "y": "j"}},
}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return package(tmp_path_factory.mktemp("inline"), [tool("rows", RESULT, inputSchema=INPUT)])


def test_the_value_is_what_was_read(generated: Any, tmp_path: Path) -> None:
    assert generated.RowsResult.from_structured_content(FULL).to_structured_content() == FULL
    rows, listed = FULL["rows"], package(tmp_path, [tool("rows", {"type": "array", "items": ROW})])
    assert listed.RowsResult.from_structured_content(rows).to_structured_content() == rows


def test_the_objects_are_written_inline(generated: Any) -> None:
    """Otherwise the other tests would say nothing."""
    source = Path(generated.tools.rows.__file__).read_text("utf-8")
    tests = [line.strip() for line in source.splitlines() if line.lstrip().startswith("if type(")]
    assert len(tests) == 6
    assert source.count(".__dict__.copy()") == 3


def test_properties_keep_their_order(generated: Any) -> None:
    result = generated.RowsResult.from_structured_content(FULL)
    own = [row.to_structured_content() for row in result.rows]
    assert [[*row] for row in result.to_structured_content()["rows"]] == [[*row] for row in own]
    assert [*own[1]] == ["id", "na-me", "note", "home", "work", "tags"]

    ports = [[*port] for port in result.to_structured_content()["ports"]]
    assert ports == [[*port] for port in FULL["ports"]] == [[*port.to_structured_content()] for port in result.ports]


def test_nothing_is_shared_with_the_instance(generated: Any) -> None:
    result = generated.RowsResult.from_structured_content(FULL)
    value = result.to_structured_content()
    value["rows"][1]["tags"].append("z")
    value["rows"][1]["home"]["else"] = 2
    value["ports"][1]["kinds"].append("z")
    value["ports"][2]["quay"]["number"] = 2
    value["ports"][2]["name"] = "z"
    assert result.to_structured_content() == FULL


def test_a_subclass_writes_itself(generated: Any) -> None:
    result = generated.RowsResult.from_structured_content(FULL)
    cls = type(result.rows[0])
    place = type(result.rows[1].home)

    class Row(cls):  # type: ignore[valid-type, misc]
        def to_structured_content(self) -> dict[str, Any]:
            return {"own": self.id}

    class Place(place):  # type: ignore[valid-type, misc]
        def to_structured_content(self) -> dict[str, Any]:
            return {"town": self.city}

    row, where = Row(id=4, home=None), Place(city="k")
    mixed = generated.RowsResult(rows=[row, cls(id=5, home=where)])
    assert mixed.to_structured_content()["rows"] == [{"own": 4}, {"id": 5, "home": {"town": "k"}}]


def test_the_attributes_of_a_subclass_stay_out(generated: Any) -> None:
    result = generated.RowsResult.from_structured_content(FULL)
    cls = type(result.ports[0])

    class Port(cls):  # type: ignore[valid-type, misc]
        remark: str = "for the program alone"

    port = Port(name="a", deep=True, kinds=[], size=None, code="c")
    own = cls(**{**FULL["ports"][0], "quay": port.model_copy().quay})
    made = generated.RowsResult(rows=[], ports=[port, own])
    assert [[*wire] for wire in made.to_structured_content()["ports"]] == [
        ["name", "deep", "kinds", "size", "code"]
    ] * 2
    assert Port.to_structured_content(port) == made.to_structured_content()["ports"][0]


def test_what_is_no_property_is_not_sent(generated: Any) -> None:
    result = generated.RowsResult.from_structured_content(FULL)
    for part in (result.ports[0], result.ports[1].quay, result.rows[0]):
        object.__setattr__(part, "_token", "secret")
    assert result.to_structured_content() == FULL
    assert b"secret" not in result.to_wire_json()


def test_what_was_put_into_a_list_is_asked_for_its_own_form(generated: Any) -> None:
    result = generated.RowsResult.from_structured_content(FULL)

    class Foreign:
        def to_structured_content(self) -> str:
            return "foreign"

    result.rows[0] = Foreign()
    result.rows[1].__dict__["home"] = Foreign()
    value = result.to_structured_content()
    assert (value["rows"][0], value["rows"][1]["home"]) == ("foreign", "foreign")
    result.rows[0] = {"id": 1}
    with pytest.raises(AttributeError, match="to_structured_content"):
        result.to_structured_content()


def test_both_ways_to_the_wire_agree(generated: Any) -> None:
    result = generated.RowsResult.from_structured_content(FULL)
    wire = result.to_wire_json()
    assert generated.RowsResult.from_wire_json(wire).to_structured_content() == FULL
    assert result.to_wire()["structuredContent"] == FULL


# --- arguments --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "value",
    [
        {"must": 1},
        {"must": None, "none": None},
        {"type": "a", "none": 2, "must": None, "place": {"street": "b", "city": "c", "code": None, "d": [{}]}, "e": {}},
    ],
)
def test_arguments_are_what_was_read(generated: Any, value: dict[str, Any]) -> None:
    arguments = generated.RowsArguments.model_validate(value)
    assert "to_structured_content" not in vars(generated.RowsArguments)
    assert arguments.to_structured_content() == value == arguments.model_dump()
    assert [*arguments.to_structured_content()] == [*arguments.model_dump()]


def test_a_subclass_of_arguments_sends_only_what_the_schema_declares(generated: Any) -> None:
    class Noted(generated.RowsArguments):  # type: ignore[misc]
        remark: str = "for the program alone"

    noted = Noted(must=1)
    assert noted.to_structured_content() == {"must": 1}
    assert write_members(noted, Noted.model_fields) == {"must": 1, "remark": "for the program alone"}
