"""Rules for new definitions, and for new properties of results: they break nobody, and complete the report."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.compat.rules.rule import AdditionRule, Category, RuleMatch, SubschemaPair, SubschemaRule
from mcpgen.diagnostics import Severity
from mcpgen.schema.values import as_array, as_object, format_pointer


def _find_new_properties(subschemas: SubschemaPair) -> Iterator[RuleMatch]:
    """Yield a match for each property that an open object has now."""
    old, new = (as_object(schema.get("properties")) for schema in (subschemas.old, subschemas.new))
    is_open = old and subschemas.old.get("additionalProperties") is not False
    for name in new if is_open else ():
        if name not in old and new[name] is not False:
            presence = "is always there" if name in as_array(subschemas.new.get("required")) else "may be absent"
            yield RuleMatch(
                f'the property "{name}" is new, and {presence}',
                subschemas.pointer + format_pointer("properties", name),
            )


ADDITION_RULES = (
    AdditionRule("tool-added", Category.ADDITIONS, "A tool is new.", "tool", severity=Severity.NOTE),
    AdditionRule(
        "resource-added", Category.ADDITIONS, "A resource or template is new.", "resource", severity=Severity.NOTE
    ),
    AdditionRule("prompt-added", Category.ADDITIONS, "A prompt is new.", "prompt", severity=Severity.NOTE),
    SubschemaRule(
        "output-member-added",
        Category.ADDITIONS,
        "A result has a new property, which clients that do not know it ignore.",
        Category.OUTPUT,
        _find_new_properties,
        severity=Severity.NOTE,
    ),
)
