"""The schemas that a schema reaches: their targets, and which documents are embedded whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mcpgen.read.document import SourceDocument
from mcpgen.read.reachable import ReachableSchemas, SchemaSource, is_anchor
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import DRAFT_2020_12


def make_source(name: str, schema: Any, is_home: bool = False) -> SchemaSource:
    document = SourceDocument(Path(name), name, "", schema)
    return SchemaSource(document, "", SchemaIndex(schema, DRAFT_2020_12), is_home)


def collect(home: Any, other: Any) -> tuple[ReachableSchemas, SchemaSource]:
    """What a schema reaches in one other document, `other.json`."""
    source = make_source("other.json", other)

    def find(place: SchemaSource, at: str, keyword: str, ref: str) -> tuple[SchemaSource, str] | None:
        target = source.index.find_target("", "#" + ref.partition("#")[2])
        return None if target is None else (source, target)

    return ReachableSchemas(make_source("home.json", home, True), find), source


def test_definitions_are_copied_one_by_one() -> None:
    other = {"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {}, "C": {}}}
    reach, source = collect({"$ref": "other.json#/$defs/A"}, other)
    assert set(reach.copied) == {(Path("other.json"), "/$defs/A"), (Path("other.json"), "/$defs/B")}
    assert reach.embedded == {}
    target = reach.targets[None, "", "$ref"]
    assert (target.place, target.at) == (source, "/$defs/A")


def test_a_document_with_a_dynamic_anchor_that_is_named_is_embedded() -> None:
    other = {"$defs": {"A": {"$dynamicAnchor": "node", "items": {"$dynamicRef": "#node"}}}}
    reach, source = collect({"$ref": "other.json#/$defs/A"}, other)
    assert reach.embedded == {Path("other.json"): source}
    assert reach.copied == {}
    assert reach.dynamic_names == {"node"}


def test_a_target_that_is_missing_is_left_out() -> None:
    reach, _ = collect({"$ref": "other.json#/$defs/A"}, {})
    assert reach.targets == {}


def test_anchors_are_told_from_pointers() -> None:
    assert is_anchor("a.json#node")
    assert not any(map(is_anchor, ("a.json", "#", "#/$defs/a", "a.json#/a")))
