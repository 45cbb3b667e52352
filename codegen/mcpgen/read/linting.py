"""Ask lint rules about definitions that were read, and locate what they find."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mcpgen.diagnostics import Diagnostic, Span
from mcpgen.files.ownership import read_json_header
from mcpgen.lint.linter import LintFinding, lint_definition
from mcpgen.lint.rule import LintedDefinition
from mcpgen.read.context import ReadContext
from mcpgen.read.definitions import (
    Definition,
    Definitions,
    FormDefinition,
    PromptDefinition,
    ResourceDefinition,
    ToolDefinition,
    has_chosen_text,
    has_default_content,
)
from mcpgen.read.document import SourceDocument, WrittenPlace

_OUTPUT = "/outputSchema"


@dataclass(frozen=True)
class LintedSite:
    """A definition for lint rules, and where it is."""

    definition: LintedDefinition
    document: SourceDocument | None
    pointer: str | None
    """JSON pointer of the definition; None when the document is a bare outputSchema."""
    span: Span
    find: Callable[[str], WrittenPlace | None] = lambda _: None
    """Returns where a pointer into the definition is written, which may be in a file of shared definitions."""

    def translate(self, pointer: str) -> str | None:
        """Return the pointer in the document of what a rule points to, None if it is not in there."""
        if self.pointer is not None:
            return self.pointer + pointer
        is_inside = pointer == _OUTPUT or pointer.startswith(f"{_OUTPUT}/")
        return pointer.removeprefix(_OUTPUT) if is_inside else None

    def locate(self, finding: LintFinding) -> Diagnostic:
        """Return the diagnostic of a finding, with its place."""
        return finding.locate(self._find_span(finding.problem.pointer))

    def _find_span(self, pointer: str) -> Span:
        place = self.find(pointer)
        if place is not None and place.document is not self.document:
            return place.make_span()
        translated = self.translate(pointer)
        return self.span if translated is None or self.document is None else self.document.make_span(translated)

    def is_pulled(self) -> bool:
        """Tell whether the definition is somebody else's: in a file that `pull` wrote."""
        return self.document is not None and read_json_header(self.document.text, "pull") is not None


def make_linted(source: Definition) -> LintedSite:
    """Return a definition as lint rules get it."""
    parent = source.span.pointer.rpartition("/")[0]  # of the name, which the span is about
    match source:
        case ToolDefinition():
            linted = LintedDefinition(
                "tool",
                source.name,
                source.tool,
                source.input,
                source.output,
                has_default_content(source),
                has_chosen_text(source),
                _find_content_only(source),
            )
            return LintedSite(linted, source.document, source.at, source.span, source.find)
        case ResourceDefinition():
            linted = LintedDefinition("resource", source.name, source.resource)
            return LintedSite(linted, source.document, parent, source.span, source.find)
        case FormDefinition():
            linted = LintedDefinition("form", source.name, source.form)
            return LintedSite(linted, source.document, source.at, source.span, source.find)
        case PromptDefinition():
            return LintedSite(
                LintedDefinition("prompt", source.name, source.prompt), source.document, parent, source.span
            )


def _find_content_only(tool: ToolDefinition) -> frozenset[str]:
    if not tool.choices.content_only:
        return frozenset()
    from mcpgen.hosts.table import find_covered_hosts

    return find_covered_hosts(tool.choices.content_only)


def list_linted(definitions: Definitions) -> Iterator[LintedSite]:
    """Yield all definitions as lint rules get them."""
    for group in (definitions.tools, definitions.resources, definitions.prompts, definitions.forms):
        yield from map(make_linted, group)


def report_lint(source: Definition, context: ReadContext) -> None:
    """Report what the selected rules find in one definition."""
    site = make_linted(source)
    for finding in lint_definition(site.definition, context.lint_rules):
        context.findings.add(site.locate(finding))
