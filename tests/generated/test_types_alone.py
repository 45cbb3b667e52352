"""Closed classes whose types say everything are read without the validator, with the same outcome."""

from __future__ import annotations

import importlib
import math
import sys
from collections import UserDict
from collections.abc import Iterator
from random import Random
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.samples.generator import ValueGenerator
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen_runtime import tool_definitions, tool_result
from pydantic import ValidationError
from support.packages import package, tool

PLAIN: list[dict[str, Any]] = [
    {"type": "string"},
    {"type": "string", "minLength": 1, "maxLength": 3},
    {"type": "integer"},
    {"type": "integer", "minimum": -2, "exclusiveMaximum": 3},
    {"type": "number", "minimum": 0.5},
    {"type": "boolean"},
    {"type": "null"},
    {"type": ["string", "null"]},
    {"type": ["integer", "string", "null"]},
    {"enum": ["a", "b"]},
    {"const": "c"},
    {"enum": [1, "1", None]},
    {"anyOf": [{"type": "integer"}, {"type": "string"}]},
]
DRAWS = 60


def _make_closed(random: Random, depth: int) -> dict[str, Any]:
    """Return the schema of a closed object, with lists, nested objects, and tagged unions of them."""
    properties: dict[str, Any] = {}
    for name in random.sample("abcdef", random.randint(1, 5)):
        kind = random.random()
        if depth and kind < 0.15:
            properties[name] = _make_closed(random, depth - 1)
        elif depth and kind < 0.3:
            properties[name] = {"type": "array", "items": _make_closed(random, depth - 1)}
        elif depth and kind < 0.4:
            members = [_make_closed(random, 0) for _ in range(2)]
            for tag, member in zip("xy", members, strict=True):
                member["properties"]["kind"] = {"const": tag}
                member["required"] = [*{*member["required"], "kind"}]
            properties[name] = {"oneOf": members}
        elif kind < 0.5:
            properties[name] = {"type": "array", "items": random.choice(PLAIN), "minItems": random.randint(0, 1)}
        else:
            properties[name] = random.choice(PLAIN)
    required = [name for name in properties if random.random() < 0.5]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


@pytest.fixture(scope="module")
def schemas() -> dict[str, dict[str, Any]]:
    random = Random(21)
    return {f"tool_{number}": _make_closed(random, 2) for number in range(60)}


@pytest.fixture(scope="module")
def generated(schemas: dict[str, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Any:
    return package(tmp_path_factory.mktemp("alone"), [tool(name, schema) for name, schema in schemas.items()])


@pytest.fixture
def checks(generated: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tools for which the validator ran."""
    check, ran = tool_definitions.check, list[str]()

    def count(tool: Any, *arguments: Any, **more: Any) -> None:
        ran.append(tool.name)
        check(tool, *arguments, **more)

    monkeypatch.setattr(tool_result, "check", count)
    return ran


@pytest.mark.ci
def test_they_accept_what_the_validator_accepts(
    generated: Any, schemas: dict[str, dict[str, Any]], checks: list[str]
) -> None:
    random = Random(22)
    counts = {True: 0, False: 0}
    for name, schema in schemas.items():
        cls, validator = generated.RESULT_TYPES[name], jsonschema_rs.Draft202012Validator(schema)
        generator = ValueGenerator(schema, DRAFT_2020_12)
        for _ in range(DRAWS):
            value = generator.draw_value(random)
            if random.random() < 0.6:
                value = generator.mutate_value(value, random)
            try:
                instance = cls.from_structured_content(value)
            except ValidationError:
                instance = None
            is_valid = validator.is_valid(value)
            assert (instance is not None) == is_valid, value
            assert instance is None or validator.is_valid(instance.to_structured_content())
            counts[is_valid] += 1
    assert min(counts.values()) > len(schemas) * DRAWS / 5
    without = [name for name in schemas if checks.count(name) < DRAWS]
    assert len(without) > len(schemas) / 2  # the others have keywords that types cannot express


OBJECT: dict[str, Any] = {"type": "object"}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return a package with closed objects of an integer and of a string, and an open one of an integer."""
    kinds = {"closed": ("integer", False), "open": ("integer", True), "text": ("string", False)}
    schemas = {
        name: {**OBJECT, "properties": {"n": {"type": kind}}, "required": ["n"], "additionalProperties": is_open}
        for name, (kind, is_open) in kinds.items()
    }
    return package(tmp_path_factory.mktemp("small"), [tool(name, schema) for name, schema in schemas.items()])


def test_the_validator_explains_what_they_refuse(small: Any) -> None:
    errors: list[str] = []
    for cls in (small.ClosedResult, small.OpenResult):
        with pytest.raises(ValidationError) as caught:
            cls.from_structured_content({"n": "three"})
        errors.append(str(caught.value).partition("\n")[2])
    assert errors[0] == errors[1]


class _Odd(UserDict[str, Any]):
    def __iter__(self) -> Iterator[str]:
        raise ZeroDivisionError


@pytest.mark.parametrize("value", [{"n": math.nan}, {"n": {1}}, {1: 2}, _Odd(n="x"), "n", None, [("n", "x")]], ids=repr)
def test_what_is_no_json_is_refused(small: Any, value: object) -> None:
    with pytest.raises(ValidationError):
        small.TextResult.from_structured_content(value)


def test_a_package_says_that_the_validator_is_not_installed(generated: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server without it should not start, although most calls would not need it."""
    module = "mcpgen_runtime.tool_definitions"
    importlib.import_module(module)
    monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match="pip install jsonschema-rs"):
        importlib.import_module(module)
