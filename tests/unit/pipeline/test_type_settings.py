"""Checks of the class names that the settings choose."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcpgen.app import generate_package
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.pipeline.cached_steps import ignore_progress
from mcpgen.pipeline.checks import check_chosen_names, check_named_places
from mcpgen.pipeline.preview import lower_and_name
from mcpgen.read.loader import read_definitions
from support.documents import list_messages
from support.packages import tool

SCHEMA = {
    "type": "object",
    "properties": {"wind": {"type": "object", "properties": {"speed": {}}}, "sky": {"type": "string"}},
    "$defs": {"Sun": {"type": "object", "properties": {"up": {}}}},
}


def build(folder: Path, types: dict[str, str]) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """Return the findings, and the generated files."""
    (folder / "schemas").mkdir()
    (folder / "schemas" / "a.json").write_text(json.dumps(tool("a", SCHEMA)), "utf-8")
    settings = PackageSettings.model_validate({"types": types})
    outcome = generate_package(ConfiguredPackage(settings=settings, folder=folder), 1, ignore_progress)
    return list_messages(outcome.findings), {} if outcome.generated is None else {**outcome.generated.texts}


def test_a_class_has_the_name_of_the_settings(tmp_path: Path) -> None:
    findings, texts = build(tmp_path, {"a#output/properties/wind": "WindReading"})
    assert not findings
    assert "class WindReading(" in texts["tools/a.py"]


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ({"a#output/properties/sky": "Sky"}, ("MG302", '"a#output/properties/sky" is not the place of a class')),
        (
            {"a#output/properties/wind": "TypedDict"},
            ("MG202", '"a#output/properties/wind" cannot be TypedDict: generated code needs that name'),
        ),
        (
            {"a#output/properties/wind": "AResult"},
            ("MG201", '"a#output/properties/wind" cannot be AResult: another class has that name'),
        ),
    ],
)
def test_a_name_that_no_class_can_have_is_an_error(
    tmp_path: Path, types: dict[str, str], message: tuple[str, str]
) -> None:
    assert build(tmp_path, types) == ([message], {})


def check(folder: Path, resources: list[dict[str, object]], types: dict[str, str]) -> list[tuple[str, str]]:
    """Return what both checks report of definitions of resources."""
    (folder / "schemas").mkdir()
    (folder / "schemas" / "a.json").write_text(json.dumps({"resources": resources}), "utf-8")
    package = ConfiguredPackage(settings=PackageSettings.model_validate({"types": types}), folder=folder)
    definitions = read_definitions(package, reading := Findings())
    assert not [*reading]
    preview = lower_and_name(definitions, package.settings, 1)
    findings = Findings()
    check_named_places(preview.package.tools, preview.package.resources, definitions, package, findings)
    check_chosen_names(preview.package, preview.names, definitions, package, findings)
    return list_messages(findings)


def make_resource(name: str) -> dict[str, object]:
    schema = {"type": "object", "properties": {"wind": {"type": "object", "properties": {"speed": {}}}, "sky": {}}}
    return {"name": name, "uri": f"x://{name}", "x-mcpgen": {"schema": schema}}


def test_places_in_resources_are_checked_like_those_in_tools(tmp_path: Path) -> None:
    types = {"page#resource/properties/sky": "Sky", "page#resource/properties/wind": "Wind"}
    assert check(tmp_path, [make_resource("page")], types) == [
        ("MG302", '"page#resource/properties/sky" is not the place of a class')
    ]


def test_a_refused_name_is_reported_for_the_resource_that_chose_it(tmp_path: Path) -> None:
    types = {"page#resource/properties/wind": "Page"}
    assert check(tmp_path, [make_resource("page")], types) == [
        ("MG201", '"page#resource/properties/wind" cannot be Page: another class has that name')
    ]


def test_without_choices_nothing_is_reported(tmp_path: Path) -> None:
    assert check(tmp_path, [make_resource("page")], {}) == []
