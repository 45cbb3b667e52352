"""The JSON files of a package."""

from __future__ import annotations

import json

from mcpgen.diagnostics import Span
from mcpgen.read.definitions import ResourceDefinition
from mcpgen.render.json_files import render_resources_json, render_tools_json
from mcpgen.render.json_writer import render_json_value
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12


def test_tools_and_wrapped_schemas() -> None:
    value = json.loads(
        render_tools_json([render_json_value({"name": "a"})], {"a": render_json_value({"when": "legacy"})})
    )
    assert value["tools"] == [{"name": "a"}]
    assert value["wrapped"] == {"a": {"when": "legacy"}}


def test_resources_and_templates_are_kept_apart() -> None:
    chart = ResourceDefinition("chart", "a.json", Span("a.json"), {"name": "chart", "uri": "x://chart"})
    berth = ResourceDefinition(
        "berth",
        "a.json",
        Span("a.json"),
        {"name": "berth", "uriTemplate": "x://{id}"},
        payload=Schema({"type": "integer"}, DRAFT_2020_12),
    )
    value = json.loads(render_resources_json([chart, berth]))
    assert value["resources"] == [chart.resource]
    assert value["resourceTemplates"] == [berth.resource]
    assert value["schemas"] == {"berth": {"type": "integer"}}
