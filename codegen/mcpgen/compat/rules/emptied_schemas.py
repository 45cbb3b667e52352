"""Rules for schemas that no longer have any value: a mistake of the author, such as a rename that is half done."""

from __future__ import annotations

from dataclasses import dataclass

from mcpgen.compat.rules.rule import Category, Rule


@dataclass(frozen=True)
class EmptiedSchemaRule(Rule):
    """Rule that reports a subschema that had values, and has none now."""

    root: str
    """What a schema describes as a whole: `no arguments are`."""


EMPTIED_OUTPUT_RULE = EmptiedSchemaRule(
    "output-no-value-left",
    Category.OUTPUT,
    "A schema of results has no valid value any more, so that every result with a value there is refused.",
    root="no result is",
)
EMPTIED_INPUT_RULE = EmptiedSchemaRule(
    "input-no-value-left",
    Category.INPUT,
    "A schema of arguments has no valid value any more, so that every call with a value there is refused.",
    root="no arguments are",
)
