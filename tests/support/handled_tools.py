"""Tools whose handlers may return much, for the tests of what becomes of it."""

from __future__ import annotations

from typing import Any

from support.packages import tool

READING: dict[str, Any] = {
    "type": "object",
    "properties": {
        "windSpeed": {"type": "number"},
        "note": {"type": "string"},
        "gust-max": {"type": ["number", "null"]},
        "at": {"type": "string"},
    },
    "required": ["windSpeed"],
    "additionalProperties": False,
}
PIER: dict[str, Any] = {
    "type": "object",
    "properties": {"kind": {"const": "pier"}, "maxLength": {"type": "number"}},
    "required": ["kind", "maxLength"],
    "additionalProperties": False,
}
BUOY: dict[str, Any] = {
    "type": "object",
    "properties": {"kind": {"const": "buoy"}, "chainLength": {"type": "number"}, "last": {"$ref": "#/$defs/Reading"}},
    "required": ["kind", "chainLength"],
    "additionalProperties": False,
}
DEFS = {"Reading": READING, "Pier": PIER, "Buoy": BUOY}
ONE = {"$ref": "#/$defs/Reading"}
PLACE = {"oneOf": [{"$ref": "#/$defs/Pier"}, {"$ref": "#/$defs/Buoy"}]}
MAYBE = {"$ref": "#/$defs/Maybe"}


def _object(more: Any = False, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": more, "$defs": DEFS}


def _root(schema: dict[str, Any], **defs: Any) -> dict[str, Any]:
    return {**schema, "$defs": {**DEFS, **defs}}


WRAPPER = {
    "type": "object",
    "properties": {"result": {"type": "array", "items": ONE}},
    "required": ["result"],
    "title": "bareOutput",
    "$defs": DEFS,
}
CONTENT = {"type": "object", "properties": {"content": {"type": "string"}}}
ITEMS = {"x-mcpgen": {"content": "items"}}
TREE = {
    "type": "object",
    "properties": {"fullName": {"type": "string"}, "subParts": {"type": "array", "items": {"$ref": "#"}}},
    "required": ["fullName"],
    "additionalProperties": False,
}
EITHER = {
    "anyOf": [
        ONE,
        {"type": "object", "additionalProperties": MAYBE},
        {"type": "array", "items": MAYBE},
        {"type": "string"},
    ]
}
TOOLS = [
    tool("reading", _root(ONE)),
    tool(
        "nested",
        _object(
            first=ONE, many={"type": "array", "items": ONE}, place=PLACE, either={"anyOf": [ONE, {"type": "string"}]}
        ),
    ),
    tool("mapped", _object(by={"type": "object", "additionalProperties": ONE})),
    tool("extras", _object(ONE, first=ONE)),
    tool("grid", _root({"type": "array", "items": {"type": "array", "items": ONE}})),
    tool("couple", _root({"type": "array", "prefixItems": [ONE, {"type": "integer"}], "minItems": 2, "items": False})),
    tool("place", _root(PLACE)),
    tool("maybe", _root(MAYBE, Maybe=EITHER)),
    tool("tree", TREE),
    tool("embedded-word", {"type": "string"}, **{"x-mcpgen": {"content": "resource", "priority": 0.5}}),
    tool("bare", WRAPPER),
    tool("word", {"type": "string"}),
    tool("anything", {}),
    tool("page", CONTENT),
    tool(
        "sum",
        {
            "type": "object",
            "properties": {
                "net": {"type": "number"},
                "taxRate": {"type": "number"},
                "total": {"type": ["string", "null"]},
                "either": {"type": ["number", "string"]},
                "kind": {"anyOf": [{"type": "number"}, {"const": "none"}]},
                "list": {"type": "array", "items": {"type": "string"}},
                "tags": {"type": "object", "additionalProperties": {"type": "string"}},
            },
            "required": ["net"],
        },
    ),
    tool("open", {"type": "object"}),
    tool(
        "strict",
        {
            "type": "object",
            "properties": {
                "code": {"type": "string", "pattern": "^[A-Z]+$"},
                "tags": {"type": "array", "items": {"enum": ["red", "green"]}, "uniqueItems": True},
            },
            "required": ["code"],
            "additionalProperties": False,
        },
    ),
    tool("listed", {"type": "array", "items": {"type": ["string", "number", "null", "object"]}}, **ITEMS),
    tool(
        "wrapped-items",
        {
            "type": "object",
            "properties": {"result": {"type": "array", "items": {"type": "string"}}},
            "required": ["result"],
            "title": "wrapped-itemsOutput",
        },
        **ITEMS,
    ),
    tool(
        "picture",
        {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"},
        **{"x-mcpgen": {"content": "binary", "audience": ["user"]}},
    ),
    tool(
        "sound",
        {"type": "string", "contentEncoding": "base64", "contentMediaType": "audio/wav"},
        **{"x-mcpgen": {"content": "binary"}},
    ),
    tool(
        "archive",
        {"type": "string", "contentEncoding": "base64", "contentMediaType": "application/zip"},
        **{"x-mcpgen": {"content": "binary"}},
    ),
    tool("plain"),
    tool("hinted", **{"x-mcpgen": {"audience": ["user"], "priority": 0.5}}),
    tool("aimed", {"type": "object"}, **{"x-mcpgen": {"audience": ["assistant"]}}),
    tool(
        "paged",
        {
            "type": "object",
            "properties": {"page": {"type": "integer"}, "rows": {"type": ["array", "null"]}},
            "additionalProperties": False,
        },
        **ITEMS,
    ),
    tool(
        "shown",
        {"type": "array", "items": {"type": "object", "properties": {"type": {"const": "text"}, "text": {}}}},
    ),
]
