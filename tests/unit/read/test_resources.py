"""Resources and resource templates are read with their choices."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.ir.definitions import UriExpression
from mcpgen.read.compound_document import BUNDLE_BASE_URI, RelativePaths, ResourceUris
from mcpgen.read.definitions import Definitions, ResourceDefinition, ResourceOptions
from mcpgen.read.loader import read_definitions
from mcpgen.read.recognition import DefinitionKind, RawDefinition
from mcpgen.read.resources import distinguish_resources, read_resource
from support.documents import list_messages, make_context, make_site
from support.reachable import collect


def read(folder: Path, value: dict[str, Any]) -> tuple[ResourceDefinition | None, list[tuple[str, str]]]:
    kind = DefinitionKind.RESOURCE_TEMPLATE if "uriTemplate" in value else DefinitionKind.RESOURCE
    context = make_context(folder)
    resource = read_resource(RawDefinition(kind, "", value), make_site(folder, value), context)
    return resource, list_messages(context.findings)


def test_a_resource_is_read_with_its_choices(tmp_path: Path) -> None:
    schema = {"type": "object", "x-mcpgen": {"type": "Page"}}
    choices = {"name": "page", "ttlMs": 5, "cacheScope": "public", "schema": schema}
    resource, messages = read(tmp_path, {"name": "a", "uri": "x://a", "x-mcpgen": choices})
    assert resource is not None
    assert resource.resource == {"name": "a", "uri": "x://a"}
    assert resource.choices == ResourceOptions("page", ttl_ms=5, cache_scope="public")
    assert resource.payload is not None
    assert resource.payload.value == {"type": "object"}
    assert resource.class_names == {"#resource": "Page"}
    assert resource.locate("/x-mcpgen/schema/type").pointer == "/x-mcpgen/schema/type"
    assert messages == []


def test_a_template_has_its_parts(tmp_path: Path) -> None:
    resource, messages = read(tmp_path, {"name": "a", "uriTemplate": "x://a/{id}"})
    assert resource is not None
    assert resource.template == ("x://a/", UriExpression("", ("id",)))
    assert messages == []


def test_what_is_wrong_is_reported(tmp_path: Path) -> None:
    assert read(tmp_path, {"name": "a", "uri": 1})[0] is None
    resource, messages = read(tmp_path, {"name": "a", "uriTemplate": "x://{a", "x-mcpgen": {"name": "no name"}})
    assert resource is not None
    assert (resource.template, resource.choices.name) == ((), None)
    assert [code for code, _ in messages] == ["MG010", "MG202"]
    _, messages = read(tmp_path, {"name": "a", "uri": "x://a", "x-mcpgen": {"ttl": 1}})
    assert messages == [("MG006", 'x-mcpgen: unknown key "ttl"')]


# --- URIs of the resources in a compound document ---------------------------------------------------------------------
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


# --- resources are chosen for in the settings, and told apart by URI where they share a name --------------------------
GUIDE = {"name": "arrival", "uri": "guide://arrival", "x-mcpgen": {"name": "guide", "ttlMs": 1, "cacheScope": "public"}}
BY_PORT = {"name": "arrival", "uriTemplate": "guide://arrival/{port}"}


def read_with_settings(
    folder: Path, resources: list[dict[str, Any]], settings: dict[str, Any]
) -> tuple[Definitions, list[tuple[str, str]]]:
    (folder / "schemas").mkdir(exist_ok=True)
    member = {"uri": "resources", "uriTemplate": "resourceTemplates"}
    document: dict[str, list[Any]] = {"resources": [], "resourceTemplates": []}
    for resource in resources:
        document[member["uri" if "uri" in resource else "uriTemplate"]].append(resource)
    (folder / "schemas/all.json").write_text(json.dumps(document))
    findings = Findings()
    package = ConfiguredPackage(settings=PackageSettings.model_validate({"resources": settings}), folder=folder)
    definitions = read_definitions(package, findings)
    return definitions, [(finding.code, finding.message) for finding in findings.sorted()]


def test_a_name_that_is_used_once_tells_a_resource_apart(tmp_path: Path) -> None:
    definitions, messages = read_with_settings(tmp_path, [GUIDE], {})
    assert [(resource.name, resource.wire_name) for resource in definitions.resources] == [("arrival", "arrival")]
    assert messages == []


def test_resources_of_one_name_are_told_apart_by_uri(tmp_path: Path) -> None:
    definitions, messages = read_with_settings(tmp_path, [GUIDE, BY_PORT], {})
    names = [(resource.name, resource.wire_name) for resource in definitions.resources]
    assert names == [("guide://arrival", "arrival"), ("guide://arrival/{port}", "arrival")]
    assert messages == []


def test_one_uri_twice_is_an_error(tmp_path: Path) -> None:
    assert read_with_settings(tmp_path, [GUIDE, GUIDE], {})[1] == [("MG203", 'the resource "arrival" is defined twice')]
    several = read_with_settings(tmp_path, [GUIDE, GUIDE, BY_PORT], {})[1]
    assert several == [("MG203", 'the resource "guide://arrival" is defined twice')]


def test_settings_win_over_the_definition_and_a_uri_over_a_name(tmp_path: Path) -> None:
    (tmp_path / "guide.json").write_text('{"type": "object"}')
    settings = {
        "arrival": {"ttlMs": 0, "schema": "guide.json"},
        "guide://arrival/{port}": {"name": "by_port", "ttlMs": 3, "cacheScope": "private"},
    }
    definitions, messages = read_with_settings(tmp_path, [GUIDE, BY_PORT], settings)
    options = [resource.choices for resource in definitions.resources]
    assert options == [
        ResourceOptions("guide", ttl_ms=0, cache_scope="public"),
        ResourceOptions("by_port", ttl_ms=3, cache_scope="private"),
    ]
    assert all(resource.payload and resource.payload.value == {"type": "object"} for resource in definitions.resources)
    assert messages == []


def test_wrong_settings_are_reported(tmp_path: Path) -> None:
    definitions, messages = read_with_settings(
        tmp_path, [GUIDE], {"arival": {"ttlMs": 0}, "guide://arrival": {"name": "no name"}}
    )
    assert messages == [("MG202", '"no name" is not an ASCII identifier')]
    assert definitions.resources[0].choices.name == "guide"
    assert read_with_settings(tmp_path, [GUIDE], {"arival": {"ttlMs": 0}})[1] == [
        ("MG308", 'the settings name a resource "arival" that nothing defines: its `ttlMs` has no effect')
    ]
    missing = read_with_settings(tmp_path, [GUIDE], {"arrival": {"schema": "nowhere.json"}})[1]
    assert [code for code, _ in missing] == ["MG001"]


def test_the_uri_wins_over_the_name_member_by_member(tmp_path: Path) -> None:
    settings = {"arrival": {"name": "by_name", "ttlMs": 5}, "guide://arrival": {"name": "by_uri"}}
    definitions, _ = read_with_settings(tmp_path, [GUIDE, {**GUIDE, "uri": "guide://other"}], settings)
    assert [resource.choices for resource in definitions.resources] == [
        ResourceOptions("by_uri", ttl_ms=5, cache_scope="public"),
        ResourceOptions("by_name", ttl_ms=5, cache_scope="public"),
    ]


def test_formats_under_the_uri_replace_those_under_the_name(tmp_path: Path) -> None:
    settings = {"arrival": {"formats": "native"}, "guide://arrival": {"formats": {"date": "native"}}}
    definitions, messages = read_with_settings(tmp_path, [GUIDE], settings)
    assert (definitions.resources[0].choices.formats, messages) == (("date",), [])


def test_a_name_that_python_does_not_take_is_reported_and_left_out(tmp_path: Path) -> None:
    definitions, messages = read_with_settings(tmp_path, [GUIDE], {"arrival": {"name": "1st", "ttlMs": 5}})
    assert [code for code, _ in messages] == ["MG202"]
    assert (definitions.resources[0].choices.name, definitions.resources[0].choices.ttl_ms) == ("guide", 5)


def test_the_same_uri_twice_is_not_told_apart(tmp_path: Path) -> None:
    definitions, _ = read_with_settings(tmp_path, [GUIDE], {})
    (guide,) = definitions.resources
    assert [resource.name for resource in distinguish_resources([guide, guide])] == ["arrival", "arrival"]
    assert distinguish_resources([]) == []
