"""Lower the protocol's own types, for packages without an SDK: one set of classes for all versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mcpgen.ir.package import SchemaRoot, get_root_class
from mcpgen.ir.types import Choice, Field, Node, ObjectClass, Presence, Type
from mcpgen.lower.assemble import lower_schemas
from mcpgen.lower.protocol_versions import find_reachable_definitions, merge_versions
from mcpgen.lower.request import LoweringRequest
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json

ROOT_TYPES = (
    "CallToolResult",
    "ContentBlock",
    "ReadResourceResult",
    "GetPromptResult",
    "PromptMessage",
)
"""The types that the run-time library uses without an SDK."""
FIELD_DEFAULTS: dict[tuple[str, str], str | int] = {
    ("ReadResourceResult", "ttlMs"): 0,
    ("ReadResourceResult", "cacheScope"): "private",
}
"""(Class, wire name) → default of a required property."""


def lower_protocol(versions: Sequence[Mapping[str, Json]]) -> SchemaRoot:
    """Return classes for `ROOT_TYPES` and what they contain.

    They have the properties of all versions, and require those that all versions require.

    Args:
        versions: the definitions of each version of the protocol, the oldest first.
    """
    definitions = merge_versions([find_reachable_definitions(version, ROOT_TYPES) for version in versions])
    properties: dict[str, Json] = {name: {"$ref": f"#/$defs/{name}"} for name in ROOT_TYPES}
    document: dict[str, Json] = {
        "type": "object",
        "properties": properties,
        "required": list(ROOT_TYPES),
        "$defs": dict(definitions),
    }
    (root,) = lower_schemas([LoweringRequest("protocol", Schema(document, DRAFT_2020_12), aliases=False)])
    return replace(root, nodes=tuple(_add_defaults(node) for node in root.nodes))


def get_root_types(root: SchemaRoot) -> dict[str, Type]:
    """Return the types of `ROOT_TYPES`, by name."""
    root_class = get_root_class(root)
    assert root_class is not None
    return {field.wire: field.type for field in root_class.fields}


def _add_defaults(node: Node) -> Node:
    if not isinstance(node, ObjectClass):
        return node
    name = node.pointer.rpartition("/")[2]
    return replace(node, fields=tuple(_add_default(name, field) for field in node.fields))


def _add_default(class_name: str, field: Field) -> Field:
    default = FIELD_DEFAULTS.get((class_name, field.wire))
    if default is not None:
        return replace(field, presence=Presence.REQUIRED, default=default)
    if field.presence is Presence.REQUIRED and isinstance(field.type, Choice) and len(field.type.values) == 1:
        return replace(field, default=field.type.values[0])
    return field
