"""Diagnostics about names."""

from __future__ import annotations

from dataclasses import replace

from mcpgen.diagnostics import Findings
from mcpgen.ir.package import ANY_ROOT, Package
from mcpgen.ir.types import Alias, Choice
from mcpgen.names.allocator import allocate_names
from mcpgen.pipeline.lowering import assemble_tool
from mcpgen.pipeline.naming import MAX_NAME_LENGTH, check_names, count_classes, report_early_clashes
from mcpgen.read.definitions import Definitions, ToolOptions
from support.definitions import define_tool


def test_names_without_letters_and_long_names_are_reported() -> None:
    findings = Findings()
    long_name = "a" * (MAX_NAME_LENGTH + 1)
    tools = [
        define_tool("fine"),
        define_tool("猫"),
        define_tool(long_name),
        replace(define_tool("猫2"), choices=ToolOptions(name="cat")),
    ]
    check_names(Definitions(tools=tools), findings)
    assert [(finding.code, finding.span and finding.span.file) for finding in findings] == [
        ("MG202", "猫.json"),
        ("MG202", f"{long_name}.json"),
    ]


def test_clashing_names_are_reported_with_both_places() -> None:
    findings = Findings()
    report_early_clashes(Definitions(tools=[define_tool("get_a"), define_tool("get-a")]), findings)
    (finding,) = findings
    assert finding.code == "MG201"
    assert 'tool "get-a" and tool "get_a" (get_a.json:1)' in finding.message
    assert finding.span is not None
    assert finding.span.file == "get-a.json"


def test_each_tool_has_a_class_for_its_result_and_one_for_its_arguments() -> None:
    tools = tuple(assemble_tool(define_tool(name), ANY_ROOT, None) for name in ("a", "b", "c"))
    package = Package(tools, (), (), "none", None)
    assert count_classes(package, allocate_names(package)[0]) == 6
    alias = Alias("types~a", "", (("a",),), Choice(("a",)), recursive=False)
    package = Package(tools, (), (alias,), "none", None)
    assert count_classes(package, allocate_names(package)[0]) == 6
