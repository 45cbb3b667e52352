"""Warnings about closed parts, and about defaults and examples: jsonschema-rs agrees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcpgen.lint.mistakes import MAX_REPORTED
from support.packages import mcpgen, tool

CLOSED = {"properties": {"a": {"type": "string"}}, "additionalProperties": False}
OTHER = {"properties": {"b": {"type": "string"}}}


@pytest.mark.parametrize(
    ("schema", "warned"),
    [
        ({"allOf": [CLOSED, OTHER]}, "MG120"),
        ({"allOf": [{"$ref": "#/$defs/C"}, OTHER], "$defs": {"C": CLOSED}}, "MG120"),
        ({**CLOSED, "allOf": [OTHER]}, "MG120"),
        ({"$ref": "#/$defs/C", **OTHER, "$defs": {"C": CLOSED}}, "MG120"),
        ({"allOf": [{**CLOSED, "patternProperties": {"^b": {}}}, OTHER]}, ""),
        ({"allOf": [CLOSED, {"properties": {"b": False}}]}, ""),
        ({"allOf": [CLOSED, {"properties": {"a": {"minLength": 1}}}]}, ""),
        ({"properties": {"p": CLOSED, **OTHER["properties"]}}, ""),
        ({"properties": {"a": {"type": "integer", "default": "1"}}}, "MG121"),
        ({"properties": {"a": {"$ref": "#/$defs/A", "examples": [1, -1]}}, "$defs": {"A": {"minimum": 0}}}, "MG121"),
        ({"properties": {"default": {"type": "integer"}, "a": {"type": "integer", "default": 1}}}, ""),
    ],
)
def test_what_is_warned_about(tmp_path: Path, schema: dict[str, Any], warned: str) -> None:
    (tmp_path / "a.json").write_text(json.dumps(tool("a", {"type": "object", **schema})), "utf-8")
    run = mcpgen("lint", "a.json", cwd=tmp_path)
    assert [code for code in ("MG120", "MG121") if code in run.stdout + run.stderr] == [warned] * bool(warned)


def test_few_of_many_values_are_reported(tmp_path: Path) -> None:
    wrong = {f"p{number}": {"type": "integer", "default": "1"} for number in range(2 * MAX_REPORTED)}
    (tmp_path / "a.json").write_text(json.dumps(tool("a", {"type": "object", "properties": wrong})), "utf-8")
    run = mcpgen("lint", "a.json", cwd=tmp_path)
    assert (run.stdout + run.stderr).count("[MG121]") == MAX_REPORTED


def test_what_is_advised_about_a_pulled_definition(tmp_path: Path) -> None:
    """Nobody can edit it, and a default of null is so frequent there that it is left out; rules of lint say so, too."""
    properties = {"p": {"type": "string", "default": None}, "q": {"type": "string", "examples": [None]}}
    schema = {"type": "object", "properties": {"r": {}}, "allOf": [CLOSED, {"properties": properties}]}
    tools = [tool("a", inputSchema=schema)]
    pulled = {"generated": {"by": "mcpgen pull"}, "tools": tools}
    (tmp_path / "schemas/pulled").mkdir(parents=True)
    (tmp_path / "schemas/pulled/s.json").write_text(json.dumps(pulled), "utf-8")
    said = mcpgen("lint", "--select", "MG93", "--client", "gemini", "--format", "json", cwd=tmp_path).stdout
    found = {(item["code"], item["help"]) for item in json.loads(said)["diagnostics"] if item["severity"] == "warning"}
    help = "tell who runs the server, or leave it out: mcpgen pull --exclude a SERVER"
    assert found == {(code, help) for code in ("MG120", "MG121", "MG924", "MG931", "MG933")}
    assert said.count('"code": "MG121"') == 1
