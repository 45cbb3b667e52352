"""Rules for the names of tools and of properties."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mcpgen.lint.clients import CLIENTS
from mcpgen.lint.rule import LintedDefinition, Problem
from mcpgen.lint.schema_walk import walk_input_objects
from mcpgen.schema.values import as_object, format_pointer

_SPECIFIED_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_PROPERTY_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_GEMINI_CLI_LENGTH = 63
_LONG = 40
"""Characters of a name that a message quotes."""


def check_specified_name(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find names of tools that the specification advises against."""
    if definition.kind == "tool" and not _SPECIFIED_NAME.fullmatch(definition.name):
        message = (
            f"{_describe(definition.name)} is not what the specification advises: 1 to 128 letters, digits, _, - and ."
        )
        yield Problem("/name", message, "rename the tool, and tell those who call it")


def check_accepted_name(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find names of tools that a client refuses."""
    if definition.kind != "tool":
        return
    for client in CLIENTS:
        if client.name in clients and client.tool_name and not client.tool_name.fullmatch(definition.name):
            message = f"{_describe(definition.name)} is refused by {client.title}: {client.name_words}"
            yield Problem("/name", message, "rename the tool; a client may also rename it, and call it by another name")


def check_property_names(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find properties of arguments whose names an API refuses."""
    for pointer, _, schema in walk_input_objects(definition):
        for name in as_object(schema.get("properties")):
            if not _PROPERTY_NAME.fullmatch(name):
                message = f"{definition.label}: {_describe(name, 'property')} is refused by Anthropic's API: letters, "
                message += "digits, underscores, dots and hyphens, at most 64"
                help = "rename it, and let the handler translate it; the API refuses all tools of a request with it"
                yield Problem(pointer + format_pointer("properties", name), message, help)


def check_equal_names(
    definitions: Sequence[LintedDefinition], clients: frozenset[str]
) -> Iterator[tuple[int, Problem]]:
    """Find tools that have one name after a client has changed what its API would refuse."""
    first_names: dict[str, str] = {}
    for number, definition in enumerate(definitions):
        if definition.kind == "tool":
            changed = change_name_as_gemini_cli(definition.name)
            first = first_names.setdefault(changed, definition.name)
            if first != definition.name:
                message = f'{_describe(definition.name)} becomes "{changed}" in Gemini CLI, as "{first}" does'
                yield number, Problem("/name", message, "rename one of them: the client keeps one tool of a name")


def change_name_as_gemini_cli(name: str) -> str:
    """Return the name that Gemini CLI gives to a tool: without other characters, and not too long."""
    valid = re.sub(r"[^a-zA-Z0-9_.-]", "_", name)
    return valid if len(valid) <= _GEMINI_CLI_LENGTH else f"{valid[:28]}___{valid[-32:]}"


def _describe(name: str, noun: str = "name") -> str:
    return f'the {noun} "{name}"' if len(name) <= _LONG else f'the {noun} "{name[:_LONG]}…" ({len(name)} characters)'
