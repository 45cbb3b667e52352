"""Definitions with hostile text in every place that takes text."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from mcpgen.schema.values import format_pointer
from support.injection.payloads import CODE_PAYLOADS, PAYLOADS, make_harmless

Maker = Callable[[str], tuple[Any, Any]]
"""Makes a schema with some text in it, and a value that satisfies it."""


def _object(name: str, inner: Any, value: Any = "x", **more: Any) -> tuple[Any, Any]:
    """An object with one property, and its value."""
    return {"type": "object", "properties": {name: inner}, "required": [name], **more}, {name: value}


def _with(**more: Any) -> tuple[Any, Any]:
    return _object("zza", {"type": "string"}, additionalProperties=False, **more)


def _inside(**more: Any) -> tuple[Any, Any]:
    """Text at a property's schema."""
    return _object("zza", {"type": "string", **more})


def _nested(**more: Any) -> tuple[Any, Any]:
    """Text at the schema of a class inside."""
    return _object("zza", _with(**more)[0], {"zza": "x"})


def _to(name: str, keyword: str = "$defs") -> dict[str, str]:
    return {"$ref": f"#/{keyword}" + _quoted(name)}


def _quoted(name: str) -> str:
    return quote(format_pointer(name), safe="/~", errors="replace")


def _tagged(name: str, constant: str, **more: Any) -> tuple[Any, Any]:
    members = [_object(name, {"const": item}, additionalProperties=False)[0] for item in (constant, "zzother")]
    return _object("zza", {"oneOf": members, **more}, {name: constant})


NESTING: dict[str, Maker] = {
    "title": lambda p: _with(title=p),
    "description": lambda p: _with(description=p),
    "$comment": lambda p: _with(**{"$comment": p}),
    "property title": lambda p: _inside(title=p),
    "property description": lambda p: _inside(description=p),
    "class title": lambda p: _nested(title=p),
    "class description": lambda p: _nested(description=p),
    "property": lambda p: _object(p, {"type": "string"}, additionalProperties=False),
    "optional property": lambda p: ({"type": "object", "properties": {p: {"type": "integer"}}}, {p: 1}),
    "nullable property": lambda p: ({"type": "object", "properties": {p: {"type": ["null", "number"]}}}, {p: None}),
    "array property": lambda p: _object(p, {"type": "array", "items": _with()[0]}, [{"zza": "x"}]),
    "class property": lambda p: _object(p, _with()[0], {"zza": "x"}),
    "required": lambda p: ({"type": "object", "required": [p]}, {p: [1]}),
    "extra": lambda p: ({"type": "object", "additionalProperties": {"type": "string"}, "examples": [p]}, {p: p}),
    "enum": lambda p: _object("zza", {"enum": [p, "zzb", 1]}, p),
    "optional enum": lambda p: ({"type": "object", "properties": {"zza": {"type": "string", "enum": [p]}}}, {"zza": p}),
    "const": lambda p: _object("zza", {"const": p}, p),
    "const inside": lambda p: _object("zza", {"const": {p: [p]}}, {p: [p]}),
    "array of enum": lambda p: _object("zza", {"type": "array", "items": {"enum": [p, None]}}, [p, None]),
    "tuple of const": lambda p: _object(
        "zza", {"type": "array", "prefixItems": [{"const": p}], "items": False, "minItems": 1}, [p]
    ),
    "map of enum": lambda p: ({"type": "object", "additionalProperties": {"enum": [p]}}, {"k": p}),
    "default": lambda p: _inside(default=p),
    "examples": lambda p: _inside(examples=[p]),
    "pattern": lambda p: ({"type": "object", "properties": {"zza": {"type": "string", "pattern": p}}}, {}),
    "patternProperties": lambda p: ({"type": "object", "patternProperties": {p: {"type": "string"}}}, {}),
    "propertyNames": lambda p: ({"type": "object", "propertyNames": {"enum": [p]}}, {p: 1}),
    "dependentRequired": lambda p: ({"type": "object", "dependentRequired": {p: [p]}}, {p: 1}),
    "dependentSchemas": lambda p: ({"type": "object", "dependentSchemas": {p: {"required": [p]}}}, {p: 1}),
    "if": lambda p: ({"type": "object", "if": {"required": [p]}, "then": {"required": [p]}}, {p: 1}),
    "not": lambda p: _object("zza", {"type": "string", "not": {"const": p + "!"}}, p),
    "format": lambda p: _inside(format=p),
    "contentMediaType": lambda p: _inside(contentMediaType=p),
    "contentEncoding": lambda p: _inside(contentEncoding=p, contentSchema={"const": p}),
    "unknown keyword": lambda p: _inside(**{p: "x"}) if p not in ("enum", "const") else _inside(),
    "value of an unknown keyword": lambda p: _inside(**{"x-note": p, "note": [p]}),
    "x-python-type": lambda p: _inside(**{"x-python-type": p}),
    "x-python-import": lambda p: _inside(**{"x-python-import": {"module": p, "name": p, p: p}}),
    "customTypePath": lambda p: _inside(customTypePath=p, customBasePath=p),
    "customBasePath": lambda p: _nested(customBasePath=p, customTypePath=p, **{"x-python-type": p}),
    "x-enum-varnames": lambda p: _object(
        "zza", {"enum": ["zza", "zzb"], "x-enum-varnames": [p, p], "x-enumNames": [p]}, "zza"
    ),
    "tag": lambda p: _tagged("kind", p),
    "tag property": lambda p: _tagged(p, "zzone"),
    "discriminator": lambda p: _tagged("kind", "zzone", discriminator={"propertyName": p, "mapping": {p: p}}),
    "deepest": lambda p: _object(p, {"anyOf": [_object(p, {"enum": [p]}, p, title=p)[0], {"const": p}]}, {p: p}),
}
"""Places in a schema that may stand anywhere in another one."""
ROOTED: dict[str, Maker] = {
    "customBasePath at the root": lambda p: _with(customBasePath=p, customTypePath=p, **{"x-python-type": p}),
    "enum at the root": lambda p: ({"enum": [p, "zzb"], "description": p}, p),
    "array at the root": lambda p: ({"type": "array", "items": {"const": p}, "title": p}, [p]),
    "$defs": lambda p: _object("zza", _to(p), {"zza": "x"}, **{"$defs": {p: _with()[0]}}),
    "definitions": lambda p: _object(
        "zza",
        _to(p, "definitions"),
        {"zza": "x"},
        **{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {p: _with()[0]}},
    ),
    "alias": lambda p: _object("zza", _to(p), [["x"]], **{"$defs": {p: _recursive(p)}}),
    "unreached": lambda p: _with(**{"$defs": {p: {"type": "string", "description": p}}}),
    "reference into an unknown keyword": lambda p: _object(
        "zza", {"$ref": "#/note/anyOf" + _quoted(p)}, {"zza": "x"}, note={"anyOf": {p: _with()[0]}}
    ),
    "$id": lambda p: _object("zza", _to("zzb"), {"zza": "x"}, **{"$id": p, "$defs": {"zzb": _with()[0]}}),
    "$id inside": lambda p: _object("zza", _to("zzb"), "x", **{"$defs": {"zzb": {"$id": p, "type": "string"}}}),
    "$anchor": lambda p: _inside(**{"$anchor": p, "$dynamicAnchor": p}),
    "$ref": lambda p: _inside(**{"$ref": p}),
    "$dynamicRef": lambda p: _inside(**{"$dynamicRef": p}),
    "$schema": lambda p: _with(**{"$schema": p}),
    "type": lambda p: _object("zza", {"type": p}),
    "x-mcpgen type": lambda p: _nested(**{"x-mcpgen": {"type": p}}),
}
"""Places in a schema that only make sense in a whole one."""


def _recursive(name: str) -> Any:
    return {"title": name, "anyOf": [{"type": "string"}, {"type": "array", "items": _to(name)}]}


def _rows(name: str) -> tuple[Any, Any]:
    """An array of objects, with properties of every kind of column."""
    nested = {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}
    properties = {name: {"type": "string"}, f"{name} 2": {"enum": [name, None]}, f"{name} 3": nested, f"{name} 4": {}}
    row = {name: name, f"{name} 2": name, f"{name} 3": {name: name}, f"{name} 5": name}
    return {"type": "array", "items": {"type": "object", "properties": properties}}, [row, {}]


TABLES: dict[str, tuple[str, Maker]] = {
    "table": ("table", _rows),
    "table with lines": ("table", lambda p: _object(f"{p} 6", _rows(p)[0], _rows(p)[1])),
    "table below lines": (
        "table",
        lambda p: (
            {"type": "object", "properties": {p: {"type": ["string", "null"]}, f"{p} 6": _rows(p)[0]}},
            {p: p, f"{p} 6": _rows(p)[1], f"{p} 7": p},
        ),
    ),
    "csv": ("csv", _rows),
    "tsv": ("tsv", lambda p: _object(f"{p} 6", _rows(p)[0], _rows(p)[1])),
}
"""Results that are written as tables, with hostile names of columns."""
CHOSEN = {"name": "chosen"}
"""Stands for a Python name of the case's own."""
Definer = Callable[[str], dict[str, Any]]
TOOLS: dict[str, Definer] = {
    "tool name": lambda p: {"name": p},
    "tool name, another chosen": lambda p: {"name": p, "x-mcpgen": CHOSEN},
    "tool title": lambda p: {"title": p},
    "tool description": lambda p: {"description": p},
    "annotations": lambda p: {"annotations": {"title": p}},
    "icons": lambda p: {"icons": [{"src": p, "mimeType": p, "sizes": [p]}]},
    "_meta": lambda p: {"_meta": {p: p, "x": {p: [p]}}},
    "unknown member": lambda p: {f"x-{p}": p},
    "x-mcpgen name": lambda p: {"x-mcpgen": {"name": p}},
    "x-mcpgen content": lambda p: {"x-mcpgen": {"content": p}},
    "x-mcpgen audience": lambda p: {"x-mcpgen": {"audience": [p]}},
    "x-mcpgen key": lambda p: {"x-mcpgen": {p: p}},
    "everything of a tool": lambda p: {
        "name": p,
        "description": p,
        "title": p,
        "x-mcpgen": CHOSEN,
        "outputSchema": NESTING["deepest"](p)[0] | {"description": p, "title": p},
    },
}
RESOURCES: dict[str, Definer] = {
    "resource name": lambda p: {"name": p, "uri": "x:y"},
    "resource name, another chosen": lambda p: {"name": p, "uri": "x:y", "x-mcpgen": CHOSEN},
    "resource title": lambda p: {"title": p, "uri": "x:y"},
    "resource description": lambda p: {"description": p, "uri": "x:y"},
    "resource uri": lambda p: {"uri": p},
    "resource mimeType": lambda p: {"mimeType": p, "uri": "x:y"},
    "resource _meta": lambda p: {"_meta": {p: p}, "icons": [{"src": p}], "uri": "x:y"},
    "uriTemplate": lambda p: {"uriTemplate": p},
    "uriTemplate literal": lambda p: {"uriTemplate": f"x://{p}/{{a}}{{?b}}"},
    "uriTemplate variable": lambda p: {"uriTemplate": f"x://{{{p}}}/{{;{p}}}{{?b,{p}}}"},
    "resource schema": lambda p: {"uri": "x:y", "x-mcpgen": {"schema": NESTING["deepest"](p)[0]}},
    "resource schema at the root": lambda p: {"uri": "x:y", "x-mcpgen": {"schema": NESTING["property"](p)[0]}},
    "resource schema reference": lambda p: {"uri": "x:y", "x-mcpgen": {"schema": p}},
    "everything of a resource": lambda p: {
        "name": p,
        "title": p,
        "description": p,
        "uri": p,
        "mimeType": p,
        "x-mcpgen": CHOSEN,
    },
}
PROMPTS: dict[str, Definer] = {
    "prompt name": lambda p: {"name": p, "arguments": []},
    "prompt name, another chosen": lambda p: {"name": p, "arguments": [], "x-mcpgen": CHOSEN},
    "prompt description": lambda p: {"description": p, "arguments": [{"name": "zza", "description": p, "title": p}]},
    "prompt argument": lambda p: {"arguments": [{"name": p}, {"name": "zza", "required": True}]},
    "prompt argument's values": lambda p: {
        "arguments": [{"name": p, "required": True}],
        "x-mcpgen": {"arguments": {p: {"enum": [p, "zza"]}}},
    },
}
FILES = ("file name", "folder name", "bare schema's file name")
SETTINGS = ("tool in the settings", "name in the settings")
NEVER = (
    *("$ref", "$dynamicRef", "$schema", "type", "resource schema reference"),
    *(f"x-mcpgen {key}" for key in ("content", "audience", "key")),
)
"""Positions where no payload is admitted."""
POSITIONS = (*NESTING, *ROOTED, *TABLES, *TOOLS, *RESOURCES, *PROMPTS, *FILES, *SETTINGS)


@dataclass
class Case:
    """One definition file, hostile at one position, or at several of a mixture."""

    position: str
    payload: str
    path: str
    """Below the input folder."""
    content: dict[str, Any]
    tool: str | None = None
    value: Any = None
    """One that satisfies the outputSchema."""
    arguments: Any = None
    settings: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    twin: Case | None = None
    """The same with harmless texts; None if the text is only a word."""

    @property
    def schemas(self) -> int:
        """How many schemas it holds."""
        return len({"inputSchema", "outputSchema"} & self.content.keys()) if "name" in self.content else 1

    @property
    def declared(self) -> dict[str, Any]:
        """Return the Tool that a client is told of."""
        bare = {"name": self.tool, "inputSchema": {"type": "object"}, "outputSchema": self.content}
        out: dict[str, Any] = _without_choices(self.content if "name" in self.content else bare)
        return out


def _without_choices(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_choices(inner) for key, inner in value.items() if key != "x-mcpgen"}
    return [_without_choices(inner) for inner in value] if isinstance(value, list) else value


def cases(payloads: Sequence[str] = PAYLOADS) -> Iterator[Case]:
    """Every payload at every position; where a Tool has two schemas, both are hostile."""
    numbers = itertools.count()
    other = payloads[0]
    for payload in payloads:
        for position in POSITIONS:
            number = next(numbers)
            case = _case(position, payload, other, number)
            if case is not None:
                if payload in CODE_PAYLOADS:
                    case.twin = _case(position, make_harmless(payload), make_harmless(other), number)
                yield case
        other = payload if payload in CODE_PAYLOADS else other


def mixtures(count: int, seed: int) -> Iterator[Case]:
    """Tools with hostile text at several positions at once."""
    chance = random.Random(seed)
    for number in range(count):
        names = chance.sample(sorted(NESTING.keys() - {"pattern", "patternProperties"}), 5)
        chosen = [chance.choice(CODE_PAYLOADS[:-1]) for _ in range(6)]
        case = _mixture(names, chosen, number)
        case.twin = _mixture(names, [make_harmless(text) for text in chosen], number)
        yield case


def _mixture(names: list[str], payloads: list[str], number: int) -> Case:
    nested = {name: NESTING[name](payload) for name, payload in zip(names, payloads, strict=False)}
    properties = {name: schema for name, (schema, _) in nested.items()}
    schema = {"type": "object", "properties": properties, "description": payloads[-1]}
    value = {name: value for name, (_, value) in nested.items()}
    wire = f"zz mixture {number}"
    tool = {"name": wire, "description": payloads[-1], "inputSchema": schema, "outputSchema": schema}
    return Case("mixture", payloads[-1], f"m{number}.json", tool, wire, value, value)


def _case(position: str, payload: str, other: str, number: int) -> Case | None:
    name = f"zz tool {number}"
    plain, value = _with(description=payload)
    input_schema = {"type": "object", "description": other}
    tool: dict[str, Any] = {"name": name, "inputSchema": input_schema, "outputSchema": plain}
    case = Case(position, payload, f"c{number}.json", tool, name, value, {})
    if position in NESTING:
        tool["outputSchema"], case.value = NESTING[position](payload)
        inner, value = NESTING[position](other)
        tool["inputSchema"] = {"type": "object", "properties": {"zzin": inner}, "required": ["zzin"]}
        case.arguments = {"zzin": value}
    elif position in ROOTED:
        tool["outputSchema"], case.value = ROOTED[position](payload)
        if position in ("$defs", "alias", "definitions"):  # on both sides, so that the class is shared
            tool["inputSchema"], case.arguments = tool["outputSchema"], case.value
    elif position in TABLES:
        content, make = TABLES[position]
        tool["outputSchema"], case.value = make(payload)
        tool["x-mcpgen"] = {"content": content}
    elif position in TOOLS:
        tool.update(TOOLS[position](payload))
        if position == "everything of a tool":
            case.value = NESTING["deepest"](payload)[1]
    elif position in RESOURCES:
        case.content, case.tool = {"name": name, **RESOURCES[position](payload)}, None
    elif position in PROMPTS:
        case.content, case.tool = {"name": name, **PROMPTS[position](payload)}, None
    elif position in FILES:
        if re.search(r"\A\.|[/\0\ud800]", payload) or len(payload) > 200:
            return None  # no name for a file, or for one that is read
        case.path = f"{payload}/c{number}.json" if position == "folder name" else f"c{number}/{payload}.json"
        if position.startswith("bare"):
            case.content, case.tool = plain, payload.split(".")[0]
    elif position == "tool in the settings":
        tool["name"] = payload
        case.settings = {payload: {"name": f"zchosen{number}", "content": "none"}}
    else:
        case.settings = {name: {"name": payload}}
    if case.content.get("x-mcpgen") == CHOSEN:
        case.content["x-mcpgen"] = {"name": f"zchosen{number}"}
    if case.tool is not None and "name" in case.content:
        case.tool = case.content["name"]
    return case
