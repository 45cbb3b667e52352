"""Lowering the protocol's own types."""

from __future__ import annotations

import pytest
from mcpgen.ir.types import ObjectClass, Presence, Ref, Union
from mcpgen.read.validation import load_builtin_protocol
from mcpgen.schema.values import Json
from mcpgen.targets import PROTOCOLS

from scripts.protocol_types import (
    ROOT_TYPES,
    find_reachable_definitions,
    get_root_types,
    lower_protocol,
    merge_versions,
)


def test_the_protocol_has_a_type_for_each_root() -> None:
    root = lower_protocol([*map(load_builtin_protocol, PROTOCOLS)])
    types = get_root_types(root)
    assert set(types) == set(ROOT_TYPES)
    assert types["CallToolResult"] == Ref("protocol:/$defs/CallToolResult")
    assert isinstance(types["ContentBlock"], Union)
    assert types["ContentBlock"].tag == "type"
    assert not root.untyped

    classes = {node.pointer: node for node in root.nodes if isinstance(node, ObjectClass)}
    resource_fields = {field.wire: field for field in classes["/$defs/ReadResourceResult"].fields}
    assert (resource_fields["ttlMs"].default, resource_fields["ttlMs"].presence) == (0, Presence.REQUIRED)
    result_fields = {field.wire: field.presence for field in classes["/$defs/CallToolResult"].fields}
    assert result_fields["content"] is Presence.REQUIRED
    assert result_fields["structuredContent"] is Presence.OPTIONAL_NULLABLE  # older versions do not have it


# --- merging versions of the protocol ---------------------------------------------------------------------------------
def test_only_what_the_roots_reach_is_kept_without_prose() -> None:
    definitions: dict[str, Json] = {
        "Tool": {
            "type": "object",
            "description": "A tool.",
            "properties": {"description": {"$ref": "#/definitions/Text", "description": "Its text."}},
        },
        "Text": {"type": "string", "examples": ["a"]},
        "Other": {"type": "null"},
    }
    assert find_reachable_definitions(definitions, ["Tool", "Missing"]) == {
        "Tool": {"type": "object", "properties": {"description": {"$ref": "#/$defs/Text"}}},
        "Text": {"type": "string"},
    }


def obj(required: list[str], **properties: Json) -> dict[str, Json]:
    return {"type": "object", "properties": properties, "required": list[Json](required)}


TEXT: Json = {"type": "string"}
NULL: Json = {"type": "null"}


@pytest.mark.parametrize(
    ("old", "new", "merged"),
    [
        (TEXT, TEXT, TEXT),
        (TEXT, NULL, {"anyOf": [NULL, TEXT]}),
        ({"anyOf": [TEXT, NULL]}, TEXT, {"anyOf": [TEXT, NULL]}),
        (obj(["a", "b"], a=TEXT, b=TEXT), obj(["b"], b=TEXT, c=NULL), obj(["b"], b=TEXT, c=NULL, a=TEXT)),
        (obj([], a=TEXT), {**obj([], b=TEXT), "additionalProperties": {}}, obj([], b=TEXT)),
        (
            {"type": "array", "items": TEXT},
            {"type": "array", "items": NULL},
            {"type": "array", "items": {"anyOf": [NULL, TEXT]}},
        ),
    ],
)
def test_a_definition_accepts_what_any_version_accepts(
    old: dict[str, Json], new: dict[str, Json], merged: dict[str, Json]
) -> None:
    assert merge_versions([{"A": old}, {"A": new}]) == {"A": merged}


def test_a_reference_to_an_open_object_stands_for_inline_objects() -> None:
    versions: list[dict[str, dict[str, Json]]] = [
        {"A": obj([], icons={"type": "object"})},
        {"A": obj([], icons={"$ref": "#/$defs/Icons"}), "Icons": {"type": "object"}},
    ]
    assert merge_versions(versions)["A"] == obj([], icons={"$ref": "#/$defs/Icons"})
