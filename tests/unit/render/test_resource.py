"""The module of a resource."""

from __future__ import annotations

from dataclasses import replace

import pytest
from mcpgen.ir.package import ResourceModule, SchemaRoot
from mcpgen.ir.types import ANY, Array, Field, Node, ObjectClass, Presence, Ref, Scalar, ScalarKind, Type
from mcpgen.ir.uri_template import UriExpression
from mcpgen.names.package_names import ResourceNames
from mcpgen.render.resource import ResourceOptions, ResourceView, make_resource_options, make_resource_view
from mcpgen.render.scope import Scope

STRING, INTEGER = Scalar(ScalarKind.STRING), Scalar(ScalarKind.INTEGER)
CHART = ResourceModule("chart", "a.json", "", "x://chart", None, (), "text/plain")
PARTS = ("x://", UriExpression("", ("id",)), UriExpression("?", ("at",)))
BERTH = ResourceModule("berth", "a.json", "A berth.", None, "x://{id}{?at}", PARTS, None)


def make_view(resource: ResourceModule, name: str, parameters: str | None = None) -> ResourceView:
    nodes = () if resource.payload is None else resource.payload.nodes
    names = ResourceNames(resource.wire, name, parameters, {node.id: name for node in nodes})
    return make_resource_view(resource, names, Scope(names.nested, {node.id: node for node in nodes}), None)


def test_a_fixed_resource() -> None:
    view = make_view(CHART, "Chart")
    assert str(view.info) == 'ResourceInfo(__file__, "chart", uri="x://chart", mime_type="text/plain")'
    assert str(view.uri) == '"x://chart"'
    assert str(view.class_doc) == '"""The resource `chart`."""'
    assert (view.parameters, view.parts, view.own, view.root, view.payload) == ([], [], None, None, None)


def test_a_template_has_parameters_the_optional_ones_last() -> None:
    view = make_view(BERTH, "Berth", "BerthParameters")
    assert view.signature == "id: str, at: str | None = None"
    assert [parameter.found for parameter in view.parameters] == ['found["id"]', 'found.get("at")']
    assert str(view.uri) == '"x://" + uri_templates.unreserved(id) + uri_templates.query("?", ("at", at))'
    assert [str(part) for part in view.parts] == [
        '"x://"',
        'uri_templates.Variable("id")',
        'uri_templates.Query("?", ("at",))',
    ]


def test_a_json_object_is_the_resources_class() -> None:
    node = ObjectClass("resource:#", "", (), (Field("depth", INTEGER, Presence.REQUIRED),), None)
    view = make_view(replace(BERTH, payload=SchemaRoot(Ref(node.id), (node,), ())), "Berth", "BerthParameters")
    (body,) = view.module.nodes
    assert (view.own, view.root, body.name) == ("Berth", None, "Berth")
    assert str(view.payload) == "Berth | Mapping[str, Any] | str | ResourceAnswer"


def test_another_json_value_is_a_root_model() -> None:
    view = make_view(replace(CHART, payload=SchemaRoot(Array(STRING), (), ("uniqueItems",))), "Chart")
    assert view.root is not None
    assert str(view.root.bases) == "CheckedResource, RootArrayResource"
    assert str(view.checks) == "uniqueItems"
    assert str(view.payload) == "Chart | list[Any] | str | ResourceAnswer"


@pytest.mark.parametrize(
    ("type", "text_is_json", "contents_in_mappings"),
    [
        (INTEGER, True, True),
        (STRING, False, True),
        (ANY, False, False),
        (Ref("plain"), True, True),
        (Ref("text"), True, False),
    ],
)
def test_options_by_the_type_of_the_json_value(type: Type, text_is_json: bool, contents_in_mappings: bool) -> None:
    nodes: dict[str, Node] = {
        name: ObjectClass(name, "", (), (Field(name, STRING, Presence.REQUIRED),), None) for name in ("plain", "text")
    }
    options = make_resource_options(replace(CHART, payload=SchemaRoot(type, (), ())), nodes)
    assert (options.text_is_json, options.contents_in_mappings) == (text_is_json, contents_in_mappings)


def test_options_of_a_declaration() -> None:
    options = make_resource_options(replace(CHART, ttl_ms=0, cache_scope="public"), {})
    assert options == ResourceOptions(uri="x://chart", mime_type="text/plain", ttl_ms=0, cache_scope="public")
