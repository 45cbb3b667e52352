"""Changes of one schema: the gaps between its versions, with example values, and its changed annotations."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from mcpgen.compat.change import UNDECIDED_CODE, Change, SchemaLocator, make_change
from mcpgen.compat.counterexample import Witness, WitnessSearch
from mcpgen.compat.gap import WILDCARD, Gap
from mcpgen.compat.inclusion.certainty import is_empty
from mcpgen.compat.inclusion.conjunction import Conjunction, make_conjunction
from mcpgen.compat.inclusion.keyword_rules import find_gaps
from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.compat.rules.rule import Category, Rule, RuleMatch, SubschemaPair, SubschemaRule
from mcpgen.compat.rules.schemas import EMPTIED_INPUT_RULE, EMPTIED_OUTPUT_RULE, find_gap_rule
from mcpgen.diagnostics import Severity
from mcpgen.schema.document import Schema, SchemaLocation
from mcpgen.schema.keywords import CONDITIONAL_KEYWORDS, iterate_subschemas
from mcpgen.schema.values import Json, canonicalize, follow_pointer, format_pointer, parse_pointer

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
    """`OUTPUT` for results and payloads, `INPUT` for arguments."""
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
        paths = (_format_path("result" if is_output else "arguments", gap),)
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
