"""Example results for the reference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mcpgen.commands.docs_results import PageTask, make_tool_result_page
from mcpgen.reference.model import SiteHead
from mcpgen.reference.pages import ToolSource
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12
from support.packages import package, tool

CITY: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "examples": [{"city": "Oslo"}],
}


def make_source(**more: Any) -> ToolSource:
    definition = tool("get_city", CITY, inputSchema=CITY, **more)
    return ToolSource("get_city", definition, Schema(CITY, DRAFT_2020_12), Schema(CITY, DRAFT_2020_12))


def build(folder: Path) -> Path:
    generated = package(folder, [make_source().tool])
    return Path(generated.__file__).parent


def test_the_text_is_what_the_class_writes(tmp_path: Path) -> None:
    result = make_tool_result_page(PageTask(SiteHead("x"), build(tmp_path), None), make_source())
    assert not result.is_stale
    assert '{"city":"Oslo"}' in result.page.markdown or '{"city": "Oslo"}' in result.page.markdown
    assert result.page.entry.cost is not None
    definition = {name: make_source().tool[name] for name in ("name", "inputSchema")}
    assert result.page.entry.cost.bytes == len(json.dumps(definition, separators=(",", ":")))
    assert "| whole result |" in result.page.markdown


def test_tokens_are_counted_with_a_vocabulary() -> None:
    task = PageTask(SiteHead("x", vocabulary="o200k_base"), None, "o200k_base")
    cost = make_tool_result_page(task, make_source()).page.entry.cost
    assert cost is not None
    assert cost.tokens is not None
    assert 0 < cost.tokens < cost.bytes


def test_another_definition_is_stale(tmp_path: Path) -> None:
    task = PageTask(SiteHead("x"), build(tmp_path), None)
    result = make_tool_result_page(task, make_source(description="Another."))
    assert result.is_stale
    assert "What the model reads" not in result.page.markdown
    assert "Structured result" in result.page.markdown
