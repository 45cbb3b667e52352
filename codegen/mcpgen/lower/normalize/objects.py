"""Lower objects: those with declared properties become classes, others maps."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence

from mcpgen.ir.types import Presence
from mcpgen.lower.normalize.core import (
    ANY_CORE,
    Core,
    CoreClass,
    CoreProperty,
    Parts,
    Places,
    SchemaPart,
    SchemaPlace,
    is_any_container,
    join_alternatives,
    make_reference,
)
from mcpgen.lower.normalize.limits import SchemaTooLarge
from mcpgen.lower.normalize.places import LowerPlaces, NormalizationContext, find_conditional_properties
from mcpgen.lower.normalize.satisfiability import SatisfiabilityChecker
from mcpgen.schema.values import as_object

PartPlace = tuple[int, SchemaPlace]
"""The number of a part, and a place in it."""


class ObjectLowering:
    """Lowers objects and collects their classes, which are filled last, so that classes may refer to each other."""

    def __init__(self, context: NormalizationContext, lower: LowerPlaces) -> None:
        self._context, self._lower = context, lower
        self._satisfiability = SatisfiabilityChecker(context)
        self._keys: dict[frozenset[SchemaPlace], str] = {}
        self._queue: deque[CoreClass] = deque()
        self.classes: dict[str, CoreClass] = {}

    def lower_object(self, places: Places, parts: Parts, tag: str) -> Core:
        """Return the type of the objects that satisfy all parts."""
        if not self.declares_properties(parts) and not any(part.schema.get("required") for part in parts):
            extra = self._lower_extra(parts)
            if extra is not None:
                return {"type": "object", "additionalProperties": extra}
        return self.make_class(places, tag)

    def declares_properties(self, parts: Sequence[SchemaPart]) -> bool:
        """Report whether some parts declare properties, if only under a condition."""
        return any(part.schema.get("properties") for part in parts) or bool(
            find_conditional_properties(parts, self._context)
        )

    def make_class(self, places: Places, tag: str = "") -> Core:
        """Return a reference to the class of these places, filled later; raise `SchemaTooLarge` beyond the limit."""
        key = frozenset(places)
        if key not in self._keys:
            limit = self._context.limits.classes
            if len(self.classes) >= limit:
                raise SchemaTooLarge(f"it unfolds into more than {limit} classes (`limits.classes`)")
            name = f"{self._context.prefix}C{len(self.classes)}"
            pointer = next((place.pointer for place in places if self._describes_object(place)), places[0].pointer)
            description = self._context.find_description(places)
            core_class = CoreClass(name, pointer, places=places, tag=tag, description=description)
            self._keys[key] = name
            self.classes[name] = core_class
            self._queue.append(core_class)
        return make_reference(self._keys[key])

    def fill_classes(self) -> None:
        """Lower the properties of all classes, and of those that turn up on the way."""
        while self._queue:
            self._fill(self._queue.popleft())

    def _describes_object(self, place: SchemaPlace) -> bool:
        schema = self._context.read_schema(SchemaPlace(place.pointer))
        return isinstance(schema, dict) and bool({"properties", "allOf", "$ref", "required"} & schema.keys())

    def _fill(self, core_class: CoreClass) -> None:
        findings = self._context.findings
        parts = self._context.list_parts(core_class.places)
        if core_class.pointer == "" or len(core_class.places) == 1:
            findings.require_checks_in(parts)
            for part in parts:
                findings.require_check(*(part.schema.keys() & {"anyOf", "oneOf", "enum", "const"}))
        required = dict.fromkeys(name for part in parts for name in part.required)
        conditional = find_conditional_properties(parts, self._context)
        names = dict.fromkeys(name for part in parts for name in part.properties) | required
        if len(names) + len(conditional) <= self._context.limits.members:
            names |= dict.fromkeys(conditional)
        if len(names) > self._context.limits.members:
            findings.leave_out_members(core_class.pointer, "properties", f"{len(names)} properties")
            findings.require_check("required", "additionalProperties")
            core_class.extra = ANY_CORE
            return
        declared, additional = self._find_declared(parts)
        core_class.extra = self._lower_extra(parts)
        for name in names:
            self._context.budget.count_places(len(additional))
            others = [(index, place) for index, place, own in additional if name not in own]
            places = tuple(place for _, place in sorted([*declared.get(name, ()), *others]))
            schemas = [self._context.read_schema(place) for place in places]
            if core_class.extra is None and any(schema is False for schema in schemas) and name not in required:
                continue  # a closed part beside the one that declares it refuses it
            if (
                name in conditional
                and name not in declared
                and all(schema is True or schema == {} for schema in schemas)
            ):
                places = ()
            core_class.properties.append(
                self._lower_property(name, places, conditional.get(name, ()), name in required)
            )

    def _lower_property(self, name: str, places: Places, conditional: Places, required: bool) -> CoreProperty:
        """Return a property; `places` hold for all its values, `conditional` only under a condition."""
        core = self._lower(places) if places else ANY_CORE
        if conditional and is_any_container(core):
            core = join_alternatives([*(self._lower((place, *places)) for place in conditional), core])
        self._context.budget.count_types(self._context.sizes.measure(core).parts)
        presence = Presence.REQUIRED
        nullable = self._satisfiability.accepts_null(places)
        if not required:
            presence = Presence.OPTIONAL_NULLABLE if nullable else Presence.OPTIONAL
        description = self._context.find_own_description((*places, *conditional))
        return CoreProperty(name, core, presence, description)

    def _find_declared(
        self, parts: Sequence[SchemaPart]
    ) -> tuple[dict[str, list[PartPlace]], list[tuple[int, SchemaPlace, Collection[str]]]]:
        """Return the places of each property, and each `additionalProperties` with the names that it leaves out."""
        declared: dict[str, list[PartPlace]] = {}
        additional: list[tuple[int, SchemaPlace, Collection[str]]] = []
        for index, part in enumerate(parts):
            for name in part.properties:
                declared.setdefault(name, []).append((index, part.locate("properties", name)))
            if part.schema.get("patternProperties"):
                self._context.findings.require_check("patternProperties")
            elif "additionalProperties" in part.schema:
                additional.append((index, part.locate("additionalProperties"), part.properties.keys()))
        return declared, additional

    def _lower_extra(self, parts: Sequence[SchemaPart]) -> Core | None:
        places: list[SchemaPlace] = []
        patterns: list[SchemaPlace] = []
        closed = False
        for part in parts:
            patterns += [
                part.locate("patternProperties", key) for key in as_object(part.schema.get("patternProperties"))
            ]
            if "additionalProperties" in part.schema:
                closed = closed or part.schema["additionalProperties"] is False
                places.append(part.locate("additionalProperties"))
        if patterns:
            self._context.findings.require_check("patternProperties")
            return self._lower_patterns(patterns, places, closed) if len(parts) == 1 else ANY_CORE
        if closed:
            return None
        return self._lower(places) if places else ANY_CORE

    def _lower_patterns(self, patterns: list[SchemaPlace], additional: list[SchemaPlace], closed: bool) -> Core:
        if len(patterns) > self._context.limits.members:
            pointer = patterns[0].pointer.rpartition("/")[0]
            self._context.findings.leave_out_members(pointer, "patternProperties", f"{len(patterns)} patterns")
            return ANY_CORE
        members = [self._lower((place,)) for place in patterns]
        if not closed:
            members.append(self._lower(additional) if additional else ANY_CORE)
        return join_alternatives(members)
