"""Changes between two versions of a definition, as rules report them: their places, and their acknowledgements."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mcpgen.compat.rules.rule import Definition, Rule, RuleMatch
from mcpgen.config.models import Acknowledged
from mcpgen.diagnostics import Diagnostic, Severity, Span, join_words
from mcpgen.read.definitions import FormDefinition, PromptDefinition, ResourceDefinition, ToolDefinition
from mcpgen.schema.values import Json, format_pointer, has_pointer

UNDECIDED_CODE = "MG808"
"""Code of a change that neither the inclusion check nor a sampled value could decide."""


@dataclass(frozen=True)
class SchemaLocator:
    """Finds the parts of a definition's schema in its file."""

    definition: ToolDefinition | ResourceDefinition | FormDefinition
    schema: Json
    member: str
    """Path of the schema in the definition: `inputSchema`, `outputSchema`, or `x-mcpgen/schema` for a payload."""

    def find_pointer(self, pointer: str, keyword: str = "", name: str = "") -> str:
        """Return the pointer, into the definition, of a keyword, of the property `name`, or else of the subschema."""
        extended = pointer + format_pointer(keyword)
        if name:
            named = extended + format_pointer(name)
            if not has_pointer(self.schema, named):
                named = pointer + format_pointer("properties", name)
            return f"/{self.member}{named}"
        return f"/{self.member}{extended if keyword and has_pointer(self.schema, extended) else pointer}"


def locate_part(definition: Definition, pointer: str) -> Span:
    """Return the place of a pointer into a definition; if nothing is there, that of what would contain it."""
    container = pointer
    while container and not isinstance(definition, PromptDefinition):
        place = definition.find(container)
        if place is not None and place.exists():
            span = place.make_span()
            return replace(span, pointer=place.pointer + pointer.removeprefix(container)) if span.pointer else span
        container = container.rpartition("/")[0]
    return definition.span


@dataclass(frozen=True)
class Change:
    """Change to a tool or resource, and the rule that reports it."""

    rule: Rule
    subject: str
    """Title of the tool or resource: `tool "get_weather"`."""
    name: str
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
    change = Change(rule, subject, name, match.text, span, match.help, rule.severity, rule.code, match.pointer)
    return replace(change, client_help=match.client_help)


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


def match_acknowledgements(
    changes: Sequence[Change], acknowledgements: Sequence[Acknowledged]
) -> tuple[list[Change], list[Change], list[int]]:
    """Return changes without and with an acknowledgement, and the indexes of acknowledgements that cover none."""
    remaining: list[Change] = []
    covered: list[Change] = []
    unused = set(range(len(acknowledgements)))
    for change in changes:
        covering = {index for index, entry in enumerate(acknowledgements) if covers_change(entry, change)}
        unused -= covering
        (covered if covering else remaining).append(change)
    return remaining, covered, sorted(unused)


def covers_change(acknowledgement: Acknowledged, change: Change) -> bool:
    """Check the rule and, where it names them, the subject and pointer, into the definition or into the file."""
    return (
        acknowledgement.rule == change.rule.id
        and (acknowledgement.tool is None or change.subject == f'tool "{acknowledgement.tool}"')
        and (acknowledgement.resource is None or change.subject == f'resource "{acknowledgement.resource}"')
        and acknowledgement.pointer in (None, change.pointer, change.span.pointer)
    )


def format_acknowledgement(change: Change) -> str:
    """Return what an acknowledgement of a change says about it: `rule = "tool-removed", tool = "get_tides"`."""
    kind = change.subject.partition(" ")[0]
    members = {"rule": change.rule.id}
    if kind in ("tool", "resource") and not change.others:
        members[kind] = change.name
    if change.pointer:
        members["pointer"] = change.span.pointer if change.others else change.pointer
    return ", ".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in members.items())
