"""Aliases of definitions and classes of equal objects, in a package of three tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from pydantic import ValidationError
from support.checkers import CHECKERS, reported, wrong
from support.packages import package, tool

PAGE: dict[str, Any] = {"type": "object", "properties": {"page": {"type": "integer"}, "more": {"type": "boolean"}}}
DEFINITIONS: dict[str, Any] = {
    "Level": {"enum": ["low", "high"], "description": "How much."},
    "Percent": {"type": "number", "minimum": 0, "maximum": 100},
    "Circle": {
        "type": "object",
        "properties": {"kind": {"const": "circle"}, "fill": {"$ref": "#/$defs/Percent"}},
        "required": ["kind"],
    },
    "Shape": {
        "oneOf": [
            {"$ref": "#/$defs/Circle"},
            {"type": "object", "properties": {"kind": {"const": "square"}}, "required": ["kind"]},
        ]
    },
    "Shapes": {"type": "array", "items": {"$ref": "#/$defs/Shape"}},
    "Rank": {"enum": [1, 2, None]},
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "level": {"$ref": "#/$defs/Level"},
        "maybe": {"anyOf": [{"$ref": "#/$defs/Level"}, {"type": "null"}]},
        "shape": {"anyOf": [{"$ref": "#/$defs/Shape"}, {"type": "null"}]},
        "shapes": {"$ref": "#/$defs/Shapes"},
        "rank": {"$ref": "#/$defs/Rank"},
        "pagination": PAGE,
    },
    "required": ["level", "rank"],
    "$defs": DEFINITIONS,
}
TOOLS = [
    tool("a", SCHEMA),
    tool("b", {"type": "object", "properties": {"data": {"type": "object", "properties": {"pagination": PAGE}}}}),
    tool("c", SCHEMA, inputSchema={"type": "object", "properties": {"page": {**PAGE, "description": "Which."}}}),
]
VALUES: list[Any] = [
    {"level": "low", "rank": None},
    {"level": "high", "rank": 2, "maybe": None, "shape": None, "shapes": [{"kind": "circle", "fill": 3}]},
    {"level": "low", "rank": 1, "shape": {"kind": "square"}, "pagination": {"page": 1, "more": True}},
    {"level": "mid", "rank": 1},
    {"level": "low", "rank": 3},
    {"level": "low", "rank": True},
    {"level": None, "rank": 1},
    {"level": "low", "rank": 1, "shape": {"kind": "circle", "fill": 101}},
    {"level": "low", "rank": 1, "shapes": [{"kind": "triangle"}]},
    {"level": "low", "rank": 1, "pagination": {"page": "1"}},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shared")


@pytest.fixture(scope="module")
def generated(folder: Path) -> Any:
    return package(folder, TOOLS)


@pytest.mark.parametrize("value", VALUES)
def test_aliases_accept_what_the_schema_accepts(generated: Any, value: Any) -> None:
    result_type = generated.RESULT_TYPES["a"]
    if jsonschema_rs.Draft202012Validator(SCHEMA).is_valid(value):
        assert result_type.from_structured_content(value).to_structured_content() == value
    else:
        with pytest.raises(ValidationError):
            result_type.from_structured_content(value)


def test_equal_objects_are_one_exported_class(generated: Any) -> None:
    page = generated.Pagination(page=1)
    assert generated.RESULT_TYPES["a"](level="low", rank=1, pagination=page).pagination is page
    data = generated.RESULT_TYPES["b"].from_structured_content({"data": {"pagination": {"page": 1}}}).data
    assert isinstance(data.pagination, generated.Pagination)
    assert isinstance(generated.ARGUMENT_TYPES["c"].model_validate({"page": {}}).page, generated.Pagination)


USER = """
from {package} import AResult, CArguments, Circle, Level, Pagination, Percent, Rank, Shape

level: Level = "low"
percent: Percent = 3
shape: Shape = Circle(kind="circle", fill=percent)
rank: Rank = None
result = AResult(level=level, rank=rank, shape=shape, pagination=Pagination(page=1))
arguments = CArguments(page=result.pagination)
other: Level = "mid"  # wrong
AResult(level="mid", rank=1)  # wrong
"""


@pytest.mark.ci
@pytest.mark.parametrize("checker", CHECKERS)
def test_checkers_know_aliases_and_shared_classes(generated: Any, folder: Path, checker: str) -> None:
    text = USER.replace("{package}", generated.__name__)
    lines, output = reported(folder, checker, text)
    assert lines == wrong(text), output
