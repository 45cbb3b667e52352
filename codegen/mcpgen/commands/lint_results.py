"""Lint rules about example results of a generated package: what they cost in hosts, and which hosts cut them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mcpgen.commands.generated_package import (
    NoExampleResult,
    format_compact,
    make_example_result,
    suggest_build,
    write_result,
)
from mcpgen.commands.host_readings import PROTOCOL
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, join_words
from mcpgen.hosts.conversions import read_as
from mcpgen.hosts.reading import Reading, Source
from mcpgen.hosts.table import HOSTS, Host
from mcpgen.lint.linter import COSTLY_VALUE, CUT_RESULT, LintFinding
from mcpgen.lint.rule import LintedDefinition, LintRule, Problem
from mcpgen.prove.package_loader import PackageNotImportable, load_package
from mcpgen.read.definitions import is_for_models
from mcpgen.read.linting import LintedSite
from mcpgen.schema.values import as_object
from mcpgen.vocabularies import DEFAULT_VOCABULARY, VocabularyMissing, make_counter


@dataclass(frozen=True)
class _Example:
    """A result in wire form, as servers send it to most hosts, and to those that get the content alone."""

    definition: LintedDefinition
    wire: dict[str, Any]
    content: dict[str, Any]

    @classmethod
    def make(cls, definition: LintedDefinition, generated: Any) -> _Example:
        """Make an example of a tool's result; raise `NoExampleResult` if there is none."""
        result = make_example_result(generated.RESULT_TYPES[definition.name], generated.TOOLS[definition.name])
        wire = write_result(result, PROTOCOL)
        content = {name: value for name, value in wire.items() if name != "structuredContent"}
        return cls(definition, wire, content)

    def read(self, rule: LintRule) -> Iterator[tuple[Host, Reading]]:
        """Yield the hosts that a rule is asked for, with what their models read."""
        for host in HOSTS:
            if host.name in rule.clients:
                wire = self.content if host.name in self.definition.content_only else self.wire
                yield host, read_as(host.name, wire, self.definition.name)

    def measure(self, sources: Iterable[Source]) -> int:
        """Return how many characters parts of the result have."""
        blocks = self.wire["content"]
        texts = (_get_text(blocks[at]) if isinstance(at, int) else format_compact(self.wire[at]) for at in sources)
        return sum(map(len, texts))


def lint_results(
    package: ConfiguredPackage, sites: Sequence[LintedSite], rules: Sequence[LintRule], findings: Findings
) -> Counter[str]:
    """Report what the rules find in examples; return how many tools they were not asked about, by reason."""
    asked = [(rule, _CHECKS[rule.code]) for rule in rules if rule.code in _CHECKS]
    tools = [site for site in sites if site.definition.output is not None and is_for_models(site.definition.value)]
    tools = tools if asked else []
    unasked = Counter[str]()
    try:
        generated = load_package(package.out) if tools else None
    except PackageNotImportable as error:
        return Counter({f"{error}; {suggest_build(package)}": len(tools)})
    for site in tools:
        try:
            example = _Example.make(site.definition, generated)
        except NoExampleResult:
            unasked["no example of the result was found; give the outputSchema one: `examples`"] += 1
            continue
        except Exception:  # what was generated from other definitions, or by another mcpgen, may raise anything
            unasked[f"the generated package is not current; {suggest_build(package)}"] += 1
            continue
        for rule, check in asked:
            for problem in check(example, rule):
                findings.add(site.locate(LintFinding(rule, problem)))
    return unasked


def _check_cost(example: _Example, rule: LintRule) -> Iterator[Problem]:
    if not example.definition.has_chosen_text:
        return
    titles = [host.title for host, reading in example.read(rule) if "structuredContent" in _list_sources(reading)]
    try:
        count, unit = make_counter(DEFAULT_VOCABULARY), f"tokens by the vocabulary {DEFAULT_VOCABULARY}"
    except VocabularyMissing:
        count, unit = len, "characters"
    value = count(format_compact(example.wire["structuredContent"])) if titles else 0
    text = count("".join(map(_get_text, example.content["content"])))
    if value > text:
        subject, hosts = f"{example.definition.label}: the value of an example", join_words(titles, most=len(titles))
        message = f"{subject} has {value:,} {unit}, the chosen text {text:,}; the model reads the value in {hosts}"
        yield Problem("/name", message, "name the client in `content-only`, so that it gets the text alone")


def _check_length(example: _Example, rule: LintRule) -> Iterator[Problem]:
    cuts = [
        f"{host.title} ({example.measure(_list_sources(reading, cut=True)):,} characters; {host.results.words})"
        for host, reading in example.read(rule)
        if reading.is_cut
    ]
    if cuts:
        message = f"{example.definition.label}: the model does not read all of an example result in {'; '.join(cuts)}"
        yield Problem("/name", message, "send less at once, such as a page; or a shorter text, or a link")


def _list_sources(reading: Reading, cut: bool = False) -> set[Source]:
    """Return the parts of a result that a model reads, or those of which it reads some only."""
    return {source for item in reading.items if item.is_cut or not cut for source in item.sources}


def _get_text(block: dict[str, Any]) -> str:
    return str(block.get("text", as_object(block.get("resource")).get("text", "")))


_CHECKS: dict[str, Callable[[_Example, LintRule], Iterator[Problem]]] = {
    COSTLY_VALUE: _check_cost,
    CUT_RESULT: _check_length,
}
