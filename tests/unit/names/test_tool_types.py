"""Which classes of a tool have modules of their own."""

from __future__ import annotations

import pytest
from mcpgen.ir.package import Package, SchemaRoot, ToolModule
from mcpgen.ir.types import Alias, Array, Choice, Field, Node, ObjectClass, Presence, Ref, Scalar, ScalarKind, Type
from mcpgen.names.allocator import allocate_names
from mcpgen.names.tool_types import MAX_ESTIMATED_LINES, estimate_lines, name_tool_types

TEXT = Scalar(ScalarKind.STRING)


def make_class(name: str, *targets: str, fields: int = 0, description: str = "") -> ObjectClass:
    types: list[Type] = [*map(Ref, targets), *[TEXT] * fields]
    members = tuple(Field(f"p{number}", type, Presence.OPTIONAL, description) for number, type in enumerate(types))
    return ObjectClass(name, f"/{name}", ((name,),), members, None)


def make_root(*nodes: Node) -> SchemaRoot:
    return SchemaRoot(Ref(nodes[0].id), nodes, ())


def name_modules(*nodes: Node) -> dict[str, str]:
    return name_tool_types([make_root(*nodes)], {node.id: node.id.title() for node in nodes})


def test_a_tool_of_usual_size_has_one_module() -> None:
    assert name_modules(make_class("root", "wind"), make_class("wind", fields=100)) == {}


def test_a_large_tool_has_a_module_for_each_nested_class() -> None:
    nodes = [make_class("root", "wind", "wave"), make_class("wind", "wave", fields=200), make_class("wave")]
    assert name_modules(*nodes) == {"wind": "wind", "wave": "wave"}


def test_classes_that_refer_to_each_other_have_one_module() -> None:
    nodes = [make_class("root", "wind"), make_class("wind", "wave", fields=200), make_class("wave", "wind")]
    assert name_modules(*nodes) == {"wind": "wave", "wave": "wave"}


def test_what_leads_to_the_root_stays_with_it() -> None:
    nodes = [
        make_class("root", "tree", "wind"),
        make_class("tree", "leaf", "wind"),
        make_class("leaf", "root"),
        make_class("wind", fields=200),
    ]
    assert name_modules(*nodes) == {"wind": "wind"}


@pytest.mark.parametrize(
    "node",
    [
        make_class("x", fields=180),
        make_class("x", fields=60, description="word " * 320),
        Alias("x", "/x", (("x",),), Array(Choice(tuple(map(str, range(1200)))))),
    ],
    ids=["properties", "descriptions", "constants"],
)
def test_whatever_makes_a_module_long_counts(node: Node) -> None:
    assert estimate_lines([node]) > MAX_ESTIMATED_LINES
    assert estimate_lines([make_class("x", fields=20)]) < MAX_ESTIMATED_LINES


def test_other_tools_make_no_difference() -> None:
    large = make_root(make_class("output:root", "output:wind"), make_class("output:wind", fields=200))
    empty = make_root(make_class("input:root"))
    tools = [ToolModule(name, "a.json", "", large, empty, "json") for name in ("one", "two")]
    alone, _ = allocate_names(Package((tools[0],), (), (), "none", None))
    both, _ = allocate_names(Package((*tools,), (), (), "none", None))
    assert alone.tools["one"] == both.tools["one"]
    assert both.tools["one"].type_paths == [f"tool_types/one/{both.tools['one'].type_modules['output:wind']}.py"]
    ((name, module),) = [
        pair for pair in both.tools["two"].list_type_imports("..tool_types.two") if "Dict" not in pair[0]
    ]
    assert (name, module) == (both.tools["two"].nested["output:wind"], f"..tool_types.two.{module.rpartition('.')[2]}")
