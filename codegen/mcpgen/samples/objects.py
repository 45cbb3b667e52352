"""Draw objects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mcpgen.samples.bounds import intersect_sizes
from mcpgen.samples.branches import expand_locations
from mcpgen.samples.context import DEEPEST_FULL, MOST_MEMBERS, DrawContext, DrawStyle, Unsatisfiable
from mcpgen.samples.patterns import draw_matching
from mcpgen.samples.text import draw_text
from mcpgen.schema.document import SchemaDocument, SchemaLocation, matches_pattern
from mcpgen.schema.values import Json

_DEPENDENCY_KEYWORDS = ("dependentSchemas", "dependentRequired", "dependencies")
_NAME_LIST_KEYWORDS = ("dependentRequired", "dependencies")
_OPEN_KEYWORDS = ("patternProperties", "additionalProperties", "unevaluatedProperties")


@dataclass(frozen=True)
class _ObjectPlan:
    """Constraints on one object."""

    locations: list[SchemaLocation]
    """The schemas that apply, those of `dependentSchemas` included."""
    required: set[str]
    absent: set[str]
    """Properties that must not occur."""
    declared: dict[str, int]
    """Names in `properties`, and their order."""
    schemas: _PropertySchemas
    least: int
    most: int | None


def draw_object(context: DrawContext, locations: list[SchemaLocation], depth: int) -> Json:
    """Draw an object.

    Args:
        context: the state of the draw.
        locations: the schemas that the object has to satisfy, expanded.
        depth: the number of arrays and objects around it.

    Raises:
        Unsatisfiable: no object was found.
    """
    plan = _plan_object(context, locations, depth)
    names = _choose_names(context, plan, depth)
    properties: dict[str, Json] = {}
    for name in sorted(names, key=plan.declared.__getitem__ if names <= plan.declared.keys() else None):
        property_locations = plan.schemas.find(name)
        try:
            properties[name] = context.draw_nested(property_locations, depth + 1, name)
        except Unsatisfiable:
            if name in plan.required:
                raise
    _add_undeclared(context, plan, properties, depth)
    return properties


def _plan_object(context: DrawContext, locations: list[SchemaLocation], depth: int) -> _ObjectPlan:
    absent = {str(name) for location in locations for name in _get_list(location.get_object("not"), "required")[:1]}
    locations, required, absent = _apply_dependencies(context, locations, absent, depth)
    least, most = intersect_sizes(locations, "minProperties", "maxProperties")
    names = dict.fromkeys(name for location in locations for name in location.get_object("properties"))
    declared = {name: index for index, name in enumerate(names)}
    schemas = _PropertySchemas(context.document, locations)
    return _ObjectPlan(locations, required, absent, declared, schemas, least, most)


# --- dependencies ----------------------------------------------------------------------------------------------------
def _apply_dependencies(
    context: DrawContext, locations: list[SchemaLocation], absent: set[str], depth: int
) -> tuple[list[SchemaLocation], set[str], set[str]]:
    """Choose which properties with dependencies are present.

    Returns:
        All schemas that apply then, the names of required properties, and those of absent ones.
    """
    locations, absent = list(locations), set(absent)
    required = _list_required(locations)
    probability = 0.3 if context.is_varied and not context.should_stay_small(depth) else 0.0
    applied: set[tuple[str, str, str]] = set()
    changed = True
    while changed:
        changed = False
        for location, keyword, name, dependency in _iterate_dependencies(list(locations)):
            key = location.at, keyword, name
            if key in applied or name in absent:
                continue
            if name not in required:
                if context.random.random() >= probability:
                    if not isinstance(dependency, list):
                        absent.add(name)
                    continue
                required.add(name)
            changed = True
            applied.add(key)
            if isinstance(dependency, list):
                required.update(map(str, dependency))
            else:
                subschema = context.document.get_subschema(location, keyword, name)
                added = expand_locations(context, (subschema,), depth, 1)
                locations += added
                required |= _list_required(added)
    return locations, required, absent


def _list_required(locations: list[SchemaLocation]) -> set[str]:
    return {str(name) for location in locations for name in location.get_array("required")}


def _iterate_dependencies(locations: list[SchemaLocation]) -> Iterator[tuple[SchemaLocation, str, str, Json]]:
    """Yield each dependency: the schema, the keyword, the name of the property, the dependent names or schema."""
    for location in locations:
        for keyword in _DEPENDENCY_KEYWORDS:
            for name, dependency in location.get_object(keyword).items():
                yield location, keyword, name, dependency


def _list_dependents(locations: list[SchemaLocation]) -> dict[str, list[str]]:
    """Return the properties that the presence of each property requires, by its name."""
    dependents: dict[str, list[str]] = {}
    for _, keyword, name, dependency in _iterate_dependencies(locations):
        if keyword in _NAME_LIST_KEYWORDS and isinstance(dependency, list):
            dependents.setdefault(name, []).extend(map(str, dependency))
    return dependents


def _get_list(members: dict[str, Json], name: str) -> list[Json]:
    value = members.get(name)
    return value if isinstance(value, list) else []


# --- declared properties ---------------------------------------------------------------------------------------------
def _choose_names(context: DrawContext, plan: _ObjectPlan, depth: int) -> set[str]:
    """Choose the properties to draw: all required ones, some optional ones, and those that depend on them."""
    names = set(plan.required)
    if (plan.most is not None and len(names) > plan.most) or plan.least > MOST_MEMBERS:
        raise Unsatisfiable
    optional = [name for name in plan.declared if name not in plan.required and name not in plan.absent]
    probability = _choose_probability(context, depth)
    if probability < 1:
        context.random.shuffle(optional)
    for name in optional:
        if (plan.most is None or len(names) < plan.most) and (
            context.random.random() < probability or len(names) < plan.least
        ):
            names.add(name)
    dependents = _list_dependents(plan.locations)
    queue = list(names) if dependents else []
    while queue:
        added = {*dependents.get(queue.pop(), ())} - names
        names |= added
        queue += added
    return names


def _choose_probability(context: DrawContext, depth: int) -> float:
    """Choose how likely an optional property is present."""
    if context.style is DrawStyle.FULL:
        return 0 if depth > DEEPEST_FULL or context.should_stay_small(depth) else 1
    if not context.is_varied:
        return 1 if context.takes_first and depth == 0 else 0
    return 0 if context.should_stay_small(depth) else context.random.choice((0.15, 0.5, 0.5, 0.9))


class _PropertySchemas:
    """Schemas that the properties of an object have to satisfy."""

    def __init__(self, document: SchemaDocument, locations: list[SchemaLocation]) -> None:
        self._document, self._locations = document, locations
        self._declaring: dict[str, list[int]] = {}
        """Name of a property → indexes of the schemas that declare it."""
        self._open: list[int] = []
        """Indexes of the schemas that constrain properties of any name."""
        for index, location in enumerate(locations):
            for name in location.get_object("properties"):
                self._declaring.setdefault(name, []).append(index)
            if any(location.has(keyword) for keyword in _OPEN_KEYWORDS):
                self._open.append(index)

    def find(self, name: str) -> list[SchemaLocation]:
        """Return the schemas that a property has to satisfy."""
        applied: list[SchemaLocation] = []
        unevaluated: list[SchemaLocation] = []
        for index in sorted({*self._declaring.get(name, ()), *self._open}):
            location = self._locations[index]
            matching = self._find_matching(location, name)
            if not matching and location.has("additionalProperties"):
                matching.append(self._document.get_subschema(location, "additionalProperties"))
            if location.has("unevaluatedProperties"):
                unevaluated.append(self._document.get_subschema(location, "unevaluatedProperties"))
            applied += matching
        return applied or unevaluated

    def _find_matching(self, location: SchemaLocation, name: str) -> list[SchemaLocation]:
        """Return the schemas that one schema has for a property, by its name or by a pattern."""
        matching: list[SchemaLocation] = []
        if name in location.get_object("properties"):
            matching.append(self._document.get_subschema(location, "properties", name))
        for pattern in location.get_object("patternProperties"):
            if matches_pattern(pattern, name):
                matching.append(self._document.get_subschema(location, "patternProperties", pattern))
        return matching


# --- undeclared properties -------------------------------------------------------------------------------------------
def _add_undeclared(context: DrawContext, plan: _ObjectPlan, properties: dict[str, Json], depth: int) -> None:
    """Add undeclared properties: as many as `minProperties` requires, and sometimes a few more."""
    excluded = {*plan.declared, *plan.absent}
    target = _choose_property_count(context, plan, len(properties), depth)
    for _ in range(4 * (target - len(properties))):
        if len(properties) >= target:
            return
        try:
            name = _draw_name(context, plan.locations, depth)
            if name not in excluded and name not in properties:
                properties[name] = context.draw_nested(plan.schemas.find(name), depth + 1, name)
        except Unsatisfiable:
            continue
    if len(properties) < plan.least:
        raise Unsatisfiable


def _choose_property_count(context: DrawContext, plan: _ObjectPlan, count: int, depth: int) -> int:
    """Choose how many properties the object should have in the end; it has `count` by now."""
    is_small = context.should_stay_small(depth)
    extra = 0 if not context.is_varied or is_small else context.random.choice((0, 0, 0, 1, 2))
    if any(
        location.get_object("additionalProperties") or location.get_object("patternProperties")
        for location in plan.locations
    ):
        extra += not is_small
    most = count + extra + plan.least if plan.most is None else plan.most
    return max(plan.least, min(count + extra, most))


def _draw_name(context: DrawContext, locations: list[SchemaLocation], depth: int) -> str:
    """Draw a name for an undeclared property."""
    name_schemas = [
        context.document.get_subschema(location, "propertyNames")
        for location in locations
        if location.has("propertyNames")
    ]
    patterns = [pattern for location in locations for pattern in location.get_object("patternProperties")]
    if patterns and (not context.is_varied or context.random.random() < 0.7):
        sampled = draw_matching(context.random.choice(patterns), context.random)
        if sampled is not None:
            return sampled
    if name_schemas:
        string_schema = SchemaLocation("/", (), {"type": "string"})
        name = context.draw_nested((*name_schemas, string_schema), depth + 1)
        return name if isinstance(name, str) else ""
    if not context.is_varied:
        base = context.random.choice(("key", "other", "third"))
        return base + "_" * context.random.randint(0, context.drawn_values // 10)
    return draw_text(context.random, 0, 6)
