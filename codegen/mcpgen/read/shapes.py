"""Recognising what a file holds by its shape (DESIGN section 1)."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from mcpgen.diagnostics import Findings
from mcpgen.read.document import Document
from mcpgen.schema.keywords import KEYWORDS
from mcpgen.schema.values import Json, pointer


class Shape(Enum):
    """The kinds of definition."""

    TOOL = "Tool"
    RESOURCE = "Resource"
    RESOURCE_TEMPLATE = "ResourceTemplate"
    PROTOCOL = "MCP protocol schema"
    SCHEMA = "JSON Schema"


@dataclass(frozen=True)
class Item:
    """A definition inside a document: its shape, its JSON pointer, its value."""

    shape: Shape
    at: str
    value: dict[str, Json]


LISTS = {"tools": Shape.TOOL, "resources": Shape.RESOURCE, "resourceTemplates": Shape.RESOURCE_TEMPLATE}
_MARKS = frozenset({"name", "inputSchema", "outputSchema", "uri", "uriTemplate", *LISTS})
_TOOL_WORDS = ("name", "inputSchema", "outputSchema", "title", "description", "annotations", "icons", "_meta")
_ENVELOPE = ("jsonrpc", "id", "result")


def is_shared_definitions(document: Document) -> bool:
    """Whether a file only holds definitions for others (`*.defs.json`, `*.defs.yaml`)."""
    return document.path.name.removesuffix(document.path.suffix).endswith(".defs")


_WORDS = frozenset(
    "name inputSchema outputSchema uri uriTemplate $schema $defs definitions properties items prefixItems enum "
    "required additionalProperties patternProperties anyOf oneOf allOf".split()
)
_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")


def _is_known(document: Document, items: list[Item]) -> bool:
    """Whether a file is surely a definition, or one with a mistake; a valid JSON value may be anything else."""
    return document.known or any(
        item.shape is not Shape.SCHEMA
        or len(_WORDS & item.value.keys()) > 0
        or len(difflib.get_close_matches(str(item.value.get("type"))[:20], _TYPES, 1)) > 0
        for item in items
    )


def recognise(document: Document, findings: Findings) -> list[Item]:
    """The definitions of a document, or a finding that says what it looked like."""
    items = _recognised(document, findings)
    document.known = _is_known(document, items)
    return items


def _recognised(document: Document, findings: Findings) -> list[Item]:
    value = document.value
    if isinstance(value, list):
        return list(_listed(document, "", value, Shape.TOOL, findings))
    if not isinstance(value, dict):
        _unknown(document, f"it holds {_described(value)}", findings)
        return []
    if isinstance(value.get("result"), dict) and set(value) <= set(_ENVELOPE):
        return _object(document, "/result", value["result"], findings)
    return _object(document, "", value, findings)


def _object(document: Document, at: str, value: Json, findings: Findings) -> list[Item]:
    assert isinstance(value, dict)
    for keyword in ("$defs", "definitions"):
        held = value.get(keyword)
        if isinstance(held, dict) and "CallToolResult" in held:
            return [Item(Shape.PROTOCOL, at, value)]
    lists = [key for key in LISTS if isinstance(value.get(key), list)]
    if lists and "name" not in value:
        items: list[Item] = []
        for key in lists:
            held = value[key]
            if isinstance(held, list):
                items.extend(_listed(document, at + pointer(key), held, LISTS[key], findings))
        return items
    if "name" in value and "inputSchema" in value:
        return [Item(Shape.TOOL, at, value)]
    if "name" in value and "uriTemplate" in value:
        return [Item(Shape.RESOURCE_TEMPLATE, at, value)]
    if "name" in value and "uri" in value:
        return [Item(Shape.RESOURCE, at, value)]
    schema_words = [key for key in value if key in KEYWORDS]
    if schema_words and not _MARKS & value.keys() and not at:
        return [Item(Shape.SCHEMA, at, value)]
    _near_miss(document, at, value, findings)
    return []


MOST_TOLD = 100
"""Elements of one list of which it is said that they are no definitions."""


def _listed(document: Document, at: str, values: list[Json], shape: Shape, findings: Findings) -> Iterator[Item]:
    wrong = 0
    for index, value in enumerate(values):
        here = at + pointer(index)
        if not isinstance(value, dict):
            wrong += 1
            if wrong > MOST_TOLD:
                message = f"more than {MOST_TOLD} of these are no objects, the rest is not looked at"
                findings.error("MG003", message, document.make_span(here))
                return
            findings.error("MG003", f"a {shape.value} must be an object, not {_described(value)}", document.make_span(here))
        elif shape is Shape.TOOL and "inputSchema" not in value:
            _near_miss(document, here, value, findings, True)
        else:
            yield Item(shape, here, value)


def _near_miss(document: Document, at: str, value: dict[str, Json], findings: Findings, listed: bool = False) -> None:
    for key in value:
        if (meant := misspelt(key, _TOOL_WORDS)) and ("name" in value or "Schema" in meant):
            findings.error(
                "MG003",
                f'looks like a Tool, but "{key}" is no member of one',
                document.make_span(at, key),
                f'write "{meant}"' if meant not in value else "",
            )
            return
    for shape, mark in ((Shape.RESOURCE, "uri"), (Shape.RESOURCE_TEMPLATE, "uriTemplate")):
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
    common = _MARKS | KEYWORDS | {*_ENVELOPE, "error"}
    shown = [key for key in value if document.known or key in common][:6]
    others = "other members" if shown else "members that no definition has"
    keys = [f'"{key}"' for key in shown] + [others] * (len(value) > len(shown) and not document.known)
    _unknown(document, f"it is an object with {', '.join(keys) or 'nothing'}", findings, at)


def misspelt(word: str, known: tuple[str, ...]) -> str | None:
    """The known word that another one looks like: other case, underscores, or a letter off."""
    if word in known:
        return None
    flat = word.replace("_", "").replace("-", "").lower()
    for candidate in known:
        if flat == candidate.lower().lstrip("_") and candidate != "_meta":
            return candidate
    close = difflib.get_close_matches(word, known, 1, 0.82)
    return close[0] if close else None


def _unknown(document: Document, what: str, findings: Findings, at: str = "") -> None:
    findings.error(
        "MG003",
        f"not recognised as a definition: {what}",
        document.make_span(at),
        "a file holds a Tool, a tools/list answer, a Resource, a ResourceTemplate, an MCP schema or a JSON Schema; "
        "definitions for others to refer to go into a file named *.defs.json",
    )


def _described(value: Json) -> str:
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
