"""Rules for schemas: for each kind of gap one about results and one about arguments, and those for single keywords.

A gap of a result is a value that the new outputSchema allows and the old one did not. A gap of the arguments is a
value that the old inputSchema allowed and the new one does not. The first row that applies names a gap; each kind has
a row that always applies.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.rules.rule import Category, Rule, RuleMatch, SubschemaPair, SubschemaRule
from mcpgen.diagnostics import Severity, join_words
from mcpgen.schema.values import format_pointer

_KIND_NAMES = {
    "null": "null",
    "boolean": "a boolean",
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "integer": "an integer",
    "number": "a number that is not an integer",
}
LONGEST_VALUE = 60


class GapFields:
    """Fields of a gap for message templates, as text."""

    def __init__(self, gap: Gap) -> None:
        self._gap = gap
        self.keyword = gap.keyword
        self.name = gap.name

    @property
    def types(self) -> str:
        """The new types of values: `a string or null`."""
        return format_kinds(self._gap.values)

    @property
    def changed_result(self) -> str:
        """What a result was and what it may be now, for a gap about its type."""
        new, old = self._gap.kinds
        if self._gap.is_disjoint:
            return f"was {format_kinds(old)}, is {format_kinds(new)} now"
        return f"was {format_kinds(old)}, may now also be {self.types}"

    @property
    def changed_argument(self) -> str:
        """What an argument was and what it has to be now, for a gap about its type."""
        old, new = self._gap.kinds
        if self._gap.is_disjoint:
            return f"was {format_kinds(old)}, must be {format_kinds(new)} now"
        return f"{self.types} is no longer accepted, only {format_kinds(new)}"

    @property
    def values(self) -> str:
        """The new values, as JSON."""
        return join_words([cut_text(value) for value in self._gap.values], "or")

    @property
    def constraint(self) -> str:
        """The keyword's value in the consumer's schema, as JSON."""
        return format_value(self._gap.constraint)


def format_kinds(kinds: Sequence[str]) -> str:
    """Format kinds of values: `a string or null`."""
    if {"integer", "number"} <= set(kinds):
        return join_words(
            ["a number", *(_KIND_NAMES[kind] for kind in kinds if kind not in ("integer", "number"))], "or"
        )
    return join_words([_KIND_NAMES[kind] for kind in kinds], "or")


def format_value(value: object) -> str:
    """Format a JSON value for a message; a long one is cut."""
    return cut_text(json.dumps(value, ensure_ascii=False))


def cut_text(text: str) -> str:
    """Cut a text to `LONGEST_VALUE` characters, an ellipsis included."""
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"


# --- gaps ------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class GapRule(Rule):
    """Rule that reports a kind of gap between two schemas."""

    kind: GapKind
    text: str
    """Message template; `{gap.types}` and the like are fields of `GapFields`."""
    applies: Callable[[Gap], bool] = lambda _: True
    """Condition for the rule to name a gap of its kind."""
    advice: str = ""
    """How schemas can be written so that the change does not break."""

    def describe(self, gap: Gap) -> str:
        """Return the message for a gap."""
        return self.text.format(gap=GapFields(gap))


@dataclass(frozen=True)
class GapRow:
    """Kind of gap with its rule for results (`output`) and its rule for arguments (`input`)."""

    kind: GapKind
    output_id: str
    output_doc: str
    output_text: str
    input_id: str
    input_doc: str
    input_text: str
    applies: Callable[[Gap], bool] = lambda _: True
    input_severity: Severity = Severity.ERROR
    output_advice: str = ""


GAP_ROWS = (
    GapRow(
        GapKind.TYPE,
        "output-became-nullable",
        "The result may now be null; before, it never was.",
        "may now be null",
        "input-null-refused",
        "Null is no longer accepted.",
        "null is no longer accepted",
        applies=lambda gap: gap.values == ("null",) and not gap.is_disjoint,
    ),
    GapRow(
        GapKind.TYPE,
        "output-type-widened",
        "The result may now have a type that it never had.",
        "{gap.changed_result}",
        "input-type-narrowed",
        "A type of an argument is no longer accepted.",
        "{gap.changed_argument}",
    ),
    GapRow(
        GapKind.VALUE,
        "output-const-changed",
        "A value that was always the same may now be different.",
        "was always {gap.constraint}, may now be {gap.values}",
        "input-const-changed",
        "The only accepted value has changed.",
        "only {gap.constraint} is accepted, no longer {gap.values}",
        applies=lambda gap: gap.keyword == "const",
    ),
    GapRow(
        GapKind.VALUE,
        "output-enum-value-added",
        "A value may now be one that was not in the enum.",
        "may now be {gap.values}, which the enum did not have",
        "input-enum-value-removed",
        "A value of the enum is no longer accepted.",
        "{gap.values} is no longer accepted",
        applies=lambda gap: gap.keyword == "enum",
    ),
    GapRow(
        GapKind.VALUE,
        "output-value-added",
        "Only a few values are possible, and some of them are new.",
        "may now be {gap.values}, which it never was",
        "input-value-refused",
        "Only a few values were accepted, and some of them no longer are.",
        "{gap.values} is no longer accepted",
    ),
    GapRow(
        GapKind.FREE,
        "output-const-removed",
        "A value that was always the same may now be any value.",
        "was always {gap.constraint}, may now be anything of its type",
        "input-const-added",
        "Any value was accepted; now only one is.",
        "only {gap.constraint} is accepted now",
        applies=lambda gap: gap.keyword == "const",
    ),
    GapRow(
        GapKind.FREE,
        "output-enum-removed",
        "A value that was one of an enum may now be any value.",
        "was one of {gap.constraint}, may now be anything of its type",
        "input-enum-added",
        "Any value was accepted; now only the values of an enum are.",
        "only {gap.constraint} are accepted now",
    ),
    GapRow(
        GapKind.REQUIRED,
        "output-property-became-optional",
        "A property that every result had may now be missing.",
        '"{gap.name}" was always present, may now be missing',
        "input-property-became-required",
        "An optional argument has become required.",
        '"{gap.name}" was optional, is required now',
    ),
    GapRow(
        GapKind.UNDECLARED,
        "output-required-property-removed",
        "A property that every result had is no longer declared.",
        '"{gap.name}" was always present, and is no longer declared',
        "input-required-property-added",
        "There is a new argument that is required.",
        '"{gap.name}" is new and required',
    ),
    GapRow(
        GapKind.EXTRA,
        "output-property-added-to-closed-object",
        "A closed object has a new property, which its readers refuse.",
        '"{gap.name}" is new in an object that was closed',
        "input-property-removed",
        "A declared argument is no longer accepted.",
        '"{gap.name}" is no longer accepted',
        output_advice="leave an object that may grow open, without `additionalProperties: false`",
    ),
    GapRow(
        GapKind.OPEN,
        "output-object-opened",
        "An object that was closed may now have any property.",
        "was a closed object, may now have undeclared properties",
        "input-object-closed",
        "Undeclared properties are no longer accepted.",
        "was an open object, undeclared properties are no longer accepted",
    ),
    GapRow(
        GapKind.UNTYPED,
        "output-property-undeclared",
        "A property of an open object is no longer declared, so it may be anything.",
        '"{gap.name}" is no longer declared, so it may now be anything',
        "input-property-declared",
        "A new argument is declared; this only affects callers who sent it undeclared, with other values.",
        '"{gap.name}" is new and optional; undeclared, it could be anything',
        input_severity=Severity.NOTE,
    ),
    GapRow(
        GapKind.UNTYPED_OTHERS,
        "output-additional-properties-untyped",
        "Undeclared properties had a schema, and may now be anything.",
        "undeclared properties had a schema ({gap.keyword}), may now be anything",
        "input-additional-properties-typed",
        "Undeclared properties could be anything, and now have a schema.",
        "undeclared properties could be anything, have a schema now ({gap.keyword})",
    ),
    GapRow(
        GapKind.PROPERTY_NAMES,
        "output-property-names-widened",
        "Properties may now have names that they never had.",
        "may now have properties of other names than {gap.constraint} allowed",
        "input-property-names-narrowed",
        "Properties with some names are no longer accepted.",
        "properties whose names violate {gap.constraint} are no longer accepted",
    ),
    GapRow(
        GapKind.MIN_PROPERTIES,
        "output-min-properties-lowered",
        "An object may now have fewer properties.",
        "may now have fewer than {gap.constraint} properties",
        "input-min-properties-raised",
        "An object must have more properties.",
        "must now have at least {gap.constraint} properties",
    ),
    GapRow(
        GapKind.MAX_PROPERTIES,
        "output-max-properties-raised",
        "An object may now have more properties.",
        "may now have more than {gap.constraint} properties",
        "input-max-properties-lowered",
        "An object may have fewer properties than before.",
        "may now have only {gap.constraint} properties",
    ),
    GapRow(
        GapKind.DEPENDENT,
        "output-dependency-removed",
        "A property that another property required may now be missing.",
        'what "{gap.name}" required ({gap.keyword}) may now be missing or different',
        "input-dependency-added",
        "An argument now requires other arguments.",
        '"{gap.name}" now requires others ({gap.keyword})',
    ),
    GapRow(
        GapKind.UNTYPED_ITEMS,
        "output-items-untyped",
        "Items had a schema, and may now be anything.",
        "items had a schema, may now be anything",
        "input-items-typed",
        "Items could be anything, and now have a schema.",
        "items could be anything, have a schema now",
    ),
    GapRow(
        GapKind.MORE_ITEMS,
        "output-items-added",
        "An array may now have items at a place where it had none.",
        "may now have items where there were none",
        "input-items-refused",
        "An array may no longer have items at some places.",
        "items are no longer accepted where they were",
    ),
    GapRow(
        GapKind.MIN_ITEMS,
        "output-min-items-lowered",
        "An array may now be shorter.",
        "may now have fewer than {gap.constraint} items",
        "input-min-items-raised",
        "Short arrays are no longer accepted.",
        "fewer than {gap.constraint} items are no longer accepted",
    ),
    GapRow(
        GapKind.MAX_ITEMS,
        "output-max-items-raised",
        "An array may now be longer.",
        "may now have more than {gap.constraint} items",
        "input-max-items-lowered",
        "Long arrays are no longer accepted.",
        "more than {gap.constraint} items are no longer accepted",
    ),
    GapRow(
        GapKind.UNIQUE,
        "output-unique-items-removed",
        "Items were all different, and may now be equal.",
        "items were all different, may now be equal",
        "input-unique-items-added",
        "Arrays with equal items are no longer accepted.",
        "equal items are no longer accepted",
    ),
    GapRow(
        GapKind.CONTAINS,
        "output-contains-loosened",
        "Matching items that an array always had may now be missing, or be too many.",
        "the items that `contains` required may now be missing or too many",
        "input-contains-tightened",
        "An array must have matching items, or fewer of them.",
        "`contains` requires more than before",
    ),
    GapRow(
        GapKind.MINIMUM,
        "output-minimum-lowered",
        "A number may now be smaller.",
        "may now be smaller than {gap.keyword} {gap.constraint} allowed",
        "input-minimum-raised",
        "Small numbers are no longer accepted.",
        "numbers below {gap.keyword} {gap.constraint} are no longer accepted",
    ),
    GapRow(
        GapKind.MAXIMUM,
        "output-maximum-raised",
        "A number may now be larger.",
        "may now be larger than {gap.keyword} {gap.constraint} allowed",
        "input-maximum-lowered",
        "Large numbers are no longer accepted.",
        "numbers above {gap.keyword} {gap.constraint} are no longer accepted",
    ),
    GapRow(
        GapKind.MULTIPLE,
        "output-multiple-of-loosened",
        "A number may now be between the steps.",
        "need no longer be a multiple of {gap.constraint}",
        "input-multiple-of-tightened",
        "Numbers between the steps are no longer accepted.",
        "only multiples of {gap.constraint} are accepted now",
    ),
    GapRow(
        GapKind.MIN_LENGTH,
        "output-min-length-lowered",
        "A string may now be shorter.",
        "may now be shorter than {gap.constraint} characters",
        "input-min-length-raised",
        "Short strings are no longer accepted.",
        "strings shorter than {gap.constraint} characters are no longer accepted",
    ),
    GapRow(
        GapKind.MAX_LENGTH,
        "output-max-length-raised",
        "A string may now be longer.",
        "may now be longer than {gap.constraint} characters",
        "input-max-length-lowered",
        "Long strings are no longer accepted.",
        "strings longer than {gap.constraint} characters are no longer accepted",
    ),
    GapRow(
        GapKind.PATTERN,
        "output-pattern-loosened",
        "A string may now be one that the pattern did not match.",
        "may now be a string that {gap.constraint} does not match",
        "input-pattern-tightened",
        "Strings that a new pattern does not match are no longer accepted.",
        "strings that {gap.constraint} does not match are no longer accepted",
    ),
    GapRow(
        GapKind.VARIANT,
        "output-variant-added",
        "A value may now have a form that none of the alternatives described.",
        "may now have a form that no branch of {gap.keyword} described",
        "input-variant-removed",
        "A form that was accepted is no longer among the alternatives.",
        "a form that was accepted is in no branch of {gap.keyword}",
    ),
    GapRow(
        GapKind.OVERLAP,
        "output-alternatives-overlap",
        "A value may now satisfy several alternatives, instead of exactly one.",
        "may now satisfy several branches of oneOf at once",
        "input-alternatives-overlap",
        "A value that was accepted now satisfies several alternatives, instead of exactly one.",
        "values may satisfy several branches of oneOf at once",
    ),
    GapRow(
        GapKind.EXCLUDED,
        "output-exclusion-removed",
        "A value may now be one that was excluded.",
        "may now be what `not` excluded: {gap.constraint}",
        "input-exclusion-added",
        "Values that were accepted are now excluded.",
        "`not` excludes what was accepted: {gap.constraint}",
    ),
    GapRow(
        GapKind.CONDITION,
        "output-condition-loosened",
        "A value may now be one that a condition did not allow.",
        "may now be what if/then/else did not allow",
        "input-condition-tightened",
        "A condition refuses values that were accepted.",
        "if/then/else may refuse what was accepted",
    ),
    GapRow(
        GapKind.FORBIDDEN,
        "output-value-allowed",
        "A place that had no value may now have one.",
        "there was never a value here, may now be one",
        "input-here-refused",
        "A place that could have a value no longer accepts one.",
        "no value is accepted here any more",
    ),
    GapRow(
        GapKind.UNKNOWN,
        "output-not-followed",
        "The comparison cannot follow the change.",
        "the comparison cannot follow the change",
        "input-not-followed",
        "The comparison cannot follow the change.",
        "the comparison cannot follow the change",
    ),
)
"""All kinds of gaps, in the order in which the rules are listed."""


OUTPUT_GAP_RULES = tuple(
    GapRule(row.output_id, Category.OUTPUT, row.output_doc, row.kind, row.output_text, row.applies, row.output_advice)
    for row in GAP_ROWS
)
INPUT_GAP_RULES = tuple(
    GapRule(
        row.input_id, Category.INPUT, row.input_doc, row.kind, row.input_text, row.applies, severity=row.input_severity
    )
    for row in GAP_ROWS
)


def find_gap_rule(category: Category, gap: Gap) -> GapRule:
    """Return the first rule that applies to a gap, even if it is disabled; raise `KeyError` if none does."""
    for rule in OUTPUT_GAP_RULES if category is Category.OUTPUT else INPUT_GAP_RULES:
        if rule.kind is gap.kind and rule.applies(gap):
            return rule
    raise KeyError(f"no rule of {category} names {gap.kind.name}")


# --- schemas that no longer have any value: a mistake of the author, such as a rename that is half done --------------
EMPTIED_OUTPUT_RULE = Rule(
    "output-no-value-left",
    Category.OUTPUT,
    "A schema of results has no valid value any more, so that every result with a value there is refused.",
)
EMPTIED_INPUT_RULE = Rule(
    "input-no-value-left",
    Category.INPUT,
    "A schema of arguments has no valid value any more, so that every call with a value there is refused.",
)

# --- keywords that assert nothing: validation ignores them, but programs rely on them --------------------------------
_HEADER = "x-mcp-header"


def _find_new_header(subschemas: SubschemaPair) -> Iterator[RuleMatch]:
    old, new = subschemas.old.get(_HEADER), subschemas.new.get(_HEADER)
    if isinstance(new, str) and not (isinstance(old, str) and old.lower() == new.lower()):
        text = f'clients must send the argument in the header "Mcp-Param-{new}", too'
        help = "servers refuse calls without it, and clients that know the old definition do not send it"
        client_help = "build the client again; other code has to send the header"
        yield RuleMatch(text, subschemas.pointer + format_pointer(_HEADER), help, client_help)


def find_keyword_change(keyword: str, subschemas: SubschemaPair) -> Iterator[RuleMatch]:
    """Yield a match if a keyword's value was replaced or removed."""
    old, new = subschemas.old.get(keyword), subschemas.new.get(keyword)
    if old is not None and old != new:
        outcome = "is gone" if new is None else f"is {format_value(new)} now"
        yield RuleMatch(f"{keyword} was {format_value(old)}, {outcome}", subschemas.pointer)


def _make_keyword_rule(
    side: Category, id: str, keyword: str, doc: str, severity: Severity = Severity.ERROR
) -> SubschemaRule:
    return SubschemaRule(id, side, doc, side, partial(find_keyword_change, keyword), severity=severity)


INPUT_KEYWORD_RULES = (
    SubschemaRule(
        "input-header-added",
        Category.INPUT,
        "Clients must send an argument as an HTTP header, too, by a new or another `x-mcp-header`.",
        Category.INPUT,
        _find_new_header,
    ),
    _make_keyword_rule(
        Category.INPUT,
        "input-format-changed",
        "format",
        "The format of an argument has changed: nothing checks it, but handlers may.",
        Severity.WARNING,
    ),
    _make_keyword_rule(
        Category.INPUT,
        "input-content-encoding-changed",
        "contentEncoding",
        "The encoding of binary data in an argument has changed, and the handler now decodes it differently.",
    ),
    _make_keyword_rule(
        Category.INPUT,
        "input-default-changed",
        "default",
        "The default of an argument has changed: calls that leave it out do something else.",
        Severity.WARNING,
    ),
)
OUTPUT_KEYWORD_RULES = (
    _make_keyword_rule(
        Category.OUTPUT,
        "output-format-changed",
        "format",
        "The format of a string has changed: nothing checks it, but readers rely on it.",
        Severity.WARNING,
    ),
    _make_keyword_rule(
        Category.OUTPUT,
        "output-content-encoding-changed",
        "contentEncoding",
        "The encoding of binary data in a string has changed: nothing checks it, but readers use it to decode.",
    ),
    _make_keyword_rule(
        Category.OUTPUT,
        "output-content-media-type-changed",
        "contentMediaType",
        "The media type of a string has changed: nothing checks it, but readers rely on it.",
    ),
)
