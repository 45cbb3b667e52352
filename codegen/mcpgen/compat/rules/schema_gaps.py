"""Rules for schemas: one row for each kind of gap, with its rule for results and its rule for arguments.

A gap of a result is a value that the new outputSchema allows and the old one did not. A gap of the arguments is a
value that the old inputSchema allowed and the new one does not. The first row that applies names a gap; each kind has
a row that always applies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.rules.rule import Category, GapRule, match_any_gap
from mcpgen.diagnostics import Severity


@dataclass(frozen=True)
class GapRow:
    """Kind of gap with its rule for results (`output`) and its rule for arguments (`input`)."""

    kind: GapKind
    output_id: str
    output_doc: str
    output_text: str
    """Message template; its fields are those of `GapFields`."""
    input_id: str
    input_doc: str
    input_text: str
    applies: Callable[[Gap], bool] = match_any_gap
    input_severity: Severity = Severity.ERROR


def _is_only_null(gap: Gap) -> bool:
    return gap.values == ("null",)


def _is_about_const(gap: Gap) -> bool:
    return gap.keyword == "const"


def _is_about_enum(gap: Gap) -> bool:
    return gap.keyword == "enum"


GAP_ROWS = (
    GapRow(
        GapKind.TYPE,
        "output-became-nullable",
        "The result may now be null where it never was.",
        "may now be null",
        "input-null-refused",
        "Null is no longer taken.",
        "null is no longer taken",
        applies=_is_only_null,
    ),
    GapRow(
        GapKind.TYPE,
        "output-type-widened",
        "The result may now be of a type that it never was.",
        "may now be {gap.types}",
        "input-type-narrowed",
        "An argument of a type that was taken no longer is.",
        "{gap.types} is no longer taken",
    ),
    GapRow(
        GapKind.VALUE,
        "output-const-changed",
        "A value that was always the same may now be another.",
        "was always {gap.constraint}, may now be {gap.values}",
        "input-const-changed",
        "The one value that is taken has changed.",
        "only {gap.constraint} is taken, no longer {gap.values}",
        applies=_is_about_const,
    ),
    GapRow(
        GapKind.VALUE,
        "output-enum-value-added",
        "A value may now be one that the enum did not have.",
        "may now be {gap.values}, which the enum did not have",
        "input-enum-value-removed",
        "A value of the enum is no longer taken.",
        "{gap.values} is no longer taken",
        applies=_is_about_enum,
    ),
    GapRow(
        GapKind.VALUE,
        "output-value-added",
        "Few values are possible, and among them are now some that were not.",
        "may now be {gap.values}",
        "input-value-refused",
        "Few values were taken, and some of them no longer are.",
        "{gap.values} is no longer taken",
    ),
    GapRow(
        GapKind.FREE,
        "output-const-removed",
        "A value that was always the same may now be any.",
        "was always {gap.constraint}, may now be anything of its type",
        "input-const-added",
        "Any value was taken, only one is now.",
        "only {gap.constraint} is taken now",
        applies=_is_about_const,
    ),
    GapRow(
        GapKind.FREE,
        "output-enum-removed",
        "A value that was one of an enum may now be any.",
        "was one of {gap.constraint}, may now be anything of its type",
        "input-enum-added",
        "Any value was taken, only those of an enum are now.",
        "only {gap.constraint} are taken now",
    ),
    GapRow(
        GapKind.REQUIRED,
        "output-property-became-optional",
        "A property that every result had may now be missing.",
        '"{gap.name}" was always there, may now be missing',
        "input-property-became-required",
        "An optional argument has become required.",
        '"{gap.name}" was optional, is required now',
    ),
    GapRow(
        GapKind.UNDECLARED,
        "output-required-property-removed",
        "A property that every result had is no longer mentioned.",
        '"{gap.name}" was always there, the schema no longer has it',
        "input-required-property-added",
        "There is a new argument that is required.",
        '"{gap.name}" is new and required',
    ),
    GapRow(
        GapKind.EXTRA,
        "output-property-added-to-closed-object",
        "A closed object has got a property, which its readers refuse.",
        '"{gap.name}" is new in an object that was closed',
        "input-property-removed",
        "A declared argument is no longer taken.",
        '"{gap.name}" is no longer taken',
    ),
    GapRow(
        GapKind.OPEN,
        "output-object-opened",
        "An object that was closed may now have any property.",
        "was a closed object, may now have undeclared properties",
        "input-object-closed",
        "Undeclared properties were taken and no longer are.",
        "was an open object, undeclared properties are no longer taken",
    ),
    GapRow(
        GapKind.UNTYPED,
        "output-property-undeclared",
        "A property is no longer declared in an open object, so that it may be anything.",
        '"{gap.name}" is no longer declared, so it may now be anything',
        "input-property-declared",
        "An argument is declared that was not; only who sent it undeclared and otherwise is concerned.",
        '"{gap.name}" is new and optional; undeclared, it could be anything',
        input_severity=Severity.NOTE,
    ),
    GapRow(
        GapKind.UNTYPED_OTHERS,
        "output-additional-properties-untyped",
        "Undeclared properties had a schema and may now be anything.",
        "undeclared properties had a schema ({gap.keyword}), may now be anything",
        "input-additional-properties-typed",
        "Undeclared properties could be anything and now have a schema.",
        "undeclared properties could be anything, have a schema now ({gap.keyword})",
    ),
    GapRow(
        GapKind.PROPERTY_NAMES,
        "output-property-names-widened",
        "Properties may now have names that they never had.",
        "may now have properties of other names than {gap.constraint} allowed",
        "input-property-names-narrowed",
        "Properties of some names are no longer taken.",
        "properties are no longer taken whose names are not as {gap.constraint} asks",
    ),
    GapRow(
        GapKind.MIN_PROPERTIES,
        "output-min-properties-lowered",
        "An object may now have fewer properties.",
        "may now have fewer than {gap.constraint} properties",
        "input-min-properties-raised",
        "An object has to have more properties.",
        "has to have at least {gap.constraint} properties now",
    ),
    GapRow(
        GapKind.MAX_PROPERTIES,
        "output-max-properties-raised",
        "An object may now have more properties.",
        "may now have more than {gap.constraint} properties",
        "input-max-properties-lowered",
        "An object may only have fewer properties.",
        "may only have {gap.constraint} properties now",
    ),
    GapRow(
        GapKind.DEPENDENT,
        "output-dependency-removed",
        "What came along with a property may now be missing.",
        'what came along with "{gap.name}" ({gap.keyword}) may now be missing or otherwise',
        "input-dependency-added",
        "An argument asks for others that it did not ask for.",
        '"{gap.name}" asks for others beside it now ({gap.keyword})',
    ),
    GapRow(
        GapKind.UNTYPED_ITEMS,
        "output-items-untyped",
        "Items had a schema and may now be anything.",
        "items had a schema, may now be anything",
        "input-items-typed",
        "Items could be anything and now have a schema.",
        "items could be anything, have a schema now",
    ),
    GapRow(
        GapKind.MORE_ITEMS,
        "output-items-added",
        "An array may now have items where it had none.",
        "may now have items where there were none",
        "input-items-refused",
        "An array may no longer have items where it could.",
        "items are no longer taken where they were",
    ),
    GapRow(
        GapKind.MIN_ITEMS,
        "output-min-items-lowered",
        "An array may now be shorter.",
        "may now have fewer than {gap.constraint} items",
        "input-min-items-raised",
        "Short arrays are no longer taken.",
        "fewer than {gap.constraint} items are no longer taken",
    ),
    GapRow(
        GapKind.MAX_ITEMS,
        "output-max-items-raised",
        "An array may now be longer.",
        "may now have more than {gap.constraint} items",
        "input-max-items-lowered",
        "Long arrays are no longer taken.",
        "more than {gap.constraint} items are no longer taken",
    ),
    GapRow(
        GapKind.UNIQUE,
        "output-unique-items-removed",
        "Items were all different and may now be alike.",
        "items were all different, may now be alike",
        "input-unique-items-added",
        "Arrays with items that are alike are no longer taken.",
        "items that are alike are no longer taken",
    ),
    GapRow(
        GapKind.CONTAINS,
        "output-contains-loosened",
        "Items that were always among the others may now be missing, or be too many.",
        "the items that `contains` asked for may now be missing or too many",
        "input-contains-tightened",
        "Some items have to be among the others, or not too many of them.",
        "`contains` asks for more than it did",
    ),
    GapRow(
        GapKind.MINIMUM,
        "output-minimum-lowered",
        "A number may now be smaller.",
        "may now be smaller than {gap.keyword} {gap.constraint} allowed",
        "input-minimum-raised",
        "Small numbers are no longer taken.",
        "numbers below {gap.keyword} {gap.constraint} are no longer taken",
    ),
    GapRow(
        GapKind.MAXIMUM,
        "output-maximum-raised",
        "A number may now be larger.",
        "may now be larger than {gap.keyword} {gap.constraint} allowed",
        "input-maximum-lowered",
        "Large numbers are no longer taken.",
        "numbers above {gap.keyword} {gap.constraint} are no longer taken",
    ),
    GapRow(
        GapKind.MULTIPLE,
        "output-multiple-of-loosened",
        "A number may now be between the steps.",
        "may now be no multiple of {gap.constraint}",
        "input-multiple-of-tightened",
        "Numbers between the steps are no longer taken.",
        "only multiples of {gap.constraint} are taken now",
    ),
    GapRow(
        GapKind.MIN_LENGTH,
        "output-min-length-lowered",
        "A string may now be shorter.",
        "may now be shorter than {gap.constraint} characters",
        "input-min-length-raised",
        "Short strings are no longer taken.",
        "strings shorter than {gap.constraint} characters are no longer taken",
    ),
    GapRow(
        GapKind.MAX_LENGTH,
        "output-max-length-raised",
        "A string may now be longer.",
        "may now be longer than {gap.constraint} characters",
        "input-max-length-lowered",
        "Long strings are no longer taken.",
        "strings longer than {gap.constraint} characters are no longer taken",
    ),
    GapRow(
        GapKind.PATTERN,
        "output-pattern-loosened",
        "A string may now be one that the pattern did not match.",
        "may now be a string that {gap.constraint} does not match",
        "input-pattern-tightened",
        "Strings that a new pattern does not match are no longer taken.",
        "strings that {gap.constraint} does not match are no longer taken",
    ),
    GapRow(
        GapKind.VARIANT,
        "output-variant-added",
        "A value may now have a form that none of the alternatives described.",
        "may now have a form that no branch of {gap.keyword} described",
        "input-variant-removed",
        "A form that was taken is no longer among the alternatives.",
        "a form that was taken is in no branch of {gap.keyword}",
    ),
    GapRow(
        GapKind.OVERLAP,
        "output-alternatives-overlap",
        "A value may now satisfy several of the alternatives of which it had to satisfy one.",
        "may now satisfy several branches of oneOf at once",
        "input-alternatives-overlap",
        "A value that was taken satisfies several alternatives of which it has to satisfy one.",
        "values may satisfy several branches of oneOf at once",
    ),
    GapRow(
        GapKind.EXCLUDED,
        "output-exclusion-removed",
        "A value may now be one that was ruled out.",
        "may now be what `not` ruled out: {gap.constraint}",
        "input-exclusion-added",
        "Values that were taken are ruled out.",
        "`not` rules out what was taken: {gap.constraint}",
    ),
    GapRow(
        GapKind.CONDITION,
        "output-condition-loosened",
        "A value may now be one that a condition did not allow.",
        "may now be what if/then/else did not allow",
        "input-condition-tightened",
        "A condition refuses values that were taken.",
        "if/then/else may refuse what was taken",
    ),
    GapRow(
        GapKind.FORBIDDEN,
        "output-value-allowed",
        "There may now be a value where there was none.",
        "there was never a value here, may now be one",
        "input-here-refused",
        "There could be a value where none is taken now.",
        "no value is taken here any more",
    ),
    GapRow(
        GapKind.UNKNOWN,
        "output-not-followed",
        "The change is beyond what the comparison can follow.",
        "the change could not be followed",
        "input-not-followed",
        "The change is beyond what the comparison can follow.",
        "the change could not be followed",
    ),
)
"""All kinds of gaps, in the order in which the rules are listed."""


OUTPUT_GAP_RULES = tuple(
    GapRule(row.output_id, Category.OUTPUT, row.output_doc, row.kind, row.output_text, row.applies) for row in GAP_ROWS
)
INPUT_GAP_RULES = tuple(
    GapRule(
        row.input_id, Category.INPUT, row.input_doc, row.kind, row.input_text, row.applies, severity=row.input_severity
    )
    for row in GAP_ROWS
)


def find_gap_rule(category: Category, gap: Gap) -> GapRule:
    """Return the first rule that applies to a gap: it names the gap, even if it is disabled.

    Args:
        category: `OUTPUT` or `INPUT`.
        gap: the gap to name.

    Raises:
        KeyError: no rule applies.
    """
    for rule in OUTPUT_GAP_RULES if category is Category.OUTPUT else INPUT_GAP_RULES:
        if rule.kind is gap.kind and rule.applies(gap):
            return rule
    raise KeyError(f"no rule of {category} names {gap.kind.name}")
