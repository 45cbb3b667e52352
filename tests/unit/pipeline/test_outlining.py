"""Outlines of tools: their digests change when something does that other files of the package depend on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mcpgen.lower.assemble import lower_schemas
from mcpgen.names.allocator import allocate_tool_names
from mcpgen.pipeline.lowering import assemble_tool, make_tool_requests
from mcpgen.pipeline.outlining import list_digests, outline_tool
from mcpgen.pipeline.package_outline import ToolOutline
from support.definitions import PRICE, define_tool, make_settings


def outline(output: Any, is_elsewhere: bool = False, python: str | None = None, **options: Any) -> ToolOutline:
    definition = define_tool("buy", output, **options)
    definition = replace(definition, choices=replace(definition.choices, name=python))
    tool = assemble_tool(definition, *lower_schemas(make_tool_requests(definition, make_settings())))
    names = allocate_tool_names(tool, frozenset())
    return outline_tool(definition, tool, tool, names, {}, lambda digest: is_elsewhere)


def with_class(name: str) -> Any:
    inner = {"type": "object", "title": "Money", "properties": {name: {"type": "number"}}}
    return {"type": "object", "properties": {"price": inner}, "required": ["price"]}


def test_an_outline_names_the_files_of_a_tool() -> None:
    assert outline(PRICE).paths == ("tools/buy.py", "tools/buy.json")


def test_a_change_inside_a_tool_leaves_its_part() -> None:
    old_outline, new_outline = outline(with_class("a")), outline(with_class("b"))
    assert old_outline.part == new_outline.part
    assert old_outline.digests != new_outline.digests


def test_a_change_of_a_class_that_others_have_changes_it() -> None:
    assert outline(with_class("a"), is_elsewhere=True).part != outline(with_class("b"), is_elsewhere=True).part


def test_a_change_of_names_or_of_the_run_time_modules_changes_it() -> None:
    part = outline(PRICE).part
    assert outline(PRICE, python="purchase").part != part
    assert outline(PRICE, content="sdk", content_chosen=True).part != part


def test_digests_are_those_of_classes_that_can_be_shared() -> None:
    definition = define_tool("buy", with_class("a"))
    roots = lower_schemas(make_tool_requests(definition, make_settings()))
    assert len(list_digests(roots)) == len(outline(with_class("a")).digests) > 0
