"""Differences between resources and prompts as declared and as a server advertises them."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.diagnostics import Diagnostic, Severity, Span
from mcpgen.introspect.validation import AdvertisedDefinitions
from mcpgen.read.definitions import Definitions
from mcpgen.schema.values import Json, as_array, as_object, canonicalize

_RESOURCE_CONTRACT = ("name", "mimeType")

DefinitionPair = tuple[str, dict[str, Json], dict[str, Json], Span]
"""A label for messages, a definition as declared and as advertised, and the place of the first."""


def find_member_changes(definitions: Definitions, advertised: AdvertisedDefinitions) -> Iterator[Diagnostic]:
    """Yield an error for each resource with another name or MIME type, and each prompt with other arguments."""
    for label, declared, actual, span in _pair_resources(definitions, advertised):
        changed = _list_changed(declared, actual, _RESOURCE_CONTRACT)
        if changed:
            yield _make_difference(f"{label} has another {' and '.join(changed)} on the server", span)
    for label, declared, actual, span in _pair_prompts(definitions, advertised):
        if _get_argument_contracts(declared) != _get_argument_contracts(actual):
            yield _make_difference(f"{label} has other arguments on the server", span)


def pair_definitions(definitions: Definitions, advertised: AdvertisedDefinitions) -> Iterator[DefinitionPair]:
    """Yield the resources and prompts that are both declared and advertised."""
    yield from _pair_resources(definitions, advertised)
    yield from _pair_prompts(definitions, advertised)


def find_instruction_changes(
    definitions: Definitions, advertised: AdvertisedDefinitions, server: str, severity: Severity
) -> Iterator[Diagnostic]:
    """Yield a diagnostic if the server has other instructions than the declared ones."""
    if definitions.instructions and "\n\n".join(definitions.instructions) != advertised.instructions:
        yield Diagnostic("MG717", "the server has other instructions", Span(server), "", severity)


def _pair_resources(definitions: Definitions, advertised: AdvertisedDefinitions) -> list[DefinitionPair]:
    listed = {
        str(resource[key]): resource
        for member, key in (("resources", "uri"), ("resourceTemplates", "uriTemplate"))
        for resource in advertised.lists[member]
    }
    return [
        (f'resource "{resource.name}"', resource.resource, listed[resource.uri], resource.span)
        for resource in definitions.resources
        if resource.uri in listed
    ]


def _pair_prompts(definitions: Definitions, advertised: AdvertisedDefinitions) -> list[DefinitionPair]:
    listed = {str(prompt["name"]): prompt for prompt in advertised.lists.get("prompts", [])}
    return [
        (f'prompt "{prompt.name}"', prompt.prompt, listed[prompt.name], prompt.span)
        for prompt in definitions.prompts
        if prompt.name in listed
    ]


def _get_argument_contracts(prompt: dict[str, Json]) -> list[tuple[str, bool]]:
    arguments = [as_object(argument) for argument in as_array(prompt.get("arguments"))]
    return sorted((str(argument.get("name")), argument.get("required") is True) for argument in arguments)


def _list_changed(declared: dict[str, Json], actual: dict[str, Json], members: tuple[str, ...]) -> list[str]:
    return [member for member in members if canonicalize(declared.get(member)) != canonicalize(actual.get(member))]


def _make_difference(message: str, span: Span) -> Diagnostic:
    return Diagnostic("MG716", message, span, "", Severity.ERROR)
