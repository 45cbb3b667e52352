"""Equal objects of tools and resources are one class."""

from __future__ import annotations

from mcpgen.ir.package import ResourceModule, ToolModule
from mcpgen.ir.types import Alias, NameOrigin, ObjectClass, Ref
from mcpgen.lower.assemble import lower_schemas
from mcpgen.lower.request import LoweringRequest
from mcpgen.lower.shared_types import SharedTypes, share_types
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json


def obj(*names: str, **keywords: Json) -> Json:
    properties: Json = {name: {"type": "string"} for name in names}
    return {"type": "object", "properties": properties, **keywords}


DAY, OTHER_DAY = obj("date", "sky"), obj("date", "rain")


def make_tool(
    name: str,
    properties: dict[str, Json],
    definitions: dict[str, Json] | None = None,
    output: dict[str, Json] | None = None,
    chosen: tuple[tuple[str, str], ...] = (),
) -> ToolModule:
    """Return a tool with these arguments and, if `output` is given, with a result of these properties."""

    def request(side: str, own_value: dict[str, Json]) -> LoweringRequest:
        schema: Json = {"type": "object", "properties": own_value, "$defs": definitions or {}}
        return LoweringRequest(side, Schema(schema, DRAFT_2020_12), chosen)

    (arguments,) = lower_schemas([request("input", properties)])
    results = [] if output is None else lower_schemas([request("output", output)])
    return ToolModule(name, "", "", results[0] if results else None, arguments, "json")


def share(*tools: ToolModule) -> SharedTypes:
    return share_types(tools, [])


def list_names(shared: SharedTypes) -> list[str]:
    """Return the best candidates of the shared classes, in the order in which they get their names."""
    return [" ".join(node.name_candidates[0]) for node in shared.nodes]


def use(name: str) -> dict[str, Json]:
    return {"x": {"$ref": f"#/$defs/{name}"}}


def test_equal_inline_objects_of_two_tools_are_one_class() -> None:
    shared = share(make_tool("a", {"day": DAY}), make_tool("b", {"list": {"type": "array", "items": obj(day=1)}}))
    assert not shared.nodes
    deep = obj()
    assert isinstance(deep, dict)
    deep["properties"] = {"day": DAY}
    shared = share(make_tool("a", {"day": DAY}), make_tool("b", {"inner": deep}))
    (day,) = shared.nodes
    assert isinstance(day, ObjectClass)
    assert list_names(shared) == ["day"]
    for tool in shared.tools:
        assert Ref(day.id) in [
            field.type for node in tool.input.nodes if isinstance(node, ObjectClass) for field in node.fields
        ]
        assert day.id not in [node.id for node in tool.input.nodes]


def test_inline_objects_belong_to_the_definition_that_is_equal() -> None:
    shared = share(make_tool("a", {"when": DAY}), make_tool("b", use("Day"), {"Day": DAY}))
    assert list_names(shared) == ["Day"]
    assert shared.nodes[0].name_origin is NameOrigin.GIVEN


def test_definitions_with_different_names_stay_apart() -> None:
    tools = [make_tool(f"{name}{index}", use(name), {name: DAY}) for name in ("Day", "Date") for index in (1, 2)]
    assert sorted(list_names(share(*tools))) == ["Date", "Day"]
    assert list_names(share(*tools, make_tool("c", use("Day"), {"Day": DAY}), make_tool("d", {"x": DAY}))) == [
        "Day",
        "Date",
    ]


def test_a_new_variant_never_moves_an_existing_class() -> None:
    tools = [make_tool(name, use("Day"), {"Day": DAY}) for name in ("m", "n")]
    old_types = share(*tools)
    variant = make_tool("a", use("Day"), {"Day": OTHER_DAY})
    new_types = share(*tools, variant)
    assert new_types.nodes == old_types.nodes
    assert new_types.tools[:2] == old_types.tools
    assert new_types.tools[2] is variant
    again = share(
        *tools, variant, make_tool("b", use("Day"), {"Day": OTHER_DAY}), make_tool("o", use("Day"), {"Day": DAY})
    )
    assert again.nodes[0].id == old_types.nodes[0].id
    assert list_names(again) == ["Day with sky", "Day with rain"]


def test_equal_objects_of_one_tool_are_one_class_in_its_module() -> None:
    shared = share(make_tool("a", {"day": DAY}, output={"day": DAY, "next": {"type": "array", "items": DAY}}))
    assert not shared.nodes
    (tool,) = shared.tools
    assert tool.output is not None
    assert [node.id for node in tool.output.nodes] == ["output:", "output:/properties/day"]
    assert [node.id for node in tool.input.nodes] == ["input:"]
    assert tool.output.nodes[1].name_candidates[0] == ("day",)
    assert shared.ids["tool", "a"] == {
        "input:/properties/day": "output:/properties/day",
        "output:/properties/next/items": "output:/properties/day",
    }


def test_what_a_shared_class_refers_to_is_shared() -> None:
    week: Json = {"type": "object", "properties": use("Day")}
    shared = share(*(make_tool(name, use("Week"), {"Week": week, "Day": DAY}) for name in "ab"))
    assert sorted(list_names(shared)) == ["Day", "Week"]


def test_the_class_of_a_root_and_what_refers_to_it_stay() -> None:
    tree: Json = {"type": "object", "properties": {"trees": {"type": "array", "items": {"$ref": "#"}}}}
    roots = [lower_schemas([LoweringRequest("input", Schema(tree, DRAFT_2020_12))])[0] for _ in "ab"]
    tools = [ToolModule(name, "", "", None, root, "json") for name, root in zip("ab", roots, strict=True)]
    assert share(*tools).tools == tools


def test_aliases_are_shared_by_name() -> None:
    shared = share(*(make_tool(name, use("Level"), {"Level": {"enum": ["low", "high"]}}) for name in "ab"))
    (level,) = shared.nodes
    assert isinstance(level, Alias)
    assert list_names(shared) == ["Level"]


def test_a_name_that_was_chosen_once_is_that_of_all() -> None:
    chosen = make_tool("b", {"day": DAY}, chosen=(("/properties/day", "Weather"),))
    assert list_names(share(make_tool("a", {"day": DAY}), chosen, make_tool("c", {"sky": DAY}))) == ["Weather"]
    other_tool = make_tool("d", {"day": DAY}, chosen=(("/properties/day", "Sky"),))
    assert not share(chosen, other_tool).nodes


def test_members_of_a_union_that_are_equal_are_one_type() -> None:
    union: dict[str, Json] = {"x": {"anyOf": [DAY, {"type": "object", "allOf": [DAY]}]}}
    shared = share(make_tool("a", union, output={"day": DAY}))
    (root,) = [node for node in shared.tools[0].input.nodes if node.id == "input:"]
    assert isinstance(root, ObjectClass)


def test_a_description_stays_if_it_is_that_of_all() -> None:
    def describe(*texts: str) -> str:
        tools = [make_tool(text + str(index), {"day": obj("a", description=text)}) for index, text in enumerate(texts)]
        return share(*tools).nodes[0].description

    assert describe("One.", "One.") == "One."
    assert describe("One.", "Two.") == ""


def test_resources_share_with_tools() -> None:
    root = make_tool("a", {"day": DAY}).input
    resource = ResourceModule("r", "", "", "x://y", None, (), None, root)
    shared = share_types([make_tool("a", {"day": DAY})], [resource])
    assert len(shared.nodes) == 1
    payload = shared.resources[0].payload
    assert payload is not None
    assert len(payload.nodes) == 1
