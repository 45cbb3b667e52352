"""Taking shared classes out of tools."""

from __future__ import annotations

from mcpgen.ir.package import ToolModule
from mcpgen.ir.types import Node, Ref
from mcpgen.lower.assemble import LoweringRequest, lower_schemas
from mcpgen.lower.shared_types import share_types
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json

DAY: Json = {"type": "object", "properties": {"sunny": {"type": "boolean"}}}
WEEK: Json = {"type": "object", "properties": {"first": {"$ref": "#/$defs/Day"}}}


def make_tool(name: str, definitions: dict[str, Json]) -> ToolModule:
    """Return a tool whose arguments have a property for each definition."""
    properties: Json = {key: {"$ref": f"#/$defs/{key}"} for key in definitions}
    schema: Json = {"type": "object", "properties": properties, "$defs": definitions}
    (root,) = lower_schemas([LoweringRequest("input", Schema(schema, DRAFT_2020_12))])
    return ToolModule(name, "", "", None, root, "json")


def share(*tools: ToolModule) -> tuple[list[ToolModule], list[Node]]:
    remaining, _, shared = share_types([*tools], [])
    return remaining, shared


def test_equal_definitions_of_two_tools_become_one_class() -> None:
    tools, shared = share(make_tool("a", {"Day": DAY}), make_tool("b", {"Day": DAY}))
    assert [node.id for node in shared] == ["types:/$defs/Day"]
    for tool in tools:
        (root,) = tool.input.nodes
        assert root.id == "input:"
        assert tool.input.type == Ref("input:")


def test_what_a_shared_definition_reaches_is_shared() -> None:
    _, shared = share(make_tool("a", {"Week": WEEK, "Day": DAY}), make_tool("b", {"Week": WEEK, "Day": DAY}))
    assert [node.id for node in shared] == ["types:/$defs/Day", "types:/$defs/Week"]


def test_a_definition_of_one_tool_stays_there() -> None:
    tool = make_tool("a", {"Day": DAY})
    assert share(tool) == ([tool], [])


def test_definitions_with_one_name_and_two_contents_are_not_shared() -> None:
    other: Json = {"type": "object", "properties": {"rain": {"type": "boolean"}}}
    tools = [make_tool(str(index), {"Day": content}) for index, content in enumerate((DAY, DAY, other, other))]
    assert share(*tools) == (tools, [])
