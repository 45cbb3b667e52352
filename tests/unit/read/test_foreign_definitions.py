"""Mistakes in pulled definitions: what is wrong is left out, and the rest accepts what it accepted before."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings, Severity
from mcpgen.files.file_tracker import FileTracker
from mcpgen.read.definitions import Definitions
from mcpgen.read.foreign_definitions import UNTYPED_INPUT
from mcpgen.read.loader import read_definitions
from mcpgen.samples.generator import ValueGenerator
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12, walk_subschemas
from mcpgen.schema.values import parse_pointer
from support.holding import validator
from support.packages import tool
from support.random_schemas import schema as make_schema

MISTAKES: list[Any] = [
    {"$ref": "#/$defs/Nowhere"},
    {"$ref": "../secret.defs.json#/$defs/Secret"},
    {"$ref": "https://example.com/a.json"},
    {"pattern": "^(?>a)b$"},
    {"pattern": "("},
    {"type": "strin"},
    {"type": ["string", "any"]},
    {"required": True},
    {"required": "a"},
    {"minimum": 0, "exclusiveMinimum": True},
    {"minLength": "1"},
    {"enum": {}},
    {"properties": ["a"]},
    {"properties": {"a": "string"}},
    {"properties": {"a": None}},
    {"items": [{"type": "string"}, 5]},
    {"additionalProperties": "false"},
    {"patternProperties": {"(": {}}, "additionalProperties": False},
    {"anyOf": {}},
    {"oneOf": []},
    {"description": 5, "title": None},
    {"not": "x"},
    {"$defs": []},
    "string",
    5,
]


def read(
    folder: Path, lists: dict[str, Any], name: str = "pulled/x.json", settings: Any = None
) -> tuple[Any, Findings, Any]:
    """Return what a file defines, what is reported, and the paths that were looked at."""
    path = folder / "schemas" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(lists))
    package = ConfiguredPackage(settings=PackageSettings.model_validate(settings or {}), folder=folder, roots=(folder,))
    findings, disk = Findings(), FileTracker((folder,))
    definitions: Definitions = read_definitions(package, findings, disk)
    return definitions, findings, disk.observations


def break_schema(schema: dict[str, Any], random: Random) -> Any:
    """Return a schema with a mistake at a random subschema, which replaces it or is added to it."""
    broken, mistake = copy.deepcopy(schema), copy.deepcopy(random.choice(MISTAKES))
    dialect = DRAFT_07 if schema.get("$schema", "").startswith("http:") else DRAFT_2020_12
    *outer, last = parse_pointer(random.choice([at for at, _ in walk_subschemas(broken, dialect) if at] or ["/then"]))
    holder: Any = broken
    for token in outer:
        holder = holder[int(token)] if isinstance(holder, list) else holder[token]
    key: Any = int(last) if isinstance(holder, list) else last
    old = holder[key] if isinstance(holder, list) else holder.get(key, {})
    is_added = isinstance(old, dict) and isinstance(mistake, dict) and random.random() < 0.5
    holder[key] = {**old, **mistake} if is_added else mistake
    return broken


@pytest.mark.ci
def test_a_mistake_costs_no_valid_value(tmp_path: Path) -> None:
    random = Random(38)
    schemas = [make_schema(random, random.choice([DRAFT_2020_12, DRAFT_07])) for _ in range(250)]
    tools = [tool(f"t{number}", break_schema(schema, random)) for number, schema in enumerate(schemas)]
    definitions, findings, _ = read(tmp_path, {"tools": tools})
    assert not findings.failed, [item for item in findings if item.severity is Severity.ERROR]
    assert len(definitions.tools) == len(tools)
    outputs = {item.name: item.output for item in definitions.tools}
    typed = 0
    for number, schema in enumerate(schemas):
        output = outputs[f"t{number}"]
        if output is None:
            continue
        typed += 1
        before, after = validator(schema), validator(output.value)
        draws = ValueGenerator(schema, output.dialect)
        for _ in range(10):
            value = draws.draw_value(random)
            assert after.is_valid(value) or not before.is_valid(value), (schema, tools[number], output.value, value)
    assert typed > len(schemas) / 3


@pytest.mark.parametrize("mistake", MISTAKES, ids=json.dumps)
@pytest.mark.parametrize("side", ["inputSchema", "outputSchema"])
def test_the_rest_of_a_server_is_used(mistake: Any, side: str, tmp_path: Path) -> None:
    wrong = {**tool("wrong"), side: {"type": "object", "properties": {"a": mistake, "b": {"type": "string"}}}}
    fine = tool("fine", {"type": "object", "properties": {"a": {"type": "string"}}})
    lists = {"generated": {"by": "mcpgen pull", "prefix": "x_"}, "tools": [{**wrong, "name": "x_wrong"}, fine]}
    definitions, findings, _ = read(tmp_path, lists)
    assert not findings.failed
    read_fine, read_wrong = definitions.tools
    assert read_fine.tool == fine
    assert read_wrong.tool[side]["properties"]["b"] == {"type": "string"}
    assert findings
    assert all("mcpgen pull --exclude wrong SERVER" in item.help for item in findings)
    definitions, findings, _ = read(tmp_path, lists, "own.json", {"schemas": ["schemas/own.json"]})
    assert findings.failed
    assert all("--exclude" not in item.help for item in findings)


@pytest.mark.parametrize(
    ("member", "value", "expected"),
    [
        ("inputSchema", {}, UNTYPED_INPUT),
        ("inputSchema", {"type": "object", "required": None, "properties": {"a": {"enum": None, "default": None}}},
         {"type": "object", "properties": {"a": {"default": None}}}),
        ("inputSchema", "object", UNTYPED_INPUT),
        ("outputSchema", None, None),
        ("outputSchema", "string", None),
        ("outputSchema", {"$schema": "http://json-schema.org/draft-04/schema#", "type": "object"},
         {"$schema": DRAFT_07, "type": "object"}),
        ("annotations", None, None),
        ("annotations", {"title": None, "readOnlyHint": True}, {"readOnlyHint": True}),
        ("annotations", [], None),
        ("title", 5, None),
        ("icons", {"src": "a"}, None),
    ],
)  # fmt: skip
def test_members_that_are_null_or_wrong(member: str, value: Any, expected: Any, tmp_path: Path) -> None:
    definitions, findings, _ = read(tmp_path, {"tools": [{**tool("a"), member: value}]})
    assert not findings.failed
    assert definitions.tools[0].tool.get(member) == expected


def test_what_cannot_be_used_is_left_out(tmp_path: Path) -> None:
    rows = {"name": "rows", "uriTemplate": "rows://{table}{?limit,offset}"}
    templates = [{"name": "blob", "uriTemplate": "repo://{owner}/{path*}"}, rows]
    lists = {"tools": [{"inputSchema": {}}, "a", tool("ping")], "resourceTemplates": templates, "prompts": [{}]}
    definitions, findings, _ = read(tmp_path, lists)
    assert not findings.failed
    assert [item.tool for item in definitions.tools] == [tool("ping")]
    assert [item.resource for item in definitions.resources] == [rows]
    help = {item.code: item.help for item in findings}["MG010"]
    assert help.endswith("mcpgen pull --exclude 'repo://{owner}/{path*}' SERVER")


@pytest.mark.parametrize(
    "reference",
    [
        *(
            f"{folder}secret.defs.json#/$defs/Secret"
            for folder in ("../", "", "https://acme.test/", "/schemas/", "file:../")
        ),
        "x.json#/tools/1/outputSchema",
    ],
)
def test_a_pulled_schema_refers_to_itself_alone(reference: str, tmp_path: Path) -> None:
    for folder in ("schemas", "schemas/pulled"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "secret.defs.json").write_text('{"$defs": {"Secret": {"const": "hunter22"}}}')
    output = {
        "type": "object",
        "properties": {"a": {"$ref": reference}, "b": {"$ref": "#/$defs/B"}},
        "$defs": {"B": {}},
    }
    lists = {"tools": [tool("a", output), tool("b", {"type": "object", "title": "hunter22"})]}
    definitions, findings, _ = read(tmp_path, lists, settings={"ref-map": {"https://acme.test/": "schemas"}})
    assert "hunter22" not in json.dumps(definitions.tools[0].tool)
    assert definitions.tools[0].tool["outputSchema"]["properties"] == {"a": {}, "b": {"$ref": "#/$defs/B"}}
    assert [(item.code, item.severity) for item in findings] == [("MG104", Severity.WARNING)]
    inner = {"properties": {"a": {"$ref": "pulled/x.json#/tools/0/outputSchema"}}, "type": "object"}
    definitions, findings, _ = read(
        tmp_path, {"tools": [tool("own", inner)]}, "own.json", {"schemas": ["schemas/own.json"]}
    )
    assert "hunter22" not in json.dumps([item.tool for item in definitions.tools])
