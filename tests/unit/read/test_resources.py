"""Resources and resource templates are read with their choices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mcpgen.ir.uri_template import UriExpression
from mcpgen.read.definitions import ResourceDefinition, ResourceOptions
from mcpgen.read.recognition import DefinitionKind, RawDefinition
from mcpgen.read.resources import read_resource
from support.documents import list_messages, make_context, make_site


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
