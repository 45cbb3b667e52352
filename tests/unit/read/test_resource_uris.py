"""URIs of the resources in a compound document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mcpgen.read.definition_names import RelativePaths
from mcpgen.read.resource_uris import BUNDLE_BASE_URI, ResourceUris
from support.reachable import collect

OTHER = Path("other.json")
TREE = {"$dynamicAnchor": "node", "items": {"$dynamicRef": "#node"}}
ANCHORED: dict[str, Any] = {"$ref": "other.json", "$dynamicAnchor": "node"}


def make_uris(home: Any, other: Any) -> ResourceUris:
    return ResourceUris(collect(home, other)[0], RelativePaths(Path()))


def test_a_root_that_no_other_resource_refers_to_gets_no_uri() -> None:
    assert make_uris({"$ref": "other.json#/$defs/A"}, {"$defs": {"A": {}}}).new_id == ""


def test_a_root_whose_anchor_an_embedded_document_names_gets_a_uri_of_its_content() -> None:
    first, again, changed = (make_uris(ANCHORED, other) for other in (TREE, TREE, {**TREE, "title": "Tree"}))
    assert first.new_id.startswith(BUNDLE_BASE_URI)
    assert first.new_id == again.new_id != changed.new_id
    assert first.root_base == first.new_id


def test_a_root_with_an_absolute_id_keeps_it() -> None:
    uris = make_uris({"$id": "https://example.com/a", **ANCHORED}, TREE)
    assert (uris.new_id, uris.root_base) == ("", "https://example.com/a")


def test_an_embedded_document_has_its_id_or_a_uri_of_its_path() -> None:
    assert make_uris(ANCHORED, TREE).get(OTHER, "") == BUNDLE_BASE_URI + "other.json"
    assert make_uris(ANCHORED, {"$id": "https://example.com/tree", **TREE}).get(OTHER, "") == "https://example.com/tree"


def test_a_uri_that_the_root_has_already_is_not_given_twice() -> None:
    uri = BUNDLE_BASE_URI + "other.json"
    assert make_uris({**ANCHORED, "$defs": {"A": {"$id": uri}}}, TREE).get(OTHER, "") == uri + "/2"


def test_resources_inside_an_embedded_document_are_bases() -> None:
    reach, source = collect(ANCHORED, {**TREE, "$defs": {"A": {"$id": "inner.json", "properties": {"b": {}}}}})
    uris = ResourceUris(reach, RelativePaths(Path()))
    assert uris.is_resource(source, "/$defs/A")
    assert not uris.is_resource(source, "/$defs/A/properties/b")
    assert uris.find_base(source, "/$defs/A/properties/b") == BUNDLE_BASE_URI + "inner.json"
    assert uris.find_base(source, "/items") == BUNDLE_BASE_URI + "other.json"
