"""Definitions of files, beside those that a server advertises, or that a package was built from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mcpgen_runtime.tool_contract import comparable_contracts

from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Span
from mcpgen.files.regular_files import read_regular
from mcpgen.introspect.validation import KEY_MEMBERS, AdvertisedDefinitions
from mcpgen.plan import MAX_OUTPUT_FILE_SIZE
from mcpgen.read.definitions import Definitions, ToolDefinition
from mcpgen.read.document import SourceDocument
from mcpgen.read.foreign_definitions import normalize_definition
from mcpgen.schema.document import Schema
from mcpgen.schema.object_roots import make_object_schema
from mcpgen.schema.values import Json, as_array, as_object, canonicalize
from mcpgen.targets import ANY_JSON_RESULT_SINCE, STRUCTURED_CONTENT_SINCE

_RESOURCE_CONTRACT = ("name", "mimeType")


@dataclass(frozen=True)
class DefinitionPair:
    """A definition as declared and as advertised, in wire form, with what programs rely on in each."""

    label: str
    """Name for messages, such as `tool "add"`."""
    declared: dict[str, Json]
    advertised: dict[str, Json]
    old_contract: dict[str, Json]
    new_contract: dict[str, Json]
    file: str
    """The file with the declared one."""
    locate: Callable[[str], Span]
    """Returns the place of a JSON pointer into the declared one."""


def pair_definitions(definitions: Definitions, advertised: AdvertisedDefinitions) -> Iterator[DefinitionPair]:
    """Yield the tools, resources and prompts that are both declared and advertised."""
    yield from _pair_tools(definitions, advertised)
    yield from _pair_resources(definitions, advertised)
    yield from _pair_prompts(definitions, advertised)


def pair_instructions(
    definitions: Definitions, advertised: AdvertisedDefinitions, place: Span
) -> Iterator[DefinitionPair]:
    """Yield the instructions as if they were a definition of the server, if some are declared."""
    if definitions.instructions:
        declared: dict[str, Json] = {"instructions": "\n\n".join(definitions.instructions)}
        actual: dict[str, Json] = {"instructions": advertised.instructions} if advertised.instructions else {}
        yield DefinitionPair("server", declared, actual, {}, {}, place.file, _make_locator(place))


def list_undeclared_outputs(definitions: Definitions, advertised: AdvertisedDefinitions) -> tuple[str, ...]:
    """Return the tools whose outputSchema only the settings have: the server declares none."""
    listed = {str(tool["name"]): tool for tool in advertised.tools}
    return tuple(
        tool.name
        for tool in definitions.tools
        if tool.is_output_from_settings and "outputSchema" not in listed.get(tool.name, {"outputSchema": None})
    )


# --- tools -----------------------------------------------------------------------------------------------------------
def _pair_tools(definitions: Definitions, advertised: AdvertisedDefinitions) -> Iterator[DefinitionPair]:
    version = advertised.protocol
    listed = {str(tool["name"]): tool for tool in advertised.tools}
    undeclared = list_undeclared_outputs(definitions, advertised)
    for tool in definitions.tools:
        if tool.name not in listed:
            continue
        expected = build_expected_tool(tool, version)
        actual = _drop_unknown_output(listed[tool.name], version)
        actual = _overlook_mistakes(tool.document, tool.at or "", tool.tool, expected, actual)
        if tool.name in undeclared:
            expected.pop("outputSchema", None)
        contracts = comparable_contracts(expected, actual)
        label = f'tool "{tool.name}"'
        yield DefinitionPair(label, expected, actual, *contracts, tool.span.file, tool.locate)


def build_expected_tool(tool: ToolDefinition, version: str) -> dict[str, Json]:
    """Return a Tool as a generated package advertises it: an outputSchema as declared, wrapped, or missing."""
    expected = dict(tool.tool)
    if tool.output is not None:
        expected["outputSchema"] = make_advertised_output(tool.output, tool.wrapping, version)
    return _drop_unknown_output(expected, version)


def make_advertised_output(schema: Schema, wrapping: str, version: str) -> Json:
    """Return an outputSchema as a generated package advertises it: as it is, or wrapped in an object."""
    is_wrapped = version < ANY_JSON_RESULT_SINCE or wrapping == "always"
    return make_object_schema(schema.value, schema.dialect) if is_wrapped else schema.value


def _drop_unknown_output(tool: dict[str, Json], version: str) -> dict[str, Json]:
    """Return a Tool without its outputSchema if the version has none: SDKs may send it nevertheless."""
    if version >= STRUCTURED_CONTENT_SINCE:
        return tool
    return {key: value for key, value in tool.items() if key != "outputSchema"}


# --- resources and prompts -------------------------------------------------------------------------------------------
def _pair_resources(definitions: Definitions, advertised: AdvertisedDefinitions) -> Iterator[DefinitionPair]:
    listed = {
        str(resource[key]): resource
        for member, key in (("resources", "uri"), ("resourceTemplates", "uriTemplate"))
        for resource in advertised.lists[member]
    }
    for resource in definitions.resources:
        if resource.uri in listed:
            declared, actual = resource.resource, listed[resource.uri]
            actual = _overlook_mistakes(resource.document, resource.at, declared, declared, actual)
            contracts = _build_resource_contract(declared), _build_resource_contract(actual)
            label = f'resource "{resource.name}"'
            yield DefinitionPair(label, declared, actual, *contracts, resource.span.file, resource.locate)


def _pair_prompts(definitions: Definitions, advertised: AdvertisedDefinitions) -> Iterator[DefinitionPair]:
    listed = {str(prompt["name"]): prompt for prompt in advertised.lists.get("prompts", [])}
    for prompt in definitions.prompts:
        if prompt.name in listed:
            declared, actual = prompt.prompt, listed[prompt.name]
            contracts = _build_prompt_contract(declared), _build_prompt_contract(actual)
            label, locate = f'prompt "{prompt.name}"', _make_locator(prompt.span)
            yield DefinitionPair(label, declared, actual, *contracts, prompt.span.file, locate)


def list_left_out(definitions: Definitions, member: str) -> set[str]:
    """Return what identifies the definitions of a list in pulled files, also those that cannot be used."""
    documents = [
        *(tool.document for tool in definitions.tools),
        *(resource.document for resource in definitions.resources),
        *(prompt.document for prompt in definitions.prompts),
    ]
    pulled = {id(document): document for document in documents if document is not None and document.is_pulled}
    elements = [
        as_object(element) for document in pulled.values() for element in as_array(document.find_value(f"/{member}"))
    ]
    return {str(element.get(KEY_MEMBERS[member])) for element in elements}


def _overlook_mistakes(
    document: SourceDocument | None,
    pointer: str,
    used: dict[str, Json],
    expected: dict[str, Json],
    advertised: dict[str, Json],
) -> dict[str, Json]:
    """Return what a server advertises, with expected members in place of mistakes that it still has.

    Only in a `document` that was pulled, mistakes of the definition at a `pointer` are left out of what is `used`.
    """
    if document is None or not document.is_pulled:
        return advertised
    kept = dict(advertised)
    for member, value in normalize_definition(as_object(document.find_value(pointer))).items():
        pulled, now, here = (canonicalize(side) for side in (value, advertised.get(member), used.get(member)))
        if pulled == now != here:
            kept.pop(member)
            kept |= {member: expected[member]} if member in expected else {}
    return kept


def _make_locator(span: Span) -> Callable[[str], Span]:
    """Return a function that gives every part of a definition the same place."""
    return lambda _: span


def _build_resource_contract(resource: dict[str, Json]) -> dict[str, Json]:
    """Return what programs that read a resource rely on."""
    return {member: value for member in _RESOURCE_CONTRACT if (value := resource.get(member)) is not None}


def _build_prompt_contract(prompt: dict[str, Json]) -> dict[str, Json]:
    """Return which arguments a prompt has, and whether it requires them."""
    arguments = map(as_object, as_array(prompt.get("arguments")))
    return {
        "arguments": {
            str(argument.get("name")): "required" if argument.get("required") is True else "optional"
            for argument in arguments
        }
    }


_KINDS = {"tool": "tools", "resource": "resources", "prompt": "prompts"}
"""Member of a definition's JSON file → the folder with these files."""


def list_stale_definitions(package: ConfiguredPackage, definitions: Definitions) -> list[str]:
    """Return the titles of definitions that the built package lacks, or has differently, or has besides.

    Nothing is returned for a package that was not built.
    """
    out = package.out
    built = dict(_iterate_built(out))
    if not built:
        return []
    declared = {title: canonicalize(value) for title, value in _iterate_declared(definitions)}
    titles = sorted(built.keys() | declared.keys())
    return [title for title in titles if built.get(title) != declared.get(title)]


def _iterate_declared(definitions: Definitions) -> Iterator[tuple[str, Json]]:
    for tool in definitions.tools:
        yield _make_title("tool", tool.tool), tool.tool
    for resource in definitions.resources:
        yield _make_title("resource", resource.resource), resource.resource
    for prompt in definitions.prompts:
        yield _make_title("prompt", prompt.prompt), prompt.prompt


def _iterate_built(out: Path) -> Iterator[tuple[str, str]]:
    for kind, folder in _KINDS.items():
        for file in sorted((out / folder).glob("*.json")):
            try:
                definition = as_object(as_object(json.loads(read_regular(file, MAX_OUTPUT_FILE_SIZE))).get(kind))
            except (OSError, ValueError, RecursionError):
                continue  # `check` reports it
            if definition:
                yield _make_title(kind, definition), canonicalize(definition)


def _make_title(kind: str, definition: dict[str, Json]) -> str:
    return f'{kind} "{definition.get("uri") or definition.get("uriTemplate") or definition.get("name")}"'
