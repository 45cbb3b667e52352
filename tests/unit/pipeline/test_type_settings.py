"""Checks of the class names that the settings choose."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcpgen.app import generate_package
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.pipeline.progress import ignore_progress
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
