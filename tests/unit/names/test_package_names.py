"""Names of classes, modules and packages."""

from __future__ import annotations

import pytest
from mcpgen.ir.package import Package, SchemaRoot, ToolModule
from mcpgen.ir.types import Alias, Array, Choice, Field, Node, ObjectClass, Presence, Ref, Scalar, ScalarKind, Type
from mcpgen.names.allocator import (
    MAX_ESTIMATED_LINES,
    allocate_names,
    estimate_lines,
    name_shared_modules,
    name_tool_types,
)
from mcpgen.names.identifiers import MAX_CLASS_NAME, add_number, list_class_stems
from mcpgen.names.package_names import PackageNames, ResourceNames, ToolNames, make_typed_dict_name
from mcpgen.words import convert_to_ascii, convert_to_pascal_case, convert_to_snake_case


# --- names made from words --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("words", "stems"),
    [
        (("days", "item"), ["DaysItem"]),
        (("2nd",), ["_2nd"]),
        (("天",), []),
        ((), []),
        (
            ("deliveries", "item", "packages", "item", "breakdowns", "item"),
            ["DeliveriesItemPackagesItemBreakdownsItem"],
        ),
        (
            ("media_deliveries", "item", "packages", "item", "breakdowns", "item"),
            ["MediaDeliveriesItemBreakdownsItem", "ItemPackagesItemBreakdownsItem"],
        ),
        (("a" * 30, "b" * 30), ["B" + "b" * 29]),
        (("OneTwo" * 8,), ["OneTwo" * 6 + "One"]),
        (("x" * 50,), ["X" + "x" * 39]),
    ],
)
def test_words_become_names_that_are_short_enough(words: tuple[str, ...], stems: list[str]) -> None:
    assert list_class_stems(words) == stems
    assert all(len(stem) <= MAX_CLASS_NAME for stem in stems)


@pytest.mark.parametrize(("stem", "name"), [("Wind", "Wind2"), ("Item1", "Item1_2"), ("X" * 40, "X" * 39 + "2")])
def test_a_number_goes_behind(stem: str, name: str) -> None:
    assert add_number(stem, 2) == name


# --- names change their case word by word, and become ASCII -----------------------------------------------------------
@pytest.mark.parametrize(("text", "ascii"), [("données", "donnees"), ("größe", "groe"), ("ﬁnd", "find"), ("天気", "")])
def test_ascii(text: str, ascii: str) -> None:
    assert convert_to_ascii(text) == ascii


@pytest.mark.parametrize(
    ("text", "snake", "pascal"),
    [
        ("get-weather", "get_weather", "GetWeather"),
        ("getWeather", "get_weather", "GetWeather"),
        ("getHTTPStatus", "get_http_status", "GetHTTPStatus"),
        ("HTTP2Server", "http2_server", "HTTP2Server"),
        ("item v2", "item_v2", "ItemV2"),
        ("2fa", "_2fa", "2fa"),
        ("  ", "", ""),
    ],
)
def test_snake_and_pascal_case(text: str, snake: str, pascal: str) -> None:
    assert (convert_to_snake_case(text), convert_to_pascal_case(text)) == (snake, pascal)


# --- modules of shared classes ----------------------------------------------------------------------------------------
def make_class(id: str, *references: str) -> Node:
    fields = tuple(Field(name, Ref(name), Presence.REQUIRED) for name in references)
    return ObjectClass(id, "", (), fields, None)


def test_each_class_has_a_module_of_its_own() -> None:
    nodes = [make_class("a", "b"), make_class("b"), Alias("c", "", (), Array(Ref("b")))]
    modules = name_shared_modules(nodes, {"a": "WindReading", "b": "Wind", "c": "Winds"})
    assert modules == {"a": "wind_reading", "b": "wind", "c": "winds"}


def test_classes_that_refer_to_each_other_share_one() -> None:
    nodes = [make_class("a", "b"), make_class("b", "c"), make_class("c", "a"), make_class("d", "a")]
    modules = name_shared_modules(nodes, {"a": "Tree", "b": "Branch", "c": "Leaf", "d": "Wood"})
    assert modules == {"a": "branch", "b": "branch", "c": "branch", "d": "wood"}


def test_names_that_make_one_module_share_it_with_their_circle() -> None:
    nodes = [make_class("a", "b"), make_class("b", "c"), make_class("c")]
    modules = name_shared_modules(nodes, {"a": "IDS", "b": "Other", "c": "Ids"})
    assert modules["a"] == modules["b"] == modules["c"]


def test_references_to_classes_that_are_not_shared_do_not_count() -> None:
    assert name_shared_modules([make_class("a", "elsewhere")], {"a": "Wind"}) == {"a": "wind"}


# --- names of a package, and what follows from them -------------------------------------------------------------------
TIDE = ToolNames(
    "tide", "TideResult", "TideArguments", {"a": "Wind", "b": "Gust"}, {"a": "WindDict"}, {"a": "w", "b": "g"}
)


def test_a_tool_has_a_module_and_a_folder_of_types() -> None:
    assert TIDE.path == "tools/tide.py"
    assert TIDE.types_folder == "tool_types/tide"
    assert TIDE.list_type_imports("..x") == (("Gust", "..x.g"), ("Wind", "..x.w"), ("WindDict", "..x.w"))
    assert TIDE.all_names == {"TideResult", "TideArguments", "TideResultDict", "Wind", "Gust", "WindDict"}


def test_a_resource_has_parameters_only_with_a_template() -> None:
    assert ResourceNames("log", "Log", None, {}).all_names == {"Log"}
    assert ResourceNames("log", "Log", "LogParameters", {"a": "Line"}).all_names == {"Log", "LogParameters", "Line"}


def test_shared_names_are_imported_from_their_modules() -> None:
    names = PackageNames({"tide": TIDE}, {}, {"s": "Wind"}, {"s": make_typed_dict_name("Wind")}, {"s": "weather"})
    assert names.list_shared_imports("..types") == (("Wind", "..types.weather"), ("WindDict", "..types.weather"))


# --- which classes of a tool have modules of their own ----------------------------------------------------------------
TEXT = Scalar(ScalarKind.STRING)


def make_root_class(name: str, *targets: str, fields: int = 0, description: str = "") -> ObjectClass:
    types: list[Type] = [*map(Ref, targets), *[TEXT] * fields]
    members = tuple(Field(f"p{number}", type, Presence.OPTIONAL, description) for number, type in enumerate(types))
    return ObjectClass(name, f"/{name}", ((name,),), members, None)


def make_root(*nodes: Node) -> SchemaRoot:
    return SchemaRoot(Ref(nodes[0].id), nodes, ())


def name_modules(*nodes: Node) -> dict[str, str]:
    return name_tool_types([make_root(*nodes)], {node.id: node.id.title() for node in nodes})


def test_a_tool_of_usual_size_has_one_module() -> None:
    assert name_modules(make_root_class("root", "wind"), make_root_class("wind", fields=100)) == {}


def test_a_large_tool_has_a_module_for_each_nested_class() -> None:
    nodes = [
        make_root_class("root", "wind", "wave"),
        make_root_class("wind", "wave", fields=200),
        make_root_class("wave"),
    ]
    assert name_modules(*nodes) == {"wind": "wind", "wave": "wave"}


def test_classes_that_refer_to_each_other_have_one_module() -> None:
    nodes = [
        make_root_class("root", "wind"),
        make_root_class("wind", "wave", fields=200),
        make_root_class("wave", "wind"),
    ]
    assert name_modules(*nodes) == {"wind": "wave", "wave": "wave"}


def test_what_leads_to_the_root_stays_with_it() -> None:
    nodes = [
        make_root_class("root", "tree", "wind"),
        make_root_class("tree", "leaf", "wind"),
        make_root_class("leaf", "root"),
        make_root_class("wind", fields=200),
    ]
    assert name_modules(*nodes) == {"wind": "wind"}


@pytest.mark.parametrize(
    "node",
    [
        make_root_class("x", fields=180),
        make_root_class("x", fields=60, description="word " * 320),
        Alias("x", "/x", (("x",),), Array(Choice(tuple(map(str, range(1200)))))),
    ],
    ids=["properties", "descriptions", "constants"],
)
def test_whatever_makes_a_module_long_counts(node: Node) -> None:
    assert estimate_lines([make_root(node)]) > MAX_ESTIMATED_LINES
    assert estimate_lines([make_root(make_root_class("x", fields=20))]) < MAX_ESTIMATED_LINES


def test_other_tools_make_no_difference() -> None:
    large = make_root(make_root_class("output:root", "output:wind"), make_root_class("output:wind", fields=200))
    empty = make_root(make_root_class("input:root"))
    tools = [ToolModule(name, "a.json", "", large, empty, "json") for name in ("one", "two")]
    alone, _ = allocate_names(Package((tools[0],), (), (), "none", None))
    both, _ = allocate_names(Package((*tools,), (), (), "none", None))
    assert alone.tools["one"] == both.tools["one"]
    assert both.tools["one"].type_modules.keys() == {"output:wind"}
    ((name, module),) = [
        pair for pair in both.tools["two"].list_type_imports("..tool_types.two") if "Dict" not in pair[0]
    ]
    assert (name, module) == (both.tools["two"].nested["output:wind"], f"..tool_types.two.{module.rpartition('.')[2]}")
