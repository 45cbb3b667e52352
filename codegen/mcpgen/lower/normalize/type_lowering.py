"""Lower a set of places to one type, with an alias where a type contains itself."""

from __future__ import annotations

from collections.abc import Iterable

from mcpgen.lower.normalize.alternatives import find_alternatives
from mcpgen.lower.normalize.arrays import lower_array
from mcpgen.lower.normalize.constraints import ALL_TYPES, collect_keywords, intersect_types, intersect_values
from mcpgen.lower.normalize.context import NormalizationContext
from mcpgen.lower.normalize.core import (
    ANY_CORE,
    Core,
    CoreAlias,
    SchemaPart,
    SchemaPlace,
    is_definition,
    list_direct_references,
    make_reference,
    make_union,
)
from mcpgen.lower.normalize.limits import MAX_OPEN_PLACES, MAX_TYPE_DEPTH, MAX_TYPE_PARTS
from mcpgen.lower.normalize.objects import ObjectLowering
from mcpgen.lower.normalize.scalars import lower_enum, lower_number, lower_string
from mcpgen.lower.normalize.unions import UnionLowering
from mcpgen.schema.keywords import TYPED_KEYWORDS
from mcpgen.schema.values import JSON_TYPES


class TypeLowering:
    """Lowers places, each set of them once."""

    def __init__(self, context: NormalizationContext) -> None:
        self._context = context
        self._objects = ObjectLowering(context, self.lower)
        self._unions = UnionLowering(context, self.lower, self._lower_types)
        self._types: dict[frozenset[SchemaPlace], Core] = {}
        self._open: dict[frozenset[SchemaPlace], str | None] = {}
        """The places that are being lowered, with the key of their alias once they turned out to contain themselves."""
        self.aliases: dict[str, CoreAlias] = {}

    @property
    def objects(self) -> ObjectLowering:
        """Lowering of objects, which holds the classes."""
        return self._objects

    def has_alternatives(self, places: tuple[SchemaPlace, ...]) -> bool:
        """Report whether an object has alternatives that do more than require or exclude properties."""
        parts = self._context.places.list_parts(self._context.places.follow_all(places))
        return self._unions.has_shaping_alternatives(parts, {"object"})

    def lower_root_union(self, places: tuple[SchemaPlace, ...]) -> Core | None:
        """Return the type of a root that is an object with alternatives, None where that is not a union of objects."""
        core = self.lower(places)
        return core if self._is_object(core) else None

    def lower_root_object(self, places: tuple[SchemaPlace, ...]) -> Core:
        """Return a reference to the class of a root that is an object, whether or not it declares properties."""
        places = self._context.places.follow_all(places)
        core = self._objects.make_class(places)
        self._types[frozenset(places)] = core
        return core

    def _is_object(self, core: Core) -> bool:
        """Report whether a type is a class, a map, or a union of such."""
        if core.get("type") == "object":
            return True
        members = core.get("anyOf")
        if isinstance(members, list):
            return all(isinstance(member, dict) and self._is_object(member) for member in members)
        return any(key in self._objects.classes for key in list_direct_references(core))

    def lower(self, places: Iterable[SchemaPlace], tag: str = "") -> Core:
        """Return the type of the values that satisfy all these places; `tag`: see `core.CoreClass`."""
        places = self._context.places.follow_all(places)
        key = frozenset(places)
        if key in self._types:
            return self._types[key]
        if key in self._open:
            alias = self._open[key] or f"{self._context.prefix}A{len(self.aliases)}"
            self._open[key] = alias
            self.aliases.setdefault(alias, CoreAlias(places, ANY_CORE))
            return make_reference(alias)
        if len(self._open) >= MAX_OPEN_PLACES:
            reason = f"references lead {MAX_OPEN_PLACES} types deep into each other"
            return self._context.findings.widen_to_any(places[0].pointer, "$ref", reason)
        self._open[key] = None
        core = self._limit_size(self._compute(places, tag), places[0].pointer)
        opened_alias = self._open.pop(key)
        if opened_alias is not None:
            self.aliases[opened_alias] = CoreAlias(places, core)
            core = make_reference(opened_alias)
        self._types[key] = core
        return core

    def list_definitions(self) -> dict[str, CoreAlias]:
        """Return the types of definitions that are neither classes nor recursive, each under a new key."""
        definitions: dict[int, CoreAlias] = {}
        for key, core in self._types.items():
            places = tuple(key)
            if len(places) == 1 and is_definition(places[0]) and core and "$ref" not in core:
                definitions.setdefault(id(core), CoreAlias(places, core))
        return {f"{self._context.prefix}D{index}": definition for index, definition in enumerate(definitions.values())}

    def cut_direct_recursion(self) -> None:
        """Widen each alias that refers to itself outside of arrays and objects, which no type can express."""
        for key in self.aliases:
            if self._refers_to_itself(key):
                places = self.aliases[key].places
                self.aliases[key] = CoreAlias(places, self._context.findings.widen_to_any(places[0].pointer, "$ref"))

    def _refers_to_itself(self, alias: str) -> bool:
        visited: set[str] = set()
        stack = list_direct_references(self.aliases[alias].core)
        while stack:
            self._context.budget.count_places()
            key = stack.pop()
            if key == alias:
                return True
            if key in self.aliases and key not in visited:
                visited.add(key)
                stack += list_direct_references(self.aliases[key].core)
        return False

    def _limit_size(self, core: Core, pointer: str) -> Core:
        """Return a type, or any value where the type is larger than Python or a reader can take."""
        size = self._context.sizes.measure(core)
        widen = self._context.findings.widen_to_any
        if size.levels > MAX_TYPE_DEPTH:
            return widen(pointer, "type", f"what it holds nests more than {MAX_TYPE_DEPTH} types")
        if size.parts > MAX_TYPE_PARTS:
            return widen(pointer, "type", f"its type would have more than {MAX_TYPE_PARTS} parts")
        return core

    def _compute(self, places: tuple[SchemaPlace, ...], tag: str) -> Core:
        findings, pointer = self._context.findings, places[0].pointer
        parts = self._context.places.flatten(places)
        if parts is None:
            return findings.widen_to_any(pointer, "false schema", _explain_false(pointer))
        findings.require_checks_in(parts)
        types = intersect_types(parts)
        if not types:
            return findings.widen_to_any(pointer, "type")
        values = intersect_values(parts, types)
        if values is not None:
            return lower_enum(values, collect_keywords(parts), pointer, self._context)
        if find_alternatives(parts):
            return self._unions.lower_union(parts, types, tag)
        return self._lower_types(places, parts, types, tag)

    def _lower_types(
        self, places: tuple[SchemaPlace, ...], parts: tuple[SchemaPart, ...], types: set[str], tag: str
    ) -> Core:
        if types >= ALL_TYPES and not self._objects.declares_properties(parts):
            self._context.findings.require_check(*(collect_keywords(parts) & TYPED_KEYWORDS))
            return ANY_CORE
        return make_union([self._lower_type(kind, places, parts, tag) for kind in JSON_TYPES if kind in types])

    def _lower_type(self, kind: str, places: tuple[SchemaPlace, ...], parts: tuple[SchemaPart, ...], tag: str) -> Core:
        match kind:
            case "object":
                return self._objects.lower_object(places, parts, tag)
            case "array":
                return lower_array(parts, self._context, self.lower)
            case "string":
                return lower_string(parts, self._context)
            case "integer" | "number":
                return lower_number(kind, parts, self._context)
            case _:
                return {"type": kind}


def _explain_false(pointer: str) -> str:
    """Return why no value is left where a schema is false; the place of a required property may be its object's."""
    if pointer.endswith("/additionalProperties") and not pointer.endswith("/properties/additionalProperties"):
        return "a required property is neither declared nor allowed"
    return "false allows no value"
