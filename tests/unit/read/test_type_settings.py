"""Settings of types and templates."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.file_tracker import FileTracker
from mcpgen.read.content_templates import TemplateCatalog, ToolLocation, normalize_template_text
from mcpgen.read.definitions import Definitions, ResourceDefinition, TemplateReference, ToolDefinition, ToolOptions
from mcpgen.read.type_settings import apply_type_settings, find_named_place
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json
from support.documents import LIMITS, list_messages

# --- class names from the settings ------------------------------------------------------------------------------------
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


# --- a tool gets the template beside its file or the one that it names; others are reported ---------------------------
@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "get_a.content.j2").write_text("{{ a }}\n", "utf-8")
    (tmp_path / "outside.j2").write_text("x", "utf-8")
    return tmp_path


def make_catalog(folder: Path) -> tuple[TemplateCatalog, Findings]:
    findings = Findings()
    return TemplateCatalog(folder / "schemas", LIMITS, findings, FileTracker()), findings


def attach(folder: Path, name: str, options: ToolOptions, has_schema: bool = True) -> tuple[ToolOptions, Findings]:
    catalog, findings = make_catalog(folder)
    location = ToolLocation(folder / "schemas" / "tools.json", folder / "schemas", Span("tools.json"))
    return catalog.attach_template(name, options, has_schema, location), findings


def test_the_template_beside_the_file_is_used(folder: Path) -> None:
    options, findings = attach(folder, "get_a", ToolOptions())
    assert options.template is not None
    assert (options.content, options.template.origin, options.template.text) == (
        "template",
        "get_a.content.j2",
        "{{ a }}",
    )
    assert not list(findings)


def test_a_tool_without_a_template_keeps_its_options(folder: Path) -> None:
    options, findings = attach(folder, "get_b", ToolOptions())
    assert options == ToolOptions()
    assert not list(findings)


@pytest.mark.parametrize(
    ("name", "options", "has_schema", "code"),
    [
        ("get_a", ToolOptions(content="json", content_chosen=True), True, "MG508"),
        ("get_a", ToolOptions(), False, "MG508"),
        ("get_b", ToolOptions(content="template", content_chosen=True), True, "MG506"),
        ("get_b", ToolOptions(reference=TemplateReference("nothing.j2", True, None)), True, "MG506"),
        ("get_b", ToolOptions(reference=TemplateReference("../outside.j2", True, None)), True, "MG506"),
        ("get_b", ToolOptions(reference=TemplateReference("../outside.j2", False, None)), True, "MG506"),
    ],
)
def test_what_is_wrong_is_reported(folder: Path, name: str, options: ToolOptions, has_schema: bool, code: str) -> None:
    attached, findings = attach(folder, name, options, has_schema)
    assert attached == options
    assert [finding.code for finding in findings] == [code]


def test_unused_templates_are_reported_with_a_guess(folder: Path) -> None:
    catalog, findings = make_catalog(folder)
    catalog.add_file(folder / "schemas" / "get_a.content.j2")
    catalog.report_unused(["get_ab"])
    assert [(finding.code, finding.help) for finding in findings] == [("MG507", 'did you mean "get_ab.content.j2"?')]


def test_a_part_knows_the_templates_that_it_used(folder: Path) -> None:
    catalog, _ = make_catalog(folder)
    catalog.used.add(Path("before"))
    with catalog.track_part() as used:
        catalog.used.add(Path("inside"))
    assert used == {Path("inside")}
    assert catalog.used == {Path("before"), Path("inside")}


def test_line_breaks_are_those_of_jinja() -> None:
    assert normalize_template_text("a\r\nb\rc\n") == "a\nb\nc"
    assert normalize_template_text("a\n\n") == "a\n"
