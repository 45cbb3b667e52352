"""Content templates and strategies of whole packages."""

from __future__ import annotations

import pytest
from mcpgen.diagnostics import Findings
from mcpgen.ir.package import Package, ToolModule
from mcpgen.ir.template import Write
from mcpgen.lower.assemble import lower_schemas
from mcpgen.names.allocator import allocate_names
from mcpgen.pipeline.content_templates import attach_templates, check_content_strategy, find_rendered_tools
from mcpgen.pipeline.lowering import assemble_tool, make_tool_requests
from mcpgen.read.definitions import TemplateFile, ToolDefinition
from support.definitions import PRICE, define_tool, make_settings


def _lower(tool: ToolDefinition) -> ToolModule:
    roots = lower_schemas(make_tool_requests(tool, make_settings()))
    return assemble_tool(tool, roots[0], roots[1] if len(roots) > 1 else None)


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
        ("items", PRICE, "none", "is not an array"),
        ("items", {"type": "array", "items": {"type": "string"}}, "none", ""),
        ("sdk", PRICE, "none", "the package is for no SDK"),
        ("sdk", PRICE, "mcp", ""),
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
