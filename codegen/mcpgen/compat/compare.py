"""Comparison of all definitions before and after: every change that the enabled rules report."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from mcpgen.compat.change import UNDECIDED_CODE, Change, SchemaLocator, locate_part, make_change
from mcpgen.compat.counterexample import Witness, WitnessSearch
from mcpgen.compat.gap import WILDCARD, Gap
from mcpgen.compat.inclusion.certainty import is_empty
from mcpgen.compat.inclusion.conjunction import Conjunction, make_conjunction
from mcpgen.compat.inclusion.keyword_rules import find_gaps
from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.compat.registry import RULES
from mcpgen.compat.rules.python_names import SCHEMA_POINTERS, PythonNames
from mcpgen.compat.rules.rule import (
    Category,
    Definition,
    PresenceRule,
    Rule,
    RuleMatch,
    SubschemaPair,
    SubschemaRule,
    is_about,
)
from mcpgen.compat.rules.schemas import EMPTIED_INPUT_RULE, EMPTIED_OUTPUT_RULE, find_gap_rule
from mcpgen.diagnostics import Severity
from mcpgen.read.definitions import (
    ERROR_POINTER,
    Definitions,
    FormDefinition,
    PromptDefinition,
    ResourceDefinition,
    ToolDefinition,
)
from mcpgen.schema.document import Schema, SchemaLocation
from mcpgen.schema.keywords import CONDITIONAL_KEYWORDS, iterate_subschemas
from mcpgen.schema.values import Json, allow_deep_recursion, canonicalize, follow_pointer, format_pointer, parse_pointer

T = TypeVar("T")
D = TypeVar("D", ToolDefinition, ResourceDefinition, PromptDefinition, FormDefinition)
_BARE_TOOL = '{"inputSchema":{"type":"object"},"name":""}'
"""Canonical JSON of a tool without any schema content, which only its name distinguishes from others."""
_RULE_ORDER = {id: index for index, id in enumerate(RULES)}


@dataclass(frozen=True)
class PackageSnapshot:
    """Definitions of a package at one time, and the Python names that are generated for them."""

    definitions: Definitions
    tools: Mapping[str, PythonNames]
    """Wire name of a tool → its Python names; tools whose names cannot have changed may be missing."""
    resources: Mapping[str, PythonNames]
    classes: frozenset[str]


@allow_deep_recursion()
def compare_definitions(
    old: PackageSnapshot, new: PackageSnapshot, disabled: frozenset[str] = frozenset()
) -> list[Change]:
    """Return the changes between two snapshots, sorted, without the `disabled` categories and rules."""
    rules = [rule for rule in RULES.values() if rule.id not in disabled and rule.category not in disabled]
    return sorted(_drop_repeated([*_list_changes(old, new, rules)]), key=_make_sort_key)


def _drop_repeated(changes: Sequence[Change]) -> Iterator[Change]:
    """Yield each change once, and no addition or other wording where a rule reports an error at the same place."""
    errors = {(change.subject, change.pointer) for change in changes if change.breaking}
    for change in dict.fromkeys(changes):
        if (
            change.rule.category not in (Category.WORDING, Category.ADDITIONS)
            or (change.subject, change.pointer) not in errors
        ):
            yield change


def _make_sort_key(change: Change) -> tuple[str, str, int, int, int, str]:
    span = change.span
    return change.subject, span.file, span.line, span.column, _RULE_ORDER[change.rule.id], change.text


def _list_changes(old: PackageSnapshot, new: PackageSnapshot, rules: Sequence[Rule]) -> Iterator[Change]:
    before, after = old.definitions, new.definitions
    tools = [*pair_tools(before.tools, after.tools)]
    yield from _compare_all(tools, after.tools, rules)
    resources = [*pair_resources(before.resources, after.resources)]
    yield from _compare_all(resources, after.resources, rules)
    yield from _compare_all(_pair_by_name(before.prompts, after.prompts), after.prompts, rules)
    forms = _pair_by_name(before.forms, after.forms)
    yield from _compare_all(forms, after.forms, rules)
    for old_form, new_form in forms:
        if new_form is not None:
            yield from _compare_schemas(old_form, new_form, rules)
    for old_tool, new_tool in tools:
        if new_tool is not None:
            yield from _compare_schemas(old_tool, new_tool, rules)
            yield from _compare_names(old_tool, new_tool, old.tools, new.tools, new.classes, rules)
    for old_resource, new_resource in resources:
        if new_resource is not None:
            yield from _compare_schemas(old_resource, new_resource, rules)
            yield from _compare_names(old_resource, new_resource, old.resources, new.resources, new.classes, rules)


# --- pairs of definitions: by name, and for renamed ones by their schemas or URI -------------------------------------
def pair_tools(
    old: Sequence[ToolDefinition], new: Sequence[ToolDefinition]
) -> Iterator[tuple[ToolDefinition, ToolDefinition | None]]:
    """Yield each old tool with the new tool of the same name, else with the one that it was renamed to.

    That is the only added tool with the same schemas, and none for a tool without any schema content.
    """
    for tool, renamed in _pair_definitions(old, new, _serialize_schemas):
        is_clear = len(renamed) == 1 and (renamed[0].name == tool.name or not _is_bare(tool))
        yield tool, renamed[0] if is_clear else None


def _is_bare(tool: ToolDefinition) -> bool:
    return len(canonicalize(tool.tool)) < len(_BARE_TOOL) + len(tool.name) + 1


def _serialize_schemas(tool: ToolDefinition) -> str:
    schemas = (tool.input, tool.output)
    return "\n".join("" if schema is None else f"{schema.dialect} {canonicalize(schema.value)}" for schema in schemas)


def pair_resources(
    old: Sequence[ResourceDefinition], new: Sequence[ResourceDefinition]
) -> Iterator[tuple[ResourceDefinition, ResourceDefinition | None]]:
    """Yield each old resource with the new one of the same name, else with the one that has taken over its URI."""
    for resource, renamed in _pair_definitions(old, new, lambda resource: resource.uri):
        yield resource, next(iter(renamed), None)


def _pair_by_name(old: Sequence[D], new: Sequence[D]) -> list[tuple[D, D | None]]:
    """Return each old definition with the new one of the same name."""
    new_by_name = {definition.name: definition for definition in new}
    return [(definition, new_by_name.get(definition.name)) for definition in old]


def _pair_definitions(
    old: Sequence[D], new: Sequence[D], identify: Callable[[D], str]
) -> Iterator[tuple[D, Sequence[D]]]:
    """Yield each old definition with the new one of the same name, else with the added ones that equal it in a text."""
    new_by_name = {definition.name: definition for definition in new}
    old_by_name = {definition.name: definition for definition in old}
    added: dict[str, list[D]] = defaultdict(list)
    for name, definition in new_by_name.items():
        if name not in old_by_name:
            added[identify(definition)].append(definition)
    for name, definition in old_by_name.items():
        yield definition, [new_by_name[name]] if name in new_by_name else added[identify(definition)]


# --- definitions as a whole ------------------------------------------------------------------------------------------
def _compare_all(pairs: Sequence[tuple[D, D | None]], all_new: Sequence[D], rules: Sequence[Rule]) -> Iterator[Change]:
    for old, new in pairs:
        if new is None:
            yield from _report_presence(old, rules, is_addition=False)
        else:
            yield from _compare_by_rules(old, new, old, new, rules)
    known = {new.name for _, new in pairs if new is not None}
    for definition in all_new:
        if definition.name not in known:
            yield from _report_presence(definition, rules, is_addition=True)


def _report_presence(definition: Definition, rules: Sequence[Rule], *, is_addition: bool) -> Iterator[Change]:
    for rule in rules:
        if isinstance(rule, PresenceRule) and (rule.subject, rule.is_addition) == (type(definition), is_addition):
            yield make_change(rule, _make_title(definition), definition.name, rule.match, definition.span)


def _compare_by_rules(
    old: T, new: T, old_definition: Definition, new_definition: Definition, rules: Sequence[Rule]
) -> Iterator[Change]:
    for rule in rules:
        for match in rule.find(old, new) if is_about(rule, type(old)) else ():
            span = locate_part(new_definition, match.pointer)
            yield make_change(rule, _make_title(old_definition), old_definition.name, match, span)


def _make_title(definition: Definition) -> str:
    kinds = {ToolDefinition: "tool", ResourceDefinition: "resource", PromptDefinition: "prompt", FormDefinition: "form"}
    return f'{kinds[type(definition)]} "{definition.name}"'


# --- their schemas and Python names ----------------------------------------------------------------------------------
def _compare_schemas(
    old: ToolDefinition | ResourceDefinition | FormDefinition,
    new: ToolDefinition | ResourceDefinition | FormDefinition,
    rules: Sequence[Rule],
) -> Iterator[Change]:
    new_schemas = _index_schemas(new)
    for side, before in _index_schemas(old).items():
        if side in new_schemas:
            locator = SchemaLocator(new, new_schemas[side].value, SCHEMA_POINTERS[side].removeprefix("/"))
            category = Category.INPUT if side in ("#input", "#form") else Category.OUTPUT  # clients send both
            title, after = _make_title(old), new_schemas[side]
            yield from SchemaComparison(title, old.name, category, before, after, locator, rules).list_changes()


def _compare_names(
    old: ToolDefinition | ResourceDefinition,
    new: ToolDefinition | ResourceDefinition,
    old_names: Mapping[str, PythonNames],
    new_names: Mapping[str, PythonNames],
    new_classes: frozenset[str],
    rules: Sequence[Rule],
) -> Iterator[Change]:
    if old.name in old_names and old.name in new_names:
        before, after = (
            replace(names[old.name], schemas={side: schema.value for side, schema in _index_schemas(at).items()})
            for names, at in ((old_names, old), (new_names, new))
        )
        yield from _compare_by_rules(before, replace(after, package_classes=new_classes), old, new, rules)


def _index_schemas(definition: ToolDefinition | ResourceDefinition | FormDefinition) -> dict[str, Schema]:
    schemas: dict[str, Schema | None]
    match definition:
        case ToolDefinition():
            schemas = {f"#{side}": definition.schemas.get(side) for side in ("output", "input", "error")}
        case ResourceDefinition():
            schemas = {"#resource": definition.payload}
        case FormDefinition():
            schemas = {"#form": definition.schema}
    return {side: schema for side, schema in schemas.items() if schema is not None}


# --- one schema: the gaps between its versions, with example values, and its changed annotations ----------------------
SAMPLES_PER_GAP = 40
"""Values drawn to decide one gap, if the schema is small."""
SAMPLES_PER_SCHEMA = 120
"""Values drawn for a schema with nothing but undecided gaps."""
MOST_SAMPLED_CHARACTERS = 800_000
"""Characters of schemas to draw from for one gap: fewer values are drawn from a large schema."""
FEWEST_SAMPLES = 6
"""Values drawn for one gap, however large the schema is."""
LONGEST_EXAMPLE = 160
"""Characters of an example value that is shown."""
_TESTING_KEYWORDS = (CONDITIONAL_KEYWORDS - {"anyOf", "oneOf"}) | {"contains", "propertyNames"}
"""Keywords whose subschemas may well have no value."""


@dataclass(frozen=True)
class SchemaComparison:
    """Comparison of one schema of a tool or resource before and after.

    Results must stay readable: the new outputSchema is the producer's, the old one the consumer's. Arguments must stay
    accepted: the old inputSchema is the producer's, the new one the consumer's.
    """

    subject: str
    """Title of the tool or resource: `tool "get_weather"`."""
    name: str
    category: Category
    """`OUTPUT` for results and payloads, `INPUT` for arguments and the answers to forms."""
    old: Schema
    new: Schema
    locator: SchemaLocator
    rules: Sequence[Rule]

    @cached_property
    def _views(self) -> tuple[SchemaView, SchemaView]:
        return SchemaView(self.old.value, self.old.dialect), SchemaView(self.new.value, self.new.dialect)

    def list_changes(self) -> list[Change]:
        """Return the changes that the enabled rules report."""
        if self.old.dialect == self.new.dialect and canonicalize(self.old.value) == canonicalize(self.new.value):
            return []
        has_gap_rules = any(rule.category is self.category for rule in self.rules)
        gap_changes = self._list_gap_changes() if has_gap_rules else []
        return [*gap_changes, *self._find_subschema_changes(), *self._find_emptied_schemas()]

    def _list_gap_changes(self) -> list[Change]:
        before, after = self._views
        producer, consumer = (after, before) if self.category is Category.OUTPUT else (before, after)
        search = WitnessSearch(producer, consumer)
        gaps = find_gaps(producer, consumer)
        changes: dict[int, Change | None] = {}
        # The search has a budget: uncertain gaps come first, because a witness decides them.
        for index, gap in sorted(enumerate(gaps), key=lambda entry: entry[1].certain):
            changes[index] = self._make_gap_change(gap, search)
        return self._decide_together([change for index in range(len(gaps)) if (change := changes[index])], search)

    def _make_gap_change(self, gap: Gap, search: WitnessSearch) -> Change | None:
        rule = find_gap_rule(self.category, gap)
        if rule not in self.rules:
            return None
        samples = min(SAMPLES_PER_GAP, max(FEWEST_SAMPLES, MOST_SAMPLED_CHARACTERS // search.size))
        witness = search.find_for_gap(gap, samples)
        is_output = self.category is Category.OUTPUT
        pointer = gap.producer_pointer if is_output else gap.consumer_pointer
        place = self.locator.find_pointer(pointer, gap.keyword, gap.name)
        match = RuleMatch(
            rule.describe(gap), place, self._format_help(witness, rule.advice), self._format_help(witness)
        )
        sent = "answer" if self.locator.member == "requestedSchema" else "arguments"
        received = "error.data" if self.locator.member == ERROR_POINTER[1:] else "result"
        paths = (_format_path(received if is_output else sent, gap),)
        change = replace(self._make_change(rule, match), paths=paths)
        if gap.certain or witness is not None:
            return change
        unknown = "no value was found that shows it"
        return replace(
            change,
            severity=Severity.WARNING,
            code=UNDECIDED_CODE,
            help=f"{unknown}; if it is intended, acknowledge it",
            client_help=f"{unknown}; if your code can take it, acknowledge it",
        )

    def _decide_together(self, changes: list[Change], search: WitnessSearch) -> list[Change]:
        """Search a witness for all changes if none is decided; it makes the first one breaking."""
        if not changes or not all(change.undecided for change in changes):
            return changes
        witness = search.find_anywhere(SAMPLES_PER_SCHEMA)
        if witness is None:
            return changes
        first, *later_changes = changes
        help = self._format_example(witness)
        return [
            replace(first, help=help, client_help=help, severity=Severity.ERROR, code=first.rule.code),
            *later_changes,
        ]

    def _find_subschema_changes(self) -> Iterator[Change]:
        rules = [rule for rule in self.rules if isinstance(rule, SubschemaRule) and rule.side is self.category]
        for subschemas in pair_subschemas(self.old, self.new):
            for rule in rules:
                for match in rule.find(subschemas):
                    yield self._make_change(rule, replace(match, pointer=self.locator.find_pointer(match.pointer)))

    def _find_emptied_schemas(self) -> Iterator[Change]:
        is_output = self.category is Category.OUTPUT
        rule, root = (EMPTIED_OUTPUT_RULE, "no result is") if is_output else (EMPTIED_INPUT_RULE, "no arguments are")
        for place, reason in find_emptied_schemas(*self._views) if rule in self.rules else ():
            pointer = self.locator.find_pointer(place)
            text = f"{f'no value at {pointer} is' if place else root} valid any more"
            yield self._make_change(rule, RuleMatch(text, pointer, reason, reason))

    def _make_change(self, rule: Rule, match: RuleMatch) -> Change:
        return make_change(rule, self.subject, self.name, match, self.locator.definition.locate(match.pointer))

    def _format_help(self, witness: Witness | None, advice: str = "") -> str:
        return "; ".join(filter(None, (self._format_example(witness), advice)))

    def _format_example(self, witness: Witness | None) -> str:
        if witness is None:
            return ""
        text = json.dumps(witness.value, ensure_ascii=False)
        if len(text) > LONGEST_EXAMPLE:
            return ""
        verdict = "newly valid" if self.category is Category.OUTPUT else "no longer valid"
        return f"{verdict}: {text}"


def _format_path(root: str, gap: Gap) -> str:
    """Format the path to a gap's value for people: `result.items[].name`."""
    text = root
    for step in gap.path:
        if step == WILDCARD:
            text += "[]"
        else:
            text += f".{step}" if step.isidentifier() else f"[{json.dumps(step, ensure_ascii=False)}]"
    return text


# --- subschemas ------------------------------------------------------------------------------------------------------
def pair_subschemas(old: Schema, new: Schema, ignored: Collection[str] = frozenset()) -> Iterator[SubschemaPair]:
    """Yield the subschemas that both schemas have at the same JSON pointer, without those of `ignored` keywords."""
    stack: list[tuple[str, Json]] = [("", old.value)]
    while stack:
        pointer, before = stack.pop()
        if not isinstance(before, dict):
            continue
        try:
            after = follow_pointer(new.value, parse_pointer(pointer))
        except KeyError:
            continue
        if isinstance(after, dict):
            yield SubschemaPair(pointer, {**before}, {**after})
        stack.extend(
            (pointer + format_pointer(*path), inner)
            for path, inner in iterate_subschemas(before, old.dialect)
            if path[0] not in ignored
        )


# --- schemas that no longer have any value ---------------------------------------------------------------------------
def find_emptied_schemas(before: SchemaView, after: SchemaView) -> Iterator[tuple[str, str]]:
    """Yield the pointers of innermost subschemas that have lost all values, and why, as far as that is evident."""
    old, new = (Schema(view.schema, view.dialect) for view in (before, after))
    emptied: dict[str, Conjunction] = {}
    for pair in pair_subschemas(old, new, _TESTING_KEYWORDS):
        values = _make_conjunction(after, pair.pointer, pair.new)
        if is_empty(values) and not is_empty(_make_conjunction(before, pair.pointer, pair.old)):
            emptied[pair.pointer] = values
    for pointer, values in emptied.items():
        objects = values.objects
        impossible = next((name for name in sorted(objects.required) if is_empty(objects.get_property(name))), "")
        parts = [*values.parts, *(objects.get_property(impossible).parts if impossible else ())]
        if not any(part.at in emptied for part in parts if part.at != pointer):
            reason = f'"{impossible}" is required, but the schema allows no value for it' if impossible else ""
            yield pointer, reason


def _make_conjunction(view: SchemaView, pointer: str, schema: Mapping[str, Json]) -> Conjunction:
    return make_conjunction(view, SchemaLocation(pointer, view.root.scope, dict(schema)))
