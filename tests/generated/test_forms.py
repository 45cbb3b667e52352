"""Classes of forms accept exactly what the declared schema accepts, and have it as their own."""

from __future__ import annotations

import copy
import pickle
import random
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.samples.generator import MIXED_STYLES, ValueGenerator
from mcpgen.samples.mutator import collect_vocabulary, mutate_value
from mcpgen.schema.keywords import DRAFT_2020_12
from pydantic import TypeAdapter, ValidationError
from support.packages import package

PARTS: list[dict[str, Any]] = [
    {"type": "string", "minLength": 1, "maxLength": 5, "default": "a"},
    {"type": "string", "format": "date"},
    {"type": "integer", "minimum": 1, "maximum": 9},
    {"type": "number", "minimum": 0.5, "default": 1},
    {"type": "boolean", "default": True, "title": "Yes?"},
    {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]},
    {"type": "string", "oneOf": [{"const": "x y", "title": "X"}, {"const": "", "title": "None"}]},
    {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}, "minItems": 1, "maxItems": 2},
    {"type": "array", "items": {"anyOf": [{"const": "p", "title": "P"}, {"const": "q", "title": "Q"}]}},
    {"type": "string", "pattern": "^[a-c]+$"},
    {"type": "number", "multipleOf": 0.25},
]
NAMES = [
    "plain",
    "camelCase",
    "with-dash",
    "class",
    "schema",
    "copy",
    "model_x",
    "_low",
    "data",
    "to_structured_content",
]


def make_schemas(count: int) -> list[dict[str, Any]]:
    """Return schemas of forms with all kinds of properties, under hard names."""
    chance = random.Random(7)
    schemas: list[dict[str, Any]] = []
    for _ in range(count):
        names = chance.sample(NAMES, chance.randint(1, len(NAMES)))
        properties = {name: chance.choice(PARTS) for name in names}
        required = chance.sample(names, chance.randint(0, len(names)))
        schemas.append({"type": "object", "properties": properties, "required": required})
    return schemas


SCHEMAS = make_schemas(25)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    forms = [{"name": f"form-{index}", "message": "?", "requestedSchema": it} for index, it in enumerate(SCHEMAS)]
    return package(tmp_path_factory.mktemp("forms"), [], "--quiet", forms=forms)


@pytest.mark.parametrize("index", range(len(SCHEMAS)))
def test_a_form_takes_exactly_what_its_schema_takes(generated: Any, index: int) -> None:
    schema = {**SCHEMAS[index], "additionalProperties": False}
    form, oracle = getattr(generated, f"Form{index}Form"), jsonschema_rs.Draft202012Validator(schema)
    generator, vocabulary = ValueGenerator(schema, DRAFT_2020_12), collect_vocabulary(schema, DRAFT_2020_12)
    counts = [0, 0]
    values: list[Any] = [{}, {"more": 1}, [], None]
    chance = random.Random(index)
    for seed in range(20):
        for value in generator.iterate_examples(MIXED_STYLES, str(seed)):
            values += [value, *(mutate_value(value, vocabulary, chance) for _ in range(5))]
    for value in values[:300]:
        is_valid = oracle.is_valid(value)
        counts[is_valid] += 1
        if is_valid:
            assert form.from_structured_content(value).to_structured_content() == value
        else:
            with pytest.raises(ValidationError):
                form.from_structured_content(value)
    assert min(counts) > 0


@pytest.mark.parametrize("index", range(len(SCHEMAS)))
def test_a_forms_schema_is_the_declared_one(generated: Any, index: int) -> None:
    form = getattr(generated, f"Form{index}Form")
    for schema in (
        form.model_json_schema(),
        TypeAdapter(form).json_schema(),
        form.model_json_schema(mode="serialization"),
    ):
        assert schema == SCHEMAS[index]
        assert [*schema["properties"]] == [*SCHEMAS[index]["properties"]]


def test_forms_are_values(generated: Any, tmp_path: Path) -> None:
    forms = [{"name": "a", "message": "?", "requestedSchema": {"type": "object", "properties": {"class": PARTS[4]}}}]
    form = package(tmp_path, [], forms=forms).AForm
    instance = form(class_=False)
    assert (instance, instance.model_dump()) == (form.from_structured_content({"class": False}), {"class": False})
    assert form().to_structured_content() == {}  # the default is the client's to fill in
    with pytest.raises(ValidationError):
        form(class_=None, more=1)
    with pytest.raises(ValidationError):
        form.from_structured_content({"class": None})
    assert pickle.loads(pickle.dumps(instance)) == copy.deepcopy(instance) == instance
    assert instance.model_copy(update={"class_": True}).to_structured_content() == {"class": True}
