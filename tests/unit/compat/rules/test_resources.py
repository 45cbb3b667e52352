"""Rules for resources and resource templates."""

from __future__ import annotations

from mcpgen.compat.rules.resources import RESOURCE_RULES
from mcpgen.compat.rules.rule import ResourcePair
from mcpgen.read.definitions import ResourceDefinition, ResourceOptions
from mcpgen.read.uri_templates import parse_uri_template
from support.compat import make_resource


def list_matches(old: ResourceDefinition, new: ResourceDefinition | None) -> list[tuple[str, str]]:
    return [(rule.id, match.text) for rule in RESOURCE_RULES for match in rule.find(ResourcePair(old, new))]


def make_template(uri: str) -> ResourceDefinition:
    resource = make_resource(uriTemplate=uri)
    return ResourceDefinition(
        resource.name, resource.origin, resource.span, resource.resource, template=parse_uri_template(uri)
    )


def test_removed_and_renamed() -> None:
    assert list_matches(make_resource(), None) == [("resource-removed", "was removed")]
    renamed = make_resource("settings")
    assert list_matches(make_resource(), renamed) == [("resource-renamed", 'is called "settings" now')]
    assert list_matches(make_resource(), make_resource()) == []


def test_uri_and_kind() -> None:
    moved = make_resource(uri="x://b")
    assert list_matches(make_resource(uri="x://a"), moved) == [
        ("resource-uri-changed", "its URI was x://a, is x://b now")
    ]
    assert list_matches(make_resource(uri="x://a"), make_template("x://{a}"))[0] == (
        "resource-kind-changed",
        "has become a template",
    )


def test_variables() -> None:
    assert list_matches(make_template("x://{a}{?b}"), make_template("x://{a}{?b,c}")) == []
    assert ("resource-variable-removed", "its variable b was removed") in list_matches(
        make_template("x://{a}{?b}"), make_template("x://{a}")
    )
    assert ("resource-variable-added", "its variable b is new and required") in list_matches(
        make_template("x://{a}"), make_template("x://{a}/{b}")
    )
    assert ("resource-variable-became-required", "its variable b was optional, is required now") in (
        list_matches(make_template("x://{a}{?b}"), make_template("x://{a}/{b}"))
    )
    pair = ResourcePair(make_template("x://{a}"), make_template("x://{a}/{b}"))
    pointers = {rule.id: match.pointer for rule in RESOURCE_RULES for match in rule.find(pair)}
    assert pointers["resource-variable-added"] == "/uriTemplate/b"


def test_the_fixed_parts_of_a_template() -> None:
    assert [id for id, _ in list_matches(make_template("x://{a}"), make_template("y://{a}"))] == [
        "resource-template-changed"
    ]
    assert list_matches(make_template("x://{a}"), make_template("x://{a}{?page}")) == []


def test_what_a_read_returns() -> None:
    old = make_resource("r", {"type": "object"}, uri="x://r", mimeType="application/json")
    new = make_resource("r", None, uri="x://r", mimeType="text/yaml")
    assert list_matches(old, new) == [
        ("resource-mime-type-changed", "its MIME type was application/json, is text/yaml now"),
        ("resource-schema-removed", "its JSON no longer has a schema, so it may be anything"),
    ]


def test_the_cache_scope() -> None:
    private, public = make_resource(), make_resource(choices=ResourceOptions(cache_scope="public"))
    assert [id for id, _ in list_matches(private, public)] == ["resource-cache-scope-changed"]
    assert list_matches(public, private) == []
