"""A document's definitions are recognised by their members, and near misses are explained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcpgen.diagnostics import Findings
from mcpgen.read.recognition import DefinitionKind, is_shared_definitions, match_misspelt, recognise_definitions
from support.documents import make_site

TOOL = {"name": "a", "inputSchema": {}}
RESOURCE = {"name": "a", "uri": "x://a"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (TOOL, [(DefinitionKind.TOOL, "")]),
        ([TOOL, TOOL], [(DefinitionKind.TOOL, "/0"), (DefinitionKind.TOOL, "/1")]),
        (
            {"tools": [TOOL], "resources": [RESOURCE]},
            [(DefinitionKind.TOOL, "/tools/0"), (DefinitionKind.RESOURCE, "/resources/0")],
        ),
        ({"jsonrpc": "2.0", "id": 1, "result": {"tools": [TOOL]}}, [(DefinitionKind.TOOL, "/result/tools/0")]),
        (RESOURCE, [(DefinitionKind.RESOURCE, "")]),
        ({"name": "a", "arguments": []}, [(DefinitionKind.PROMPT, "")]),
        ({"prompts": [{"name": "a"}]}, [(DefinitionKind.PROMPT, "/prompts/0")]),
        ({"name": "a", "uriTemplate": "x://{a}"}, [(DefinitionKind.RESOURCE_TEMPLATE, "")]),
        ({"$defs": {"CallToolResult": {}}}, [(DefinitionKind.PROTOCOL, "")]),
        ({"type": "object"}, [(DefinitionKind.SCHEMA, "")]),
    ],
)
def test_definitions_are_recognised(tmp_path: Path, value: Any, expected: list[tuple[DefinitionKind, str]]) -> None:
    findings = Findings()
    items = recognise_definitions(make_site(tmp_path, value).document, findings)
    assert [(item.kind, item.pointer) for item in items] == expected
    assert not list(findings)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1, "not recognised as a definition: it holds a number"),
        ({"name": "a", "input_schema": {}}, 'looks like a Tool, but "input_schema" is not a member of one'),
        ({"uri": "x://a"}, "looks like a Resource without name"),
        ([{"name": "a"}], "looks like a Tool without inputSchema"),
        ([1], "a Tool must be an object, not a number"),
        ({"id": 1}, 'not recognised as a definition: it is an object with "id"'),
    ],
)
def test_near_misses_are_explained(tmp_path: Path, value: Any, message: str) -> None:
    findings = Findings()
    assert recognise_definitions(make_site(tmp_path, value).document, findings) == []
    assert [(finding.code, finding.message) for finding in findings] == [("MG003", message)]


def test_shared_definitions_are_told_by_their_name(tmp_path: Path) -> None:
    assert is_shared_definitions(make_site(tmp_path, {}, name="schemas/a.defs.json").document)
    assert not is_shared_definitions(make_site(tmp_path, {}, name="schemas/defs.json").document)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"$defs": {"Ingredient": {"type": "string"}}}, True),
        ({"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Common", "definitions": {}}, True),
        ({"$defs": {"Ingredient": {"type": "string"}}, "$ref": "#/$defs/Ingredient"}, False),
        ({"$defs": {"Ingredient": {"type": "string"}}, "type": "object"}, False),
        ({"$defs": {"CallToolResult": {}}}, False),
        ({"title": "Anything"}, False),
        ([], False),
    ],
)
def test_a_file_with_nothing_but_definitions_is_shared(tmp_path: Path, value: Any, expected: bool) -> None:
    assert is_shared_definitions(make_site(tmp_path, value, name="schemas/common.json").document) is expected


def test_a_misspelt_name_is_matched() -> None:
    candidates = ("inputSchema", "outputSchema", "_meta")
    names = ["input_schema", "INPUTSCHEMA", "outputShema", "inputSchema", "meta", "other"]
    matches = [match_misspelt(name, candidates) for name in names]
    assert matches == ["inputSchema", "inputSchema", "outputSchema", None, "_meta", None]
