"""Content strategies and the functions that make their blocks."""

from __future__ import annotations

from typing import get_args

from mcpgen.ir.content_strategies import BUILDERS, ContentStrategy, list_builders
from mcpgen.names.reserved import RUNTIME_IMPORTS

from generated.runtime import content_blocks


def test_each_strategy_but_none_has_a_builder() -> None:
    assert {*get_args(ContentStrategy)} == {*BUILDERS, "none"}, "see BUILDERS in ir/content_strategies.py"


def test_builders_exist_and_are_reserved() -> None:
    builders = list_builders("content_blocks")
    assert builders == ["binary_block", "item_blocks", "text_block"]
    assert all(callable(getattr(content_blocks, name)) for name in builders)
    assert {*builders} < {*RUNTIME_IMPORTS["content_blocks"]}
    assert RUNTIME_IMPORTS["sdk_text"] == ("sdk_blocks",)
