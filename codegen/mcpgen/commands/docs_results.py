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
from mcpgen.schema.values import Json, allow_deep_recursion, hash_json
from mcpgen.vocabularies import VocabularyName, make_counter


@dataclass(frozen=True)
class ExampleTask:
    """What is measured of a generated package."""

    out: Path
    vocabulary: VocabularyName | None


@dataclass(frozen=True)
class MeasuredExample:
    """An example result of a tool of a generated package."""

    digest: str
    """That of the definition that the package was generated from."""
    result: MeasuredResult | None
    """None if there is no example."""
    sizes: tuple[Size, ...] = ()


@dataclass(frozen=True)
class PageTask:
    """What all pages of tools have in common."""

    head: SiteHead
    vocabulary: VocabularyName | None


@allow_deep_recursion()
def measure_example(task: ExampleTask, name: str) -> MeasuredExample:
    """Return what the class of a tool makes of an example."""
    generated: Any = load_package(task.out)
    tool = generated.TOOLS[name]
    digest = hash_json(tool)
    try:
        example = make_example_result(generated.RESULT_TYPES[name], tool)
    except NoExampleResult:
        return MeasuredExample(digest, None)
    wire = example.to_wire()
    result = _make_measured(example, wire, tool)
    sizes = tuple(_measure(label, text, task.vocabulary) for label, text in _list_texts(wire, result))
    return MeasuredExample(digest, result, sizes)


@allow_deep_recursion()
def make_tool_result_page(task: PageTask, item: tuple[ToolSource, MeasuredExample | None]) -> RenderedPage:
    """Return the page of a tool, with its example result if there is one."""
    source, example = item
    definition = format_compact({member: source.tool[member] for member in READ_MEMBERS if member in source.tool})
    sizes = [_measure("definition", definition, task.vocabulary), *(example.sizes if example is not None else ())]
    page: Page = make_tool_page(source, example.result if example is not None else None, sizes)
    return render_page(page, task.head)


def _make_measured(example: Any, wire: Any, tool: dict[str, Json]) -> MeasuredResult:
    structured = format_compact(example.to_structured_content()) if "outputSchema" in tool else None
    blocks = tuple(block["text"] for block in wire["content"] if block["type"] == "text")
    others = tuple(block["type"] for block in wire["content"] if block["type"] != "text")
    return MeasuredResult(blocks, structured, others)


def _list_texts(wire: Any, result: MeasuredResult) -> Iterator[tuple[str, str]]:
    """Yield the texts of a result whose sizes are compared, with their names."""
    yield "text of the example", "".join(result.blocks)
    if result.structured is not None:
        yield "the same as JSON", result.structured
    yield "whole result", format_compact(wire)


def _measure(name: str, text: str, vocabulary: VocabularyName | None) -> Size:
    tokens = None if vocabulary is None else make_counter(vocabulary)(text)
    return Size(name, len(text.encode()), tokens)
