"""Rules for what the APIs of models, and programs that call them, accept of an inputSchema and a description."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.lint.rule import LintedDefinition, Problem
from mcpgen.lint.schema_walk import describe_place, walk_input_objects
from mcpgen.schema.values import as_array, get_json_type

_MOST_CHARACTERS = {
    "openai": (1_024, "OpenAI's API refuses more than"),
    "claude-code": (2_048, "Claude Code cuts it after"),
}
"""Client → the longest description of a tool, and what happens to a longer one."""


def check_old_tuples(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find tuples in the form of draft-07, where an API reads 2020-12 only."""
    for pointer, _, schema in walk_input_objects(definition):
        if isinstance(schema.get("items"), list):
            message = f"{definition.label}: {describe_place(pointer)} has a list in items, the form of draft-07, which "
            message += "Anthropic's API refuses: it reads 2020-12"
            help = 'write the schema in 2020-12: "prefixItems" for the list, "items" for "additionalItems"'
            yield Problem(f"{pointer}/items", message, help)


def check_enums(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find values of an `enum` that an API refuses: it takes texts only, and no empty one."""
    for pointer, _, schema in walk_input_objects(definition):
        values = as_array(schema.get("enum"))
        refused = [index for index, value in enumerate(values) if value == "" or not isinstance(value, str | None)]
        if refused:
            index = refused[0]
            kind = "an empty text" if values[index] == "" else f"a value of type {get_json_type(values[index])}"
            message = f"{definition.label}: the enum of {describe_place(pointer)} has {kind}, which Google's API "
            help = "leave it out, and let the property be absent instead"
            if values[index] != "":
                help = "list the values in the description, with minimum and maximum for a range; or as texts"
            yield Problem(f"{pointer}/enum/{index}", f"{message}refuses: it takes texts that are not empty", help)


def check_long_descriptions(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find descriptions of tools that a client refuses or cuts."""
    description = definition.value.get("description")
    if definition.kind != "tool" or not isinstance(description, str):
        return
    for client, (most, effect) in _MOST_CHARACTERS.items():
        if client in clients and len(description) > most:
            message = f"{definition.label}: its description has {len(description):,} characters; {effect} {most:,}"
            help = "say the most important first, and the rest in the descriptions of the parameters"
            yield Problem("/description", message, help)
