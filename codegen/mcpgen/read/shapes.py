"""Recognising what a file holds by its shape (DESIGN section 1)."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from mcpgen.diagnostics import Findings
from mcpgen.read.document import SourceDocument
from mcpgen.schema.keywords import KEYWORDS
from mcpgen.schema.values import Json, format_pointer


class DefinitionKind(Enum):
    """The kinds of definition."""

    TOOL = "Tool"
    RESOURCE = "Resource"
    RESOURCE_TEMPLATE = "ResourceTemplate"
    PROTOCOL = "MCP protocol schema"
    SCHEMA = "JSON Schema"


@dataclass(frozen=True)
class RawDefinition:
    """A definition inside a document: its shape, its JSON pointer, its value."""

    shape: DefinitionKind
    at: str
    value: dict[str, Json]


DEFINITION_LISTS = {
    "tools": DefinitionKind.TOOL,
    "resources": DefinitionKind.RESOURCE,
    "resourceTemplates": DefinitionKind.RESOURCE_TEMPLATE,
}
_DEFINITION_MEMBERS = frozenset({"name", "inputSchema", "outputSchema", "uri", "uriTemplate", *DEFINITION_LISTS})
_TOOL_MEMBERS = ("name", "inputSchema", "outputSchema", "title", "description", "annotations", "icons", "_meta")
_JSONRPC_MEMBERS = ("jsonrpc", "id", "result")


def is_shared_definitions(document: SourceDocument) -> bool:
    """Whether a file only holds definitions for others (`*.defs.json`, `*.defs.yaml`)."""
    return document.path.name.removesuffix(document.path.suffix).endswith(".defs")


_KNOWN_MEMBERS = frozenset(
    "name inputSchema outputSchema uri uriTemplate $schema $defs definitions properties items prefixItems enum "
    "required additionalProperties patternProperties anyOf oneOf allOf".split()
)
_TYPE_NAMES = ("array", "boolean", "integer", "null", "number", "object", "string")


def _is_recognisable(document: SourceDocument, items: list[RawDefinition]) -> bool:
    """Whether a file is surely a definition, or one with a mistake; a valid JSON value may be anything else."""
    return document.known or any(
        item.shape is not DefinitionKind.SCHEMA
        or len(_KNOWN_MEMBERS & item.value.keys()) > 0
        or len(difflib.get_close_matches(str(item.value.get("type"))[:20], _TYPE_NAMES, 1)) > 0
        for item in items
    )


def recognise_definitions(document: SourceDocument, findings: Findings) -> list[RawDefinition]:
    """The definitions of a document, or a finding that says what it looked like."""
    items = _recognise_root(document, findings)
    document.known = _is_recognisable(document, items)
    return items


def _recognise_root(document: SourceDocument, findings: Findings) -> list[RawDefinition]:
    value = document.value
    if isinstance(value, list):
        return list(_recognise_list(document, "", value, DefinitionKind.TOOL, findings))
    if not isinstance(value, dict):
        _report_unknown(document, f"it holds {_describe_value(value)}", findings)
        return []
    if isinstance(value.get("result"), dict) and set(value) <= set(_JSONRPC_MEMBERS):
        return _recognise_object(document, "/result", value["result"], findings)
    return _recognise_object(document, "", value, findings)


def _recognise_object(document: SourceDocument, at: str, value: Json, findings: Findings) -> list[RawDefinition]:
    assert isinstance(value, dict)
    for keyword in ("$defs", "definitions"):
        held = value.get(keyword)
        if isinstance(held, dict) and "CallToolResult" in held:
            return [RawDefinition(DefinitionKind.PROTOCOL, at, value)]
    lists = [key for key in DEFINITION_LISTS if isinstance(value.get(key), list)]
    if lists and "name" not in value:
        items: list[RawDefinition] = []
        for key in lists:
            held = value[key]
            if isinstance(held, list):
                items.extend(_recognise_list(document, at + format_pointer(key), held, DEFINITION_LISTS[key], findings))
        return items
    if "name" in value and "inputSchema" in value:
        return [RawDefinition(DefinitionKind.TOOL, at, value)]
    if "name" in value and "uriTemplate" in value:
        return [RawDefinition(DefinitionKind.RESOURCE_TEMPLATE, at, value)]
    if "name" in value and "uri" in value:
        return [RawDefinition(DefinitionKind.RESOURCE, at, value)]
    schema_words = [key for key in value if key in KEYWORDS]
    if schema_words and not _DEFINITION_MEMBERS & value.keys() and not at:
        return [RawDefinition(DefinitionKind.SCHEMA, at, value)]
    _report_near_miss(document, at, value, findings)
    return []


MOST_TOLD = 100
"""Elements of one list of which it is said that they are no definitions."""


def _recognise_list(
    document: SourceDocument, at: str, values: list[Json], shape: DefinitionKind, findings: Findings
) -> Iterator[RawDefinition]:
    wrong = 0
    for index, value in enumerate(values):
        here = at + format_pointer(index)
        if not isinstance(value, dict):
            wrong += 1
            if wrong > MOST_TOLD:
                message = f"more than {MOST_TOLD} of these are no objects, the rest is not looked at"
                findings.error("MG003", message, document.make_span(here))
                return
            findings.error(
                "MG003", f"a {shape.value} must be an object, not {_describe_value(value)}", document.make_span(here)
            )
        elif shape is DefinitionKind.TOOL and "inputSchema" not in value:
            _report_near_miss(document, here, value, findings, True)
        else:
            yield RawDefinition(shape, here, value)


def _report_near_miss(
    document: SourceDocument, at: str, value: dict[str, Json], findings: Findings, listed: bool = False
) -> None:
    for key in value:
        if (meant := match_misspelt(key, _TOOL_MEMBERS)) and ("name" in value or "Schema" in meant):
            findings.error(
                "MG003",
                f'looks like a Tool, but "{key}" is no member of one',
                document.make_span(at, key),
                f'write "{meant}"' if meant not in value else "",
            )
            return
    for shape, mark in ((DefinitionKind.RESOURCE, "uri"), (DefinitionKind.RESOURCE_TEMPLATE, "uriTemplate")):
        if mark in value and "name" not in value:
            message, help = f"looks like a {shape.value} without name", f'every {shape.value} has one: "name": "…"'
            findings.error("MG003", message, document.make_span(at), help)
            return
    if "name" in value and (listed or {"outputSchema", "description"} & value.keys()):
        findings.error(
            "MG003",
            "looks like a Tool without inputSchema",
            document.make_span(at),
            'every Tool has one; a tool without arguments says "inputSchema": {"type": "object"}',
        )
        return
    common = _DEFINITION_MEMBERS | KEYWORDS | {*_JSONRPC_MEMBERS, "error"}
    shown = [key for key in value if document.known or key in common][:6]
    others = "other members" if shown else "members that no definition has"
    keys = [f'"{key}"' for key in shown] + [others] * (len(value) > len(shown) and not document.known)
    _report_unknown(document, f"it is an object with {', '.join(keys) or 'nothing'}", findings, at)


def match_misspelt(word: str, known: tuple[str, ...]) -> str | None:
    """The known word that another one looks like: other case, underscores, or a letter off."""
    if word in known:
        return None
    flat = word.replace("_", "").replace("-", "").lower()
    for candidate in known:
        if flat == candidate.lower().lstrip("_") and candidate != "_meta":
            return candidate
    close = difflib.get_close_matches(word, known, 1, 0.82)
    return close[0] if close else None


def _report_unknown(document: SourceDocument, what: str, findings: Findings, at: str = "") -> None:
    findings.error(
        "MG003",
        f"not recognised as a definition: {what}",
        document.make_span(at),
        "a file holds a Tool, a tools/list answer, a Resource, a ResourceTemplate, an MCP schema or a JSON Schema; "
        "definitions for others to refer to go into a file named *.defs.json",
    )


def _describe_value(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case int() | float():
            return "a number"
        case list():
            return "an array"
        case dict():
            return "an object"
