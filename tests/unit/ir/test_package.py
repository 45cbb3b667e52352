"""The IR of a package."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass, fields
from typing import get_args

import pytest
from mcpgen.config.models import PackageSettings, ResourceChoice, ResourceSettings, StrictModel, ToolChoice
from mcpgen.ir.code_settings import (
    BUILDERS,
    ContentStrategy,
    PackageCodeSettings,
    ResourceCodeSettings,
    ToolCodeSettings,
    copy_settings,
)
from mcpgen.ir.package import Package, ResourceModule, SchemaRoot, ToolModule, collect_module_references, get_root_class
from mcpgen.ir.types import ANY, Alias, Array, Field, Map, ObjectClass, Presence, Ref, Scalar, ScalarKind
from mcpgen.ir.visitors import find_reachable, find_strong_components, reverse_edges
from mcpgen.names.reserved import RUNTIME_IMPORTS
from mcpgen.read.definitions import ResourceOptions, ToolOptions

# --- roots, and the references of modules -----------------------------------------------------------------------------
STRING = Scalar(ScalarKind.STRING)


def make_class(id: str, *types: Ref | Array | Map) -> ObjectClass:
    fields = tuple(Field(f"p{number}", type, Presence.REQUIRED) for number, type in enumerate(types))
    return ObjectClass(id, "", ((id,),), fields, None)


def test_the_root_class_is_the_one_that_the_root_refers_to() -> None:
    inner, outer = make_class("Inner"), make_class("Outer")
    assert get_root_class(SchemaRoot(Ref("Outer"), (inner, outer), ())) is outer


def test_a_root_model_has_no_root_class() -> None:
    tree = Alias("Tree", "", (("tree",),), Array(Ref("Tree")))
    assert get_root_class(SchemaRoot(Ref("Tree"), (tree,), ())) is None
    assert get_root_class(SchemaRoot(STRING, (make_class("Inner"),), ())) is None


def test_references_of_a_tool_are_those_of_its_result_and_its_arguments() -> None:
    output = SchemaRoot(Ref("Out"), (make_class("Out", Map(Ref("Shared"))),), ())
    arguments = SchemaRoot(Array(Ref("In")), (make_class("In", Array(Ref("Other"))),), ())
    tool = ToolModule("t", "", "", output, arguments, "json")
    assert collect_module_references(tool) == {"Out", "Shared", "In", "Other"}


def test_a_resource_without_payload_refers_to_nothing() -> None:
    resource = ResourceModule("r", "", "", "file:///r", None, (), None)
    assert collect_module_references(resource) == frozenset()
    with_payload = ResourceModule("r", "", "", "file:///r", None, (), None, SchemaRoot(Ref("P"), (), ()))
    assert collect_module_references(with_payload) == {"P"}


def test_any_value_has_no_class() -> None:
    assert get_root_class(SchemaRoot(ANY, (), ())) is None


# --- reachability and strongly connected components of small graphs ---------------------------------------------------
def reaches(edges: dict[str, list[str]], start: str, goal: str) -> bool:
    visited, pending = set[str](), [start]
    while pending:
        node = pending.pop()
        if node == goal:
            return True
        if node not in visited:
            visited.add(node)
            pending += edges[node]
    return False


def test_what_leads_somewhere_is_found() -> None:
    edges = {"a": ["b"], "b": ["c"], "c": ["b"], "d": ["a"], "e": ["outside"]}
    assert find_reachable(edges, ["a", "e"]) == {"a", "b", "c", "e", "outside"}
    assert find_reachable(reverse_edges(edges), ["c"]) == {"a", "b", "c", "d"}
    assert reverse_edges(edges)["outside"] == ["e"]


def test_a_cycle_is_one_component_and_what_hangs_on_it_is_not() -> None:
    components = find_strong_components({"a": ["b"], "b": ["c"], "c": ["a", "d"], "d": []})
    assert components["a"] == components["b"] == components["c"] != components["d"]


@pytest.mark.parametrize("seed", range(20))
def test_nodes_share_a_component_if_each_reaches_the_other(seed: int) -> None:
    source = random.Random(seed)
    names = "abcdef"
    edges = {name: [other for other in names if source.random() < 0.25] for name in names}
    components = find_strong_components(edges)
    for left, right in itertools.combinations(names, 2):
        mutual = reaches(edges, left, right) and reaches(edges, right, left)
        assert (components[left] == components[right]) is mutual


def test_a_long_chain_needs_no_recursion() -> None:
    edges = {str(number): [str(number + 1)] for number in range(5_000)} | {"5000": ["0"]}
    assert len(set(find_strong_components(edges).values())) == 1


# --- settings that generated code depends on are copied by name, so each is a key of the settings ---------------------
@pytest.mark.parametrize(
    ("kind", "model"),
    [
        (ToolCodeSettings, ToolChoice),
        (ResourceCodeSettings, ResourceChoice),
        (ResourceCodeSettings, ResourceSettings),
        (PackageCodeSettings, PackageSettings),
    ],
)
def test_each_field_is_a_settings_key(
    kind: type[ToolCodeSettings | ResourceCodeSettings | PackageCodeSettings], model: type[StrictModel]
) -> None:
    assert all(
        field.name in model.model_fields or isinstance(getattr(model, field.name), property) for field in fields(kind)
    )


def test_definitions_and_modules_have_all_of_them() -> None:
    assert issubclass(ToolOptions, ToolCodeSettings)
    assert issubclass(ToolModule, ToolCodeSettings)
    assert issubclass(ResourceOptions, ResourceCodeSettings)
    assert issubclass(ResourceModule, ResourceCodeSettings)
    assert issubclass(Package, PackageCodeSettings)


def test_what_is_not_set_is_not_copied() -> None:
    @dataclass
    class Choice:
        audience: list[str]
        priority: float | None = None
        lenient: bool = False

    choice = Choice(["user"])
    assert copy_settings(ToolCodeSettings, choice) == {"audience": ("user",), "lenient": False}


# --- content strategies and the functions that make their blocks ------------------------------------------------------
def test_each_strategy_but_none_has_a_builder() -> None:
    assert {*get_args(ContentStrategy)} == {*BUILDERS, "none"}, "see BUILDERS in ir/code_settings.py"


def test_builders_are_reserved() -> None:
    assert {*BUILDERS.values()} < {*RUNTIME_IMPORTS["types"]}
