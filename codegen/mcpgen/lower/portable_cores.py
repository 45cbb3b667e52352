"""Rewrite core schemas into forms of which all supported versions of datamodel-code-generator make the same types.

Some versions lose null in an `enum`, or the bounds of the values of maps, or they allow null in place of a tuple with a
member that is null. So null in an `enum` becomes a member of a union, and the types of a map's values and of a tuple's
members are asked for apart: references to empty classes take their places.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from mcpgen.ir.types import Ref, Type
from mcpgen.ir.visitors import rebuild_type
from mcpgen.lower.normalize.core import Core, make_reference
from mcpgen.schema.values import Json, as_array, as_object

_NULL: Core = {"type": "null"}


class PortableCores:
    """Rewritten schemas, with the values of maps and the members of tuples taken out of them."""

    def __init__(self) -> None:
        self.parts: dict[str, Core] = {}
        """What was taken out, by the key that stands in its place; parts of parts come first."""
        self._keys: dict[str, str] = {}

    def rewrite(self, core: Core) -> Core:
        """Return a schema of portable forms that accepts the same values."""
        rewritten = {**core}
        if "enum" in core:
            return _take_null_out(core)
        if "anyOf" in core:
            rewritten["anyOf"] = [self.rewrite(as_object(member)) for member in as_array(core["anyOf"])]
        if isinstance(core.get("items"), dict):
            rewritten["items"] = self.rewrite(as_object(core["items"]))
        if "prefixItems" in core:
            rewritten["prefixItems"] = [self._take_out(as_object(member)) for member in as_array(core["prefixItems"])]
        if "additionalProperties" in core:
            rewritten["additionalProperties"] = self._take_out(as_object(core["additionalProperties"]))
        return rewritten

    def _take_out(self, part: Core) -> Core:
        if not part or "$ref" in part:
            return part
        rewritten = self.rewrite(part)
        key = self._keys.setdefault(json.dumps(rewritten), f"V{len(self._keys)}")
        self.parts.setdefault(key, rewritten)
        return make_reference(key)

    def restore(self, types: Mapping[str, Type]) -> dict[str, Type]:
        """Return types with those of the parts in their places.

        Args:
            types: the types that were generated, those of `parts` under their keys.
        """
        parts: dict[str, Type] = {}
        for key in self.parts:
            parts[key] = _replace_references(types[key], parts)
        return {name: _replace_references(type, parts) for name, type in types.items() if name not in parts}


def _take_null_out(core: Core) -> Core:
    values: list[Json] = [value for value in as_array(core["enum"]) if value is not None]
    if len(values) == len(as_array(core["enum"])):
        return core
    return {"anyOf": [{**core, "enum": values}, _NULL]} if values else _NULL


def _replace_references(node: Type, types: Mapping[str, Type]) -> Type:
    if isinstance(node, Ref):
        return types.get(node.id, node)
    return rebuild_type(node, lambda child: _replace_references(child, types))
