"""The schemas that a schema reaches: their targets, and which documents are embedded whole."""

from __future__ import annotations

from pathlib import Path

from mcpgen.read.reachable import is_anchor
from support.reachable import collect


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
