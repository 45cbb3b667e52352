"""Resources are chosen for in the settings, and told apart by URI where they share a name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.read.definitions import Definitions, ResourceOptions
from mcpgen.read.loader import read_definitions
from mcpgen.read.resource_settings import distinguish_resources, merge_resource_settings
from support.documents import list_messages, make_context

GUIDE = {"name": "arrival", "uri": "guide://arrival", "x-mcpgen": {"name": "guide", "ttlMs": 1, "cacheScope": "public"}}
BY_PORT = {"name": "arrival", "uriTemplate": "guide://arrival/{port}"}


def read(
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
    definitions, messages = read(tmp_path, [GUIDE], {})
    assert [(resource.name, resource.wire_name) for resource in definitions.resources] == [("arrival", "arrival")]
    assert messages == []


def test_resources_of_one_name_are_told_apart_by_uri(tmp_path: Path) -> None:
    definitions, messages = read(tmp_path, [GUIDE, BY_PORT], {})
    names = [(resource.name, resource.wire_name) for resource in definitions.resources]
    assert names == [("guide://arrival", "arrival"), ("guide://arrival/{port}", "arrival")]
    assert messages == []


def test_one_uri_twice_is_an_error(tmp_path: Path) -> None:
    assert read(tmp_path, [GUIDE, GUIDE], {})[1] == [("MG203", 'the resource "arrival" is defined twice')]
    several = read(tmp_path, [GUIDE, GUIDE, BY_PORT], {})[1]
    assert several == [("MG203", 'the resource "guide://arrival" is defined twice')]


def test_settings_win_over_the_definition_and_a_uri_over_a_name(tmp_path: Path) -> None:
    (tmp_path / "guide.json").write_text('{"type": "object"}')
    settings = {
        "arrival": {"ttlMs": 0, "schema": "guide.json"},
        "guide://arrival/{port}": {"name": "by_port", "ttlMs": 3, "cacheScope": "private"},
    }
    definitions, messages = read(tmp_path, [GUIDE, BY_PORT], settings)
    options = [resource.choices for resource in definitions.resources]
    assert options == [
        ResourceOptions("guide", ttl_ms=0, cache_scope="public"),
        ResourceOptions("by_port", ttl_ms=3, cache_scope="private"),
    ]
    assert all(resource.payload and resource.payload.value == {"type": "object"} for resource in definitions.resources)
    assert messages == []


def test_wrong_settings_are_reported(tmp_path: Path) -> None:
    definitions, messages = read(tmp_path, [GUIDE], {"arival": {"ttlMs": 0}, "guide://arrival": {"name": "no name"}})
    assert messages == [("MG202", '"no name" is not an ASCII identifier')]
    assert definitions.resources[0].choices.name == "guide"
    assert read(tmp_path, [GUIDE], {"arival": {"ttlMs": 0}})[1] == [
        ("MG308", 'the settings name a resource "arival" that nothing defines: its `ttlMs` has no effect')
    ]
    missing = read(tmp_path, [GUIDE], {"arrival": {"schema": "nowhere.json"}})[1]
    assert [code for code, _ in missing] == ["MG001"]


def test_the_uri_wins_over_the_name_member_by_member(tmp_path: Path) -> None:
    settings = {"arrival": {"name": "by_name", "ttlMs": 5}, "guide://arrival": {"name": "by_uri"}}
    context = make_context(tmp_path, resources=settings)
    merged = merge_resource_settings({"name": "arrival", "uri": "guide://arrival"}, context)
    assert (merged.name, merged.ttl_ms) == ("by_uri", 5)
    assert merged.model_fields_set == {"name", "ttl_ms"}
    other = merge_resource_settings({"name": "arrival", "uriTemplate": "guide://{port}"}, context)
    assert (other.name, other.ttl_ms) == ("by_name", 5)
    assert merge_resource_settings({"name": "another", "uri": 3}, context).model_fields_set == set()


def test_a_name_that_python_does_not_take_is_reported_and_left_out(tmp_path: Path) -> None:
    context = make_context(tmp_path, resources={"arrival": {"name": "1st", "ttlMs": 5}})
    merged = merge_resource_settings({"name": "arrival", "uri": "guide://arrival"}, context)
    assert (merged.name, merged.ttl_ms) == (None, 5)
    assert [code for code, _ in list_messages(context.findings)] == ["MG202"]


def test_the_same_uri_twice_is_not_told_apart(tmp_path: Path) -> None:
    definitions, _ = read(tmp_path, [GUIDE], {})
    (guide,) = definitions.resources
    assert [resource.name for resource in distinguish_resources([guide, guide])] == ["arrival", "arrival"]
    assert distinguish_resources([]) == []
