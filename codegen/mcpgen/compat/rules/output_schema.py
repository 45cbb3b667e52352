"""Rules for results: what a reader of the old outputSchema was not told of. The first that speaks of a gap names it."""

from __future__ import annotations

from mcpgen.compat.gap import Gap, Kind
from mcpgen.compat.registry import Category, Found, Words, output, rule
from mcpgen.compat.rules.messages import changed, given, kinds, values
from mcpgen.diagnostics import Severity


@output("became-nullable", Kind.TYPE)
def became_nullable(gap: Gap) -> str | None:
    """The result may now be null where it never was."""
    return "may now be null" if gap.values == ("null",) else None


@output("type-widened", Kind.TYPE)
def type_widened(gap: Gap) -> str:
    """The result may now be of a type that it never was."""
    return f"may now be {kinds(gap)}"


@output("const-changed", Kind.VALUE)
def const_changed(gap: Gap) -> str | None:
    """A value that was always the same may now be another."""
    return f"was always {given(gap)}, may now be {values(gap)}" if gap.word == "const" else None


@output("enum-value-added", Kind.VALUE)
def enum_value_added(gap: Gap) -> str | None:
    """A value may now be one that the enum did not have."""
    return f"may now be {values(gap)}, which the enum did not have" if gap.word == "enum" else None


@output("value-added", Kind.VALUE)
def value_added(gap: Gap) -> str:
    """Few values are possible, and among them are now some that were not."""
    return f"may now be {values(gap)}"


@output("const-removed", Kind.FREE)
def const_removed(gap: Gap) -> str | None:
    """A value that was always the same may now be any."""
    return f"was always {given(gap)}, may now be anything of its type" if gap.word == "const" else None


@output("enum-removed", Kind.FREE)
def enum_removed(gap: Gap) -> str:
    """A value that was one of an enum may now be any."""
    return f"was one of {given(gap)}, may now be anything of its type"


@output("property-became-optional", Kind.REQUIRED)
def property_became_optional(gap: Gap) -> str:
    """A property that every result had may now be missing."""
    return f'"{gap.name}" was always there, may now be missing'


@output("required-property-removed", Kind.UNDECLARED)
def required_property_removed(gap: Gap) -> str:
    """A property that every result had is no longer spoken of."""
    return f'"{gap.name}" was always there, the schema no longer has it'


@output("property-added-to-closed-object", Kind.EXTRA)
def property_added_to_closed_object(gap: Gap) -> str:
    """A closed object has got a property, which its readers refuse."""
    return f'"{gap.name}" is new in an object that was closed'


@output("object-opened", Kind.OPEN)
def object_opened(gap: Gap) -> str:
    """An object that was closed may now have any property."""
    return "was a closed object, may now have undeclared properties"


@output("property-undeclared", Kind.UNTYPED)
def property_undeclared(gap: Gap) -> str:
    """A property is no longer declared in an open object, so that it may be anything."""
    return f'"{gap.name}" is no longer declared, so it may now be anything'


@output("additional-properties-untyped", Kind.UNTYPED_OTHERS)
def additional_properties_untyped(gap: Gap) -> str:
    """Undeclared properties had a schema and may now be anything."""
    return f"undeclared properties had a schema ({gap.word}), may now be anything"


@output("property-names-widened", Kind.PROPERTY_NAMES)
def property_names_widened(gap: Gap) -> str:
    """Properties may now have names that they never had."""
    return f"may now have properties of other names than {given(gap)} allowed"


@output("min-properties-lowered", Kind.MIN_PROPERTIES)
def min_properties_lowered(gap: Gap) -> str:
    """An object may now have fewer properties."""
    return f"may now have fewer than {given(gap)} properties"


@output("max-properties-raised", Kind.MAX_PROPERTIES)
def max_properties_raised(gap: Gap) -> str:
    """An object may now have more properties."""
    return f"may now have more than {given(gap)} properties"


@output("dependency-removed", Kind.DEPENDENT)
def dependency_removed(gap: Gap) -> str:
    """What came along with a property may now be missing."""
    return f'what came along with "{gap.name}" ({gap.word}) may now be missing or otherwise'


@output("items-untyped", Kind.UNTYPED_ITEMS)
def items_untyped(gap: Gap) -> str:
    """Items had a schema and may now be anything."""
    return "items had a schema, may now be anything"


@output("items-added", Kind.MORE_ITEMS)
def items_added(gap: Gap) -> str:
    """An array may now have items where it had none."""
    return "may now have items where there were none"


@output("min-items-lowered", Kind.MIN_ITEMS)
def min_items_lowered(gap: Gap) -> str:
    """An array may now be shorter."""
    return f"may now have fewer than {given(gap)} items"


@output("max-items-raised", Kind.MAX_ITEMS)
def max_items_raised(gap: Gap) -> str:
    """An array may now be longer."""
    return f"may now have more than {given(gap)} items"


@output("unique-items-removed", Kind.UNIQUE)
def unique_items_removed(gap: Gap) -> str:
    """Items were all different and may now be alike."""
    return "items were all different, may now be alike"


@output("contains-loosened", Kind.CONTAINS)
def contains_loosened(gap: Gap) -> str:
    """Items that were always among the others may now be missing, or be too many."""
    return "the items that `contains` asked for may now be missing or too many"


@output("minimum-lowered", Kind.MINIMUM)
def minimum_lowered(gap: Gap) -> str:
    """A number may now be smaller."""
    return f"may now be smaller than {gap.word} {given(gap)} allowed"


@output("maximum-raised", Kind.MAXIMUM)
def maximum_raised(gap: Gap) -> str:
    """A number may now be larger."""
    return f"may now be larger than {gap.word} {given(gap)} allowed"


@output("multiple-of-loosened", Kind.MULTIPLE)
def multiple_of_loosened(gap: Gap) -> str:
    """A number may now lie between the steps."""
    return f"may now be no multiple of {given(gap)}"


@output("min-length-lowered", Kind.MIN_LENGTH)
def min_length_lowered(gap: Gap) -> str:
    """A string may now be shorter."""
    return f"may now be shorter than {given(gap)} characters"


@output("max-length-raised", Kind.MAX_LENGTH)
def max_length_raised(gap: Gap) -> str:
    """A string may now be longer."""
    return f"may now be longer than {given(gap)} characters"


@output("pattern-loosened", Kind.PATTERN)
def pattern_loosened(gap: Gap) -> str:
    """A string may now be one that the pattern did not match."""
    return f"may now be a string that {given(gap)} does not match"


@output("variant-added", Kind.VARIANT)
def variant_added(gap: Gap) -> str:
    """A value may now have a form that none of the alternatives described."""
    return f"may now have a form that no branch of {gap.word} described"


@output("alternatives-overlap", Kind.OVERLAP)
def alternatives_overlap(gap: Gap) -> str:
    """A value may now satisfy several of the alternatives of which it had to satisfy one."""
    return "may now satisfy several branches of oneOf at once"


@output("exclusion-removed", Kind.EXCLUDED)
def exclusion_removed(gap: Gap) -> str:
    """A value may now be one that was ruled out."""
    return f"may now be what `not` ruled out: {given(gap)}"


@output("condition-loosened", Kind.CONDITION)
def condition_loosened(gap: Gap) -> str:
    """A value may now be one that a condition did not allow."""
    return "may now be what if/then/else did not allow"


@output("value-allowed", Kind.FORBIDDEN)
def value_allowed(gap: Gap) -> str:
    """There may now be a value where there was none."""
    return "there was never a value here, may now be one"


@output("not-followed", Kind.UNKNOWN)
def not_followed(gap: Gap) -> str:
    """The change is beyond what the comparison can follow."""
    return "the change could not be followed"


@rule("output-format-changed", Category.OUTPUT, Words, Severity.WARNING)
def format_changed(words: Words) -> Found | None:
    """The format of a string has changed: nothing checks it, but readers go by it."""
    return changed(words, "format")


@rule("output-content-encoding-changed", Category.OUTPUT, Words)
def content_encoding_changed(words: Words) -> Found | None:
    """The encoding of binary data in a string has changed: nothing checks it, but readers decode by it."""
    return changed(words, "contentEncoding")


@rule("output-content-media-type-changed", Category.OUTPUT, Words)
def content_media_type_changed(words: Words) -> Found | None:
    """The media type of a string has changed: nothing checks it, but readers go by it."""
    return changed(words, "contentMediaType")
