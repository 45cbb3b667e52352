"""Rules for what models and people are told, which are asked when they are selected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcpgen.lint.rule import LintedDefinition, Problem
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.values import Json, as_array, as_object, follow_pointer, format_pointer, parse_pointer

MOST_NAMES = 3
"""Tools that are named when many have the same problem."""


def check_missing_description(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find definitions without a description, or with a blank one."""
    description = definition.value.get("description")
    if not isinstance(description, str) or not description.strip():
        pointer = "/description" if "description" in definition.value else "/name"
        message = f"{definition.label} has no description"
        yield Problem(pointer, message, "say what it does, when to use it, and what it returns")


def check_equal_descriptions(
    definitions: Sequence[LintedDefinition], clients: frozenset[str]
) -> Iterator[tuple[int, Problem]]:
    """Find definitions of a kind that are described in the same words."""
    first_names: dict[tuple[str, str], str] = {}
    for number, definition in enumerate(definitions):
        description = definition.value.get("description")
        if isinstance(description, str) and description.strip():
            key = (definition.kind, " ".join(description.split()))
            first = first_names.setdefault(key, definition.name)
            if first != definition.name:
                message = f'{definition.label} has the same description as "{first}"'
                yield number, Problem("/description", message, "say in what they differ: a model chooses by it")


def check_parameter_descriptions(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find parameters of tools and arguments of prompts without a description."""
    for index, argument in enumerate(as_array(definition.value.get("arguments"))):
        if definition.kind == "prompt" and not _has_description(argument):
            yield _make_parameter_problem(
                definition, str(as_object(argument).get("name")), format_pointer("arguments", index)
            )
    if definition.input is not None:
        index_of_schema = SchemaIndex(definition.input.value, definition.input.dialect)
        for name, schema in as_object(as_object(definition.input.value).get("properties")).items():
            pointer = format_pointer("properties", name)
            if schema is not False and not _is_described(schema, pointer, index_of_schema):
                yield _make_parameter_problem(definition, name, f"/inputSchema{pointer}")


def _make_parameter_problem(definition: LintedDefinition, name: str, pointer: str) -> Problem:
    message = f'{definition.label}: the parameter "{name}" has no description'
    return Problem(pointer, message, "say what it means, in what unit or form, and what happens without it")


def _is_described(schema: Json, pointer: str, index: SchemaIndex) -> bool:
    """Report whether a schema, one that it refers to or the branches that it consists of have a description."""
    if _has_description(schema):
        return True
    ref = as_object(schema).get("$ref")
    target = index.find_target(pointer, ref) if isinstance(ref, str) else None
    if target is not None and _has_description(follow_pointer(index.root, parse_pointer(target))):
        return True
    branches = [
        branch for keyword in ("anyOf", "oneOf", "allOf") for branch in as_array(as_object(schema).get(keyword))
    ]
    return any(_has_description(branch) for branch in branches)


def _has_description(value: Json) -> bool:
    description = as_object(value).get("description")
    return isinstance(description, str) and bool(description.strip())


def check_titles(definition: LintedDefinition, clients: frozenset[str]) -> Iterator[Problem]:
    """Find tools with two titles that differ."""
    title, annotated_title = definition.value.get("title"), as_object(definition.value.get("annotations")).get("title")
    if isinstance(title, str) and isinstance(annotated_title, str) and title != annotated_title:
        message = f'{definition.label} is called "{title}" by its title and "{annotated_title}" by annotations.title'
        help = "clients of 2025-06-18 and later show the title, older ones the other: leave out annotations.title"
        yield Problem("/annotations/title", message, help)


def check_chosen_content(
    definitions: Sequence[LintedDefinition], clients: frozenset[str]
) -> Iterator[tuple[int, Problem]]:
    """Find the tools for whose results nobody has chosen a text; they are reported together, at the first of them."""
    numbers = [number for number, definition in enumerate(definitions) if definition.has_default_content]
    if numbers:
        names = [f'"{definitions[number].name}"' for number in numbers]
        listed = ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")
        subject = f"tool {listed} has" if len(names) == 1 else f"{len(names)} tools ({listed}) have"
        message = f"{subject} no chosen content, so the model reads the JSON"
        help = 'a template, "table", "csv" or another `content` may say it shorter; "json" says that JSON is meant'
        yield numbers[0], Problem("/name", message, help)
