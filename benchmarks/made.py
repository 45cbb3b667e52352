"""Made-up tools, as many as are wanted: what servers declare, in their mix."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

Schema = dict[str, Any]
WORDS = (
    "account amount area author batch berth branch bucket city cluster code colour comment count country cursor "
    "depth device email event file folder group height host image invoice item key label level limit line link "
    "member message metric mode name node note order owner page path payment period phase place plan port price "
    "query rate reason record region result role route rule score source speed state status step tag task team "
    "ticket title token topic total unit user value vendor version volume weight window zone"
).split()
COMMON = """\
$defs:
  Money:
    type: object
    description: An amount in a currency.
    properties: {amount: {type: number}, currency: {type: string, minLength: 3, maxLength: 3}}
    required: [amount, currency]
    additionalProperties: false
  Person:
    type: object
    properties: {name: {type: string}, email: {type: [string, "null"]}, role: {enum: [admin, editor, viewer]}}
    required: [name, role]
"""
SHARED_EVERY, YAML_EVERY, TEMPLATE_EVERY, LISTED = 10, 20, 10, 5
"""Of so many tools one refers to `common.defs.yaml`, is written in YAML, has a content template; how many a list file
holds where definitions come from a `tools/list` answer (one tool of ten)."""


def make(folder: Path, count: int, seed: int = 0) -> None:
    """Write `count` tools into `folder/schemas`, the same for the same seed."""
    chance = random.Random(seed)
    schemas = folder / "schemas"
    schemas.mkdir(parents=True, exist_ok=True)
    (schemas / "common.defs.yaml").write_text(COMMON, "utf-8")
    (folder / "mcpgen.toml").write_text("", "utf-8")
    listed: list[Schema] = []
    for number in range(count):
        tool = _make_tool(number, chance)
        if number % 10 == 9:
            listed.append(tool)
            if len(listed) == LISTED:
                (schemas / f"list_{number:05}.json").write_text(json.dumps({"tools": listed}, indent=2), "utf-8")
                listed = []
            continue
        group = schemas / WORDS[number // 100 % len(WORDS)]
        group.mkdir(exist_ok=True)
        suffix = "yaml" if number % YAML_EVERY == 3 else "json"  # JSON is YAML
        (group / f"{tool['name']}.{suffix}").write_text(json.dumps(tool, indent=2), "utf-8")
        if number % TEMPLATE_EVERY == 0:
            (group / f"{tool['name']}.content.j2").write_text("{{ headline }} ({{ hits }})\n", "utf-8")
    if listed:
        (schemas / "list_rest.json").write_text(json.dumps({"tools": listed}, indent=2), "utf-8")


def _make_tool(number: int, chance: random.Random) -> Schema:
    words = chance.sample(WORDS, 2)
    tool: Schema = {
        "name": f"{words[0]}_{words[1]}_{number}",
        "description": f"Looks up the {words[0]} of a {words[1]}, number {number}.",
        "inputSchema": _make_object(chance, chance.randint(1, 6), 1),
    }
    kind = number % 20
    if number % TEMPLATE_EVERY == 0:
        tool["outputSchema"] = _make_object(chance, chance.randint(2, 8), 2)
        tool["outputSchema"]["properties"] |= {"headline": {"type": "string"}, "hits": {"type": "integer"}}
        tool["outputSchema"]["required"] += ["headline", "hits"]
    elif kind == 7:
        tool["outputSchema"] = {"type": "array", "items": _make_object(chance, 5, 1)}
    elif kind == 13:
        tool["outputSchema"] = {"type": "string"}
    elif kind == 17:
        tool["outputSchema"] = _make_union(chance)
    elif kind not in (2, 12):  # these declare none
        tool["outputSchema"] = _make_object(chance, chance.randint(2, 10), 3)
    if number % SHARED_EVERY == 5:
        declared: Schema = tool.get("outputSchema", {})
        properties: Schema = declared["properties"]
        properties["price_total"] = {"$ref": "../common.defs.yaml#/$defs/Money"}
        properties["owners"] = {"type": "array", "items": {"$ref": "../common.defs.yaml#/$defs/Person"}}
    return tool


def _make_object(chance: random.Random, fields: int, depth: int) -> Schema:
    names = chance.sample(WORDS, fields)
    properties: Schema = {name: _make_value(chance, depth) for name in names}
    schema: Schema = {"type": "object", "properties": properties, "required": names[: chance.randint(0, fields)]}
    if chance.random() < 0.6:
        schema["additionalProperties"] = False
    return schema


def _make_union(chance: random.Random) -> Schema:
    kinds: list[Schema] = []
    for kind in ("found", "missing"):
        first = _make_object(chance, 3, 1)
        first["properties"] = {"kind": {"const": kind}, **first["properties"]}
        first["required"] = ["kind", *first["required"]]
        kinds.append(first)
    return {"oneOf": kinds}


def _make_value(chance: random.Random, depth: int) -> Schema:
    plain: list[Schema] = [
        {"type": "string"},
        {"type": "string", "description": f"The {chance.choice(WORDS)} as it was entered."},
        {"type": "integer", "minimum": 0},
        {"type": "number"},
        {"type": "boolean"},
        {"type": ["string", "null"]},
        {"type": "string", "format": "date-time"},
        {"enum": chance.sample(WORDS, 3)},
        {"type": "array", "items": {"type": "string"}},
        {"type": "string", "pattern": "^[A-Z]{2}[0-9]+$"},
    ]
    roll = chance.random()
    if depth > 1 and roll < 0.12:
        return _make_object(chance, chance.randint(2, 5), depth - 1)
    if depth > 1 and roll < 0.24:
        return {"type": "array", "items": _make_object(chance, chance.randint(2, 5), depth - 1)}
    return chance.choices(plain, (8, 6, 5, 4, 3, 3, 2, 2, 2, 1))[0]


def change(folder: Path, text: str) -> Path:
    """Say something else in one tool; its file."""
    return _edit(folder, lambda tool: tool["inputSchema"].update(description=text))


def add_property(folder: Path, name: str) -> Path:
    """Add a property to the result of one tool; its file."""
    return _edit(folder, lambda tool: tool["outputSchema"]["properties"].update({name: {"type": "string"}}))


def _edit(folder: Path, edit: Callable[[Schema], object]) -> Path:
    path = min((folder / "schemas").glob("*/*_1.json"))
    tool: Schema = json.loads(path.read_text("utf-8"))
    edit(tool)
    path.write_text(json.dumps(tool, indent=2), "utf-8")
    return path


def add_tool(folder: Path, number: int, is_sharing: bool = False) -> Path:
    """Add a tool to some that were made, with no class in common with them unless `is_sharing`; its file."""
    tool = _make_tool(20 * number + 1, random.Random(f"added {number}"))  # of a kind that has an object as its result
    if is_sharing:
        tool["outputSchema"]["properties"]["cost"] = {"$ref": "common.defs.yaml#/$defs/Money"}
    path = folder / "schemas" / f"{tool['name']}.json"
    path.write_text(json.dumps(tool, indent=2), "utf-8")
    return path
