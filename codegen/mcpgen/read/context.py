"""State that the readers of one run share, and the place of a definition."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.file_tracker import FileTracker
from mcpgen.lint.linter import select_rules
from mcpgen.lint.rule import LintRule
from mcpgen.read.content_templates import TemplateCatalog
from mcpgen.read.document import SourceDocument
from mcpgen.read.input_files import InputFile, is_pulled
from mcpgen.read.parse import DocumentLoader
from mcpgen.read.validation import MemberChecker
from mcpgen.schema.values import Json, format_pointer


@dataclass(frozen=True)
class ReadContext:
    """Services and settings that the readers of one run share."""

    package: ConfiguredPackage
    findings: Findings
    disk: FileTracker
    documents: DocumentLoader
    templates: TemplateCatalog
    checker: MemberChecker

    @property
    def ref_map(self) -> tuple[tuple[str, Path], ...]:
        """URI prefixes of references and the local folders that they stand for."""
        return tuple((prefix, self.package.folder / path) for prefix, path in self.package.settings.ref_map.items())

    @cached_property
    def lint_rules(self) -> tuple[LintRule, ...]:
        """The lint rules that the settings select."""
        return select_rules(self.package.settings.lint)

    def check_members(self, kind: str, value: dict[str, Json], site: DefinitionSite, known: int | None = None) -> bool:
        """Return whether the value at a site is a valid `kind` (`Tool`, …); report errors, and members that MCP lacks.

        The value is without mcpgen's choices; `known` is the number of the first finding about the definition, if
        there are some. Members that MCP lacks are the server's business in a pulled definition.
        """
        is_valid = self.checker.check(kind, value, site.document, site.pointer, self.findings, known)
        if is_valid and not is_pulled(site.file):
            self.checker.warn_about_foreign_members(kind, value, site.document, site.pointer, self.findings)
        return is_valid


@dataclass(frozen=True)
class DefinitionSite:
    """Place of a definition or of a part of it: its document, its JSON pointer there, and its input file."""

    document: SourceDocument
    pointer: str
    file: InputFile

    def make_span(self, inner: str = "", key: str | None = None) -> Span:
        """Return the span of the value at a pointer relative to this site, or of the member name `key` there."""
        return self.document.make_span(self.pointer + inner, key)

    def descend(self, *tokens: str | int) -> DefinitionSite:
        """Return the site of a value inside this one."""
        return DefinitionSite(self.document, self.pointer + format_pointer(*tokens), self.file)
