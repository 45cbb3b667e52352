"""Rewrite core schemas into forms of which all supported versions of datamodel-code-generator make the same types.

Old versions lose null in an `enum`, and the bounds of the values of maps. So null becomes a member of a union, and the
type of a map's values is asked for apart: in the map, a reference to an empty class takes its place.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from mcpgen.ir.types import Ref, Type
from mcpgen.ir.visitors import rebuild_type
from mcpgen.lower.normalize.core import Core, make_reference
from mcpgen.schema.values import Json, as_array

_NULL: Core = {"type": "null"}


class PortableCores:
    """Rewritten schemas, with the values of maps taken out of them."""

    def __init__(self) -> None:
        self.map_values: dict[str, Core] = {}
        """The schema of the values of maps, by the key that maps refer to; those in other values come first."""
        self._keys: dict[str, str] = {}

    def rewrite(self, core: Core) -> Core:
        """Return a schema of portable forms that accepts the same values."""
        rewritten = {**core}
        if "enum" in core:
            return _take_null_out(core)
        for keyword in ("anyOf", "prefixItems"):
            if keyword in core:
                rewritten[keyword] = [self._rewrite_json(member) for member in as_array(core[keyword])]
        if "items" in core:
            rewritten["items"] = self._rewrite_json(core["items"])
        values = core.get("additionalProperties")
        if isinstance(values, dict) and values and "$ref" not in values:
            rewritten["additionalProperties"] = make_reference(self._take_out(values))
        return rewritten

    def _rewrite_json(self, value: Json) -> Json:
        return self.rewrite(value) if isinstance(value, dict) else value

    def _take_out(self, values: Core) -> str:
        rewritten = self.rewrite(values)
        key = self._keys.setdefault(json.dumps(rewritten), f"V{len(self._keys)}")
        self.map_values.setdefault(key, rewritten)
        return key

    def restore(self, types: Mapping[str, Type]) -> dict[str, Type]:
        """Return types with those of the values of maps in their places.

        Args:
            types: the types that were generated, those of `map_values` under their keys.
        """
        values: dict[str, Type] = {}
        for key in self.map_values:
            values[key] = _replace_references(types[key], values)
        return {name: _replace_references(type, values) for name, type in types.items() if name not in values}


def _take_null_out(core: Core) -> Core:
    values: list[Json] = [value for value in as_array(core["enum"]) if value is not None]
    if len(values) == len(as_array(core["enum"])):
        return core
    return {"anyOf": [{**core, "enum": values}, _NULL]} if values else _NULL


def _replace_references(node: Type, types: Mapping[str, Type]) -> Type:
    if isinstance(node, Ref):
        return types.get(node.id, node)
    return rebuild_type(node, lambda child: _replace_references(child, types))
