"""The protocol's own types under `sdk = "none"`: one set of classes for all versions, lowered like any schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.types import Choice, Field, Node, ObjectClass, Presence, Ref, Type
from mcpgen.lower.assemble import LoweringRequest, lower_schemas
from mcpgen.read.definitions import ProtocolSchema
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12, SCHEMA_MAP_KEYWORDS
from mcpgen.schema.values import Json, canonicalize

ROOT_TYPES = (
    "CallToolResult",
    "ContentBlock",
    "ReadResourceResult",
    "Tool",
    "Resource",
    "ResourceTemplate",
    "InputRequiredResult",
)
FIELD_DEFAULTS: dict[tuple[str, str], str | int] = {
    ("ReadResourceResult", "ttlMs"): 0,
    ("ReadResourceResult", "cacheScope"): "private",
}
_PROSE_KEYWORDS = frozenset({"description", "title", "examples", "default", "$comment", "deprecated"})


def lower_protocol(versions: Mapping[str, ProtocolSchema]) -> SchemaRoot:
    """Classes for what a result is made of: properties of all versions, required where all versions require."""
    merged = _merge_versions([_find_reachable_definitions(versions[version]) for version in sorted(versions)])
    properties: dict[str, Json] = {name: {"$ref": f"#/$defs/{name}"} for name in ROOT_TYPES}
    document: dict[str, Json] = {
        "type": "object",
        "properties": properties,
        "required": list(ROOT_TYPES),
        "$defs": dict(merged),
    }
    (root,) = lower_schemas([LoweringRequest("protocol", Schema(document, DRAFT_2020_12))])
    return replace(root, nodes=tuple(_add_defaults(node) for node in root.nodes))


def get_root_types(root: SchemaRoot) -> dict[str, Type]:
    """The types of `ROOT_TYPES`, by name."""
    assert isinstance(root.type, Ref)
    for node in root.nodes:
        if node.id == root.type.id and isinstance(node, ObjectClass):
            return {field.wire: field.type for field in node.fields}
    raise KeyError(root.type.id)


def _find_reachable_definitions(protocol: ProtocolSchema) -> dict[str, dict[str, Json]]:
    """The definitions that the roots reach, in 2020-12's words and without prose."""
    found: dict[str, dict[str, Json]] = {}
    todo = [name for name in ROOT_TYPES if name in protocol.definitions]
    while todo:
        name = todo.pop()
        definition = protocol.definitions.get(name)
        if name in found or not isinstance(definition, dict):
            continue
        bare = _strip_prose(definition, False)
        assert isinstance(bare, dict)
        found[name] = bare
        todo.extend(_list_mentioned(bare))
    return found


def _strip_prose(value: Json, names: bool) -> Json:
    if isinstance(value, list):
        return [_strip_prose(inner, False) for inner in value]
    if not isinstance(value, dict):
        return value
    out: dict[str, Json] = {}
    for key, inner in value.items():
        if key in _PROSE_KEYWORDS and not names:
            continue
        if key == "$ref" and isinstance(inner, str):
            out[key] = "#/$defs/" + inner.rpartition("/")[2]
        else:
            out[key] = _strip_prose(inner, key in SCHEMA_MAP_KEYWORDS and not names)
    return out


def _list_mentioned(value: Json) -> list[str]:
    if isinstance(value, list):
        return [name for inner in value for name in _list_mentioned(inner)]
    if not isinstance(value, dict):
        return []
    ref = value.get("$ref")
    own = [ref.rpartition("/")[2]] if isinstance(ref, str) else []
    return own + [name for inner in value.values() for name in _list_mentioned(inner)]


def _merge_versions(versions: list[dict[str, dict[str, Json]]]) -> dict[str, Json]:
    """Each definition as the versions have it between them; `versions` go from old to new."""
    newest = {name: definition for version in versions for name, definition in version.items()}
    out: dict[str, Json] = {}
    for name in sorted(newest):
        out[name] = _join_schemas([version[name] for version in versions if name in version], newest)
    return out


def _join_schemas(held: Iterable[Json], newest: Mapping[str, dict[str, Json]]) -> Json:
    """A schema for what satisfies any of these: objects by their properties, arrays by their items, else a union."""
    distinct = list({canonicalize(one): one for one in held}.values())
    if len(distinct) == 1:
        return distinct[0]
    kinds = {str(_as_dict(one).get("type")) for one in distinct}
    if kinds == {"array"}:
        return {"type": "array", "items": _join_schemas([_as_dict(one).get("items", {}) for one in distinct], newest)}
    if kinds == {"object"}:
        return _join_objects([_as_dict(one) for one in distinct], newest)
    named = [one for one in distinct if _is_open_object(one, newest)]
    if named and all(one in named or _as_dict(one).get("type") == "object" for one in distinct):
        return named[-1]
    branches = [branch for one in distinct[::-1] for branch in _list_branches(one)]
    return {"anyOf": list({canonicalize(branch): branch for branch in branches}.values())}


def _join_objects(held: list[dict[str, Json]], newest: Mapping[str, dict[str, Json]]) -> Json:
    parts = [_as_dict(one.get("properties")) for one in held]
    names = list(dict.fromkeys(name for part in reversed(parts) for name in part))
    if held[-1].get("additionalProperties") in ({}, True):  # what it names no more, it lets be anything
        names = list(parts[-1])
    if not names:
        return held[-1]
    properties: dict[str, Json] = {
        name: _join_schemas([part[name] for part in parts if name in part], newest) for name in names
    }
    required = [name for name in names if all(name in _as_list(one.get("required")) for one in held)]
    return {"type": "object", "properties": properties, "required": list[Json](required)}


def _is_open_object(schema: Json, newest: Mapping[str, dict[str, Json]]) -> bool:
    """Whether a schema refers to an object that demands nothing, which any version's inline object satisfies."""
    ref = _as_dict(schema).get("$ref")
    target = newest.get(ref.rpartition("/")[2], {}) if isinstance(ref, str) else {}
    return target.get("type") == "object" and not target.get("required")


def _list_branches(schema: Json) -> list[Json]:
    held = _as_dict(schema).get("anyOf")
    return held if isinstance(held, list) else [schema]


def _as_dict(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _as_list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _add_defaults(node: Node) -> Node:
    if not isinstance(node, ObjectClass):
        return node
    name = node.pointer.rpartition("/")[2]
    return replace(node, fields=tuple(_add_default(name, field) for field in node.fields))


def _add_default(owner: str, field: Field) -> Field:
    given = FIELD_DEFAULTS.get((owner, field.wire))
    if given is not None:
        return replace(field, presence=Presence.REQUIRED, default=given)
    constant = isinstance(field.type, Choice) and len(field.type.values) == 1
    if constant and field.presence is Presence.REQUIRED and isinstance(field.type, Choice):
        return replace(field, default=field.type.values[0])
    return field
