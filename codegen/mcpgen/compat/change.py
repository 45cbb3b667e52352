"""Changes between two versions of a definition, as the rules report them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mcpgen.compat.rules.rule import Rule, RuleMatch
from mcpgen.diagnostics import Diagnostic, Severity, Span, join_words

UNDECIDED_CODE = "MG808"
"""Code of a change that neither the inclusion check nor a sampled value could decide."""


@dataclass(frozen=True)
class Change:
    """Change to a tool or resource, and the rule that reports it."""

    rule: Rule
    subject: str
    """Title of the tool or resource: `tool "get_weather"`."""
    name: str
    """Wire name of the tool or resource."""
    text: str
    """What has changed, without the path."""
    span: Span
    help: str = ""
    severity: Severity = Severity.ERROR
    code: str = ""
    pointer: str = ""
    """JSON pointer into the definition: `/outputSchema/properties/a`."""
    paths: tuple[str, ...] = ()
    """Paths to the value that has changed, such as `result.a`: one, or one in each definition that shares it."""
    others: tuple[str, ...] = ()
    """Titles of further tools and resources that share what has changed."""
    client_help: str = ""
    """The help if the definition was pulled from somebody else's server."""

    @property
    def subjects(self) -> tuple[str, ...]:
        """Titles of all tools and resources that are affected."""
        return self.subject, *self.others

    @property
    def message(self) -> str:
        """The path and what has changed there."""
        prefix = "undecided: " if self.undecided else ""
        return prefix + (f"{join_words(self.paths)}: {self.text}" if self.paths else self.text)

    @property
    def breaking(self) -> bool:
        """Whether the change breaks clients, servers or programs."""
        return self.severity is Severity.ERROR

    @property
    def undecided(self) -> bool:
        """Whether the comparison could not decide if the change is breaking."""
        return self.code == UNDECIDED_CODE

    def to_diagnostic(self) -> Diagnostic:
        """Convert the change to a diagnostic, for every output format."""
        message = f"{', '.join(self.subjects)}: {self.message} ({self.rule.id})"
        return Diagnostic(self.code, message, self.span, self.help, self.severity)


def make_change(rule: Rule, subject: str, name: str, match: RuleMatch, span: Span) -> Change:
    """Make a change of what a rule has found."""
    return Change(
        rule,
        subject,
        name,
        match.text,
        span,
        match.help,
        rule.severity,
        rule.code,
        match.pointer,
        client_help=match.client_help,
    )


def merge_shared(changes: Iterable[Change]) -> list[Change]:
    """Return the changes, and one for those of several definitions that a `$ref` leads to the same place of a file."""
    groups: dict[tuple[object, ...], list[Change]] = {}
    for change in changes:
        span = change.span
        place = (span.file, span.line, span.column, span.revision) if span.line else change.subject
        groups.setdefault((change.rule.id, change.code, change.severity, change.text, place), []).append(change)
    merged = [
        replace(
            same[0],
            paths=tuple(dict.fromkeys(path for change in same for path in change.paths)),
            others=tuple(dict.fromkeys(change.subject for change in same if change.subject != same[0].subject)),
        )
        for same in groups.values()
    ]
    return sorted(merged, key=lambda change: change.subjects)
