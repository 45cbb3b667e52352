"""Rules for arguments: what the old inputSchema allowed to send. The first that speaks of a gap names it."""

from __future__ import annotations

from mcpgen.compat.gap import Gap, Kind
from mcpgen.compat.registry import Category, Found, Words, input, rule
from mcpgen.compat.rules.messages import changed, given, kinds, values
from mcpgen.diagnostics import Severity


@input("null-refused", Kind.TYPE)
def null_refused(gap: Gap) -> str | None:
    """Null is no longer taken."""
    return "null is no longer taken" if gap.values == ("null",) else None


@input("type-narrowed", Kind.TYPE)
def type_narrowed(gap: Gap) -> str:
    """An argument of a type that was taken no longer is."""
    return f"{kinds(gap)} is no longer taken"


@input("const-changed", Kind.VALUE)
def const_changed(gap: Gap) -> str | None:
    """The one value that is taken has changed."""
    return f"only {given(gap)} is taken, no longer {values(gap)}" if gap.word == "const" else None


@input("enum-value-removed", Kind.VALUE)
def enum_value_removed(gap: Gap) -> str | None:
    """A value of the enum is no longer taken."""
    return f"{values(gap)} is no longer taken" if gap.word == "enum" else None


@input("value-refused", Kind.VALUE)
def value_refused(gap: Gap) -> str:
    """Few values were taken, and some of them no longer are."""
    return f"{values(gap)} is no longer taken"


@input("const-added", Kind.FREE)
def const_added(gap: Gap) -> str | None:
    """Any value was taken, only one is now."""
    return f"only {given(gap)} is taken now" if gap.word == "const" else None


@input("enum-added", Kind.FREE)
def enum_added(gap: Gap) -> str:
    """Any value was taken, only those of an enum are now."""
    return f"only {given(gap)} are taken now"


@input("property-became-required", Kind.REQUIRED)
def property_became_required(gap: Gap) -> str:
    """An optional argument has become required."""
    return f'"{gap.name}" was optional, is required now'


@input("required-property-added", Kind.UNDECLARED)
def required_property_added(gap: Gap) -> str:
    """There is a new argument that is required."""
    return f'"{gap.name}" is new and required'


@input("property-removed", Kind.EXTRA)
def property_removed(gap: Gap) -> str:
    """A declared argument is no longer taken."""
    return f'"{gap.name}" is no longer taken'


@input("object-closed", Kind.OPEN)
def object_closed(gap: Gap) -> str:
    """Undeclared properties were taken and no longer are."""
    return "was an open object, undeclared properties are no longer taken"


@input("property-declared", Kind.UNTYPED, Severity.NOTE)
def property_declared(gap: Gap) -> str:
    """An argument is declared that was not; only who sent it undeclared and otherwise is concerned."""
    return f'"{gap.name}" is new and optional; undeclared, it could be anything'


@input("additional-properties-typed", Kind.UNTYPED_OTHERS)
def additional_properties_typed(gap: Gap) -> str:
    """Undeclared properties could be anything and now have a schema."""
    return f"undeclared properties could be anything, have a schema now ({gap.word})"


@input("property-names-narrowed", Kind.PROPERTY_NAMES)
def property_names_narrowed(gap: Gap) -> str:
    """Properties of some names are no longer taken."""
    return f"properties are no longer taken whose names are not as {given(gap)} asks"


@input("min-properties-raised", Kind.MIN_PROPERTIES)
def min_properties_raised(gap: Gap) -> str:
    """An object has to have more properties."""
    return f"has to have at least {given(gap)} properties now"


@input("max-properties-lowered", Kind.MAX_PROPERTIES)
def max_properties_lowered(gap: Gap) -> str:
    """An object may only have fewer properties."""
    return f"may only have {given(gap)} properties now"


@input("dependency-added", Kind.DEPENDENT)
def dependency_added(gap: Gap) -> str:
    """An argument asks for others that it did not ask for."""
    return f'"{gap.name}" asks for others beside it now ({gap.word})'


@input("items-typed", Kind.UNTYPED_ITEMS)
def items_typed(gap: Gap) -> str:
    """Items could be anything and now have a schema."""
    return "items could be anything, have a schema now"


@input("items-refused", Kind.MORE_ITEMS)
def items_refused(gap: Gap) -> str:
    """An array may no longer have items where it could."""
    return "items are no longer taken where they were"


@input("min-items-raised", Kind.MIN_ITEMS)
def min_items_raised(gap: Gap) -> str:
    """Short arrays are no longer taken."""
    return f"fewer than {given(gap)} items are no longer taken"


@input("max-items-lowered", Kind.MAX_ITEMS)
def max_items_lowered(gap: Gap) -> str:
    """Long arrays are no longer taken."""
    return f"more than {given(gap)} items are no longer taken"


@input("unique-items-added", Kind.UNIQUE)
def unique_items_added(gap: Gap) -> str:
    """Arrays with items that are alike are no longer taken."""
    return "items that are alike are no longer taken"


@input("contains-tightened", Kind.CONTAINS)
def contains_tightened(gap: Gap) -> str:
    """Some items have to be among the others, or not too many of them."""
    return "`contains` asks for more than it did"


@input("minimum-raised", Kind.MINIMUM)
def minimum_raised(gap: Gap) -> str:
    """Small numbers are no longer taken."""
    return f"numbers below {gap.word} {given(gap)} are no longer taken"


@input("maximum-lowered", Kind.MAXIMUM)
def maximum_lowered(gap: Gap) -> str:
    """Large numbers are no longer taken."""
    return f"numbers above {gap.word} {given(gap)} are no longer taken"


@input("multiple-of-tightened", Kind.MULTIPLE)
def multiple_of_tightened(gap: Gap) -> str:
    """Numbers between the steps are no longer taken."""
    return f"only multiples of {given(gap)} are taken now"


@input("min-length-raised", Kind.MIN_LENGTH)
def min_length_raised(gap: Gap) -> str:
    """Short strings are no longer taken."""
    return f"strings shorter than {given(gap)} characters are no longer taken"


@input("max-length-lowered", Kind.MAX_LENGTH)
def max_length_lowered(gap: Gap) -> str:
    """Long strings are no longer taken."""
    return f"strings longer than {given(gap)} characters are no longer taken"


@input("pattern-tightened", Kind.PATTERN)
def pattern_tightened(gap: Gap) -> str:
    """Strings that a new pattern does not match are no longer taken."""
    return f"strings that {given(gap)} does not match are no longer taken"


@input("variant-removed", Kind.VARIANT)
def variant_removed(gap: Gap) -> str:
    """A form that was taken is no longer among the alternatives."""
    return f"a form that was taken is in no branch of {gap.word}"


@input("alternatives-overlap", Kind.OVERLAP)
def alternatives_overlap(gap: Gap) -> str:
    """A value that was taken satisfies several alternatives of which it has to satisfy one."""
    return "values may satisfy several branches of oneOf at once"


@input("exclusion-added", Kind.EXCLUDED)
def exclusion_added(gap: Gap) -> str:
    """Values that were taken are ruled out."""
    return f"`not` rules out what was taken: {given(gap)}"


@input("condition-tightened", Kind.CONDITION)
def condition_tightened(gap: Gap) -> str:
    """A condition refuses values that were taken."""
    return "if/then/else may refuse what was taken"


@input("here-refused", Kind.FORBIDDEN)
def here_refused(gap: Gap) -> str:
    """There could be a value where none is taken now."""
    return "no value is taken here any more"


@input("not-followed", Kind.UNKNOWN)
def not_followed(gap: Gap) -> str:
    """The change is beyond what the comparison can follow."""
    return "the change could not be followed"


@rule("input-format-changed", Category.INPUT, Words, Severity.WARNING)
def format_changed(words: Words) -> Found | None:
    """The format of an argument has changed: nothing checks it, but handlers may."""
    return changed(words, "format")


@rule("input-content-encoding-changed", Category.INPUT, Words)
def content_encoding_changed(words: Words) -> Found | None:
    """The encoding of binary data in an argument has changed, which the handler now decodes otherwise."""
    return changed(words, "contentEncoding")


@rule("input-default-changed", Category.INPUT, Words, Severity.WARNING)
def default_changed(words: Words) -> Found | None:
    """The default of an argument has changed: calls that leave it out do something else."""
    return changed(words, "default")
