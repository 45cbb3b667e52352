"""Rewrite a schema into the core language, and record what the rewriting had to widen.

Every value that satisfies the schema satisfies the rewritten one. Where the reverse may fail, the keyword is recorded
as a check that is still needed.
"""

from __future__ import annotations

from collections.abc import Iterable

from mcpgen.lower.normalize.constraints import ALL_TYPES, collect_keywords, intersect_types, intersect_values
from mcpgen.lower.normalize.core import (
    ANY_CORE,
    Core,
    CoreAlias,
    NormalizedSchema,
    Parts,
    Places,
    SchemaPlace,
    get_reference,
    is_definition,
    list_direct_references,
    list_members,
    make_reference,
    make_union,
)
from mcpgen.lower.normalize.limits import MAX_OPEN_PLACES, MAX_TYPE_DEPTH, MAX_TYPE_PARTS, check_nesting
from mcpgen.lower.normalize.objects import ObjectLowering
from mcpgen.lower.normalize.places import NormalizationContext, find_alternatives
from mcpgen.lower.normalize.unions import UnionLowering
from mcpgen.lower.normalize.values import lower_array, lower_enum, lower_number, lower_string
from mcpgen.lower.request import LoweringRequest
from mcpgen.schema.keywords import TYPED_KEYWORDS
from mcpgen.schema.object_roots import has_object_type
from mcpgen.schema.values import JSON_TYPES

_ROOT = (SchemaPlace(""),)


def normalize_schema(request: LoweringRequest, prefix: str) -> NormalizedSchema:
    """Rewrite a valid, self-contained schema into the core language; raise `SchemaTooLarge` beyond the limits.

    `prefix` starts the keys of its classes, which differ from those of the other schemas of a module.
    """
    for as_union in (True, False):
        types = TypeLowering(NormalizationContext(request, prefix))
        root = types.lower_root(has_object_type(request.schema.value), as_union)
        if root is not None:
            return types.finish(root)
    raise AssertionError("the root is neither a union nor a class")


class TypeLowering:
    """Lowers places, each set of them once."""

    def __init__(self, context: NormalizationContext) -> None:
        self._context = context
        self.objects = ObjectLowering(context, self.lower)
        """The lowering of objects, which holds the classes."""
        self._unions = UnionLowering(context, self.lower, self._lower_types)
        self._types: dict[frozenset[SchemaPlace], Core] = {}
        self._open: dict[frozenset[SchemaPlace], str | None] = {}
        """The places that are being lowered, with the key of their alias once they turned out to contain themselves."""
        self.aliases: dict[str, CoreAlias] = {}

    def lower_root(self, has_object_type: bool, as_union: bool) -> Core | None:
        """Lower the root: one that says `"type": "object"` becomes a class even where no value can satisfy it.

        Return None where an object with alternatives was to become a union of objects (`as_union`) and does not: one
        of its alternatives may be the root itself.
        """
        parts = self._context.flatten(_ROOT)
        accepted = None if parts is None else intersect_types(parts)
        if accepted == {"object"}:
            places = self._context.follow_all(_ROOT)
            if as_union and self._unions.has_shaping_alternatives(self._context.list_parts(places), {"object"}):
                core = self.lower(places)
                return core if self._is_object(core) else None
            return self._lower_root_object(places)
        if not accepted and has_object_type:
            self._context.findings.widen_to_any("", "type")
            return self._lower_root_object(self._context.follow_all(_ROOT))
        return self.lower(_ROOT)

    def _lower_root_object(self, places: Places) -> Core:
        core = self.objects.make_class(places)
        self._types[frozenset(places)] = core
        return core

    def _is_object(self, core: Core) -> bool:
        return all(
            member.get("type") == "object" or get_reference(member) in self.objects.classes
            for member in list_members(core)
        )

    def finish(self, root: Core) -> NormalizedSchema:
        """Lower the rest, and return the schema with this root; raise `SchemaTooLarge` if it unfolds into too much."""
        context = self._context
        self.objects.fill_classes()
        for alias in self.aliases.values():
            context.budget.count_types(context.sizes.measure(alias.core).parts)
        self.cut_direct_recursion()
        check_nesting(self.objects.classes, self.aliases)
        return NormalizedSchema(
            root,
            self.objects.classes,
            self.aliases,
            self._list_definitions(),
            context.findings.checks,
            context.findings.notes,
            context.find_description(_ROOT),
        )

    def lower(self, places: Iterable[SchemaPlace], tag: str = "") -> Core:
        """Return the type of the values that satisfy all these places; `tag`: see `core.CoreClass`."""
        places = self._context.follow_all(places)
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

    def _list_definitions(self) -> dict[str, CoreAlias]:
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
        size = self._context.sizes.measure(core)
        widen = self._context.findings.widen_to_any
        if size.levels > MAX_TYPE_DEPTH:
            return widen(pointer, "type", f"what it holds nests more than {MAX_TYPE_DEPTH} types")
        if size.parts > MAX_TYPE_PARTS:
            return widen(pointer, "type", f"its type would have more than {MAX_TYPE_PARTS} parts")
        return core

    def _compute(self, places: Places, tag: str) -> Core:
        findings, pointer = self._context.findings, places[0].pointer
        parts = self._context.flatten(places)
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

    def _lower_types(self, places: Places, parts: Parts, types: set[str], tag: str) -> Core:
        if types >= ALL_TYPES and not self.objects.declares_properties(parts):
            self._context.findings.require_check(*(collect_keywords(parts) & TYPED_KEYWORDS))
            return ANY_CORE
        return make_union([self._lower_type(kind, places, parts, tag) for kind in JSON_TYPES if kind in types])

    def _lower_type(self, kind: str, places: Places, parts: Parts, tag: str) -> Core:
        match kind:
            case "object":
                return self.objects.lower_object(places, parts, tag)
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
