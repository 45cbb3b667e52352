"""Lowering the protocol's own types."""

from __future__ import annotations

from mcpgen.ir.types import ObjectClass, Presence, Ref, Union
from mcpgen.lower.protocol_types import ROOT_TYPES, get_root_types, lower_protocol
from mcpgen.read.protocol_schemas import load_builtin_protocols


def test_the_protocol_has_a_type_for_each_root() -> None:
    root = lower_protocol([*load_builtin_protocols().values()])
    types = get_root_types(root)
    assert set(types) == set(ROOT_TYPES)
    assert types["Tool"] == Ref("protocol:/$defs/Tool")
    assert isinstance(types["ContentBlock"], Union)
    assert types["ContentBlock"].tag == "type"
    assert not root.untyped

    classes = {node.pointer: node for node in root.nodes if isinstance(node, ObjectClass)}
    resource_fields = {field.wire: field for field in classes["/$defs/ReadResourceResult"].fields}
    assert (resource_fields["ttlMs"].default, resource_fields["ttlMs"].presence) == (0, Presence.REQUIRED)
    tool_fields = {field.wire: field.presence for field in classes["/$defs/Tool"].fields}
    assert tool_fields["name"] is Presence.REQUIRED
    assert tool_fields["outputSchema"] is Presence.OPTIONAL  # older versions do not have it
