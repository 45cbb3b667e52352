"""Python names that `diff` compares."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mcpgen.commands.diff_names import find_renamed_tools, make_snapshot
from mcpgen.read.definitions import Definitions
from support.definitions import PRICE, define_tool, make_settings


def _share(name: str, description: str = "") -> Any:
    return define_tool(name, {"$defs": {"Money": PRICE}, "$ref": "#/$defs/Money", "description": description})


def test_changed_tools_and_those_that_may_share_classes_may_be_renamed() -> None:
    old = Definitions(tools=[_share("a"), _share("b"), define_tool("c", PRICE), define_tool("gone")])
    new = Definitions(tools=[_share("a", "new"), _share("b"), define_tool("c", PRICE), define_tool("new")])
    assert find_renamed_tools(old, new) == {"a", "b", "gone", "new"}
    assert find_renamed_tools(old, old) == frozenset()
    renamed = replace(old, tools=[*old.tools[:2], replace(old.tools[2], class_names={"#output": "Cost"}), old.tools[3]])
    assert find_renamed_tools(old, renamed) == {"a", "b", "c"}


def test_a_snapshot_has_the_names_of_some_tools() -> None:
    nested = {"type": "object", "properties": {"first-cost": PRICE}}
    definitions = Definitions(tools=[define_tool("get_cost", nested), define_tool("other", PRICE)])
    snapshot = make_snapshot(definitions, make_settings(), 1, frozenset({"get_cost"}))
    assert snapshot.tools.keys() == {"get_cost"}
    names = snapshot.tools["get_cost"]
    assert names.module == "get_cost"
    assert {"GetCostResult", "GetCostArguments"} < names.classes
    assert names.attributes["GetCostResult", "first-cost"] == "first_cost"


def test_nothing_is_lowered_for_a_snapshot_without_tools() -> None:
    snapshot = make_snapshot(Definitions(tools=[define_tool("a", PRICE)]), make_settings(), 1, frozenset())
    assert (snapshot.tools, snapshot.resources) == ({}, {})
