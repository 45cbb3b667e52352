"""Definitions before and after: every rule applied to what it is about, as changes with places."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from mcpgen.compat import rules as _rules
from mcpgen.compat.counterexample import Witness, WitnessSearch
from mcpgen.compat.gap import Gap
from mcpgen.compat.inclusion.checker import InclusionChecker
from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.compat.python_names import PythonNames
from mcpgen.compat.registry import (
    RULES,
    Category,
    PythonNamesPair,
    ResourcePair,
    Rule,
    RuleMatch,
    SubschemaPair,
    ToolPair,
)
from mcpgen.diagnostics import Diagnostic, Severity, Span
from mcpgen.read.definitions import Definitions, ResourceDefinition, ToolDefinition
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import iterate_subschemas
from mcpgen.schema.recursion import RECURSION_LIMIT
from mcpgen.schema.values import Json, canonicalize, follow_pointer, format_pointer, parse_pointer

assert _rules.__all__
SAMPLES_PER_GAP, SAMPLES_PER_SCHEMA = 40, 120
"""Values drawn for each gap that is not certain, and for all of them together."""
MOST_SAMPLED_CHARACTERS, FEWEST_SAMPLES = 800_000, 6
"""Characters of schemas to draw from for one gap, and how many values at least."""
LONGEST_EXAMPLE = 160
"""Characters of a value that is shown."""
UNDECIDED_PREFIX = "undecided: "
UNDECIDED_CODE = "MG808"
"""The code of a change that no rule could decide and no value decided."""


@dataclass(frozen=True)
class Change:
    """One finding: which rule speaks, of what, and what it says."""

    rule: Rule
    subject: str
    """`tool "get_weather"`."""
    name: str
    """The wire name of the tool or resource."""
    text: str
    span: Span
    help: str = ""
    severity: Severity = Severity.ERROR
    code: str = ""
    pointer: str = ""
    """Where it is in the definition: `/outputSchema/properties/a`."""

    @property
    def breaking(self) -> bool:
        """Whether the change breaks somebody."""
        return self.severity is Severity.ERROR

    @property
    def undecided(self) -> bool:
        """Whether it could not be decided if it does."""
        return self.code == UNDECIDED_CODE

    def to_diagnostic(self) -> Diagnostic:
        """The change as a diagnostic, for every format of output."""
        message = f"{self.subject}: {self.text} ({self.rule.id})"
        return Diagnostic(self.code, message, self.span, self.help, self.severity)


@dataclass(frozen=True)
class PackageSnapshot:
    """All definitions of one side, and the Python names of what is generated for them."""

    definitions: Definitions
    tools: Mapping[str, PythonNames]
    resources: Mapping[str, PythonNames]
    classes: frozenset[str]


def compare_definitions(old: PackageSnapshot, new: PackageSnapshot, off: frozenset[str] = frozenset()) -> list[Change]:
    """Every change between two sides that a rule speaks of, sorted by place.

    Args:
        old: what was.
        new: what is.
        off: categories and rules that are not asked.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION_LIMIT))
    chosen = [one for one in RULES.values() if one.id not in off and one.category not in off]
    comparison = _Comparison(chosen, old, new)
    changes = [*comparison.tools(), *comparison.resources()]
    order = list(RULES)

    def key(one: Change) -> tuple[str, str, int, int, int, str]:
        at = one.span
        return one.subject, at.file, at.line, at.column, order.index(one.rule.id), one.text

    return sorted(dict.fromkeys(changes), key=key)


class _Comparison:
    def __init__(self, chosen: list[Rule], old: PackageSnapshot, new: PackageSnapshot) -> None:
        self._chosen, self._old, self._new = chosen, old, new

    # --- tools --------------------------------------------------------------------------------------------------
    def tools(self) -> Iterator[Change]:
        new = {one.name: one for one in self._new.definitions.tools}
        old = {one.name: one for one in self._old.definitions.tools}
        unknown: dict[str, list[ToolDefinition]] = {}
        for one in new.values():
            if one.name not in old:
                unknown.setdefault(_promise(one), []).append(one)
        for name, before in old.items():
            yield from self._tool(before, new.get(name) or _find_renamed_tool(before, unknown))

    def _tool(self, old: ToolDefinition, new: ToolDefinition | None) -> Iterator[Change]:
        subject = f'tool "{old.name}"'
        pair = ToolPair(old, new)
        for one in self._of(ToolPair):
            for found in one.apply(pair):
                yield _make_change(one, subject, old.name, found, _locate_tool(new or old, found.at), found.at)
        if new is None:
            return
        if new.name == old.name:
            yield from self._names(subject, old.name, self._old.tools, self._new.tools, new.span)
        if new.output is not None and old.output is not None:
            yield from self._schemas(
                subject, old.name, Category.OUTPUT, old.output, new.output, _SchemaLocator(new, "output")
            )
        yield from self._schemas(subject, old.name, Category.INPUT, old.input, new.input, _SchemaLocator(new, "input"))

    def _names(
        self, subject: str, name: str, old: Mapping[str, PythonNames], new: Mapping[str, PythonNames], span: Span
    ) -> Iterator[Change]:
        if name not in old or name not in new:
            return
        names = PythonNamesPair(old[name], new[name], self._new.classes)
        for one in self._of(PythonNamesPair):
            for found in one.apply(names):
                yield _make_change(one, subject, name, found, span, "")

    # --- resources ----------------------------------------------------------------------------------------------
    def resources(self) -> Iterator[Change]:
        new = {one.name: one for one in self._new.definitions.resources}
        old = {one.name: one for one in self._old.definitions.resources}
        unknown = {canonicalize(_get_uri(one)): one for one in reversed(new.values()) if one.name not in old}
        for name, before in old.items():
            yield from self._resource(before, new.get(name) or unknown.get(canonicalize(_get_uri(before))))

    def _resource(self, old: ResourceDefinition, new: ResourceDefinition | None) -> Iterator[Change]:
        subject = f'resource "{old.name}"'
        span = (new or old).span
        for one in self._of(ResourcePair):
            for found in one.apply(ResourcePair(old, new)):
                yield _make_change(one, subject, old.name, found, _locate_resource(new or old, found.at), found.at)
        if new is None:
            return
        yield from self._names(subject, old.name, self._old.resources, self._new.resources, span)
        if old.payload is not None and new.payload is not None:
            places = _SchemaLocator(new, "payload")
            yield from self._schemas(subject, old.name, Category.OUTPUT, old.payload, new.payload, places)

    # --- schemas ------------------------------------------------------------------------------------------------
    def _schemas(
        self, subject: str, name: str, category: Category, old: Schema, new: Schema, places: _SchemaLocator
    ) -> Iterator[Change]:
        if old.dialect == new.dialect and canonicalize(old.value) == canonicalize(new.value):
            return
        chosen = [one for one in self._chosen if one.category is category]
        if not chosen:
            return
        before, after = SchemaView(old.value, old.dialect), SchemaView(new.value, new.dialect)
        outward = category is Category.OUTPUT
        wide, narrow = (after, before) if outward else (before, after)
        search, gaps = WitnessSearch(wide, narrow), InclusionChecker(wide, narrow).find_gaps()
        changes: dict[int, list[Change]] = {}
        for number, gap in sorted(enumerate(gaps), key=lambda one: one[1].certain):  # a search can decide the uncertain
            changes[number] = [*self._gap(subject, name, category, gap, search)]
        told = [
            replace(change, span=places.span(at, gap.word), pointer=places.pointer(at, gap.word))
            for number, gap in enumerate(gaps)
            for change in changes[number]
            for at in [gap.wide if outward else gap.narrow]
        ]
        if (
            told
            and all(one.undecided for one in told)
            and (witness := search.find_anywhere(SAMPLES_PER_SCHEMA)) is not None
        ):
            first = told[0]
            text, help = first.text.removeprefix(UNDECIDED_PREFIX), _format_example(category, witness)
            told[0] = replace(first, text=text, help=help, severity=Severity.ERROR, code=first.rule.code)
        yield from told
        for words in _pair_subschemas(old, new):
            for one in chosen:
                if one.subject is SubschemaPair:
                    for found in one.apply(words):
                        span, at = places.span(found.at, ""), places.pointer(found.at, "")
                        yield _make_change(one, subject, name, found, span, at)

    def _gap(self, subject: str, name: str, category: Category, gap: Gap, search: WitnessSearch) -> Iterator[Change]:
        told = _match_rule(category, gap)
        if told is None or told[0] not in self._chosen:
            return
        rule, text = told
        root = "result" if category is Category.OUTPUT else "arguments"
        witness = search.find_for_gap(
            gap, min(SAMPLES_PER_GAP, max(FEWEST_SAMPLES, MOST_SAMPLED_CHARACTERS // search.size))
        )
        change = Change(
            rule, subject, name, f"{_format_path(root, gap)}: {text}", Span(""), _format_example(category, witness)
        )
        if gap.certain or witness is not None:
            yield replace(change, severity=rule.severity, code=rule.code)
        else:
            help = "no value was found that shows it; if it is meant, acknowledge it"
            yield replace(
                change, text=UNDECIDED_PREFIX + change.text, severity=Severity.WARNING, code=UNDECIDED_CODE, help=help
            )

    def _of(self, subject: type[object]) -> list[Rule]:
        return [one for one in self._chosen if one.subject is subject]


def _match_rule(category: Category, gap: Gap) -> tuple[Rule, str] | None:
    """The first rule that speaks of a gap, whether it is asked for or not: a gap has one name."""
    for one in RULES.values():
        if one.category is category and one.kind is gap.kind:
            for found in one.apply(gap):
                return one, found.text
    raise KeyError(f"no rule of {category} speaks of {gap.kind.name}")


def _make_change(rule: Rule, subject: str, name: str, found: RuleMatch, span: Span, at: str) -> Change:
    return Change(rule, subject, name, found.text, span, found.help, rule.severity, rule.code, at)


def _format_path(root: str, gap: Gap) -> str:
    """The way to a value, as a person writes it: `result.items[].name`."""
    out = root
    for step in gap.path:
        plain = step.isidentifier()
        out += "[]" if step == "*" else f".{step}" if plain else f"[{json.dumps(step, ensure_ascii=False)}]"
    return out


def _format_example(category: Category, witness: Witness | None) -> str:
    if witness is None:
        return ""
    text = json.dumps(witness.value, ensure_ascii=False)
    if len(text) > LONGEST_EXAMPLE:
        return ""
    said = "now valid, was not" if category is Category.OUTPUT else "was valid, no longer is"
    return f"{said}: {text}"


# --- places ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _SchemaLocator:
    """Where the parts of a new schema were declared."""

    definition: ToolDefinition | ResourceDefinition
    side: str

    def pointer(self, at: str, word: str) -> str:
        """Where a keyword is in the definition, else the schema that could have it."""
        side = "x-mcpgen/schema" if self.side == "payload" else f"{self.side}Schema"
        return f"/{side}{self._nearest(at, word)}"

    def span(self, at: str, word: str) -> Span:
        """The place of a keyword in its file, else of the schema that could have it."""
        at = self._nearest(at, word)
        if isinstance(self.definition, ToolDefinition):
            return self.definition.locate(f"{self.side}Schema", at)
        return self.definition.locate(at)

    def _nearest(self, at: str, word: str) -> str:
        return at + format_pointer(word) if word and self._is_there(at + format_pointer(word)) else at

    def _is_there(self, at: str) -> bool:
        one = self.definition
        if isinstance(one, ToolDefinition):
            schema = one.output if self.side == "output" else one.input
        else:
            schema = one.payload
        try:
            follow_pointer(None if schema is None else schema.value, parse_pointer(at))
        except KeyError:
            return False
        return True


def _locate_tool(tool: ToolDefinition, at: str) -> Span:
    if not at or tool.document is None or tool.at is None:
        return tool.span
    return tool.document.make_span(tool.at + at) if _has_pointer(tool.document.value, tool.at + at) else tool.span


def _locate_resource(resource: ResourceDefinition, at: str) -> Span:
    if not at or resource.document is None:
        return resource.span
    base = resource.at.removesuffix("/x-mcpgen/schema")
    return resource.document.make_span(base + at) if _has_pointer(resource.document.value, base + at) else resource.span


def _has_pointer(value: Json, at: str) -> bool:
    try:
        follow_pointer(value, parse_pointer(at))
    except KeyError:
        return False
    return True


# --- pairs -----------------------------------------------------------------------------------------------------------
def _find_renamed_tool(old: ToolDefinition, unknown: Mapping[str, list[ToolDefinition]]) -> ToolDefinition | None:
    """The one new tool that is the old one but for its name and prose: it has a schema that says something."""
    if len(canonicalize(old.tool)) < len('{"inputSchema":{"type":"object"},"name":""}') + len(old.name) + 1:
        return None
    same = unknown.get(_promise(old), [])
    return same[0] if len(same) == 1 else None


def _promise(tool: ToolDefinition) -> str:
    """A tool's schemas and their dialects, as text."""
    held = (tool.input, tool.output)
    return "\n".join("" if one is None else f"{one.dialect} {canonicalize(one.value)}" for one in held)


def _get_uri(one: ResourceDefinition) -> Json:
    return one.resource.get("uri") or one.resource.get("uriTemplate")


def _pair_subschemas(old: Schema, new: Schema) -> Iterator[SubschemaPair]:
    """The places that both schemas have."""
    stack: list[tuple[str, Json]] = [("", old.value)]
    while stack:
        at, before = stack.pop()
        if not isinstance(before, dict):
            continue
        try:
            after = follow_pointer(new.value, parse_pointer(at))
        except KeyError:
            continue
        if isinstance(after, dict):
            yield SubschemaPair(at, {**before}, {**after})
        stack.extend((at + format_pointer(*path), inner) for path, inner in iterate_subschemas(before, old.dialect))
