"""Classes of errors accept exactly what the declared schema accepts, and so do results with `isError` and clients."""

from __future__ import annotations

import copy
import logging
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
from support.packages import mcpgen, package, tool
from support.wire_forms import wire

NAMES = "plain camelCase with-dash class schema copy model_x _low data root to_structured_content text".split()
BERTH: dict[str, Any] = {
    "type": "object",
    "title": "Berth",
    "properties": {"code": {"type": "string", "pattern": "^[A-Z]+$"}, "from": {"type": ["string", "null"]}},
    "required": ["code"],
    "additionalProperties": False,
}
PARTS: list[Any] = [
    {"enum": ["full", "too long", None]},
    {"type": ["string", "null"], "maxLength": 2},
    {"type": "array", "items": BERTH, "minItems": 1},
    {"anyOf": [BERTH, {"type": "null"}]},
    {"type": "object", "additionalProperties": {"type": "number", "multipleOf": 0.5}},
    {"type": "integer", "minimum": 1},
    {"const": 1},
    True,
]
CASE_A, CASE_B = (
    {"type": "object", "properties": {"kind": {"const": it}, it: BERTH}, "required": ["kind"]} for it in "ab"
)


def make_schemas(count: int) -> list[dict[str, Any]]:
    """Return schemas of errors: of objects with all kinds of properties, of references and of unions."""
    chance = random.Random(11)
    schemas: list[dict[str, Any]] = [
        {"type": "object", "oneOf": [CASE_A, CASE_B]},
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"$ref": "#/$defs/Berth", "$defs": {"Berth": BERTH}},
        {"type": "object", "properties": {"a": BERTH, "b": {}}, "dependentRequired": {"a": ["b"]}, "required": ["b"]},
    ]
    for _ in range(count - len(schemas)):
        names = chance.sample(NAMES, chance.randint(1, len(NAMES)))
        properties = {name: chance.choice(PARTS) for name in names}
        required = chance.sample(names, chance.randint(0, len(names)))
        closed = {"additionalProperties": False} if chance.random() < 0.5 else {}
        schemas.append({"type": "object", "properties": properties, "required": required, **closed})
    return schemas


SCHEMAS = make_schemas(24)
OUTPUTS = (None, {"type": "object", "properties": {"berth": BERTH}, "required": ["berth"]}, {"type": "array"})


@pytest.fixture(scope="module", params=["installed", "vendored"])
def generated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("errors")
    (folder / "mcpgen.toml").write_text(f'runtime = "{request.param}"\n', "utf-8")
    tools = [
        tool(f"tool-{index}", OUTPUTS[index % 3], **{"x-mcpgen": {"error": schema}})
        for index, schema in enumerate(SCHEMAS)
    ]
    return package(folder, tools, "--quiet")


def read_error(generated: Any, index: int, result: Any) -> Any:
    """Return the data that a client reads from a result with `isError`."""
    with pytest.raises(generated.ToolCallError) as raised:
        generated.RESULT_TYPES[f"tool-{index}"].from_call_tool_result(result)
    assert raised.value.result is result
    assert type(copy.copy(raised.value).data) is type(raised.value.data)
    return raised.value.data


@pytest.mark.parametrize("index", range(len(SCHEMAS)))
def test_an_error_has_exactly_what_its_schema_takes(
    generated: Any, index: int, caplog: pytest.LogCaptureFixture
) -> None:
    schema, result_class = SCHEMAS[index], generated.RESULT_TYPES[f"tool-{index}"]
    error_class, oracle = getattr(generated, f"Tool{index}Error"), jsonschema_rs.Draft202012Validator(schema)
    generator, vocabulary = ValueGenerator(schema, DRAFT_2020_12), collect_vocabulary(schema, DRAFT_2020_12)
    counts, chance = [0, 0], random.Random(index)
    values: list[Any] = [{}, {"more": 1}, [], 5]
    for seed in range(20):
        for value in generator.iterate_examples(MIXED_STYLES, str(seed)):
            values += [value, *(mutate_value(value, vocabulary, chance) for _ in range(5))]
    for value in values[:200]:
        is_valid = oracle.is_valid(value)
        counts[is_valid] += 1
        result = {"isError": True, "content": [{"type": "text", "text": "no"}], "structuredContent": value}
        caplog.clear()
        data, sent = read_error(generated, index, result), wire(result_class.normalize_any(result))
        assert [record.levelno for record in caplog.records] == ([] if is_valid else [logging.WARNING, logging.ERROR])
        assert (sent["isError"], sent["content"]) == (True, result["content"])
        if is_valid:
            assert type(data) is error_class
            assert data.to_structured_content() == sent["structuredContent"] == value
            made = wire(generated.tool_error(data))
            assert (made["isError"], made["structuredContent"]) == (True, value)
            assert read_error(generated, index, made) == data
        else:
            assert data is None
            assert "structuredContent" not in sent
            with pytest.raises(ValidationError):
                error_class.from_structured_content(value)
    assert min(counts) > 0


@pytest.mark.parametrize("index", range(len(SCHEMAS)))
def test_the_schema_of_an_error_is_the_declared_one_and_not_advertised(generated: Any, index: int) -> None:
    error_class = getattr(generated, f"Tool{index}Error")
    assert error_class.model_json_schema() == TypeAdapter(error_class).json_schema() == SCHEMAS[index]
    assert generated.TOOLS[f"tool-{index}"] == tool(f"tool-{index}", OUTPUTS[index % 3])


def test_the_text_and_the_protocol_version(generated: Any) -> None:
    error = generated.Tool2Error(code="AB", from_=None)
    data = {"code": "AB", "from": None}
    for arguments, text, expected in (
        ({}, '{"code":"AB","from":null}', data),
        ({"text": "It is full.", "protocol": "2025-06-18"}, "It is full.", data),
        ({"text": "It is full.", "protocol": "2025-03-26"}, "It is full.", None),
    ):
        made = wire(generated.tool_error(error, **arguments))
        assert made["content"] == [{"type": "text", "text": text}]
        assert (made["isError"], made.get("structuredContent")) == (True, expected)
    assert pickle.loads(pickle.dumps(error)) == copy.deepcopy(error) == error
    with pytest.raises(ValidationError, match="pattern"):
        generated.Tool2Error(code="ab")


def test_names_do_not_collide(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"error": {"type": "object", "title": "Tide error", "properties": {}}}}
    names = ("tool_call", "timeout", "tide")
    generated = package(tmp_path, [tool(name, schema, **{"x-mcpgen": {"error": schema}}) for name in names])
    classes = [generated.ToolCallError_, generated.TimeoutError_, generated.TideError]
    assert len({*classes, generated.ToolCallError}) == 4
    assert issubclass(generated.ToolCallError, Exception)
    assert all(cls(error={}).to_structured_content() == {"error": {}} for cls in classes)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ({"type": "array"}, 'tools.json:1:83: error[MG006]: "error" of x-mcpgen must describe an object'),
        ({"properties": {}}, 'error[MG006]: "error" of x-mcpgen must describe an object'),
        (True, 'error[MG006]: x-mcpgen: "error" must be a table'),
        ({"$ref": "gone.json"}, "error[MG103]: gone.json: there is no such file"),
        ({"type": "object", "properties": 5}, "error[MG101]"),
    ],
)
def test_what_is_no_schema_of_an_object_is_refused(tmp_path: Path, error: Any, message: str) -> None:
    with pytest.raises(AssertionError) as raised:
        package(tmp_path, [tool("a", **{"x-mcpgen": {"error": error}})])
    assert message in str(raised.value)


def test_files_that_an_error_refers_to_count(tmp_path: Path) -> None:
    """A change in one of them is seen, with a warm cache, and is at its place there."""
    package(tmp_path, [tool("a", **{"x-mcpgen": {"error": {"type": "object"}}})])
    definition = (
        '{"name": "a", "inputSchema": {"type": "object"}, "x-mcpgen": {"error": {"$ref": "part.json#/$defs/P"}}}'
    )
    (tmp_path / "schemas/tools.json").write_text(definition, "utf-8")
    options = ("schemas", "--out", "out", "--cache-dir", str(tmp_path / "cache"))
    for name in ("first", "second"):
        part = f'{{"$defs": {{"P": {{"type": "object", "properties": {{"{name}": {{"type": "string"}}}}}}}}}}'
        (tmp_path / "schemas/part.json").write_text(part, "utf-8")
        if name == "second":
            assert mcpgen("check", *options, cwd=tmp_path).returncode == 4
        for _ in range(2):
            assert mcpgen("build", *options, cwd=tmp_path).returncode == 0
        assert mcpgen("check", *options, cwd=tmp_path).returncode == 0
        assert all(f'"{name}"' in (tmp_path / f"out/tools/a{it}").read_text("utf-8") for it in (".json", ".py"))
