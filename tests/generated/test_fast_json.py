"""JSON by orjson: the bytes are those of pydantic's writer."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcpgen_runtime import json_values
from mcpgen_runtime.core_schemas import write_json_bytes
from pydantic_core import to_json
from support.packages import get_tool, package, tool
from support.repository import ROOT

import generated

VALUES: dict[str, dict[str, list[Any]]] = json.loads(
    (ROOT / "tests" / "support" / "example_values.json").read_text("utf-8")
)
VALID = [(name, value) for name, data in VALUES.items() for value in data["valid"]]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
JSON: st.SearchStrategy[Any] = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
BERTH = {
    "type": "object",
    "properties": {
        "code": {"type": "string"},
        "depth": {"type": ["number", "null"]},
        "note": {"type": "string"},
        "kind": {"const": "quay"},
        "nothing": {"const": None},
        "place": {
            "type": "object",
            "properties": {"pier": {"type": "string"}, "bollard-no": {"type": "integer"}},
            "required": ["pier"],
            "additionalProperties": False,
        },
    },
    "required": ["code", "depth"],
    "additionalProperties": False,
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"berths": {"type": "array", "items": BERTH}},
    "required": ["berths"],
}
PLACES: list[dict[str, Any]] = [{}, {"place": {"pier": "A"}}, {"place": {"pier": "B", "bollard-no": 3}}]
OTHERS: list[dict[str, Any]] = [{}, {"note": 'é \\ " \x1f'}, {"kind": "quay"}, {"nothing": None, "note": ""}]
ROWS = [
    {"code": "A1", "depth": depth, **others, **place}
    for depth in (None, 4.25, 3, 1e16, -0.0, 2**70)
    for others in OTHERS
    for place in PLACES
]


@pytest.mark.parametrize(("name", "value"), VALID)
def test_results_of_the_example_are_the_same_bytes(name: str, value: Any) -> None:
    instance = get_tool(generated, name).result.from_structured_content(value)
    assert instance.to_wire_json() == to_json(instance.to_wire())


@pytest.fixture(scope="module", params=["annotation", "native"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return a package with open and closed results, for each way to read formats."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "mcpgen.toml").write_text(f'formats = "{request.param}"\n', "utf-8")
    more = {"at": {"type": "string", "format": "date-time"}, "id": {"type": "string", "format": "uuid"}}
    schema = {**SCHEMA, "properties": {**SCHEMA["properties"], **more}}
    tools = [
        tool(name, {**schema, "additionalProperties": is_open}) for name, is_open in (("open", True), ("closed", False))
    ]
    return package(folder, tools)


@pytest.mark.parametrize("name", ["open", "closed"])
def test_objects_are_the_same_bytes(made: Any, name: str) -> None:
    result = made.RESULT_TYPES[name]
    value = {"berths": ROWS, "at": "2031-03-12T08:00:00+01:00", "id": "3f1d9c3e-5f0e-4a55-9d3e-1d2c3b4a5968"}
    for part in ({"berths": ROWS}, *({**value, "berths": [row]} for row in ROWS)):
        instance = result.from_structured_content(part)
        assert instance.to_wire_json() == to_json(instance.to_wire())
        assert instance.to_wire()["structuredContent"] == part


def test_a_subclass_writes_what_it_says(made: Any) -> None:
    class Shouted(made.ClosedResult):  # type: ignore[misc]
        def to_structured_content(self) -> dict[str, Any]:
            return {"berths": [row.to_structured_content() for row in self.berths][:1]}

    instance = Shouted.model_validate({"berths": ROWS})
    assert json.loads(instance.to_wire_json())["structuredContent"] == {"berths": ROWS[:1]}


@given(JSON)
def test_values_are_the_same_bytes(value: Any) -> None:
    assert write_json_bytes(value) == to_json(value)
    assert json.loads(write_json_bytes(value)) == value


@given(st.text())
def test_strings_are_the_same_bytes(text: str) -> None:
    assert json_values.write_json_string(text.encode()) == to_json(text)


@pytest.mark.ci
def test_every_character_is_the_same_bytes() -> None:
    text = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))
    assert json_values.write_json_string(text.encode()) == to_json(text)


@pytest.mark.parametrize("value", [math.nan, math.inf, [-math.inf]])
def test_what_json_has_no_number_for_is_null(value: Any) -> None:
    assert write_json_bytes(value) == to_json(value, inf_nan_mode="null")


class Text(str):
    """A string of a class of its own."""


@pytest.mark.parametrize("value", [2**64, {"a": -(2**63) - 1}, {1: 2}, Text("a"), {"a": {Text("b")}}, b"a"], ids=repr)
def test_what_orjson_cannot_write_is_left_to_pydantic(value: Any) -> None:
    assert write_json_bytes(value) == to_json(value)


def test_deep_values_are_left_to_others() -> None:
    value: Any = []
    for _ in range(300):
        value = [value]
    assert json.loads(write_json_bytes(value)) == value
