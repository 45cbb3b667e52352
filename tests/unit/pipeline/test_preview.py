"""Packages that are named but not rendered."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.cache.memory import Memory
from mcpgen.cache.store import CacheStore
from mcpgen.pipeline import cached_lowering
from mcpgen.pipeline.preview import lower_and_name
from mcpgen.read.definitions import Definitions
from support.definitions import PRICE, define_tool, make_settings


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
    first = lower_and_name(definitions, make_settings(), 1, Memory(CacheStore(tmp_path)))

    def refuse(_: object) -> None:
        raise AssertionError("it was lowered before")

    monkeypatch.setattr(cached_lowering, "lower_modules", refuse)
    assert lower_and_name(definitions, make_settings(), 1, Memory(CacheStore(tmp_path))) == first
    with pytest.raises(AssertionError, match="it was lowered before"):
        lower_and_name(definitions, make_settings(), 1)
