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
from mcpgen.introspect.validation import KEY_MEMBERS, LIST_TITLES, AdvertisedDefinitions
from mcpgen.plan import MAX_OUTPUT_FILE_SIZE
from mcpgen.read.definitions import Definitions, ToolDefinition, find_content_strategy
from mcpgen.read.document import SourceDocument
from mcpgen.read.foreign_definitions import normalize_definition
from mcpgen.schema.document import Schema
from mcpgen.schema.object_roots import make_object_schema
from mcpgen.schema.values import Json, as_array, as_object, canonicalize
from mcpgen.targets import ANY_JSON_RESULT_SINCE, STRUCTURED_CONTENT_SINCE


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


@dataclass(frozen=True)
class DeclaredDefinition:
    """A tool, resource or prompt of a file, in wire form."""

    member: str
    """The list in which a server advertises it."""
    kind: str
    key: str
    """What identifies it on a server."""
    name: str
    value: dict[str, Json]
    span: Span
    document: SourceDocument | None
    at: str | None
    """JSON pointer of it in its document; None if no mistakes are left out of it."""
    locate: Callable[[str], Span]


def list_declared(definitions: Definitions) -> Iterator[DeclaredDefinition]:
    """Yield the tools, resources and prompts of files."""
    for tool in definitions.tools:
        place = tool.span, tool.document, tool.at or "", tool.locate
        yield DeclaredDefinition("tools", "tool", tool.name, tool.name, tool.tool, *place)
    for item in definitions.resources:
        member = "resourceTemplates" if "uriTemplate" in item.resource else "resources"
        place = item.span, item.document, item.at, item.locate
        yield DeclaredDefinition(member, "resource", item.uri, item.name, item.resource, *place)
    for prompt in definitions.prompts:
        origin = prompt.span, prompt.document, None, _make_locator(prompt.span)
        yield DeclaredDefinition("prompts", "prompt", prompt.name, prompt.name, prompt.prompt, *origin)


def pair_definitions(definitions: Definitions, advertised: AdvertisedDefinitions) -> Iterator[DefinitionPair]:
    """Yield the tools, resources and prompts that are both declared and advertised."""
    version, undeclared = advertised.protocol, list_undeclared_outputs(definitions, advertised)
    tools = {tool.name: tool for tool in definitions.tools}
    listed = {
        (LIST_TITLES[member].split()[0], str(value[KEY_MEMBERS[member]])): value
        for member, values in advertised.lists.items()
        for value in values
    }
    for item in list_declared(definitions):
        expected, actual = item.value, listed.get((item.kind, item.key))
        if actual is None:
            continue
        if item.kind == "tool":
            expected = build_expected_tool(tools[item.key], version)
            actual = _drop_unknown_output(actual, version)
        actual = _overlook_mistakes(item, expected, actual)
        if item.kind == "tool" and item.key in undeclared:
            expected.pop("outputSchema", None)
        if item.kind == "tool":
            contracts = comparable_contracts(expected, actual)
        else:
            contracts = _build_contract(item.kind, expected), _build_contract(item.kind, actual)
        yield DefinitionPair(f'{item.kind} "{item.name}"', expected, actual, *contracts, item.span.file, item.locate)


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


def build_expected_tool(tool: ToolDefinition, version: str) -> dict[str, Json]:
    """Return a Tool as a generated package advertises it: an outputSchema as declared, wrapped, or missing."""
    expected = dict(tool.tool)
    if find_content_strategy(tool) == "link":
        expected.pop("outputSchema", None)
    elif tool.output is not None:
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


def list_left_out(definitions: Definitions, member: str) -> set[str]:
    """Return what identifies the definitions of a list in pulled files, also those that cannot be used."""
    documents = [item.document for item in list_declared(definitions)]
    pulled = {id(document): document for document in documents if document is not None and document.is_pulled}
    elements = [element for document in pulled.values() for element in as_array(document.find_value(f"/{member}"))]
    return {str(as_object(element).get(KEY_MEMBERS[member])) for element in elements}


def _overlook_mistakes(
    item: DeclaredDefinition, expected: dict[str, Json], advertised: dict[str, Json]
) -> dict[str, Json]:
    """Put expected members in place of mistakes that it still has, which only a pulled document leaves out."""
    if item.document is None or not item.document.is_pulled or item.at is None:
        return advertised
    kept = dict(advertised)
    for member, value in normalize_definition(as_object(item.document.find_value(item.at))).items():
        pulled, now, here = (canonicalize(side) for side in (value, advertised.get(member), item.value.get(member)))
        if pulled == now != here:
            kept.pop(member)
            kept |= {member: expected[member]} if member in expected else {}
    return kept


def _make_locator(span: Span) -> Callable[[str], Span]:
    return lambda _: span


def _build_contract(kind: str, definition: dict[str, Json]) -> dict[str, Json]:
    """Return what programs rely on in a resource or a prompt."""
    if kind == "resource":
        return {member: value for member in ("name", "mimeType") if (value := definition.get(member)) is not None}
    needs: dict[str, Json] = {
        str(argument.get("name")): "required" if argument.get("required") is True else "optional"
        for argument in map(as_object, as_array(definition.get("arguments")))
    }
    return {"arguments": needs}


# --- packages that were built ----------------------------------------------------------------------------------------
def list_stale_definitions(package: ConfiguredPackage, definitions: Definitions) -> list[str]:
    """Return the titles of definitions that a built package lacks, or has differently, or has besides."""
    built = dict(_iterate_built(package.out))
    if not built:
        return []
    declared = {_make_title(item.kind, item.value): canonicalize(item.value) for item in list_declared(definitions)}
    titles = sorted(built.keys() | declared.keys())
    return [title for title in titles if built.get(title) != declared.get(title)]


def _iterate_built(out: Path) -> Iterator[tuple[str, str]]:
    for kind in ("tool", "resource", "prompt"):
        for file in sorted((out / f"{kind}s").glob("*.json")):
            try:
                definition = as_object(as_object(json.loads(read_regular(file, MAX_OUTPUT_FILE_SIZE))).get(kind))
            except (OSError, ValueError, RecursionError):
                continue  # `check` reports it
            if definition:
                yield _make_title(kind, definition), canonicalize(definition)


def _make_title(kind: str, definition: dict[str, Json]) -> str:
    return f'{kind} "{definition.get("uri") or definition.get("uriTemplate") or definition.get("name")}"'
