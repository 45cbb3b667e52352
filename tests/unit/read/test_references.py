"""References between schemas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcpgen.read.bundler import is_defined_outside, suggest_definition, suggest_file
from mcpgen.read.reachable import is_anchor
from support.reachable import collect

# --- references that lead nowhere get the definition or file that is probably meant -----------------------------------
SCHEMA: Any = {"$defs": {"Wind": {}, "Rain": {}}}


@pytest.mark.parametrize(
    ("ref", "with_close_names", "expected"),
    [
        ("#/components/schemas/Wind", False, "did you mean #/$defs/Wind?"),
        ("#/definitions/Rain", False, "did you mean #/$defs/Rain?"),
        ("#/$defs/Wnd", True, "did you mean #/$defs/Wind?"),
        ("#/$defs/Wnd", False, ""),
        ("#/nothing/like/it", True, ""),
        ("#", True, ""),
    ],
)
def test_definitions(ref: str, with_close_names: bool, expected: str) -> None:
    assert suggest_definition(SCHEMA, ref, "", with_close_names) == expected


def test_definitions_outside_of_the_schema() -> None:
    assert is_defined_outside(SCHEMA, "#/$defs/Wind")
    assert not is_defined_outside(SCHEMA, "#/$defs/Snow")
    assert not is_defined_outside(SCHEMA, "#Wind")


def test_files(tmp_path: Path) -> None:
    (tmp_path / "common.defs.json").write_text("{}")
    (tmp_path / "comon.txt").write_text("{}")
    assert suggest_file(tmp_path, "comon.defs.json", SCHEMA) == "did you mean common.defs.json?"
    assert "#/$defs/Wind" in suggest_file(tmp_path, "Wind", SCHEMA)
    assert "relative to the file" in suggest_file(tmp_path, "no/such/folder.json", SCHEMA)
    assert "relative to the file" in suggest_file(tmp_path, "a\0b", SCHEMA)


# --- the schemas that a schema reaches: their targets, and which documents are embedded whole -------------------------
def test_definitions_are_copied_one_by_one() -> None:
    document = {"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {}, "C": {}}}
    reach, source = collect({"$ref": "other.json#/$defs/A"}, document)
    assert set(reach.copied) == {(Path("other.json"), "/$defs/A"), (Path("other.json"), "/$defs/B")}
    assert reach.embedded == {}
    target = reach.targets[None, "", "$ref"]
    assert (target.source, target.at) == (source, "/$defs/A")


def test_a_document_with_a_dynamic_anchor_that_is_named_is_embedded() -> None:
    document = {"$defs": {"A": {"$dynamicAnchor": "node", "items": {"$dynamicRef": "#node"}}}}
    reach, source = collect({"$ref": "other.json#/$defs/A"}, document)
    assert reach.embedded == {Path("other.json"): source}
    assert reach.copied == {}
    assert reach.dynamic_names == {"node"}


def test_a_target_that_is_missing_is_left_out() -> None:
    reach, _ = collect({"$ref": "other.json#/$defs/A"}, {})
    assert reach.targets == {}


def test_anchors_are_told_from_pointers() -> None:
    assert is_anchor("a.json#node")
    assert not any(map(is_anchor, ("a.json", "#", "#/$defs/a", "a.json#/a")))
