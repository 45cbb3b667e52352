"""Tokens of the tools of a generated package: of their definitions, and of an example result of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mcpgen.commands.example_results import NoExampleResult, format_compact, join_text_blocks, make_example_result
from mcpgen.prove.package_loader import load_package
from mcpgen.schema.values import Json, allow_deep_recursion
from mcpgen.vocabularies import TokenCounter, VocabularyName, make_counter
from mcpgen.workers import Workers, pause_garbage_collection

READ_MEMBERS = ("name", "description", "inputSchema")
"""Members of a tool that clients hand to a model, as compact JSON; the other ones stay with the client."""


@dataclass(frozen=True)
class TokenCounts:
    """Tokens of one tool in one vocabulary; those of the result are None where there is no example."""

    definition: int
    text: int | None = None
    """The text blocks of an example result."""
    json: int | None = None
    """The value of the same result as compact JSON; None without an outputSchema, too."""
    result: int | None = None
    """The same result as a whole, as compact JSON."""

    def to_json(self) -> dict[str, Json]:
        """Return the counts by name."""
        return {"definition": self.definition, "text": self.text, "json": self.json, "result": self.result}


@dataclass(frozen=True)
class MeasuredTool:
    """Tokens of one tool, by vocabulary."""

    name: str
    counts: dict[VocabularyName, TokenCounts]
    problem: str = ""
    """Why there is no example result."""


@dataclass(frozen=True)
class MeasureTask:
    """What is counted of a package."""

    out: Path
    vocabularies: tuple[VocabularyName, ...]
    with_results: bool = True
    protocol: str | None = None


def measure_tools(task: MeasureTask, names: Sequence[str], jobs: int) -> list[MeasuredTool]:
    """Measure tools of a package, in several processes if there are many.

    Raises:
        PackageNotImportable: the package is missing or broken.
        VocabularyMissing: the package of a vocabulary is not installed.
    """
    with pause_garbage_collection():
        load_package(task.out)  # once, before the processes are copied from this one
        for vocabulary in task.vocabularies:
            make_counter(vocabulary)
        with Workers(jobs if task.with_results else 1) as workers:
            return [*workers.map(partial(_measure_tool, task), names)]


def sum_counts(counts: Iterable[TokenCounts]) -> TokenCounts:
    """Return the counts of several tools together; what is None counts nothing."""
    items = [*counts]
    return TokenCounts(
        sum(item.definition for item in items),
        sum(item.text or 0 for item in items),
        sum(item.json or 0 for item in items),
        sum(item.result or 0 for item in items),
    )


def build_counts_json(measured: Sequence[MeasuredTool], vocabulary: VocabularyName) -> dict[str, Json]:
    """Return the JSON of all counts in one vocabulary."""
    tools: list[Json] = [{"name": tool.name, **tool.counts[vocabulary].to_json()} for tool in measured]
    return {"tools": tools, "totals": sum_counts(tool.counts[vocabulary] for tool in measured).to_json()}


@allow_deep_recursion()
def _measure_tool(task: MeasureTask, name: str) -> MeasuredTool:
    generated: Any = load_package(task.out)
    tool = generated.TOOLS[name]
    definition = format_compact({member: tool[member] for member in READ_MEMBERS if member in tool})
    texts, problem = {"definition": definition}, ""
    if task.with_results:
        try:
            texts |= _collect_result_texts(generated.RESULT_TYPES[name], tool, task.protocol)
        except NoExampleResult as error:
            problem = str(error)
    counts: dict[VocabularyName, TokenCounts] = {
        vocabulary: _count_texts(texts, make_counter(vocabulary)) for vocabulary in task.vocabularies
    }
    return MeasuredTool(name, counts, problem)


def _collect_result_texts(result_class: Any, tool: dict[str, Json], protocol: str | None) -> dict[str, str]:
    result = make_example_result(result_class, tool)
    wire = result.to_wire(protocol=protocol)
    texts = {"text": join_text_blocks(wire), "result": format_compact(wire)}
    if "outputSchema" in tool:
        texts["json"] = format_compact(result.to_structured_content())
    return texts


def _count_texts(texts: dict[str, str], counter: TokenCounter) -> TokenCounts:
    return TokenCounts(**{kind: counter(text) for kind, text in texts.items()})
