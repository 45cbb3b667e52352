"""Example results for the reference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mcpgen.commands.docs_results import ExampleTask, PageTask, make_tool_result_page, measure_example
from mcpgen.reference.model import SiteHead
from mcpgen.reference.pages import ToolSource
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import hash_json
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
    example = measure_example(ExampleTask(build(tmp_path), None), "get_city")
    assert example.digest == hash_json(make_source().tool)
    page = make_tool_result_page(PageTask(SiteHead("x"), None), (make_source(), example))
    assert '{"city":"Oslo"}' in page.markdown or '{"city": "Oslo"}' in page.markdown
    assert page.entry.cost is not None
    definition = {name: make_source().tool[name] for name in ("name", "inputSchema")}
    assert page.entry.cost.bytes == len(json.dumps(definition, separators=(",", ":")))
    assert "| whole result |" in page.markdown


def test_tokens_are_counted_with_a_vocabulary() -> None:
    task = PageTask(SiteHead("x", vocabulary="o200k_base"), "o200k_base")
    cost = make_tool_result_page(task, (make_source(), None)).entry.cost
    assert cost is not None
    assert cost.tokens is not None
    assert 0 < cost.tokens < cost.bytes


def test_without_an_example_result_the_value_is_drawn() -> None:
    page = make_tool_result_page(PageTask(SiteHead("x"), None), (make_source(), None))
    assert "What the model reads" not in page.markdown
    assert "Structured result" in page.markdown


def test_a_tool_without_an_example_has_no_result(tmp_path: Path) -> None:
    nothing = {"type": "object", "properties": {"a": {"type": "string", "pattern": "(?!x)x"}}, "required": ["a"]}
    out = Path(package(tmp_path, [tool("get_nothing", nothing)]).__file__).parent
    example = measure_example(ExampleTask(out, None), "get_nothing")
    assert (example.result, example.sizes) == (None, ())
