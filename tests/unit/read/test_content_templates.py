"""A tool gets the template beside its file or the one that it names; others are reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.file_tracker import FileTracker
from mcpgen.read.content_templates import TemplateCatalog, ToolLocation, normalize_template_text
from mcpgen.read.definitions import TemplateReference, ToolOptions
from support.documents import LIMITS


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
