"""Rules for results: what a reader of the old outputSchema was not told of. The first that speaks of a gap names it."""

from __future__ import annotations

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.registry import Category, RuleMatch, SubschemaPair, output_rule, rule
from mcpgen.compat.rules.messages import describe_keyword_change, format_constraint, format_kinds, format_values
from mcpgen.diagnostics import Severity


@output_rule("became-nullable", GapKind.TYPE)
def check_output_became_nullable(gap: Gap) -> str | None:
    """The result may now be null where it never was."""
    return "may now be null" if gap.values == ("null",) else None


@output_rule("type-widened", GapKind.TYPE)
def check_output_type_widened(gap: Gap) -> str:
    """The result may now be of a type that it never was."""
    return f"may now be {format_kinds(gap)}"


@output_rule("const-changed", GapKind.VALUE)
def check_output_const_changed(gap: Gap) -> str | None:
    """A value that was always the same may now be another."""
    return f"was always {format_constraint(gap)}, may now be {format_values(gap)}" if gap.word == "const" else None


@output_rule("enum-value-added", GapKind.VALUE)
def check_output_enum_value_added(gap: Gap) -> str | None:
    """A value may now be one that the enum did not have."""
    return f"may now be {format_values(gap)}, which the enum did not have" if gap.word == "enum" else None


@output_rule("value-added", GapKind.VALUE)
def check_output_value_added(gap: Gap) -> str:
    """Few values are possible, and among them are now some that were not."""
    return f"may now be {format_values(gap)}"


@output_rule("const-removed", GapKind.FREE)
def check_output_const_removed(gap: Gap) -> str | None:
    """A value that was always the same may now be any."""
    return f"was always {format_constraint(gap)}, may now be anything of its type" if gap.word == "const" else None


@output_rule("enum-removed", GapKind.FREE)
def check_output_enum_removed(gap: Gap) -> str:
    """A value that was one of an enum may now be any."""
    return f"was one of {format_constraint(gap)}, may now be anything of its type"


@output_rule("property-became-optional", GapKind.REQUIRED)
def check_output_property_became_optional(gap: Gap) -> str:
    """A property that every result had may now be missing."""
    return f'"{gap.name}" was always there, may now be missing'


@output_rule("required-property-removed", GapKind.UNDECLARED)
def check_output_required_property_removed(gap: Gap) -> str:
    """A property that every result had is no longer spoken of."""
    return f'"{gap.name}" was always there, the schema no longer has it'


@output_rule("property-added-to-closed-object", GapKind.EXTRA)
def check_output_property_added_to_closed_object(gap: Gap) -> str:
    """A closed object has got a property, which its readers refuse."""
    return f'"{gap.name}" is new in an object that was closed'


@output_rule("object-opened", GapKind.OPEN)
def check_output_object_opened(gap: Gap) -> str:
    """An object that was closed may now have any property."""
    return "was a closed object, may now have undeclared properties"


@output_rule("property-undeclared", GapKind.UNTYPED)
def check_output_property_undeclared(gap: Gap) -> str:
    """A property is no longer declared in an open object, so that it may be anything."""
    return f'"{gap.name}" is no longer declared, so it may now be anything'


@output_rule("additional-properties-untyped", GapKind.UNTYPED_OTHERS)
def check_output_additional_properties_untyped(gap: Gap) -> str:
    """Undeclared properties had a schema and may now be anything."""
    return f"undeclared properties had a schema ({gap.word}), may now be anything"


@output_rule("property-names-widened", GapKind.PROPERTY_NAMES)
def check_output_property_names_widened(gap: Gap) -> str:
    """Properties may now have names that they never had."""
    return f"may now have properties of other names than {format_constraint(gap)} allowed"


@output_rule("min-properties-lowered", GapKind.MIN_PROPERTIES)
def check_output_min_properties_lowered(gap: Gap) -> str:
    """An object may now have fewer properties."""
    return f"may now have fewer than {format_constraint(gap)} properties"


@output_rule("max-properties-raised", GapKind.MAX_PROPERTIES)
def check_output_max_properties_raised(gap: Gap) -> str:
    """An object may now have more properties."""
    return f"may now have more than {format_constraint(gap)} properties"


@output_rule("dependency-removed", GapKind.DEPENDENT)
def check_output_dependency_removed(gap: Gap) -> str:
    """What came along with a property may now be missing."""
    return f'what came along with "{gap.name}" ({gap.word}) may now be missing or otherwise'


@output_rule("items-untyped", GapKind.UNTYPED_ITEMS)
def check_output_items_untyped(gap: Gap) -> str:
    """Items had a schema and may now be anything."""
    return "items had a schema, may now be anything"


@output_rule("items-added", GapKind.MORE_ITEMS)
def check_output_items_added(gap: Gap) -> str:
    """An array may now have items where it had none."""
    return "may now have items where there were none"


@output_rule("min-items-lowered", GapKind.MIN_ITEMS)
def check_output_min_items_lowered(gap: Gap) -> str:
    """An array may now be shorter."""
    return f"may now have fewer than {format_constraint(gap)} items"


@output_rule("max-items-raised", GapKind.MAX_ITEMS)
def check_output_max_items_raised(gap: Gap) -> str:
    """An array may now be longer."""
    return f"may now have more than {format_constraint(gap)} items"


@output_rule("unique-items-removed", GapKind.UNIQUE)
def check_output_unique_items_removed(gap: Gap) -> str:
    """Items were all different and may now be alike."""
    return "items were all different, may now be alike"


@output_rule("contains-loosened", GapKind.CONTAINS)
def check_output_contains_loosened(gap: Gap) -> str:
    """Items that were always among the others may now be missing, or be too many."""
    return "the items that `contains` asked for may now be missing or too many"


@output_rule("minimum-lowered", GapKind.MINIMUM)
def check_output_minimum_lowered(gap: Gap) -> str:
    """A number may now be smaller."""
    return f"may now be smaller than {gap.word} {format_constraint(gap)} allowed"


@output_rule("maximum-raised", GapKind.MAXIMUM)
def check_output_maximum_raised(gap: Gap) -> str:
    """A number may now be larger."""
    return f"may now be larger than {gap.word} {format_constraint(gap)} allowed"


@output_rule("multiple-of-loosened", GapKind.MULTIPLE)
def check_output_multiple_of_loosened(gap: Gap) -> str:
    """A number may now lie between the steps."""
    return f"may now be no multiple of {format_constraint(gap)}"


@output_rule("min-length-lowered", GapKind.MIN_LENGTH)
def check_output_min_length_lowered(gap: Gap) -> str:
    """A string may now be shorter."""
    return f"may now be shorter than {format_constraint(gap)} characters"


@output_rule("max-length-raised", GapKind.MAX_LENGTH)
def check_output_max_length_raised(gap: Gap) -> str:
    """A string may now be longer."""
    return f"may now be longer than {format_constraint(gap)} characters"


@output_rule("pattern-loosened", GapKind.PATTERN)
def check_output_pattern_loosened(gap: Gap) -> str:
    """A string may now be one that the pattern did not match."""
    return f"may now be a string that {format_constraint(gap)} does not match"


@output_rule("variant-added", GapKind.VARIANT)
def check_output_variant_added(gap: Gap) -> str:
    """A value may now have a form that none of the alternatives described."""
    return f"may now have a form that no branch of {gap.word} described"


@output_rule("alternatives-overlap", GapKind.OVERLAP)
def check_output_alternatives_overlap(gap: Gap) -> str:
    """A value may now satisfy several of the alternatives of which it had to satisfy one."""
    return "may now satisfy several branches of oneOf at once"


@output_rule("exclusion-removed", GapKind.EXCLUDED)
def check_output_exclusion_removed(gap: Gap) -> str:
    """A value may now be one that was ruled out."""
    return f"may now be what `not` ruled out: {format_constraint(gap)}"


@output_rule("condition-loosened", GapKind.CONDITION)
def check_output_condition_loosened(gap: Gap) -> str:
    """A value may now be one that a condition did not allow."""
    return "may now be what if/then/else did not allow"


@output_rule("value-allowed", GapKind.FORBIDDEN)
def check_output_value_allowed(gap: Gap) -> str:
    """There may now be a value where there was none."""
    return "there was never a value here, may now be one"


@output_rule("not-followed", GapKind.UNKNOWN)
def check_output_not_followed(gap: Gap) -> str:
    """The change is beyond what the comparison can follow."""
    return "the change could not be followed"


@rule("output-format-changed", Category.OUTPUT, SubschemaPair, Severity.WARNING)
def check_output_format_changed(words: SubschemaPair) -> RuleMatch | None:
    """The format of a string has changed: nothing checks it, but readers go by it."""
    return describe_keyword_change(words, "format")


@rule("output-content-encoding-changed", Category.OUTPUT, SubschemaPair)
def check_output_content_encoding_changed(words: SubschemaPair) -> RuleMatch | None:
    """The encoding of binary data in a string has changed: nothing checks it, but readers decode by it."""
    return describe_keyword_change(words, "contentEncoding")


@rule("output-content-media-type-changed", Category.OUTPUT, SubschemaPair)
def check_output_content_media_type_changed(words: SubschemaPair) -> RuleMatch | None:
    """The media type of a string has changed: nothing checks it, but readers go by it."""
    return describe_keyword_change(words, "contentMediaType")
