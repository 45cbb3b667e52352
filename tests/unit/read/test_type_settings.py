"""Class names from the settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.read.definitions import Definitions, ResourceDefinition, ToolDefinition
from mcpgen.read.type_settings import apply_type_settings, find_named_place
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json
from support.documents import list_messages

SCHEMA: Json = {
    "type": "object",
    "properties": {
        "wind": {"anyOf": [{"type": "object"}, {"type": "null"}]},
        "station": {"$ref": "#/$defs/Station"},
        "either": {"anyOf": [{"type": "object"}, {"type": "string"}]},
        "circle": {"$ref": "#/$defs/Circle"},
    },
    "$defs": {
        "Station": {"properties": {"place": {"$ref": "#/$defs/Place"}}},
        "Place": {},
        "Circle": {"$ref": "#/$defs/Circle"},
    },
}


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("/properties/wind", "/properties/wind/anyOf/0"),
        ("/properties/wind/anyOf/0", "/properties/wind/anyOf/0"),
        ("/properties/station", "/$defs/Station"),
        ("/properties/station/properties/place", "/$defs/Place"),
        ("/properties/either", "/properties/either"),
        ("/properties/circle", "/$defs/Circle"),
        ("/properties/none", None),
        ("/properties/wind/anyOf/2", None),
        ("/properties/station/properties/none", None),
    ],
)
def test_references_lead_to_the_place_of_the_class(pointer: str, place: str | None) -> None:
    assert find_named_place(Schema(SCHEMA, DRAFT_2020_12), pointer) == place


def apply(types: dict[str, str]) -> tuple[Definitions, Findings]:
    schema = Schema(SCHEMA, DRAFT_2020_12)
    tool = ToolDefinition("a#b", "", Span(""), {}, schema, schema, class_names={"#output/$defs/Station": "Old"})
    resource = ResourceDefinition("chart", "", Span(""), {}, payload=schema)
    definitions, findings = Definitions([tool], [resource]), Findings()
    settings = PackageSettings.model_validate({"types": types})
    apply_type_settings(definitions, ConfiguredPackage(settings=settings, folder=Path()), findings)
    return definitions, findings


def test_the_settings_win_over_the_definition() -> None:
    types = {"a#b#output/properties/station": "New", "chart#resource/properties/wind": "Wind"}
    definitions, findings = apply(types)
    assert not list(findings)
    (tool,), (resource,) = definitions.tools, definitions.resources
    assert tool.class_names == {"#output/$defs/Station": "New"}
    assert tool.type_settings == {"#output/$defs/Station": "a#b#output/properties/station"}
    assert resource.class_names == {"#resource/properties/wind/anyOf/0": "Wind"}


@pytest.mark.parametrize(
    ("key", "name", "code", "message"),
    [
        ("a", "New", "MG302", '"types.a" names no place in a schema'),
        ("a#b#output", "New", "MG302", '"a#b#output" is the root, whose class is named after the definition'),
        ("a#b#output/x", "New", "MG302", '"a#b" has nothing at #output/x'),
        ("c#output/x", "New", "MG308", 'the settings name a tool "c" that nothing defines'),
        ("c#resource/x", "New", "MG308", 'the settings name a resource "c" that nothing defines'),
        ("a#b#output/properties/wind", "new", "MG202", '"new" cannot name a class'),
    ],
)
def test_wrong_entries_are_reported(key: str, name: str, code: str, message: str) -> None:
    definitions, findings = apply({key: name})
    assert list_messages(findings) == [(code, message)]
    assert not definitions.tools[0].type_settings


def test_two_names_for_one_class_are_an_error() -> None:
    _, findings = apply({"a#b#output/properties/station": "One", "a#b#output/$defs/Station": "Two"})
    assert list_messages(findings) == [("MG201", '"a#b#output/properties/station" names the same class One')]
