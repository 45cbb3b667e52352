"""Print the compact form of an official MCP JSON schema: the result surface, without its prose.

To add a protocol version:

    python scripts/compact_mcp_schema.py OFFICIAL.json > schemas/mcp/VERSION/schema.json

What stays is structure: the definitions in `ROOTS` that the version has, and whatever they reach
through `$ref`. A keyword that is neither known structure nor known prose is an error, so that a
new version cannot lose a rule unnoticed.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
Definitions: TypeAlias = dict[str, Json]

ROOTS = (
    "CallToolResult",
    "InputRequiredResult",
    "ReadResourceResult",
    "Resource",
    "ResourceTemplate",
    "Tool",
    "Prompt",
    "GetPromptResult",
)

ONE_SCHEMA = frozenset({"additionalProperties", "items", "not", "propertyNames"})
SCHEMA_LISTS = frozenset({"allOf", "anyOf", "oneOf"})
SCHEMA_MAPS = frozenset({"patternProperties", "properties"})
PLAIN = frozenset(
    {
        "$ref",
        "const",
        "enum",
        "format",
        "maxItems",
        "maxLength",
        "maximum",
        "minItems",
        "minLength",
        "minimum",
        "pattern",
        "required",
        "type",
        "uniqueItems",
    }
)
PROSE = frozenset({"$comment", "default", "deprecated", "description", "examples", "title"})

# Their members always get a line each: a property or an alternative more is then one line more.
ONE_MEMBER_A_LINE = SCHEMA_LISTS | SCHEMA_MAPS | {"$defs", "definitions"}
LINE_LENGTH = 100


class UnexpectedSchema(Exception):
    """The official schema holds something this script was not written for."""


def compact_schema(document: Json) -> dict[str, Json]:
    """Return the result surface of an official schema, in that schema's own dialect."""
    if not isinstance(document, dict):
        raise UnexpectedSchema("the document is not an object")
    if "$schema" not in document:
        raise UnexpectedSchema("the document does not say its $schema")
    keyword = "$defs" if "$defs" in document else "definitions"
    official = document.get(keyword)
    if not isinstance(official, dict) or "CallToolResult" not in official:
        raise UnexpectedSchema(f"{keyword} holds no CallToolResult")
    reachable: Definitions = {}
    waiting = [name for name in ROOTS if name in official]
    while waiting:
        name = waiting.pop()
        if name in reachable:
            continue
        if name not in official:
            raise UnexpectedSchema(f"#/{keyword}/{name} is referred to, but not defined")
        reachable[name] = _extract_structure(official[name], f"#/{keyword}/{name}")
        waiting.extend(_list_referred(reachable[name], f"#/{keyword}/"))
    return {"$schema": document["$schema"], keyword: reachable}


def _extract_structure(schema: Json, where: str) -> Json:
    """Return the schema without its prose; names of properties are never taken for keywords."""
    if isinstance(schema, bool):
        return schema
    if not isinstance(schema, dict):
        raise UnexpectedSchema(f"{where}: not a schema")
    structure: dict[str, Json] = {}
    for key, value in schema.items():
        place = f"{where}/{key}"
        if key in PROSE:
            continue
        if key in PLAIN:
            structure[key] = value
        elif key in ONE_SCHEMA:
            structure[key] = _extract_structure(value, place)
        elif key in SCHEMA_LISTS and isinstance(value, list):
            structure[key] = [_extract_structure(item, f"{place}/{i}") for i, item in enumerate(value)]
        elif key in SCHEMA_MAPS and isinstance(value, dict):
            structure[key] = {name: _extract_structure(item, f"{place}/{name}") for name, item in value.items()}
        else:
            raise UnexpectedSchema(f"{place}: neither known structure nor known prose")
    return structure


def _list_referred(value: Json, prefix: str) -> Iterator[str]:
    """Yield the names of the definitions that a schema refers to."""
    if isinstance(value, list):
        for item in value:
            yield from _list_referred(item, prefix)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key != "$ref" or not isinstance(item, str):
                yield from _list_referred(item, prefix)
            elif item.startswith(prefix):
                yield item.removeprefix(prefix)
            else:
                raise UnexpectedSchema(f"{item}: does not begin with {prefix}")


def render_json(value: Json, indent: str = "", before: int = 0, *, spread: bool = True) -> str:
    """JSON text with sorted keys, where what has no members of its own to list takes one line.

    `before` is the width that the line has used up already, indentation included; `spread` asks
    for a line a member whatever the width.
    """
    flat = json.dumps(value, sort_keys=True)
    if not isinstance(value, dict | list) or not value:
        return flat
    # One more column than the value, for the comma that may follow.
    if not spread and not _lists_members(value) and before + len(flat) + 1 <= LINE_LENGTH:
        return flat
    inner = indent + "  "
    if isinstance(value, list):
        lines = [inner + render_json(item, inner, len(inner), spread=False) for item in value]
        opening, closing = "[", "]"
    else:
        lines = []
        for key in sorted(value):
            head = f"{inner}{json.dumps(key)}: "
            spread_below = key in ONE_MEMBER_A_LINE
            lines.append(head + render_json(value[key], inner, len(head), spread=spread_below))
        opening, closing = "{", "}"
    return opening + "\n" + ",\n".join(lines) + f"\n{indent}{closing}"


def _lists_members(value: Json) -> bool:
    if isinstance(value, list):
        return any(_lists_members(item) for item in value)
    if isinstance(value, dict):
        return any(key in ONE_MEMBER_A_LINE or _lists_members(value[key]) for key in value)
    return False


def main() -> int:
    """Read the arguments, print the compact schema, return the exit code."""
    parser = argparse.ArgumentParser(description="Print the compact form of an MCP JSON schema.")
    parser.add_argument("official", type=Path, help="the specification's own schema.json")
    path: Path = parser.parse_args().official
    try:
        text = render_json(compact_schema(json.loads(path.read_text(encoding="utf-8"))))
    except (OSError, ValueError, UnexpectedSchema) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 2
    sys.stdout.buffer.write(text.encode() + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
