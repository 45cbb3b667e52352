"""`model_json_schema()` of arguments, nested and shared classes is the declared schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from pydantic import BaseModel, TypeAdapter, create_model
from support.packages import package, tool

MONEY: dict[str, Any] = {
    "type": "object",
    "properties": {
        "minor": {"type": "integer", "multipleOf": 5},
        "currency": {"type": "string", "pattern": "^[A-Z]+$"},
    },
    "required": ["minor"],
}
NODE: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string", "pattern": "^n"}, "next": {"$ref": "#/$defs/node"}},
    "required": ["name"],
}
BASE = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
OUTPUT: dict[str, Any] = {
    "type": "object",
    "description": "A bill.",
    "properties": {
        "total": {"$ref": "#/$defs/money"},
        "a/b~c": {"type": "object", "properties": {"size": {"type": "number", "multipleOf": 0.5}}},
        "tree": {"$ref": "#/$defs/node"},
        "both": {"allOf": [{"$ref": "#/$defs/base"}, {"type": "object", "properties": {"x": {"minLength": 2}}}]},
        "like": {"type": "object", "properties": {"other": {"$ref": "#/properties/a~1b~0c"}}, "required": ["other"]},
    },
    "$defs": {"money": MONEY, "node": NODE, "base": BASE},
}
INPUT = {
    "type": "object",
    "properties": {"paid": {"$ref": "#/$defs/money"}, "how": {"type": "object", "properties": {"card": {"const": 1}}}},
    "required": ["paid"],
    "$defs": {"money": MONEY},
}
VALUES: list[Any] = [
    {},
    {"minor": 5},
    {"minor": 6},
    {"minor": 10, "currency": "eur"},
    {"size": 1.5},
    {"size": 1.25},
    {"name": "n", "next": {"name": "nn"}},
    {"name": "n", "next": {"name": "x"}},
    {"id": 1, "x": "ab"},
    {"id": 1, "x": "a"},
    {"x": "ab"},
    {"other": {"size": 1.5}},
    {"other": {"size": 1.25}},
    {"card": 1},
    {"card": 2},
    [],
    "n",
]
PLACES = {
    "Money": ("/properties/total", OUTPUT),
    "ABC": ("/properties/a~1b~0c", OUTPUT),
    "Node": ("/properties/tree", OUTPUT),
    "Both": ("/properties/both", OUTPUT),
    "Like": ("/properties/like", OUTPUT),
    "How": ("/properties/how", INPUT),
}
"""Class → where its schema stands."""


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return package(tmp_path_factory.mktemp("declared"), [tool("bill", OUTPUT, inputSchema=INPUT)])


def find_class(generated: Any, name: str) -> type[BaseModel]:
    import importlib

    for module in ("tools.bill", "types"):
        module_object = importlib.import_module(f"{generated.__name__}.{module}")
        if hasattr(module_object, name):
            cls: type[BaseModel] = getattr(module_object, name)
            return cls
    raise AssertionError(name)


def list_accepted(schema: Any) -> list[bool]:
    validator = jsonschema_rs.Draft202012Validator(schema)
    return [validator.is_valid(value) for value in VALUES]


def test_arguments_and_results_have_the_declared_schema(generated: Any) -> None:
    assert generated.BillArguments.model_json_schema() == INPUT
    assert generated.BillResult.model_json_schema() == OUTPUT
    assert TypeAdapter(generated.BillArguments).json_schema() == INPUT


@pytest.mark.parametrize("name", PLACES)
def test_the_schema_of_a_class_accepts_what_its_place_accepts(name: str, generated: Any) -> None:
    pointer, document = PLACES[name]
    declared = list_accepted({"$ref": f"#{pointer}", "$defs": document["$defs"], "properties": document["properties"]})
    schema = find_class(generated, name).model_json_schema()
    assert list_accepted(schema) == declared
    assert True in declared
    assert False in declared[:-2]


def test_classes_inside_another_model_keep_their_schemas(generated: Any) -> None:
    fields: Any = {name.lower(): (find_class(generated, name), ...) for name in PLACES}
    model = create_model("Outer", arguments=(generated.BillArguments, ...), **fields)
    schema = model.model_json_schema()
    definitions = {"$defs": schema["$defs"]}
    for name, (pointer, document) in PLACES.items():
        declared = {"$ref": f"#{pointer}", "$defs": document["$defs"], "properties": document["properties"]}
        assert list_accepted({**schema["properties"][name.lower()], **definitions}) == list_accepted(declared), name
    assert "pattern" in json.dumps(schema["properties"]["arguments"] | definitions)


def test_a_subclass_has_a_schema_of_its_own(generated: Any) -> None:
    mine = create_model("Mine", __base__=generated.BillArguments, extra_one=(str, ...))
    assert "extra_one" in mine.model_json_schema()["properties"]


def test_definitions_of_the_older_dialect(tmp_path: Path) -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"at": {"$ref": "#/definitions/place"}},
        "definitions": {"place": {"type": "object", "properties": {"lat": {"type": "number", "minimum": -90}}}},
    }
    module = package(tmp_path, [tool("old", inputSchema=schema)])
    assert module.OldArguments.model_json_schema()["properties"] == schema["properties"]
