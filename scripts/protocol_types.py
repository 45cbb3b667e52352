"""Write the protocol's types of packages without an SDK: `runtime/src/mcpgen_runtime/sdk/none/protocol.py`.

They are one set of classes for all versions of the protocol.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import black
from black.mode import TargetVersion
from mcpgen.ir.package import SchemaRoot, get_root_class
from mcpgen.ir.types import Choice, Field, Node, ObjectClass, Presence, Type
from mcpgen.lower.assemble import lower_schemas
from mcpgen.lower.request import LoweringRequest
from mcpgen.names.allocator import allocate_class_names
from mcpgen.names.reserved import RESERVED_NAMES
from mcpgen.read.validation import load_builtin_protocol
from mcpgen.render.annotations import render_annotation
from mcpgen.render.class_views import ModuleBody, make_module_body
from mcpgen.render.imports import render_imports
from mcpgen.render.jobs import make_environment
from mcpgen.render.scope import Scope
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import ANNOTATION_KEYWORDS, DRAFT_2020_12, SCHEMA_MAP_KEYWORDS
from mcpgen.schema.values import Json, as_array, as_object, canonicalize
from mcpgen.targets import PROTOCOLS

ROOT_TYPES = ("CallToolResult", "ContentBlock", "ReadResourceResult", "GetPromptResult", "PromptMessage")
"""The types that the run-time library uses without an SDK."""
FIELD_DEFAULTS: dict[tuple[str, str], str | int] = {
    ("ReadResourceResult", "ttlMs"): 0,
    ("ReadResourceResult", "cacheScope"): "private",
}
"""(Class, wire name) → default of a required property."""


def lower_protocol(versions: Sequence[Mapping[str, Json]]) -> SchemaRoot:
    """Return classes for `ROOT_TYPES` and what they contain, from the definitions of each version, the oldest first.

    They have the properties of all versions, and require those that all versions require.
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


# --- merging the definitions of several versions ----------------------------------------------------------------------
_PROSE_KEYWORDS = ANNOTATION_KEYWORDS | {"$comment"}
Definitions: TypeAlias = dict[str, dict[str, Json]]
"""The definitions of one version, by name."""


def find_reachable_definitions(protocol: Mapping[str, Json], roots: Sequence[str]) -> Definitions:
    """Return the definitions that some of a version's reach, without prose and with references to `$defs`."""
    reached: Definitions = {}
    todo = [name for name in roots if name in protocol]
    while todo:
        name = todo.pop()
        definition = protocol.get(name)
        if name in reached or not isinstance(definition, dict):
            continue
        bare_definition = _strip_prose(definition, is_map=False)
        assert isinstance(bare_definition, dict)
        reached[name] = bare_definition
        todo.extend(_list_references(bare_definition))
    return reached


def merge_versions(versions: list[Definitions]) -> dict[str, Json]:
    """Return each definition as a schema for what satisfies it in any version; `versions` go from old to new."""
    newest = {name: definition for version in versions for name, definition in version.items()}
    merged: dict[str, Json] = {}
    for name in sorted(newest):
        merged[name] = _join_schemas([version[name] for version in versions if name in version], newest)
    return merged


def _strip_prose(value: Json, is_map: bool) -> Json:
    if isinstance(value, list):
        return [_strip_prose(member, is_map=False) for member in value]
    if not isinstance(value, dict):
        return value
    stripped: dict[str, Json] = {}
    for key, member in value.items():
        if key in _PROSE_KEYWORDS and not is_map:
            continue
        if key == "$ref" and isinstance(member, str):
            stripped[key] = "#/$defs/" + _get_last_token(member)
        else:
            stripped[key] = _strip_prose(member, is_map=key in SCHEMA_MAP_KEYWORDS and not is_map)
    return stripped


def _list_references(value: Json) -> list[str]:
    if isinstance(value, list):
        return [name for member in value for name in _list_references(member)]
    if not isinstance(value, dict):
        return []
    ref = value.get("$ref")
    names = [_get_last_token(ref)] if isinstance(ref, str) else []
    return names + [name for member in value.values() for name in _list_references(member)]


def _join_schemas(schemas: Iterable[Json], newest: Mapping[str, dict[str, Json]]) -> Json:
    distinct = list({canonicalize(schema): schema for schema in schemas}.values())
    if len(distinct) == 1:
        return distinct[0]
    types = {str(as_object(schema).get("type")) for schema in distinct}
    if types == {"array"}:
        items = [as_object(schema).get("items", {}) for schema in distinct]
        return {"type": "array", "items": _join_schemas(items, newest)}
    if types == {"object"}:
        return _join_objects([as_object(schema) for schema in distinct], newest)
    open_objects = [schema for schema in distinct if _refers_to_open_object(schema, newest)]
    if open_objects and all(schema in open_objects or as_object(schema).get("type") == "object" for schema in distinct):
        return open_objects[-1]
    branches = [branch for schema in distinct[::-1] for branch in as_array(as_object(schema).get("anyOf")) or [schema]]
    return {"anyOf": list({canonicalize(branch): branch for branch in branches}.values())}


def _join_objects(schemas: list[dict[str, Json]], newest: Mapping[str, dict[str, Json]]) -> Json:
    """Join object schemas, which go from old to new; a property is required where all require it."""
    properties_of_versions = [as_object(schema.get("properties")) for schema in schemas]
    names = list(dict.fromkeys(name for properties in reversed(properties_of_versions) for name in properties))
    if schemas[-1].get("additionalProperties") in ({}, True):  # the newest version lets removed properties be anything
        names = list(properties_of_versions[-1])
    if not names:
        return schemas[-1]
    joined: dict[str, Json] = {
        name: _join_schemas([properties[name] for properties in properties_of_versions if name in properties], newest)
        for name in names
    }
    required = [name for name in names if all(name in as_array(schema.get("required")) for schema in schemas)]
    return {"type": "object", "properties": joined, "required": list[Json](required)}


def _refers_to_open_object(schema: Json, newest: Mapping[str, dict[str, Json]]) -> bool:
    """Check for a reference to an object that requires nothing, which the inline objects of all versions satisfy."""
    ref = as_object(schema).get("$ref")
    target = newest.get(_get_last_token(ref), {}) if isinstance(ref, str) else {}
    return target.get("type") == "object" and not target.get("required")


def _get_last_token(ref: str) -> str:
    return ref.rpartition("/")[2]


# --- rendering -------------------------------------------------------------------------------------------------------
_LIBRARY_MODULES = {
    "core_schemas": ("ABSENT",),
    "json_types": ("Base64", "JsonValue"),
    "models": (
        *("ClosedObject", "JsonObject", "OpenObject", "RenamedOpenObject", "SparseClosedObject", "SparseOpenObject"),
        "write_members",
    ),
}
"""Modules of the library that the types need, with the names that they have."""
_HEAD = '"""Types of the protocol, made from the MCP schemas of all versions by scripts/protocol_types.py."""\n\n'


@dataclass(frozen=True)
class ProtocolTypesView:
    """Variables of `library/protocol_types.py.j2`."""

    module: ModuleBody
    unions: Mapping[str, str]
    """Root types that are unions of classes, and so aliases, by name."""


def render_protocol_types(protocols: Mapping[str, Mapping[str, Json]]) -> str:
    """Return the module, which is not formatted yet; `protocols` are the definitions of the MCP schemas, by version."""
    root = lower_protocol([protocols[version] for version in sorted(protocols)])
    types = get_root_types(root)
    nodes = [node for node in root.nodes if node.pointer != ""]
    names = allocate_class_names(nodes, {}, (), RESERVED_NAMES - set(ROOT_TYPES))
    scope = Scope(names, {node.id: node for node in nodes})
    class_names = set(names.values())
    unions = {name: render_annotation(types[name], scope) for name in ROOT_TYPES if name not in class_names}
    bases = {node.id: ("ProtocolObject",) for node in nodes}
    view = ProtocolTypesView(make_module_body(nodes, scope, bases), unions)
    body = make_environment().get_template("library/protocol_types.py.j2").render(vars(view))
    modules = {name: f"...{module}" for module, names in _LIBRARY_MODULES.items() for name in names}
    imports = render_imports(ast.parse(body), "", modules)
    return f"{_HEAD}from __future__ import annotations\n\n{imports}\n\n{body}"


PATH = Path(__file__).resolve().parent.parent / "runtime/src/mcpgen_runtime/sdk/none/protocol.py"


def make_module() -> str:
    """Return the module as it has to be."""
    text = render_protocol_types({version: load_builtin_protocol(version) for version in PROTOCOLS})
    return black.format_str(text, mode=black.Mode(line_length=120, target_versions={TargetVersion.PY311}))


if __name__ == "__main__":
    PATH.write_text(make_module(), "utf-8")
