"""Errors about results: places that exist on the wire, in the order of the value, all in one style."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import reduce
from operator import getitem
from typing import Any

import pytest
from pydantic import ValidationError
from support.packages import package, tool

OLD, NEW = "2025-06-18", "2026-07-28"
ROW = {
    "type": "object",
    "properties": {
        "price": {"type": "number", "multipleOf": 0.5},
        "day": {"type": "string", "format": "date"},
        "id": {"type": "string", "format": "uuid"},
    },
    "required": ["price"],
}
PLAIN_ROW = {"type": "object", "properties": {"price": {"type": "number"}, "day": {"type": "string", "format": "date"}}}
SCHEMAS: dict[str, Any] = {
    "rows": {"type": "array", "items": ROW},  # with the exact check, since `multipleOf` is no type
    "plain_rows": {"type": "array", "items": PLAIN_ROW | {"additionalProperties": False}},
    "number": {"type": "number", "maximum": 5},
    "holder": {"type": "object", "properties": {"result": {"type": "array", "items": ROW}}, "required": ["result"]},
    "row": ROW,
}
WRONG: dict[str, Any] = {
    "rows": [{"price": 1.5}, {"price": "x", "day": "no"}],
    "plain_rows": [{"price": "x"}],
    "number": 7,
    "holder": {"result": [{"price": 0.3}]},
    "row": {"price": 0.3},
}
RIGHT_ROW = {"price": 1.5, "day": "2031-03-12", "id": "3f1d9c3e-5f0e-4a55-9d3e-1d2c3b4a5968"}


@pytest.fixture(scope="module", params=["legacy", "always"])
def generated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("places")
    (folder / "mcpgen.toml").write_text(f'formats = "native"\nwrap = "{request.param}"\n', "utf-8")
    return package(folder, [tool(name, schema) for name, schema in SCHEMAS.items()])


def list_errors(read: Callable[[], object]) -> list[tuple[tuple[str | int, ...], str]]:
    with pytest.raises(ValidationError) as caught:
        read()
    return [(error["loc"], error["msg"]) for error in caught.value.errors()]


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("version", [OLD, NEW])
def test_places_are_those_in_the_structured_content(name: str, version: str, generated: Any) -> None:
    cls, value = generated.RESULT_TYPES[name], WRONG[name]
    valid: Any = {"rows": [RIGHT_ROW], "plain_rows": [], "number": 1, "holder": {"result": []}, "row": RIGHT_ROW}[name]
    wire = cls.from_structured_content(valid).to_wire(protocol=version)
    is_wrapped = wire["structuredContent"] != valid
    wire["structuredContent"] = {"result": value} if is_wrapped else value
    natural = list_errors(lambda: cls.from_structured_content(value))
    for read in (
        lambda: cls.from_call_tool_result(wire, version),
        lambda: cls.from_wire_json(json.dumps(wire), version),
    ):
        errors = list_errors(read)
        assert errors == [((*["result"] * is_wrapped, *place), message) for place, message in natural]
        for place, message in errors:
            found = reduce(getitem, place, wire["structuredContent"])  # the oracle: it is there
            assert json.dumps(found) in message


def test_a_warning_has_the_same_place(generated: Any) -> None:
    result = {"content": [], "structuredContent": {"result": WRONG["rows"]}}
    with pytest.warns(UserWarning, match=": /result/1/price: "):
        generated.RowsResult.from_call_tool_result(result, OLD, on_invalid="warn")


def test_formats_are_reported_with_the_others_in_the_order_of_the_value(generated: Any) -> None:
    cls = generated.HolderResult
    rows = [{"day": "2031-02-30", "price": 0.3, "id": "x"}, {"price": "x", "day": 7}, {"price": 1, "id": "y"}]
    errors = list_errors(lambda: cls.from_structured_content({"result": rows}))
    assert errors == [
        (("result", 0, "day"), 'should be a date of RFC 3339, YYYY-MM-DD, got "2031-02-30"'),
        (("result", 0, "price"), "should be a multiple of 0.5, got 0.3"),
        (("result", 0, "id"), 'should be a UUID, got "x"'),
        (("result", 1, "price"), 'should be a number, got "x"'),
        (("result", 1, "day"), "should be a string, got 7"),
    ]
    with pytest.raises(generated.ResultError) as caught:
        cls.normalize({"result": rows})
    assert caught.value.problems == [("/" + "/".join(map(str, place)), message) for place, message in errors]
    assert "2031-02-30" not in caught.value.public


@pytest.mark.parametrize("key", ["day", "id"])
def test_a_format_alone_is_reported_in_the_same_style(key: str, generated: Any) -> None:
    value = {**RIGHT_ROW, key: "no"}
    ((place, message),) = list_errors(lambda: generated.RowResult.from_structured_content(value))
    assert place == (key,)
    assert message.startswith("should be a")
    assert message.endswith('got "no"')
    assert generated.RowResult.from_structured_content(RIGHT_ROW).to_structured_content() == RIGHT_ROW


def test_an_absent_member_comes_after_those_that_are_there(generated: Any) -> None:
    errors = list_errors(lambda: generated.RowResult.from_structured_content({"day": "no"}))
    assert [place for place, _ in errors] == [("day",), ("price",)]
