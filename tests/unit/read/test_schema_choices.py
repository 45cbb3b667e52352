"""Choices are taken out of a schema; `x-mcpgen` that holds data stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.diagnostics import Findings
from mcpgen.read.choices import PlaceChoices, extract_choices, is_class_name
from mcpgen.read.document import WrittenPlace, WrittenSchema
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json
from support.documents import list_messages, make_site


def write(folder: Path, schema: Json) -> WrittenSchema:
    """The schema as it is written: the whole of a file."""
    return WrittenSchema(WrittenPlace(make_site(folder, schema).document, ""))


def test_names_are_extracted_with_their_pointers(tmp_path: Path) -> None:
    row: Json = {"x-mcpgen": {"type": "Row"}, "type": "object"}
    schema: Json = {"properties": {"a": {"items": row}}, "const": {"x-mcpgen": {"type": "data"}}}
    findings = Findings()
    stripped, choices = extract_choices(schema, DRAFT_2020_12, write(tmp_path, schema), findings)
    assert choices.class_names == {"/properties/a/items": "Row"}
    assert stripped == {"properties": {"a": {"items": {"type": "object"}}}, "const": {"x-mcpgen": {"type": "data"}}}
    assert not list(findings)


def test_a_schema_without_names_is_the_same_object(tmp_path: Path) -> None:
    schema: Json = {"type": "object"}
    stripped, choices = extract_choices(schema, DRAFT_2020_12, write(tmp_path, schema), Findings())
    assert stripped is schema
    assert choices.class_names == {}


def test_other_options_are_errors(tmp_path: Path) -> None:
    wrong: dict[str, Json] = {"a": {"content": "none"}, "b": {"type": "row"}, "c": {"comment": 1}}
    schema: Json = {"properties": {name: {"x-mcpgen": options} for name, options in wrong.items()}}
    findings = Findings()
    _, choices = extract_choices(schema, DRAFT_2020_12, write(tmp_path, schema), findings)
    assert choices.class_names == {}
    assert {message for _, message in list_messages(findings)} == {
        '"comment" in x-mcpgen must be a text',
        "x-mcpgen here must name a class",
        "x-mcpgen here must name a class or choose the type of a format",
    }
    pointers = {finding.span.pointer for finding in findings if finding.span is not None}
    assert pointers == {f"/properties/{name}/x-mcpgen" for name in wrong}


def test_a_comment_is_taken_out(tmp_path: Path) -> None:
    schema: Json = {"x-mcpgen": {"comment": "a"}, "items": {"x-mcpgen": {"comment": "b", "type": "Row"}}}
    findings = Findings()
    stripped, choices = extract_choices(schema, DRAFT_2020_12, write(tmp_path, schema), findings)
    assert (stripped, choices, list(findings)) == ({"items": {}}, PlaceChoices({"/items": "Row"}), [])


def test_class_names_are_ascii_identifiers_with_a_capital() -> None:
    assert is_class_name("Row2")
    assert not any(map(is_class_name, ("row", "Ärger", "A b", "", "2A", 1, None)))


def test_formats_are_extracted_with_their_pointers(tmp_path: Path) -> None:
    day: Json = {"type": "string", "format": "date"}
    identifier: Json = {"type": ["null", "string"], "format": "uuid"}
    schema: Json = {
        "properties": {
            "a": {"type": "string", "format": "date", "x-mcpgen": {"format": "native"}},
            "b": {"type": ["null", "string"], "format": "uuid", "x-mcpgen": {"format": "string"}},
        }
    }
    findings = Findings()
    stripped, choices = extract_choices(schema, DRAFT_2020_12, write(tmp_path, schema), findings)
    assert choices.formats == {"/properties/a": True, "/properties/b": False}
    assert stripped == {"properties": {"a": day, "b": identifier}}
    assert not list(findings)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "string"}, 'there is no "format" with it'),
        ({"$ref": "#/$defs/Day"}, 'there is no "format" with it'),
        ({"type": "string", "format": "email"}, '"email" has no Python type'),
        ({"format": "date"}, "the schema is not one of strings"),
        ({"type": ["string", "integer"], "format": "date"}, "the schema is not one of strings"),
        ({"type": "string", "format": "date", "enum": ["2031-03-12"]}, '"enum" decides the Python type'),
    ],
)
def test_formats_that_have_no_effect_are_errors(schema: dict[str, Json], message: str, tmp_path: Path) -> None:
    whole: Json = {"items": {**schema, "x-mcpgen": {"format": "native"}}, "$defs": {"Day": {"format": "date"}}}
    findings = Findings()
    _, choices = extract_choices(whole, DRAFT_2020_12, write(tmp_path, whole), findings)
    assert choices.formats == {}
    (finding,) = findings
    assert finding.message == f'"format" in x-mcpgen has no effect: {message}'
    assert finding.help
    assert finding.span is not None
    assert finding.span.pointer == "/items/x-mcpgen"


@pytest.mark.parametrize("value", ["natve", 1, None, True, {}])
def test_formats_are_native_or_strings(value: Json, tmp_path: Path) -> None:
    schema: Json = {"type": "string", "format": "date", "x-mcpgen": {"format": value}}
    findings = Findings()
    assert extract_choices(schema, DRAFT_2020_12, write(tmp_path, schema), findings)[1].formats == {}
    assert list_messages(findings) == [("MG006", '"format" in x-mcpgen must be "native" or "string"')]


def test_choices_of_both_sides_are_joined() -> None:
    output = PlaceChoices({"/a": "Row"}, {"/b": True}).prefix("#output")
    both = output.join(PlaceChoices({}, {"": False}).prefix("#input"))
    assert both == PlaceChoices({"#output/a": "Row"}, {"#output/b": True, "#input": False})
