"""Changes between two versions of a definition, as the rules report them."""

from __future__ import annotations

from dataclasses import dataclass

from mcpgen.compat.rules.rule import Rule, RuleMatch
from mcpgen.diagnostics import Diagnostic, Severity, Span

UNDECIDED_PREFIX = "undecided: "
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
    span: Span
    help: str = ""
    severity: Severity = Severity.ERROR
    code: str = ""
    pointer: str = ""
    """JSON pointer into the definition: `/outputSchema/properties/a`."""

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
        message = f"{self.subject}: {self.text} ({self.rule.id})"
        return Diagnostic(self.code, message, self.span, self.help, self.severity)


def make_change(rule: Rule, subject: str, name: str, match: RuleMatch, span: Span) -> Change:
    """Make a change of what a rule has found."""
    return Change(rule, subject, name, match.text, span, match.help, rule.severity, rule.code, match.pointer)
