"""Lint findings and changes since a revision, for the pages of the reference that they are about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mcpgen.commands.diff_comparison import compare_requested
from mcpgen.commands.diff_inputs import DiffRequest
from mcpgen.compat.change import Change
from mcpgen.config.models import LintSettings
from mcpgen.diagnostics import Findings, Severity
from mcpgen.lint.invisible_text import mark_invisible
from mcpgen.lint.linter import LintFinding, lint_definition, lint_package, select_rules
from mcpgen.read.definitions import Definitions
from mcpgen.read.linting import list_linted
from mcpgen.reference.model import Note
from mcpgen.reference.pages import Remarks

Subject = tuple[str, str]
"""Kind of a definition (`tool`, `resource` or `prompt`), and its name."""


@dataclass
class CollectedRemarks:
    """Findings and changes by the definition that they are about."""

    findings: dict[Subject, list[Note]] = field(default_factory=dict[Subject, list[Note]])
    changes: dict[Subject, list[Note]] = field(default_factory=dict[Subject, list[Note]])

    def take(self, kind: str, name: str) -> Remarks:
        """Return those about a definition, and forget the changes, so that those about no page are left."""
        subject = (kind, name)
        return Remarks(tuple(self.findings.get(subject, ())), tuple(self.changes.pop(subject, ())))

    def list_left(self) -> tuple[Note, ...]:
        """Return the changes of definitions that are gone."""
        return tuple(
            Note(note.code, note.severity, mark_invisible(f'{kind} "{name}": {note.text}'), note.help)
            for (kind, name), notes in sorted(self.changes.items())
            for note in notes
        )


def collect_lint(definitions: Definitions, settings: LintSettings) -> dict[Subject, list[Note]]:
    """Return what the selected rules find, by definition."""
    rules = select_rules(settings.selected, settings.ignore, settings.clients)
    linted = [site.definition for site in list_linted(definitions)]
    found: dict[Subject, list[Note]] = {}
    for definition in linted:
        for finding in lint_definition(definition, rules):
            found.setdefault((definition.kind, definition.name), []).append(_make_lint_note(finding))
    for number, finding in lint_package(linted, rules):
        found.setdefault((linted[number].kind, linted[number].name), []).append(_make_lint_note(finding))
    return found


def _make_lint_note(finding: LintFinding) -> Note:
    rule, problem = finding.rule, finding.problem
    return Note(rule.code, rule.severity.value, mark_invisible(problem.message), mark_invisible(problem.help))


def collect_changes(request: DiffRequest, findings: Findings) -> Mapping[Subject, list[Note]]:
    """Return the changes since a revision, by definition; new tools, resources and prompts are changes, too."""
    comparison = compare_requested(request)
    findings.extend(item for item in comparison.findings if item.severity is Severity.ERROR)
    changes: dict[Subject, list[Note]] = {}
    for change in comparison.changes:
        changes.setdefault((change.subject.partition(" ")[0], change.name), []).append(_make_change_note(change))
    return changes


def _make_change_note(change: Change) -> Note:
    severity = "error" if change.breaking else change.severity.value
    return Note(change.code, severity, mark_invisible(change.message), mark_invisible(change.help))
