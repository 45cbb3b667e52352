"""Class names are taken out of a schema; `x-mcpgen` that holds data stays."""

from __future__ import annotations

from pathlib import Path

from mcpgen.diagnostics import Findings
from mcpgen.read.class_names import extract_class_names, is_class_name
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json
from support.documents import list_messages, make_site


def test_names_are_extracted_with_their_pointers(tmp_path: Path) -> None:
    row: Json = {"x-mcpgen": {"type": "Row"}, "type": "object"}
    schema: Json = {"properties": {"a": {"items": row}}, "const": {"x-mcpgen": {"type": "data"}}}
    findings = Findings()
    stripped, names = extract_class_names(schema, DRAFT_2020_12, make_site(tmp_path, schema), findings)
    assert names == {"/properties/a/items": "Row"}
    assert stripped == {"properties": {"a": {"items": {"type": "object"}}}, "const": {"x-mcpgen": {"type": "data"}}}
    assert not list(findings)


def test_a_schema_without_names_is_the_same_object(tmp_path: Path) -> None:
    schema: Json = {"type": "object"}
    stripped, names = extract_class_names(schema, DRAFT_2020_12, make_site(tmp_path, schema), Findings())
    assert stripped is schema
    assert names == {}


def test_other_options_are_errors(tmp_path: Path) -> None:
    schema: Json = {"properties": {"a": {"x-mcpgen": {"content": "none"}}, "b": {"x-mcpgen": {"type": "row"}}}}
    findings = Findings()
    _, names = extract_class_names(schema, DRAFT_2020_12, make_site(tmp_path, schema), findings)
    assert names == {}
    assert list_messages(findings) == [("MG006", "x-mcpgen here must name a class")] * 2
    pointers = {finding.span.pointer for finding in findings if finding.span is not None}
    assert pointers == {"/properties/a/x-mcpgen", "/properties/b/x-mcpgen"}


def test_class_names_are_ascii_identifiers_with_a_capital() -> None:
    assert is_class_name("Row2")
    assert not any(map(is_class_name, ("row", "Ärger", "A b", "", "2A", 1, None)))
