"""Rendering in the pipeline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcpgen.cache.store import Store
from mcpgen.diagnostics import Findings
from mcpgen.ir.package import Package, ToolModule
from mcpgen.ir.template import Write
from mcpgen.lower import assemble
from mcpgen.lower.assemble import lower_schemas
from mcpgen.names.allocator import allocate_names
from mcpgen.names.package_names import ToolNames
from mcpgen.pipeline.cached_steps import render_tool_definition
from mcpgen.pipeline.content_templates import attach_templates, check_content_strategy, find_rendered_tools
from mcpgen.pipeline.lowering import assemble_tool, make_tool_requests
from mcpgen.pipeline.preview import lower_and_name
from mcpgen.read.definitions import Definitions, TemplateFile, ToolDefinition
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.object_roots import make_object_schema
from mcpgen.schema.values import Json
from mcpgen_runtime.tool_contract import contract_hash
from mcpgen_runtime.tool_definitions import advertise_tool
from support.definitions import PRICE, define_tool, make_settings


# --- jobs and texts that concern a whole package ----------------------------------------------------------------------
def _render(tool: ToolDefinition) -> Any:
    names = ToolNames(tool.name, "AResult", "AArguments", {}, {})
    return json.loads(render_tool_definition(tool, names, contract_hash(tool.tool)))


def test_only_a_result_that_may_be_no_object_has_a_wrapped_schema() -> None:
    assert "wrapped" not in _render(define_tool("talk"))
    assert "wrapped" not in _render(define_tool("buy", PRICE))
    wrapped = _render(define_tool("list", {"type": "array"}, wrap="always"))["wrapped"]
    assert wrapped == {"when": "always", "as": "result"}


SCHEMAS: list[Json] = [
    True,
    {"type": "array"},
    {"$ref": "#/$defs/A", "$defs": {"A": {"type": "object"}}},
    {"oneOf": [{"type": "object"}, {"type": "object", "required": ["a"]}], "type": ["object"]},
    {"$schema": DRAFT_2020_12, "items": {"$ref": "#/$defs/A"}, "$defs": {"A": {"$ref": "#"}}},
    {"$id": "https://a/b", "$schema": DRAFT_2020_12, "items": {"$ref": "#/$defs/A"}, "$defs": {"A": {"type": "null"}}},
    {"items": {"$ref": "#a"}, "$defs": {"A": {"$anchor": "a", "type": "null"}}},
    {"items": {"$ref": "a"}, "$defs": {"A": {"$id": "a", "$ref": "#/x", "x": {"type": "null"}}}},
    {"items": {"$ref": "#/$defs/a~1b~0"}, "$defs": {"a/b~": {"$ref": "#"}}, "enum": [[None], {"$ref": "#"}]},
    {"anyOf": [{"$ref": "#/$defs/0"}, {"not": {"$dynamicRef": "#/$defs/0"}}], "$defs": {"0": {"type": "null"}}},
    {"properties": {"$ref": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "null"}}},
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=[json.dumps(schema) for schema in SCHEMAS])
def test_generated_code_derives_the_advertised_schema(schema: Json) -> None:
    """Check that the JSON file has each schema once; the oracle is what mcpgen compares servers with."""
    tool = define_tool("list", schema)
    assert tool.output is not None
    content = _render(tool)
    declared = json.dumps(content["tool"])
    for version in ("2025-06-18", "2025-11-25"):
        advertised = advertise_tool(content, version)["outputSchema"]
        assert advertised == make_object_schema(schema, tool.output.dialect)
    assert advertise_tool(content, "2026-07-28")["outputSchema"] == schema
    assert json.dumps(content["tool"]) == declared


# --- packages that are named but not rendered -------------------------------------------------------------------------
def test_tools_have_the_names_that_build_would_give_them() -> None:
    nested = {"type": "object", "properties": {"cost": PRICE}}
    preview = lower_and_name(Definitions(tools=[define_tool("get_cost", nested)]), make_settings(), 1)
    package, names = preview.package, preview.names
    assert [tool.wire for tool in package.tools] == ["get_cost"]
    tool_names = names.tools["get_cost"]
    assert (tool_names.module, tool_names.result, tool_names.arguments) == (
        "get_cost",
        "GetCostResult",
        "GetCostArguments",
    )
    assert "Cost" in {*tool_names.nested.values()}


def test_places_lead_to_the_classes_made_from_them() -> None:
    wind = {"type": "object", "properties": {"speed": {"type": "number"}}}
    tools = [define_tool(name, {"type": "object", "properties": {"wind": wind}}) for name in ("a", "b")]
    tools[1] = define_tool(
        "b",
        {
            "type": "object",
            "properties": {"wind": wind, "sun": {"title": "Sun", "properties": {"up": {}}, "type": "object"}},
        },
    )
    preview = lower_and_name(Definitions(tools=tools), make_settings(), 1)
    assert preview.places["tool", "a"] == {"#output:/properties/wind": ("types", "Wind")}
    assert preview.places["tool", "b"]["#output:/properties/sun"] == ("", "Sun")


def test_nothing_is_lowered_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So `diff` lowers what is on both sides once, and nothing that the last build has lowered."""
    definitions = Definitions(tools=[define_tool("get_cost", {"type": "object", "properties": {"cost": PRICE}})])
    first = lower_and_name(definitions, make_settings(), 1, Store(tmp_path))

    def refuse(*_: object) -> None:
        raise AssertionError("it was lowered before")

    monkeypatch.setattr(assemble, "lower_modules", refuse)
    assert lower_and_name(definitions, make_settings(), 1, Store(tmp_path)) == first
    with pytest.raises(AssertionError, match="it was lowered before"):
        lower_and_name(definitions, make_settings(), 1)


# --- content templates and strategies of whole packages ---------------------------------------------------------------
def _lower(tool: ToolDefinition) -> ToolModule:
    roots = lower_schemas(make_tool_requests(tool, make_settings()))
    return assemble_tool(tool, *roots)


def _attach(text: str, *rendered_tools: str) -> tuple[Package, Findings]:
    findings = Findings()
    tool = define_tool("buy", PRICE, template=TemplateFile("buy.content.j2", "schemas/buy.content.j2", text))
    package = Package((_lower(tool),), (), (), "none", None)
    return attach_templates(package, [tool], findings, rendered_tools), findings


def test_a_template_becomes_statements() -> None:
    package, findings = _attach("It costs {{ price }}.")
    assert not len(findings)
    (tool,) = package.tools
    assert tool.template is not None
    assert tool.template.origin == "schemas/buy.content.j2"
    (statement,) = tool.template.body
    assert isinstance(statement, Write)
    assert (statement.pieces[0], statement.pieces[2]) == ("It costs ", ".")


def test_an_error_has_its_place_in_the_template() -> None:
    _, findings = _attach("It costs\n  {{ prize }}.")
    (finding,) = findings
    assert finding.code == "MG503"
    assert finding.span is not None
    assert (finding.span.file, finding.span.line, finding.span.text) == ("buy.content.j2", 2, "  {{ prize }}.")


def test_the_template_of_a_rendered_tool_is_not_compiled() -> None:
    package, findings = _attach("{{ prize }}", "buy")
    assert not len(findings)
    assert package.tools[0].template is not None
    assert package.tools[0].template.body == ()


def test_rendered_tools_are_found_by_their_paths() -> None:
    package, _ = _attach("")
    names, _ = allocate_names(package)
    assert find_rendered_tools(names, {"tools/buy.py", "client.py"}) == {"buy"}
    assert find_rendered_tools(names, {"tools/sell.py"}) == frozenset()


@pytest.mark.parametrize(
    ("content", "schema", "sdk", "problem"),
    [
        ("items", PRICE, "none", "its result has no property that is an array"),
        ("items", {"type": "array", "items": {"type": "string"}}, "none", ""),
        ("sdk", PRICE, "none", "the package is for no SDK"),
        ("sdk", PRICE, "mcp", ""),
        ("link", PRICE, "none", "the package is for no SDK"),
        ("link", PRICE, "mcp", ""),
        ("link", None, "none", "it declares no outputSchema"),
        ("binary", PRICE, "none", "is not binary data"),
        ("json", PRICE, "none", ""),
        ("table", None, "none", "it declares no outputSchema"),
        ("csv", PRICE, "none", "its result has no property that is an array of objects"),
        ("table", {"type": "array", "items": PRICE}, "none", ""),
    ],
)
def test_a_strategy_has_to_fit_its_tool(content: str, schema: object, sdk: str, problem: str) -> None:
    findings = Findings()
    tool = define_tool("buy", schema, content=content, content_chosen=True)
    check_content_strategy(_lower(tool), tool, sdk, findings)
    assert [finding.code for finding in findings] == ["MG509"] * bool(problem)
    assert all(problem in finding.message for finding in findings)


def test_the_sdk_cannot_add_annotations() -> None:
    """Also where the content is the default, that of a pulled tool."""
    for content, count in (("sdk", 1), ("json", 0)):
        tool = define_tool("talk", None, content=content, audience=("user",))
        findings = Findings()
        check_content_strategy(_lower(tool), tool, "mcp", findings)
        assert [finding.code for finding in findings] == ["MG509"] * count
