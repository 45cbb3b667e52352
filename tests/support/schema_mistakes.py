"""Mistakes that authors make in schemas, drawn from the tables of keywords, formats and members.

Each mistake is a definition and the pointer at which a message about it belongs.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

TOOL: dict[str, Any] = {
    "name": "get_weather",
    "title": "Weather",
    "annotations": {"title": "Weather", "readOnlyHint": True, "destructiveHint": False, "openWorldHint": True},
    "icons": [{"src": "https://example.com/a.png", "mimeType": "image/png", "sizes": ["48x48"]}],
    "inputSchema": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    },
}
VALUES: dict[str, Any] = {
    "type": "string",
    "enum": ["a"],
    "const": "a",
    "allOf": [{"title": "a"}],
    "anyOf": [{"title": "a"}],
    "oneOf": [{"title": "a"}],
    "not": {"const": 1},
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
    "patternProperties": {"^a": {"type": "string"}},
    "propertyNames": {"pattern": "a"},
    "minProperties": 1,
    "maxProperties": 2,
    "dependentRequired": {"a": ["b"]},
    "dependentSchemas": {"a": {"title": "a"}},
    "unevaluatedProperties": False,
    "items": {"type": "string"},
    "prefixItems": [{"type": "string"}],
    "contains": {"type": "string"},
    "minContains": 1,
    "maxContains": 2,
    "minItems": 1,
    "maxItems": 2,
    "uniqueItems": True,
    "unevaluatedItems": False,
    "minLength": 1,
    "maxLength": 2,
    "pattern": "a",
    "format": "date",
    "contentEncoding": "base64",
    "contentMediaType": "text/plain",
    "contentSchema": {"type": "string"},
    "minimum": 1,
    "exclusiveMinimum": 1,
    "maximum": 2,
    "exclusiveMaximum": 2,
    "multipleOf": 2,
    "title": "a",
    "description": "a",
    "default": "a",
    "examples": ["a"],
    "deprecated": True,
    "readOnly": True,
    "writeOnly": True,
}
"""A value of each keyword of JSON Schema 2020-12 that may stand in any schema."""
KEYWORDS_BY_TYPE = {
    "object": "properties required additionalProperties patternProperties propertyNames minProperties maxProperties "
    "dependentRequired dependentSchemas unevaluatedProperties",
    "array": "items prefixItems contains minItems maxItems uniqueItems unevaluatedItems",
    "string": "minLength maxLength pattern format contentEncoding contentMediaType contentSchema",
    "number": "minimum exclusiveMinimum maximum exclusiveMaximum multipleOf",
}
"""The keywords of 2020-12's validation and applicator vocabularies, by the type that they are about."""
FORMATS = (
    "date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri iri-reference "
    "uuid uri-template json-pointer relative-json-pointer regex"
).split()
HINTS = ("title", "readOnlyHint", "destructiveHint", "openWorldHint")


@dataclass(frozen=True)
class Mistake:
    """A Tool with one mistake."""

    tool: dict[str, Any]
    pointer: str
    """Where a message about it belongs."""
    meant: str = ""
    """What the message should suggest; empty: nothing in particular."""


def misspell(name: str) -> list[str]:
    """Return a name with two letters exchanged, one left out, one doubled or another, and in other cases."""
    middle = len(name) // 2
    forms = [
        name[:middle] + name[middle + 1 : middle + 2] + name[middle] + name[middle + 2 :],
        name[:middle] + name[middle + 1 :],
        name[:middle] + name[middle] + name[middle:],
        name[:middle] + ("x" if name[middle] != "x" else "y") + name[middle + 1 :],
        name[0].upper() + name[1:],
        name.lower(),
        "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name),
        name.removesuffix("s") if name.endswith("s") else f"{name}s",
    ]
    return [form for form in dict.fromkeys(forms) if form != name]


def place(schema: Any, pointer: str = "", name: str = "days", **members: Any) -> Mistake:
    """Return a Tool in which a property has a schema."""
    tool = copy.deepcopy(TOOL) | members
    tool["inputSchema"]["properties"][name] = schema
    return Mistake(tool, f"/inputSchema/properties/{name}{pointer}")


def list_misspelt_keywords() -> Iterator[Mistake]:
    """Yield each keyword misspelt, alone and beside the right one."""
    for keyword, value in VALUES.items():
        for wrong in misspell(keyword):
            if wrong in VALUES or len(wrong) < 4 or wrong == "example":  # `example` is a keyword of OpenAPI
                continue
            yield _expect(place({wrong: value}, f"/{wrong}"), keyword)
            yield _expect(place({keyword: value, wrong: value}, f"/{wrong}"), keyword)
    for keyword in ("$ref", "$defs", "$comment", "$anchor"):
        for wrong in misspell(keyword):
            if len(wrong) >= 4 and wrong != "$refs":  # `$defs` is as near
                yield _expect(place({wrong: {"a": {}} if keyword == "$defs" else "#"}, f"/{wrong}"), keyword)


def list_misspelt_formats() -> Iterator[Mistake]:
    """Yield each format misspelt."""
    for name in FORMATS:
        for wrong in misspell(name):
            if wrong not in FORMATS and not (len(name) < 4 and "x" in wrong):  # a third of it is another letter
                yield place({"type": "string", "format": wrong}, "/format")


def list_misspelt_required() -> Iterator[Mistake]:
    """Yield required names that are misspelt, or that a property had before; in open and in closed objects."""
    for wrong in [*misspell("city"), "town", "location"]:
        for closed in ({}, {"additionalProperties": False}):
            tool = copy.deepcopy(TOOL)
            tool["inputSchema"] = {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": [wrong],
                **closed,
            }
            yield Mistake(tool, "/inputSchema/required/0", "city")


def list_misspelt_members() -> Iterator[Mistake]:
    """Yield misspelt members of a Tool's annotations and icons."""
    for hint in HINTS:
        for wrong in misspell(hint):
            yield Mistake(TOOL | {"annotations": {wrong: True}}, f"/annotations/{wrong}", hint)
    for member in ("mimeType", "sizes"):
        for wrong in misspell(member):
            icon = {"src": "https://example.com/a.png", wrong: "x"}
            yield Mistake(TOOL | {"icons": [icon]}, f"/icons/0/{wrong}", member)


def list_idle_keywords() -> Iterator[Mistake]:
    """Yield each keyword beside each type that it is not about, and keywords without the one that they need."""
    for kind, keywords in KEYWORDS_BY_TYPE.items():
        for keyword in keywords.split():
            for declared in ("string", "number", "integer", "boolean", "null", "array", "object"):
                if kind not in (declared, {"integer": "number"}.get(declared)):
                    yield place({"type": declared, keyword: VALUES[keyword]}, f"/{keyword}")
    for keyword in ("then", "else", "if"):
        yield place({keyword: {"const": 1}}, f"/{keyword}")
    for keyword in ("minContains", "maxContains"):
        yield place({"type": "array", "items": {}, keyword: 1}, f"/{keyword}")
    yield place({"type": "array", "items": {}, "additionalItems": False}, "/additionalItems")


def list_impossible_values() -> Iterator[Mistake]:
    """Yield values that the type excludes, and bounds that exclude each other."""
    for declared, values in (("string", [1, None]), ("integer", ["1", 1.5]), ("boolean", ["true"]), ("array", ["a"])):
        for value in values:
            yield place({"type": declared, "enum": [value]}, "/enum/0")
            yield place({"type": declared, "const": value}, "/const")
    for kind, lower, upper in (
        ("number", "minimum", "maximum"),
        ("number", "exclusiveMinimum", "maximum"),
        ("string", "minLength", "maxLength"),
        ("array", "minItems", "maxItems"),
        ("object", "minProperties", "maxProperties"),
    ):
        yield place({"type": kind, lower: 3, upper: 2}, f"/{lower}")


def _expect(mistake: Mistake, meant: str) -> Mistake:
    return Mistake(mistake.tool, mistake.pointer, meant)


MISTAKES = {
    "keywords": list_misspelt_keywords,
    "formats": list_misspelt_formats,
    "required": list_misspelt_required,
    "members": list_misspelt_members,
    "idle": list_idle_keywords,
    "impossible": list_impossible_values,
}
"""The kinds of mistakes, each with the function that draws them."""
