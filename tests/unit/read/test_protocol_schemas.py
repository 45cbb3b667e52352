"""The committed MCP schemas say what the official ones say, and nothing besides.

The comparison reads a schema as a flat set of facts (`pointer → value`) and leaves prose out where
a keyword stands, never where a property is named. It shares no code with the script that wrote the
committed files: that one keeps the keywords it knows, this one drops the prose it knows, so a
keyword that neither expected shows up as a difference.
"""

import copy
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.read.definitions import Definitions
from mcpgen.read.loader import read_definitions
from support.repository import ROOT, SHARED

COMPACT = ROOT / "schemas" / "mcp"
OFFICIAL = SHARED / "mcp"
SCRIPT = ROOT / "scripts" / "compact_mcp_schema.py"

DRAFT_07 = ("http://json-schema.org/draft-07/schema#", "definitions")
DRAFT_2020_12 = ("https://json-schema.org/draft/2020-12/schema", "$defs")
DIALECTS = {
    "2024-11-05": DRAFT_07,
    "2025-03-26": DRAFT_07,
    "2025-06-18": DRAFT_07,
    "2025-11-25": DRAFT_2020_12,
    "2026-07-28": DRAFT_2020_12,
}
IN_EVERY_VERSION = {
    "CallToolResult",
    "GetPromptResult",
    "Prompt",
    "ReadResourceResult",
    "Resource",
    "ResourceTemplate",
    "Tool",
}
ROOTS = IN_EVERY_VERSION | {"InputRequiredResult"}

PROSE = {"$comment", "default", "deprecated", "description", "example", "examples", "title"}
NAMES_TO_SCHEMAS = {"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
VALUES = {"const", "enum", "required", "type"}

Schema = dict[str, Any]
Change = Callable[[Schema], object]

every_version = pytest.mark.parametrize("version", sorted(DIALECTS))


def compact_schema(version: str) -> Schema:
    return read(COMPACT / version / "schema.json")


def official_schema(version: str) -> Schema:
    return read(official_path(version))


def official_path(version: str) -> Path:
    path = OFFICIAL / version / "schema.json"
    if not path.is_file():
        pytest.skip(f"the official schema is not here: ../shared/mcp/{version}/schema.json")
    return path


def read(path: Path) -> Schema:
    document = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(document, dict)
    return document


def keywords(schema: Any, pointer: str = "") -> Iterator[tuple[str, str, Any]]:
    """Each keyword of a schema and its subschemas: where it stands, its name, its value.

    A boolean schema comes as a keyword without a name.
    """
    if isinstance(schema, bool):
        yield pointer, "", schema
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        path = f"{pointer}/{keyword}"
        yield path, keyword, value
        if keyword in NAMES_TO_SCHEMAS:
            for name, below in value.items():
                yield from keywords(below, f"{path}/{name.replace('/', '~1')}")
        elif keyword in VALUES | PROSE:
            continue
        elif isinstance(value, list):
            for index, below in enumerate(value):
                yield from keywords(below, f"{path}/{index}")
        else:
            yield from keywords(value, path)


def facts(schema: Schema) -> dict[str, str]:
    """Return what a schema says, prose aside, as one flat mapping from pointers to JSON text.

    A keyword that holds schemas is a fact too, stated by the names or the number of them: so the
    empty schema and the absent one differ.
    """
    actual = {}
    for pointer, keyword, value in keywords(schema):
        if keyword in PROSE:
            continue
        if keyword in VALUES or not isinstance(value, dict | list):
            actual[pointer] = json.dumps(value, sort_keys=True)
        elif isinstance(value, list):
            actual[pointer] = f"{len(value)} schemas"
        else:
            named = sorted(value) if keyword in NAMES_TO_SCHEMAS else []
            actual[pointer] = f"schema {json.dumps(named)}"
    return actual


def differences(ours: Schema, theirs: Schema) -> list[str]:
    mine, their_facts = facts(ours), facts(theirs)
    return [
        f"{pointer}: {mine.get(pointer, 'absent')} | {their_facts.get(pointer, 'absent')}"
        for pointer in sorted(mine.keys() | their_facts.keys())
        if mine.get(pointer) != their_facts.get(pointer)
    ]


def refs(schema: Schema) -> list[str]:
    return [value for _, keyword, value in keywords(schema) if keyword == "$ref"]


def reached(schema: Schema, definitions: str) -> set[str]:
    """Return the roots that a schema has, and what they refer to, directly or not."""
    names: set[str] = set()
    more = ROOTS & schema[definitions].keys()
    while more:
        names |= more
        more = {ref.split("/")[-1] for name in more for ref in refs(schema[definitions][name])}
        more -= names
    return names


@every_version
def test_says_what_the_official_schema_says(version: str) -> None:
    official = official_schema(version)
    dialect, definitions = DIALECTS[version]
    covered = reached(official, definitions)
    expected = {"$schema": dialect, definitions: {name: official[definitions][name] for name in covered}}

    assert official["$schema"] == dialect
    assert differences(compact_schema(version), expected) == []


@every_version
def test_holds_every_root_the_official_schema_has(version: str) -> None:
    _, definitions = DIALECTS[version]
    has = compact_schema(version)[definitions].keys()
    assert has & ROOTS == official_schema(version)[definitions].keys() & ROOTS


@every_version
def test_holds_the_roots_and_what_they_reach_only(version: str) -> None:
    dialect, definitions = DIALECTS[version]
    schema = compact_schema(version)
    expected = ROOTS if version == "2026-07-28" else IN_EVERY_VERSION

    assert schema.keys() == {"$schema", definitions}
    assert schema["$schema"] == dialect
    assert schema[definitions].keys() & ROOTS == expected
    assert schema[definitions].keys() == reached(schema, definitions)


@every_version
def test_refs_resolve(version: str) -> None:
    _, definitions = DIALECTS[version]
    schema = compact_schema(version)
    targets = {f"#/{definitions}/{name}" for name in schema[definitions]}

    assert refs(schema)
    assert set(refs(schema)) <= targets
    for target in sorted(targets):
        jsonschema_rs.validator_for({**schema, "allOf": [{"$ref": target}]})


@every_version
def test_holds_no_prose(version: str) -> None:
    schema = compact_schema(version)
    text = (COMPACT / version / "schema.json").read_text(encoding="utf-8")

    assert [at for at, keyword, _ in keywords(schema) if keyword in PROSE] == []
    assert [string for string in strings(json.loads(text)) if any(map(str.isspace, string))] == []


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings(item)


@every_version
def test_keeps_properties_named_like_prose(version: str) -> None:
    _, definitions = DIALECTS[version]
    tool = compact_schema(version)[definitions]["Tool"]["properties"]
    assert tool["description"] == {"type": "string"}
    assert ("title" in tool) == (version >= "2025-06-18")


@every_version
def test_is_valid_under_its_own_meta_schema(version: str) -> None:
    jsonschema_rs.meta.validate(compact_schema(version))


@every_version
def test_is_laid_out_for_diffs(version: str) -> None:
    data = (COMPACT / version / "schema.json").read_bytes()
    schema = json.loads(data)

    assert json.dumps(schema) == json.dumps(schema, sort_keys=True)
    assert data.isascii()
    assert data.endswith(b"}\n")
    assert max(map(len, data.splitlines())) <= 100


@every_version
def test_is_what_the_script_prints(version: str) -> None:
    path = official_path(version)
    run = subprocess.run([sys.executable, str(SCRIPT), str(path)], capture_output=True, text=True, check=True)
    assert run.stdout == (COMPACT / version / "schema.json").read_text(encoding="utf-8")


@every_version
def test_the_official_schema_is_left_alone_among_definitions(version: str, tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "schema.json").write_bytes(official_path(version).read_bytes())
    package = ConfiguredPackage(settings=PackageSettings.model_validate({}), folder=tmp_path)
    findings = Findings()
    assert read_definitions(package, findings) == Definitions()
    assert not list(findings)


def test_the_script_refuses_a_keyword_it_does_not_know(tmp_path: Path) -> None:
    schema = {"$schema": DRAFT_2020_12[0], "$defs": {"CallToolResult": {"minProperties": 1}}}
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(schema), encoding="utf-8")

    run = subprocess.run([sys.executable, str(SCRIPT), str(path)], capture_output=True, text=True, check=False)

    assert run.returncode == 2
    assert run.stdout == ""
    assert "#/$defs/CallToolResult/minProperties" in run.stderr


# The comparison is itself under test: what changes the meaning is seen, prose is not.

MEANING: dict[str, Change] = {
    "a definition less": lambda defs: defs.pop("Role"),
    "a definition more": lambda defs: defs.update(Extra={}),
    "a required name less": lambda defs: defs["CallToolResult"]["required"].remove("content"),
    "a property more": lambda defs: defs["Tool"]["properties"].update(extra={}),
    "no property named description": lambda defs: defs["Tool"]["properties"].pop("description"),
    "another type": lambda defs: defs["Tool"]["properties"]["title"].update(type="number"),
    "another const": lambda defs: defs["TextContent"]["properties"]["type"].update(const="txt"),
    "an enum value more": lambda defs: defs["Role"]["enum"].append("system"),
    "another bound": lambda defs: defs["Annotations"]["properties"]["priority"].update(maximum=2),
    "a bound less": lambda defs: defs["Annotations"]["properties"]["priority"].pop("minimum"),
    "another format": lambda defs: defs["Icon"]["properties"]["src"].update(format="iri"),
    "another item": lambda defs: defs["CallToolResult"]["properties"]["content"].update(items={}),
    "another order": lambda defs: defs["ContentBlock"]["anyOf"].reverse(),
    "an alternative less": lambda defs: defs["ContentBlock"]["anyOf"].pop(),
    "another target": lambda defs: defs["ContentBlock"]["anyOf"][0].update({"$ref": "#/x"}),
    "true for the empty schema": lambda defs: defs["CallToolResult"]["properties"].update(structuredContent=True),
    "a closed object": lambda defs: defs["Tool"].update(additionalProperties=False),
    "no word on extras": lambda defs: defs["Tool"]["properties"]["inputSchema"].pop("additionalProperties"),
    "a keyword that nobody knows": lambda defs: defs["Tool"].update(minProperties=2),
}

PROSE_ONLY: dict[str, Change] = {
    "a description": lambda defs: defs["Tool"].update(description="A tool."),
    "a description of a property": lambda defs: defs["Tool"]["properties"]["description"].update(
        description="What it does."
    ),
    "a description beside a ref": lambda defs: defs["ContentBlock"]["anyOf"][0].update(description="Text."),
    "a title": lambda defs: defs["Tool"].update(title="Tool"),
    "examples": lambda defs: defs["Role"].update(examples=[{"type": "user"}]),
    "a default": lambda defs: defs["Role"].update(default="user"),
}


def altered(change: Change) -> tuple[Schema, Schema]:
    schema = compact_schema("2026-07-28")
    changed_schema = copy.deepcopy(schema)
    change(changed_schema["$defs"])
    assert changed_schema != schema
    return schema, changed_schema


@pytest.mark.parametrize("text", MEANING)
def test_the_comparison_sees_another_meaning(text: str) -> None:
    schema, changed_schema = altered(MEANING[text])
    assert differences(schema, changed_schema) != []
    assert differences(changed_schema, schema) != []


@pytest.mark.parametrize("text", PROSE_ONLY)
def test_the_comparison_overlooks_prose(text: str) -> None:
    schema, changed_schema = altered(PROSE_ONLY[text])
    assert differences(schema, changed_schema) == []
