"""What an invalid result lacks is named when it is read."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest
from support.packages import package, tool

DAY: dict[str, Any] = {"type": "object", "properties": {"n/a": {"type": "integer"}, "x": {}}, "required": ["n/a"]}
TRIP: dict[str, Any] = {
    "type": "object",
    "properties": {
        "days": {"type": "array", "items": {"$ref": "#/$defs/Day"}},
        "note": {"type": ["string", "null"]},
        "port": {"type": "string"},
        "by": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Day"}},
    },
    "required": ["days", "port"],
    "$defs": {"Day": DAY},
}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("missing")
    return package(folder, [tool("get-trip", TRIP), tool("list-days", {"type": "array", "items": DAY})])


def read(cls: Any, value: Any) -> Any:
    with pytest.warns(UserWarning, match="an invalid result was read"):
        return cls.from_call_tool_result({"content": [], "structuredContent": value}, on_invalid="warn")


def test_the_pointer_of_what_is_missing(generated: Any) -> None:
    trip = read(generated.GetTripResult, {"days": [{"n/a": 1}, {"x": 2}], "by": {"a~b": {}}})
    assert (trip.days[0].n_a, trip.days[1].x, trip.note) == (1, 2, None)
    for instance, name, pointer in (
        (trip, "port", "/port"),
        (trip.days[1], "n_a", "/days/1/n~1a"),
        (trip.by["a~b"], "n_a", "/by/a~0b/n~1a"),
    ):
        for again in (instance, copy.copy(instance), pickle.loads(pickle.dumps(instance))):
            with pytest.raises(generated.MissingValue) as caught:
                getattr(again, name)
            assert caught.value.pointer == pointer
            with pytest.raises(generated.MissingValue, match="nothing at"):
                again.to_structured_content()
    with pytest.raises(AttributeError, match="other"):
        _ = trip.other
    assert "days" in repr(trip)


def test_incomplete_rows_are_not_copied(tmp_path: Path) -> None:
    names = {
        "name": {"type": "string"},
        "deep": {"type": "boolean"},
        "kinds": {"type": "array", "items": {"type": "string"}},
    }
    port = {"type": "object", "properties": {**names, "note": {"type": "string"}}, "required": [*names]}
    rows = {"type": "object", "properties": {"ports": {"type": "array", "items": port}}, "required": ["ports"]}
    generated, whole = package(tmp_path, [tool("get-ports", rows)]), {"name": "a", "deep": True, "kinds": ["b"]}
    module = Path(str(generated.__file__)).with_name("tools") / "get_ports.py"
    assert ".__dict__.copy()" in module.read_text("utf-8")
    for name in names:
        ports = read(generated.GetPortsResult, {"ports": [whole, {key: whole[key] for key in whole if key != name}]})
        for write in (ports.to_structured_content, ports.to_call_tool_result, ports.to_wire_json, ports.to_wire):
            with pytest.raises(generated.MissingValue) as caught:
                write()
            assert caught.value.pointer == f"/ports/1/{name}"


def test_an_array_of_incomplete_objects(generated: Any) -> None:
    days = read(generated.ListDaysResult, {"result": [{"x": 1}]})
    with pytest.raises(generated.MissingValue) as caught:
        _ = days.root[0].n_a
    assert caught.value.pointer == "/0/n~1a"
    assert pickle.loads(pickle.dumps(caught.value)).pointer == "/0/n~1a"


def test_whole_results_are_as_before(generated: Any, tmp_path: Path) -> None:
    del tmp_path
    trip = generated.GetTripResult.from_structured_content({"days": [], "port": "Oslo"})
    assert type(trip.__dict__) is dict
    with pytest.raises(AttributeError) as caught:
        _ = trip.other
    assert not isinstance(caught.value, generated.MissingValue)
