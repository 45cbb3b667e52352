"""Names of copied definitions, and paths relative to the input folder."""

from __future__ import annotations

from pathlib import Path

from mcpgen.read.definition_names import RelativePaths, choose_definition_names, get_definitions_keyword
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from support.reachable import collect

OTHER = Path("other.json")


def test_a_path_is_relative_to_the_input_folder(tmp_path: Path) -> None:
    paths = RelativePaths(tmp_path / "schemas")
    assert paths.get(tmp_path / "schemas" / "a" / "b.json") == "a/b.json"
    assert paths.get(tmp_path / "shared" / "c.json") == "../shared/c.json"


def test_the_dialect_decides_where_definitions_are() -> None:
    assert get_definitions_keyword(DRAFT_07) == "definitions"
    assert get_definitions_keyword(DRAFT_2020_12) == "$defs"


def test_a_copied_definition_keeps_its_name() -> None:
    reach, _ = collect({"$ref": "other.json#/$defs/A"}, {"$defs": {"A": {}}})
    assert choose_definition_names(reach, RelativePaths(Path())) == {(OTHER, "/$defs/A"): "A"}


def test_a_name_that_the_schema_has_is_followed_by_that_of_the_file() -> None:
    home = {"$ref": "other.json#/$defs/A", "$defs": {"A": {}, "A_other": {}}}
    reach, _ = collect(home, {"$defs": {"A": {}}})
    assert choose_definition_names(reach, RelativePaths(Path())) == {(OTHER, "/$defs/A"): "A_other_2"}


def test_an_embedded_document_is_named_like_its_file() -> None:
    other = {"$defs": {"A": {"$dynamicAnchor": "node", "items": {"$dynamicRef": "#node"}}}}
    reach, _ = collect({"$ref": "other.json#/$defs/A"}, other)
    assert choose_definition_names(reach, RelativePaths(Path())) == {(OTHER, ""): "other"}
