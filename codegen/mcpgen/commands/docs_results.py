"""Example results for the reference: what the classes of the generated package make of an example, and its sizes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcpgen.commands.example_results import NoExampleResult, format_compact, make_example_result
from mcpgen.commands.token_counts import READ_MEMBERS
from mcpgen.prove.package_loader import load_package
from mcpgen.reference.model import Page, SiteHead
from mcpgen.reference.pages import MeasuredResult, Size, ToolSource, make_tool_page
from mcpgen.reference.site import RenderedPage, render_page
from mcpgen.schema.recursion import allow_deep_recursion
from mcpgen.schema.values import Json, canonicalize
from mcpgen.vocabularies import VocabularyName, make_counter


@dataclass(frozen=True)
class PageTask:
    """What all pages of tools have in common."""

    head: SiteHead
    out: Path | None
    """The generated package; None if its classes cannot be used."""
    vocabulary: VocabularyName | None


@dataclass(frozen=True)
class ToolPageResult:
    """The page of a tool, and whether the generated package has another version of the tool."""

    page: RenderedPage
    is_stale: bool


@allow_deep_recursion()
def make_tool_result_page(task: PageTask, source: ToolSource) -> ToolPageResult:
    """Return the page of a tool, with its example result if the generated package is for the same definition."""
    generated: Any = load_package(task.out) if task.out is not None else None
    name = str(source.tool["name"])
    is_stale = generated is not None and not _is_current(generated, source.tool, name)
    wire, result = None, None
    if generated is not None and not is_stale:
        try:
            example = make_example_result(generated.RESULT_TYPES[name], generated.TOOLS[name])
            wire, result = example.to_wire(), _make_measured(example, source.tool)
        except NoExampleResult:
            pass  # the page then has no example result
    sizes = [_measure(label, text, task.vocabulary) for label, text in _list_texts(source.tool, wire, result)]
    page: Page = make_tool_page(source, result, sizes)
    return ToolPageResult(render_page(page, task.head), is_stale)


def _is_current(generated: Any, tool: dict[str, Json], name: str) -> bool:
    return name in generated.TOOLS and canonicalize(generated.TOOLS[name]) == canonicalize(tool)


def _make_measured(example: Any, tool: dict[str, Json]) -> MeasuredResult:
    wire = example.to_wire()
    structured = format_compact(example.to_structured_content()) if "outputSchema" in tool else None
    blocks = tuple(block["text"] for block in wire["content"] if block["type"] == "text")
    others = tuple(block["type"] for block in wire["content"] if block["type"] != "text")
    return MeasuredResult(blocks, structured, others)


def _list_texts(tool: dict[str, Json], wire: Any, result: MeasuredResult | None) -> Iterator[tuple[str, str]]:
    """Yield the texts whose sizes are compared, with their names."""
    definition = {member: tool[member] for member in READ_MEMBERS if member in tool}
    yield "definition", format_compact(definition)
    if result is not None:
        yield "text of the example", "".join(result.blocks)
        if result.structured is not None:
            yield "the same as JSON", result.structured
        yield "whole result", format_compact(wire)


def _measure(name: str, text: str, vocabulary: VocabularyName | None) -> Size:
    tokens = None if vocabulary is None else make_counter(vocabulary)(text)
    return Size(name, len(text.encode()), tokens)
