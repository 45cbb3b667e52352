"""`app-types`: what tsc makes of the TypeScript types, and whether they hold the values that their schemas allow."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest
from mcpgen import app
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.samples.generator import ValueGenerator
from mcpgen.schema.keywords import DRAFT_2020_12
from support.holding import doubtful, validator
from support.packages import tool
from support.random_schemas import batch

TSC = Path(os.environ.get("NODE_MODULES", "nowhere")) / "typescript" / "bin" / "tsc"
pytestmark = [
    pytest.mark.ci,
    pytest.mark.skipif(not TSC.is_file(), reason="NODE_MODULES has no typescript"),
    pytest.mark.skipif(shutil.which("node") is None, reason="node is missing"),
]
OPTIONS = ("--strict", "--exactOptionalPropertyTypes", "--noEmit", "--target", "es2022", "--pretty", "false")
UI = {"_meta": {"ui": {"resourceUri": "ui://test/view"}}}
HEAD = 'import type { Tools } from "./tools";\ntype Fits<Value extends Type, Type> = Value;\n'
COMMON = '"~"?: never'
"""A member of each type and of each value: tsc refuses an object with none of the properties of an open type."""
OF_EVERY_OBJECT = ("constructor", "toString", "valueOf", "hasOwnProperty", "__proto__")
"""Properties that objects inherit in JavaScript, so that tsc compares their types where a value has none."""


def write_types(folder: Path, tools: list[dict[str, Any]], **settings: Any) -> None:
    """Write `tools.d.ts`, the types of tools."""
    (folder / "schemas").mkdir()
    (folder / "schemas" / "tools.json").write_text(json.dumps({"tools": tools}), "utf-8")
    chosen = PackageSettings.model_validate({"app-types": "tools.d.ts", "sdk": "mcp", **settings})
    outcome = app.generate_package(ConfiguredPackage(settings=chosen, folder=folder), 1, lambda *_: None)
    assert outcome.generated is not None, [str(finding) for finding in outcome.findings]
    (folder / "tools.d.ts").write_text(outcome.generated.texts["../tools.d.ts"], "utf-8")


def check(folder: Path, *lines: str) -> dict[int, str]:
    """Return what tsc says of a program that imports the types, by the numbers of these lines: the codes of errors."""
    (folder / "program.ts").write_text(HEAD + "".join(f"{line}\n" for line in lines), "utf-8")
    command = ["node", str(TSC), *OPTIONS, "program.ts"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    errors = re.findall(r"^(.+)\((\d+),\d+\): error (TS\d+)", run.stdout, re.MULTILINE)
    assert bool(errors) == bool(run.returncode), run.stdout + run.stderr
    assert {file for file, _, _ in errors} <= {"program.ts"}, run.stdout
    return {int(line) - HEAD.count("\n") - 1: code for _, line, code in errors}


def write_type(value: Any) -> str:
    """Return the type of a single JSON value, to which tsc applies no rule about undeclared properties."""
    match value:
        case dict():
            members = (f"{json.dumps(key)}: {write_type(member)}" for key, member in value.items())
            return f"{{ {'; '.join([COMMON, *members])} }}"
        case list():
            return f"[{', '.join(map(write_type, value))}]"
        case _:
            return json.dumps(value)


def write_check(number: int, name: str, value: Any, part: str = "result") -> str:
    return f'export type Check{number} = Fits<{write_type(value)}, Tools[{json.dumps(name)}]["{part}"]>;'


CASES: dict[str, tuple[dict[str, Any], list[Any], list[Any]]] = {
    "required": (
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"]},
        [{"a": "x"}, {"a": "x", "b": 1}],
        [{}, {"b": 1}, {"a": 1}, {"a": "x", "b": "y"}, {"a": "x", "b": None}],
    ),
    "nullable": (
        {"type": "object", "properties": {"a": {"type": ["number", "null"]}, "b": {"const": None}}},
        [{"a": None}, {"a": 1.5, "b": None}],
        [{"a": "1"}, {"b": 0}],
    ),
    "constants": (
        {"type": "object", "properties": {"a": {"enum": ["x", 2, True, None]}}, "required": ["a"]},
        [{"a": "x"}, {"a": 2}, {"a": True}, {"a": None}],
        [{"a": "y"}, {"a": 3}, {"a": False}, {"a": "2"}],
    ),
    "tuple": (
        {
            "type": "object",
            "properties": {
                "a": {
                    "type": "array",
                    "prefixItems": [{"type": "string"}, {"enum": [1, 2]}],
                    "items": False,
                    "minItems": 2,
                }
            },
        },
        [{"a": ["x", 1]}],
        [{"a": ["x"]}, {"a": ["x", 3]}, {"a": ["x", 1, 2]}],
    ),
    "map": (
        {"type": "object", "additionalProperties": {"type": "array", "items": {"type": ["string", "null"]}}},
        [{}, {"any name": ["x", None]}],
        [{"a": [1]}, {"a": "x"}],
    ),
    "typed extras": (
        {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "number"}},
        [{"a": "x", "b": 1}],
        [{"a": 1}, {"b": True}],
    ),
    "closed": ({"type": "object", "additionalProperties": False}, [{}], [{"a": 1}]),
    "tree": (
        {
            "type": "object",
            "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#"}}},
            "required": ["name"],
        },
        [{"name": "a", "children": [{"name": "b", "children": []}]}],
        [{"name": "a", "children": [{}]}],
    ),
    "union": (
        {
            "type": "object",
            "properties": {
                "shape": {
                    "oneOf": [
                        {
                            "type": "object",
                            "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}},
                            "required": ["kind", "r"],
                        },
                        {
                            "type": "object",
                            "properties": {"kind": {"const": "box"}, "w": {"type": "number"}},
                            "required": ["kind", "w"],
                        },
                    ]
                }
            },
        },
        [{"shape": {"kind": "circle", "r": 1}}, {"shape": {"kind": "box", "w": 1}}],
        [{"shape": {"kind": "circle", "w": 1}}, {"shape": {"kind": "disc", "r": 1}}],
    ),
    "nested lists": (
        {"type": "array", "items": {"anyOf": [{"$ref": "#"}, {"type": "integer"}]}},
        [[], [1, [2, [3]]], {"result": [1, [2]]}],
        ["x", [["x"]], {"result": "x"}],
    ),
    "null root": ({"type": ["string", "null"]}, [None, "x", {"result": None}], [1, {"result": 1}, {}]),
    "date": (
        {"type": "object", "properties": {"on": {"type": "string", "format": "date"}, "x": {"type": "string"}}},
        [{"on": "2026-01-01"}],
        [{"on": 1}],
    ),
    "odd names": (
        {
            "type": "object",
            "properties": {"": {"type": "string"}, '"*/\\\n': {"type": "string"}, "ü-1": {}, "class": {}},
        },
        [{"": "x", '"*/\\\n': "y"}],
        [{"": 1}, {'"*/\\\n': 1}],
    ),
}
"""Schemas, with values that their types hold, and values that their types refuse."""


def test_types_hold_values_and_refuse_others(tmp_path: Path) -> None:
    tools = [
        {"name": name, "inputSchema": schema if schema["type"] == "object" else {"type": "object"}, **UI}
        | {"outputSchema": schema}
        for name, (schema, _, _) in CASES.items()
    ]
    write_types(tmp_path, tools, formats="native")
    lines, refused = list[str](), set[int]()
    for name, (schema, valid, invalid) in CASES.items():
        for part in ("result", "arguments") if schema["type"] == "object" else ("result",):
            lines += [write_check(len(lines) + number, name, value, part) for number, value in enumerate(valid)]
            refused |= {*range(len(lines), len(lines) + len(invalid))}
            lines += [write_check(len(lines) + number, name, value, part) for number, value in enumerate(invalid)]
    assert {*check(tmp_path, *lines)} == refused


def test_valid_values_of_random_schemas_fit(tmp_path: Path) -> None:
    schemas: dict[str, Any] = {}
    for seed in range(6):
        for schema in batch(Random(f"types {seed}"), DRAFT_2020_12, 8):
            if not any(f'"{name}"' in json.dumps(schema) for name in OF_EVERY_OBJECT):
                schemas[f"t{len(schemas)}"] = schema
    write_types(tmp_path, [tool(name, schema, **UI) for name, schema in schemas.items()])
    types = tmp_path / "tools.d.ts"
    types.write_text(types.read_text("utf-8").replace("= {\n", f"= {{\n  {COMMON};\n"), "utf-8")
    values = list[tuple[str, Any]]()
    for name, schema in schemas.items():
        random, judge = Random(name), validator(schema)
        draws = [ValueGenerator(schema, DRAFT_2020_12).draw_value(random) for _ in range(10)]
        sound = [value for value in draws if judge.is_valid(value) and not doubtful(value)]
        values += [(name, value) for value in sound]
    assert len(values) > 200
    said = check(tmp_path, *(write_check(number, *value) for number, value in enumerate(values)))
    assert [(*values[number], schemas[values[number][0]]) for number in said] == []
