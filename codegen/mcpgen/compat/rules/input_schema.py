"""Rules for arguments: what the old inputSchema allowed to send. The first that speaks of a gap names it."""

from __future__ import annotations

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.registry import Category, RuleMatch, SubschemaPair, input_rule, rule
from mcpgen.compat.rules.messages import describe_keyword_change, format_constraint, format_kinds, format_values
from mcpgen.diagnostics import Severity


@input_rule("null-refused", GapKind.TYPE)
def check_input_null_refused(gap: Gap) -> str | None:
    """Null is no longer taken."""
    return "null is no longer taken" if gap.values == ("null",) else None


@input_rule("type-narrowed", GapKind.TYPE)
def check_input_type_narrowed(gap: Gap) -> str:
    """An argument of a type that was taken no longer is."""
    return f"{format_kinds(gap)} is no longer taken"


@input_rule("const-changed", GapKind.VALUE)
def check_input_const_changed(gap: Gap) -> str | None:
    """The one value that is taken has changed."""
    return f"only {format_constraint(gap)} is taken, no longer {format_values(gap)}" if gap.word == "const" else None


@input_rule("enum-value-removed", GapKind.VALUE)
def check_input_enum_value_removed(gap: Gap) -> str | None:
    """A value of the enum is no longer taken."""
    return f"{format_values(gap)} is no longer taken" if gap.word == "enum" else None


@input_rule("value-refused", GapKind.VALUE)
def check_input_value_refused(gap: Gap) -> str:
    """Few values were taken, and some of them no longer are."""
    return f"{format_values(gap)} is no longer taken"


@input_rule("const-added", GapKind.FREE)
def check_input_const_added(gap: Gap) -> str | None:
    """Any value was taken, only one is now."""
    return f"only {format_constraint(gap)} is taken now" if gap.word == "const" else None


@input_rule("enum-added", GapKind.FREE)
def check_input_enum_added(gap: Gap) -> str:
    """Any value was taken, only those of an enum are now."""
    return f"only {format_constraint(gap)} are taken now"


@input_rule("property-became-required", GapKind.REQUIRED)
def check_input_property_became_required(gap: Gap) -> str:
    """An optional argument has become required."""
    return f'"{gap.name}" was optional, is required now'


@input_rule("required-property-added", GapKind.UNDECLARED)
def check_input_required_property_added(gap: Gap) -> str:
    """There is a new argument that is required."""
    return f'"{gap.name}" is new and required'


@input_rule("property-removed", GapKind.EXTRA)
def check_input_property_removed(gap: Gap) -> str:
    """A declared argument is no longer taken."""
    return f'"{gap.name}" is no longer taken'


@input_rule("object-closed", GapKind.OPEN)
def check_input_object_closed(gap: Gap) -> str:
    """Undeclared properties were taken and no longer are."""
    return "was an open object, undeclared properties are no longer taken"


@input_rule("property-declared", GapKind.UNTYPED, Severity.NOTE)
def check_input_property_declared(gap: Gap) -> str:
    """An argument is declared that was not; only who sent it undeclared and otherwise is concerned."""
    return f'"{gap.name}" is new and optional; undeclared, it could be anything'


@input_rule("additional-properties-typed", GapKind.UNTYPED_OTHERS)
def check_input_additional_properties_typed(gap: Gap) -> str:
    """Undeclared properties could be anything and now have a schema."""
    return f"undeclared properties could be anything, have a schema now ({gap.word})"


@input_rule("property-names-narrowed", GapKind.PROPERTY_NAMES)
def check_input_property_names_narrowed(gap: Gap) -> str:
    """Properties of some names are no longer taken."""
    return f"properties are no longer taken whose names are not as {format_constraint(gap)} asks"


@input_rule("min-properties-raised", GapKind.MIN_PROPERTIES)
def check_input_min_properties_raised(gap: Gap) -> str:
    """An object has to have more properties."""
    return f"has to have at least {format_constraint(gap)} properties now"


@input_rule("max-properties-lowered", GapKind.MAX_PROPERTIES)
def check_input_max_properties_lowered(gap: Gap) -> str:
    """An object may only have fewer properties."""
    return f"may only have {format_constraint(gap)} properties now"


@input_rule("dependency-added", GapKind.DEPENDENT)
def check_input_dependency_added(gap: Gap) -> str:
    """An argument asks for others that it did not ask for."""
    return f'"{gap.name}" asks for others beside it now ({gap.word})'


@input_rule("items-typed", GapKind.UNTYPED_ITEMS)
def check_input_items_typed(gap: Gap) -> str:
    """Items could be anything and now have a schema."""
    return "items could be anything, have a schema now"


@input_rule("items-refused", GapKind.MORE_ITEMS)
def check_input_items_refused(gap: Gap) -> str:
    """An array may no longer have items where it could."""
    return "items are no longer taken where they were"


@input_rule("min-items-raised", GapKind.MIN_ITEMS)
def check_input_min_items_raised(gap: Gap) -> str:
    """Short arrays are no longer taken."""
    return f"fewer than {format_constraint(gap)} items are no longer taken"


@input_rule("max-items-lowered", GapKind.MAX_ITEMS)
def check_input_max_items_lowered(gap: Gap) -> str:
    """Long arrays are no longer taken."""
    return f"more than {format_constraint(gap)} items are no longer taken"


@input_rule("unique-items-added", GapKind.UNIQUE)
def check_input_unique_items_added(gap: Gap) -> str:
    """Arrays with items that are alike are no longer taken."""
    return "items that are alike are no longer taken"


@input_rule("contains-tightened", GapKind.CONTAINS)
def check_input_contains_tightened(gap: Gap) -> str:
    """Some items have to be among the others, or not too many of them."""
    return "`contains` asks for more than it did"


@input_rule("minimum-raised", GapKind.MINIMUM)
def check_input_minimum_raised(gap: Gap) -> str:
    """Small numbers are no longer taken."""
    return f"numbers below {gap.word} {format_constraint(gap)} are no longer taken"


@input_rule("maximum-lowered", GapKind.MAXIMUM)
def check_input_maximum_lowered(gap: Gap) -> str:
    """Large numbers are no longer taken."""
    return f"numbers above {gap.word} {format_constraint(gap)} are no longer taken"


@input_rule("multiple-of-tightened", GapKind.MULTIPLE)
def check_input_multiple_of_tightened(gap: Gap) -> str:
    """Numbers between the steps are no longer taken."""
    return f"only multiples of {format_constraint(gap)} are taken now"


@input_rule("min-length-raised", GapKind.MIN_LENGTH)
def check_input_min_length_raised(gap: Gap) -> str:
    """Short strings are no longer taken."""
    return f"strings shorter than {format_constraint(gap)} characters are no longer taken"


@input_rule("max-length-lowered", GapKind.MAX_LENGTH)
def check_input_max_length_lowered(gap: Gap) -> str:
    """Long strings are no longer taken."""
    return f"strings longer than {format_constraint(gap)} characters are no longer taken"


@input_rule("pattern-tightened", GapKind.PATTERN)
def check_input_pattern_tightened(gap: Gap) -> str:
    """Strings that a new pattern does not match are no longer taken."""
    return f"strings that {format_constraint(gap)} does not match are no longer taken"


@input_rule("variant-removed", GapKind.VARIANT)
def check_input_variant_removed(gap: Gap) -> str:
    """A form that was taken is no longer among the alternatives."""
    return f"a form that was taken is in no branch of {gap.word}"


@input_rule("alternatives-overlap", GapKind.OVERLAP)
def check_input_alternatives_overlap(gap: Gap) -> str:
    """A value that was taken satisfies several alternatives of which it has to satisfy one."""
    return "values may satisfy several branches of oneOf at once"


@input_rule("exclusion-added", GapKind.EXCLUDED)
def check_input_exclusion_added(gap: Gap) -> str:
    """Values that were taken are ruled out."""
    return f"`not` rules out what was taken: {format_constraint(gap)}"


@input_rule("condition-tightened", GapKind.CONDITION)
def check_input_condition_tightened(gap: Gap) -> str:
    """A condition refuses values that were taken."""
    return "if/then/else may refuse what was taken"


@input_rule("here-refused", GapKind.FORBIDDEN)
def check_input_here_refused(gap: Gap) -> str:
    """There could be a value where none is taken now."""
    return "no value is taken here any more"


@input_rule("not-followed", GapKind.UNKNOWN)
def check_input_not_followed(gap: Gap) -> str:
    """The change is beyond what the comparison can follow."""
    return "the change could not be followed"


@rule("input-format-changed", Category.INPUT, SubschemaPair, Severity.WARNING)
def check_input_format_changed(words: SubschemaPair) -> RuleMatch | None:
    """The format of an argument has changed: nothing checks it, but handlers may."""
    return describe_keyword_change(words, "format")


@rule("input-content-encoding-changed", Category.INPUT, SubschemaPair)
def check_input_content_encoding_changed(words: SubschemaPair) -> RuleMatch | None:
    """The encoding of binary data in an argument has changed, which the handler now decodes otherwise."""
    return describe_keyword_change(words, "contentEncoding")


@rule("input-default-changed", Category.INPUT, SubschemaPair, Severity.WARNING)
def check_input_default_changed(words: SubschemaPair) -> RuleMatch | None:
    """The default of an argument has changed: calls that leave it out do something else."""
    return describe_keyword_change(words, "default")
