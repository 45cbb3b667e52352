"""Draw arrays and objects."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from mcpgen.samples.branches import expand_locations
from mcpgen.samples.context import DEEPEST_FULL, MOST_MEMBERS, DrawContext, DrawStyle, Unsatisfiable, intersect_sizes
from mcpgen.samples.patterns import draw_matching
from mcpgen.samples.scalars import draw_text
from mcpgen.schema.document import SchemaDocument, SchemaLocation, matches_pattern
from mcpgen.schema.values import Json, as_array, make_identity_key

_MOST_UNIQUE_ATTEMPTS = 8
"""Attempts at an item unlike the others."""


def draw_array(context: DrawContext, locations: list[SchemaLocation], depth: int, name: str) -> Json:
    """Draw an array for expanded schemas, the value of the property `name`; raise `Unsatisfiable` if none is found."""
    least, most = intersect_sizes(locations, "minItems", "maxItems")
    size = _choose_size(context, locations, least, most, depth)
    contained = _list_contained(context, locations)
    size = max(size, len(contained))
    if (most is not None and size > most) or size > MOST_MEMBERS:
        raise Unsatisfiable
    contained_by_index = dict(zip(context.random.sample(range(size), len(contained)), contained, strict=True))
    unique = any(location.get("uniqueItems") is True for location in locations)
    items: list[Json] = []
    keys: set[Hashable] | None = set() if unique else None
    for index in range(size):
        item_locations = _list_item_locations(context.document, locations, index)
        if index in contained_by_index:
            item_locations.append(contained_by_index[index])
        try:
            items.append(_draw_item(context, item_locations, depth, name, keys))
        except Unsatisfiable:
            if index < max(least, len(contained)):
                raise
            break
    return items


def _choose_size(
    context: DrawContext, locations: list[SchemaLocation], least: int, most: int | None, depth: int
) -> int:
    prefix_size = max((len(_get_prefix(context.document, location)) for location in locations), default=0)
    size = 1
    if context.is_varied:
        size = 0 if context.should_stay_small(depth) else context.random.randint(0, 3)
    if prefix_size and not context.decide(0.3):
        size = prefix_size
    return max(least, size if most is None else min(size, most))


def _draw_item(
    context: DrawContext, locations: list[SchemaLocation], depth: int, name: str, keys: set[Hashable] | None
) -> Json:
    """Draw an item that equals none of the others; `keys` are their equality keys, None if items may be equal."""
    for _ in range(_MOST_UNIQUE_ATTEMPTS):
        value = context.draw_nested(locations, depth + 1, name)
        if keys is None:
            return value
        key = make_identity_key(value)
        if key not in keys:
            keys.add(key)
            return value
    raise Unsatisfiable


def _list_contained(context: DrawContext, locations: list[SchemaLocation]) -> list[SchemaLocation]:
    contained: list[SchemaLocation] = []
    for location in locations:
        if location.has("contains"):
            least, most = location.get_number("minContains"), location.get_number("maxContains")
            count = 1 if least is None or context.document.draft_07 else int(least)
            if context.decide(0.2) and (most is None or count < most):
                count += 1
            contained += [context.document.get_subschema(location, "contains")] * min(count, MOST_MEMBERS)
    return contained


def _get_prefix(document: SchemaDocument, location: SchemaLocation) -> list[Json]:
    return location.get_array("items" if document.draft_07 else "prefixItems")


def _list_item_locations(document: SchemaDocument, locations: list[SchemaLocation], index: int) -> list[SchemaLocation]:
    prefix_keyword, rest_keyword = ("items", "additionalItems") if document.draft_07 else ("prefixItems", "items")
    applied: list[SchemaLocation] = []
    unevaluated: list[SchemaLocation] = []
    for location in locations:
        prefix = _get_prefix(document, location)
        if index < len(prefix):
            applied.append(document.get_subschema(location, prefix_keyword, index))
        elif document.draft_07 and location.has("items") and not isinstance(location.get("items"), list):
            applied.append(document.get_subschema(location, "items"))
        elif location.has(rest_keyword) and (prefix or not document.draft_07):
            applied.append(document.get_subschema(location, rest_keyword))
        if location.has("unevaluatedItems"):
            unevaluated.append(document.get_subschema(location, "unevaluatedItems"))
    return applied or unevaluated


_DEPENDENCY_KEYWORDS = ("dependentSchemas", "dependentRequired", "dependencies")
_NAME_LIST_KEYWORDS = ("dependentRequired", "dependencies")
_OPEN_KEYWORDS = ("patternProperties", "additionalProperties", "unevaluatedProperties")


def draw_object(context: DrawContext, locations: list[SchemaLocation], depth: int) -> Json:
    """Draw an object that satisfies expanded schemas; raise `Unsatisfiable` if none is found."""
    return _ObjectDraw(context, locations, depth).draw()


class _ObjectDraw:
    def __init__(self, context: DrawContext, locations: list[SchemaLocation], depth: int) -> None:
        self._context, self._random, self._depth = context, context.random, depth
        self._locations = list(locations)
        """The schemas that apply, those of `dependentSchemas` included."""
        self._required = _list_required(locations)
        forbidden = (as_array(location.get_object("not").get("required")) for location in locations)
        self._absent = {str(names[0]) for names in forbidden if names}
        """Properties that must not occur."""
        self._apply_dependencies()
        self._least, self._most = intersect_sizes(self._locations, "minProperties", "maxProperties")
        names = dict.fromkeys(name for location in self._locations for name in location.get_object("properties"))
        self._declared = {name: index for index, name in enumerate(names)}
        """Names in `properties`, and their order."""
        self._schemas = _PropertySchemas(context.document, self._locations)

    def draw(self) -> Json:
        names, properties = self._choose_names(), dict[str, Json]()
        for name in sorted(names, key=self._declared.__getitem__ if names <= self._declared.keys() else None):
            try:
                properties[name] = self._draw_property(name)
            except Unsatisfiable:
                if name in self._required:
                    raise
        self._add_undeclared(properties)
        return properties

    def _draw_property(self, name: str) -> Json:
        return self._context.draw_nested(self._schemas.find(name), self._depth + 1, name)

    def _apply_dependencies(self) -> None:
        probability = 0.3 if self._context.is_varied and not self._context.should_stay_small(self._depth) else 0.0
        applied: set[tuple[str, str, str]] = set()
        changed = True
        while changed:
            changed = False
            for location, keyword, name, dependency in _iterate_dependencies(list(self._locations)):
                key = location.at, keyword, name
                if key in applied or name in self._absent:
                    continue
                if name not in self._required:
                    if self._random.random() >= probability:
                        if not isinstance(dependency, list):
                            self._absent.add(name)
                        continue
                    self._required.add(name)
                changed = True
                applied.add(key)
                if isinstance(dependency, list):
                    self._required.update(map(str, dependency))
                else:
                    subschema = self._context.document.get_subschema(location, keyword, name)
                    added = expand_locations(self._context, (subschema,), self._depth, 1)
                    self._locations += added
                    self._required |= _list_required(added)

    def _choose_names(self) -> set[str]:
        names, most = set(self._required), self._most
        if (most is not None and len(names) > most) or self._least > MOST_MEMBERS:
            raise Unsatisfiable
        optional = [name for name in self._declared if name not in self._required and name not in self._absent]
        probability = self._choose_probability()
        if probability < 1:
            self._random.shuffle(optional)
        for name in optional:
            if (most is None or len(names) < most) and (
                self._random.random() < probability or len(names) < self._least
            ):
                names.add(name)
        dependents = _list_dependents(self._locations)
        queue = list(names) if dependents else []
        while queue:
            added = {*dependents.get(queue.pop(), ())} - names
            names |= added
            queue += added
        return names

    def _choose_probability(self) -> float:
        context, is_small = self._context, self._context.should_stay_small(self._depth)
        if context.style is DrawStyle.FULL:
            return 0 if self._depth > DEEPEST_FULL or is_small else 1
        if not context.is_varied:
            return 1 if context.style >= DrawStyle.MIXED and self._depth == 0 else 0
        return 0 if is_small else self._random.choice((0.15, 0.5, 0.5, 0.9))

    def _add_undeclared(self, properties: dict[str, Json]) -> None:
        target = self._choose_property_count(len(properties))
        for _ in range(4 * (target - len(properties))):
            if len(properties) >= target:
                return
            try:
                name = self._draw_name()
                if name not in self._declared and name not in self._absent and name not in properties:
                    properties[name] = self._draw_property(name)
            except Unsatisfiable:
                continue
        if len(properties) < self._least:
            raise Unsatisfiable

    def _choose_property_count(self, count: int) -> int:
        is_small = self._context.should_stay_small(self._depth)
        extra = 0 if not self._context.is_varied or is_small else self._random.choice((0, 0, 0, 1, 2))
        keywords = ("additionalProperties", "patternProperties")
        if any(location.get_object(keyword) for location in self._locations for keyword in keywords):
            extra += not is_small
        most = count + extra + self._least if self._most is None else self._most
        return max(self._least, min(count + extra, most))

    def _draw_name(self) -> str:
        context, locations = self._context, self._locations
        naming = [location for location in locations if location.has("propertyNames")]
        patterns = [pattern for location in locations for pattern in location.get_object("patternProperties")]
        if patterns and (not context.is_varied or self._random.random() < 0.7):
            sampled = draw_matching(self._random.choice(patterns), self._random)
            if sampled is not None:
                return sampled
        if naming:
            schemas = [context.document.get_subschema(location, "propertyNames") for location in naming]
            name = context.draw_nested((*schemas, SchemaLocation("/", (), {"type": "string"})), self._depth + 1, "")
            return name if isinstance(name, str) else ""
        if not context.is_varied:
            base = self._random.choice(("key", "other", "third"))
            return base + "_" * self._random.randint(0, context.drawn_values // 10)
        return draw_text(self._random, 0, 6)


def _list_required(locations: list[SchemaLocation]) -> set[str]:
    return {str(name) for location in locations for name in location.get_array("required")}


def _iterate_dependencies(locations: list[SchemaLocation]) -> Iterator[tuple[SchemaLocation, str, str, Json]]:
    for location in locations:
        for keyword in _DEPENDENCY_KEYWORDS:
            for name, dependency in location.get_object(keyword).items():
                yield location, keyword, name, dependency


def _list_dependents(locations: list[SchemaLocation]) -> dict[str, list[str]]:
    dependents: dict[str, list[str]] = {}
    for _, keyword, name, dependency in _iterate_dependencies(locations):
        if keyword in _NAME_LIST_KEYWORDS and isinstance(dependency, list):
            dependents.setdefault(name, []).extend(map(str, dependency))
    return dependents


class _PropertySchemas:
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
        matching: list[SchemaLocation] = []
        if name in location.get_object("properties"):
            matching.append(self._document.get_subschema(location, "properties", name))
        for pattern in location.get_object("patternProperties"):
            if matches_pattern(pattern, name):
                matching.append(self._document.get_subschema(location, "patternProperties", pattern))
        return matching
