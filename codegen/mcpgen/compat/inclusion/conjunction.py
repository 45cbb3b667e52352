"""Conjunctions: the values that are valid under several subschemas of one document at once."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product

from mcpgen.compat.inclusion.equivalence import make_outline
from mcpgen.compat.inclusion.schema_view import VALUE_KINDS, LocationKey, SchemaView, make_key
from mcpgen.schema.document import SchemaLocation, matches_pattern
from mcpgen.schema.keywords import IN_PLACE_KEYWORDS, LOWER_NUMBER_BOUNDS, UPPER_NUMBER_BOUNDS
from mcpgen.schema.values import Json, get_json_type, make_identity_key, make_identity_keys

ITEM_KEYWORDS = ("prefixItems", "items", "unevaluatedItems")
"""Keywords without which a subschema has no schemas for items."""
MOST_ENUMERATED = 50
"""Integers of a range that are listed one by one."""
_OPEN_KEYWORDS = ("patternProperties", "additionalProperties", "unevaluatedProperties")
_EVALUATING_KEYWORDS = IN_PLACE_KEYWORDS - {"not"}
"""Keywords whose subschemas may evaluate properties and items of the same value."""
_EMPTY_VALUES: dict[str, Json] = {"string": "", "array": [], "object": {}}
MOST_ALTERNATIVES = 64
"""Combinations of schemas that are tried for undeclared properties."""


@dataclass(frozen=True)
class NumberBound:
    """Lower or upper bound of numbers."""

    value: Fraction
    excluded: bool


@dataclass(frozen=True)
class Conjunction:
    """Values that are valid under all parts and under none of the excluded subschemas."""

    view: SchemaView
    parts: tuple[SchemaLocation, ...]
    """Subschemas that apply, with the targets of their references and the members of their `allOf`."""
    impossible: bool = False
    """Whether a part is the schema `false`."""
    excluded: tuple[SchemaLocation, ...] = ()
    """Subschemas under `not`, and the other branches of a `oneOf` that was split."""
    split_unions: frozenset[tuple[LocationKey, str]] = frozenset()
    """Unions that are settled, since a branch of each is among the parts; the keyword is `anyOf` or `oneOf`."""
    present: frozenset[str] = frozenset()
    """Properties that are assumed to be there."""
    unsure: bool = False
    """Whether there may be fewer values than the parts allow."""

    # --- derived conjunctions -----------------------------------------------------------------------------------
    def intersect(self, locations: Iterable[SchemaLocation]) -> Conjunction:
        """Return the values of this conjunction that are valid under further subschemas."""
        parts = {make_key(part): part for part in self.parts}
        impossible, unsure, excluded = self.impossible, self.unsure, self.excluded
        stack = list(locations)[::-1]
        while stack:
            location = stack.pop()
            if location.schema is False:
                impossible = True
            if not isinstance(location.schema, dict) or make_key(location) in parts:
                continue
            parts[make_key(location)] = location
            if self.view.refers_outside(location):
                unsure = True
            else:
                stack.extend(self.view.resolve_references(location))
            stack.extend(self.view.get_subschemas(location, "allOf"))
            negated = self.view.get_subschema(location, "not")
            excluded += () if negated is None else (negated,)
        return replace(self, parts=tuple(parts.values()), impossible=impossible, unsure=unsure, excluded=excluded)

    def assume_present(self, name: str) -> Conjunction:
        """Return the objects of this conjunction that have a property."""
        assumed = replace(self, present=self.present | {name})
        return assumed.intersect(
            dependent.schema
            for part in assumed.parts
            for dependent in assumed.view.list_dependents(part)
            if dependent.schema is not None and dependent.trigger in assumed.objects.required
        )

    @cached_property
    def key(self) -> tuple[object, ...]:
        """Hashable identity of the conjunction within its document."""
        excluded = frozenset(make_key(location) for location in self.excluded)
        return self.part_keys, excluded, self.split_unions, self.present, self.impossible

    # --- parts --------------------------------------------------------------------------------------------------
    @cached_property
    def part_keys(self) -> frozenset[LocationKey]:
        """Keys of all parts."""
        return frozenset(make_key(part) for part in self.parts)

    @cached_property
    def _parts_by_keywords(self) -> dict[tuple[str, ...], list[SchemaLocation]]:
        return {}

    def parts_with(self, *keywords: str) -> list[SchemaLocation]:
        """Return the parts that have one of some keywords."""
        if keywords not in self._parts_by_keywords:
            has = self.view.has
            parts = [part for part in self.parts if any(has(part, keyword) for keyword in keywords)]
            self._parts_by_keywords[keywords] = parts
        return self._parts_by_keywords[keywords]

    @cached_property
    def _parts_by_outline(self) -> dict[Hashable, list[SchemaLocation]]:
        parts: dict[Hashable, list[SchemaLocation]] = {}
        for part in self.parts:
            parts.setdefault(make_outline(self.view, part), []).append(part)
        return parts

    def parts_like(self, outline: Hashable) -> list[SchemaLocation]:
        """Return the parts with an outline; only they can be equivalent to another subschema that has it."""
        return self._parts_by_outline.get(outline, [])

    # --- kinds and single values --------------------------------------------------------------------------------
    @cached_property
    def kinds(self) -> frozenset[str]:
        """Kinds of values that there may be: perhaps too many, never too few."""
        if self.impossible:
            return frozenset()
        kinds = frozenset(VALUE_KINDS)
        for part in self.parts:
            kinds &= self.view.find_kinds(part)
        return kinds

    @property
    def evidently_empty(self) -> bool:
        """Whether there is no value, as far as can be seen without looking into objects and arrays."""
        return self.impossible or not self.kinds

    def list_values(self, kind: str) -> list[Json] | None:
        """Return all values of a kind if they are few, perhaps too many; None if they are not."""
        values = self._list_enumerated(kind)
        if values is None:
            values = self._list_small_range(kind)
        return None if values is None else [value for value in values if self.may_contain(value)]

    def _list_enumerated(self, kind: str) -> list[Json] | None:
        allowed = [
            self.view.list_allowed_values(part, keyword)
            for part in self.parts_with("enum", "const")
            for keyword in ("enum", "const")
            if self.view.has(part, keyword)
        ]
        if not allowed:
            return None
        other_keys = [make_identity_keys(values) for values in allowed[1:]]
        return [
            value
            for value in allowed[0]
            if get_json_type(value) == kind and all(make_identity_key(value) in keys for keys in other_keys)
        ]

    def _list_small_range(self, kind: str) -> list[Json] | None:
        match kind:
            case "null":
                return [None]
            case "boolean":
                return [False, True]
            case "integer":
                low, high = self.bounds
                if low is None or high is None:
                    return None
                first, last = math.ceil(low.value), math.floor(high.value)
                return list(range(first, last + 1)) if last - first < MOST_ENUMERATED else None
            case "number":
                return None
            case _:
                return [_EMPTY_VALUES[kind]] if self.find_sizes(kind)[1] == 0 else None

    def may_contain(self, value: Json) -> bool:
        """Return whether a value may belong to the conjunction."""
        return not self.impossible and not (
            any(self.view.is_valid(part, value) is False for part in self.parts)
            or any(self.view.is_valid(location, value) is True for location in self.excluded)
            or (isinstance(value, dict) and not self.present <= value.keys())
        )

    # --- numbers, sizes and members -----------------------------------------------------------------------------
    @cached_property
    def bounds(self) -> tuple[NumberBound | None, NumberBound | None]:
        """The tightest lower and the tightest upper bound of numbers, None for no bound."""
        low = max(self._list_bounds(LOWER_NUMBER_BOUNDS), key=lambda bound: (bound.value, bound.excluded), default=None)
        highs = self._list_bounds(UPPER_NUMBER_BOUNDS)
        return low, min(highs, key=lambda bound: (bound.value, not bound.excluded), default=None)

    def _list_bounds(self, keywords: Mapping[str, bool]) -> list[NumberBound]:
        return [
            NumberBound(Fraction(value), excluded)
            for keyword, excluded in keywords.items()
            for value in self.list_numbers(keyword)
        ]

    def find_size(self, least: str, most: str) -> tuple[int, int | None]:
        """Return the bounds of a length or count by two keywords, None for no upper bound."""
        highs = self.list_numbers(most)
        return math.ceil(max(self.list_numbers(least), default=0)), math.floor(min(highs)) if highs else None

    def find_sizes(self, kind: str) -> tuple[int, int | None]:
        """Return the bounds of the length of strings, or of the number of items or of properties."""
        match kind:
            case "object":
                return self.objects.property_counts
            case "array":
                return self.arrays.item_counts
            case _:
                return self.find_size("minLength", "maxLength")

    def list_numbers(self, keyword: str) -> list[int | float]:
        """Return the numbers that a keyword has in the parts."""
        numbers = (self.view.get_number(part, keyword) for part in self.parts_with(keyword))
        return [number for number in numbers if number is not None]

    def list_subschemas(self, keyword: str) -> list[SchemaLocation]:
        """Return the subschemas of a keyword, whose value is a schema, in the parts."""
        subschemas = (self.view.get_subschema(part, keyword) for part in self.parts_with(keyword))
        return [subschema for subschema in subschemas if subschema is not None]

    @cached_property
    def objects(self) -> ObjectValues:
        """The objects among the values."""
        return ObjectValues(self)

    @cached_property
    def arrays(self) -> ArrayValues:
        """The arrays among the values."""
        return ArrayValues(self)


class ObjectValues:
    """Objects of a conjunction: their properties."""

    def __init__(self, conjunction: Conjunction) -> None:
        self._conjunction = conjunction
        self._view, self._parts = conjunction.view, conjunction.parts
        self.names: dict[str, list[int]] = {}
        """Names under `properties`, in order → indexes of the parts that declare them."""
        self._open: list[int] = []
        """Indexes of the parts that have schemas for properties with any name."""
        self._evaluated: dict[int, EvaluatedProperties] = {}
        """Index of a part with `unevaluatedProperties` → what it evaluates."""
        self._properties: dict[str, Conjunction] = {}
        self._undeclared: dict[frozenset[str], list[Conjunction]] = {}
        for index, part in enumerate(self._parts):
            for name in self._view.get_named_subschemas(part, "properties"):
                self.names.setdefault(name, []).append(index)
            if any(self._view.has(part, keyword) for keyword in _OPEN_KEYWORDS):
                self._open.append(index)

    @cached_property
    def required(self) -> frozenset[str]:
        """Properties that every object has."""
        required = self._conjunction.present.union(*(self._view.get_names(part, "required") for part in self._parts))
        dependents = [dependent for part in self._parts for dependent in self._view.list_dependents(part)]
        while True:
            triggered = (dependent.names for dependent in dependents if dependent.trigger in required)
            implied = required.union(*triggered)
            if implied == required:
                return required
            required = implied

    @cached_property
    def declared(self) -> list[str]:
        """Properties under `properties`, and those that are required without being declared."""
        return list(dict.fromkeys([*self.names, *sorted(self.required)]))

    @cached_property
    def property_counts(self) -> tuple[int, int | None]:
        """Least and greatest number of properties; None: no upper bound."""
        least, most = self._conjunction.find_size("minProperties", "maxProperties")
        if not self.list_undeclared(frozenset()):
            possible = sum(not self.get_property(name).evidently_empty for name in self.declared)
            most = possible if most is None else min(most, possible)
        if (allowed := self.list_allowed_names()) is not None:
            most = len(allowed) if most is None else min(most, len(allowed))
        return max(least, len(self.required)), most

    def get_property(self, name: str) -> Conjunction:
        """Return the values of a property, provided that it is there."""
        if name not in self._properties:
            schemas, incomplete = self.find_schemas(name)
            self._properties[name] = Conjunction(self._view, (), unsure=incomplete).intersect(schemas)
        return self._properties[name]

    def find_schemas(self, name: str) -> tuple[list[SchemaLocation], bool]:
        """Return the schemas of a property's value, and whether there may be more of them."""
        view = self._view
        schemas: list[SchemaLocation] = []
        incomplete = False
        for index in sorted({*self.names.get(name, ()), *self._open}):
            part = self._parts[index]
            matching = view.list_matching(part, name)
            additional = view.get_subschema(part, "additionalProperties")
            if not matching and additional is not None:
                matching.append(additional)
            unevaluated = view.get_subschema(part, "unevaluatedProperties")
            if unevaluated is not None and not matching:
                if self._get_evaluated(index).may_contain(name):
                    incomplete = True
                else:
                    matching.append(unevaluated)
            schemas += matching
        return schemas, incomplete

    def _get_evaluated(self, index: int) -> EvaluatedProperties:
        if index not in self._evaluated:
            self._evaluated[index] = EvaluatedProperties(self._view, self._parts[index])
        return self._evaluated[index]

    def list_allowed_names(self) -> list[Json] | None:
        """Return the names that properties can have if `propertyNames` allows only a few, None otherwise."""
        names = self._conjunction.list_subschemas("propertyNames")
        return make_conjunction(self._view, *names).list_values("string") if names else None

    def list_undeclared(self, ignored_patterns: frozenset[str]) -> list[Conjunction]:
        """Return alternatives for an undeclared property that matches no ignored pattern; none: there is none."""
        if ignored_patterns not in self._undeclared:
            self._undeclared[ignored_patterns] = self._combine_undeclared(ignored_patterns)
        return self._undeclared[ignored_patterns]

    def _combine_undeclared(self, ignored_patterns: frozenset[str]) -> list[Conjunction]:
        choices, incomplete = self.list_undeclared_choices(ignored_patterns)
        if math.prod(len(alternatives) for alternatives in choices) > MOST_ALTERNATIVES:
            return [Conjunction(self._view, (), unsure=True)]
        has_patterns = any(self._view.get(part, "patternProperties") for part in self._parts)
        anything = Conjunction(self._view, (), unsure=incomplete or has_patterns)
        values = (
            anything.intersect(schema for schemas in combination for schema in schemas)
            for combination in product(*choices)
        )
        return [conjunction for conjunction in values if not conjunction.evidently_empty]

    def list_undeclared_choices(
        self, ignored_patterns: frozenset[str]
    ) -> tuple[list[list[tuple[SchemaLocation, ...]]], bool]:
        """Return alternatives for undeclared properties by part, none for no property, and whether there are more."""
        view = self._view
        choices: list[list[tuple[SchemaLocation, ...]]] = []
        incomplete = False
        for index, part in enumerate(self._parts):
            patterns = view.get_named_subschemas(part, "patternProperties")
            alternatives = [(schema,) for pattern, schema in patterns.items() if pattern not in ignored_patterns]
            additional = view.get_subschema(part, "additionalProperties")
            unevaluated = view.get_subschema(part, "unevaluatedProperties")
            if additional is None and unevaluated is not None:
                evaluated = self._get_evaluated(index)
                incomplete = incomplete or evaluated.conditional
                additional = None if evaluated.all or evaluated.patterns else unevaluated
            rest = () if additional is None else (additional,)
            choices.append([choice for choice in (*alternatives, rest) if all(at.schema is not False for at in choice)])
        return choices, incomplete


class ArrayValues:
    """Arrays of a conjunction: their items."""

    def __init__(self, conjunction: Conjunction) -> None:
        self._conjunction, self._view = conjunction, conjunction.view
        self._parts = conjunction.parts_with(*ITEM_KEYWORDS)
        self.prefix_length = max((len(self._view.get_prefix_items(part)) for part in self._parts), default=0)
        """Number of first items that have a schema each."""
        self._items: dict[int | None, Conjunction] = {}

    def get_item(self, index: int | None) -> Conjunction:
        """Return the values of an item; the index None stands for the items after every prefix."""
        if index not in self._items:
            self._items[index] = make_conjunction(self._view, *self.list_schemas(index))
        return self._items[index]

    def list_schemas(self, index: int | None) -> list[SchemaLocation]:
        """Return the schemas of an item."""
        view = self._view
        schemas: list[SchemaLocation] = []
        for part in self._parts:
            prefix, later = view.get_prefix_items(part), view.get_later_items(part)
            unevaluated = view.get_subschema(part, "unevaluatedItems")
            if index is not None and index < len(prefix):
                schemas.append(prefix[index])
            elif later is not None:
                schemas.append(later)
            elif unevaluated is not None and not may_evaluate_item(view, part, index):
                schemas.append(unevaluated)
        return schemas

    @cached_property
    def item_counts(self) -> tuple[int, int | None]:
        """Least and greatest number of items; None: no upper bound."""
        least, most = self._conjunction.find_size("minItems", "maxItems")
        containing = self._conjunction.parts_with("contains")
        least = max(least, int(any(self._view.get_number(part, "minContains") is None for part in containing)))
        for index in range(self.prefix_length + 1):
            if most is not None and most <= index:
                break
            if self.get_item(index if index < self.prefix_length else None).evidently_empty:
                return least, index
        return least, most


def make_conjunction(view: SchemaView, *locations: SchemaLocation) -> Conjunction:
    """Return the values that are valid under some subschemas."""
    return Conjunction(view, ()).intersect(locations)


def split_union(conjunction: Conjunction) -> list[Conjunction] | None:
    """Return a conjunction for each branch of one union, None if no union is left to split."""
    for part in conjunction.parts_with("anyOf", "oneOf"):
        for keyword in ("anyOf", "oneOf"):
            branches = conjunction.view.get_subschemas(part, keyword)
            if branches and not is_settled(conjunction, part, keyword):
                return _split_branches(conjunction, part, keyword, branches)
    return None


def _split_branches(
    conjunction: Conjunction, part: SchemaLocation, keyword: str, branches: list[SchemaLocation]
) -> list[Conjunction]:
    settled = replace(conjunction, split_unions=conjunction.split_unions | {(make_key(part), keyword)})
    cases: list[Conjunction] = []
    for index, branch in enumerate(branches):
        case = settled.intersect((branch,))
        if keyword == "oneOf" and len(branches) > 1:
            other_branches = tuple(branches[:index] + branches[index + 1 :])
            case = replace(case, excluded=(*case.excluded, *other_branches))
        cases.append(case)
    return cases


def is_settled(conjunction: Conjunction, part: SchemaLocation, keyword: str) -> bool:
    """Return whether a keyword is a union that excludes nothing more: one of its branches is among the parts."""
    if (make_key(part), keyword) in conjunction.split_unions:
        return True
    if keyword != "anyOf":
        return False
    branches = conjunction.view.get_subschemas(part, keyword)
    return any(make_key(branch) in conjunction.part_keys for branch in branches)


# --- what a subschema may evaluate -----------------------------------------------------------------------------------
class EvaluatedProperties:
    """Properties that a subschema, or one that it applies to the same object, may evaluate."""

    def __init__(self, view: SchemaView, location: SchemaLocation) -> None:
        self.names: set[str] = set()
        self.patterns: list[str] = []
        self.all = False
        self.conditional = False
        """Whether some of them depend on the value, by way of an applied subschema."""
        for part in _iterate_in_place(view, location):
            if part.at != location.at:
                self.all = self.all or view.has(part, "unevaluatedProperties")
                self.conditional = True
            self.names.update(view.get_named_subschemas(part, "properties"))
            self.patterns += view.get_named_subschemas(part, "patternProperties")
            self.all = self.all or view.has(part, "additionalProperties") or view.refers_outside(part)

    def may_contain(self, name: str) -> bool:
        """Return whether a property may be evaluated."""
        return self.all or name in self.names or any(matches_pattern(pattern, name) for pattern in self.patterns)


def may_evaluate_item(view: SchemaView, location: SchemaLocation, index: int | None) -> bool:
    """Return whether a subschema, or one that it applies to the same array, may evaluate an item.

    The index None stands for the items after every prefix.
    """
    for part in _iterate_in_place(view, location):
        is_in_prefix = index is not None and index < len(view.get_prefix_items(part))
        has_others = part.at != location.at and view.has(part, "unevaluatedItems")
        has_later = view.get_later_items(part) is not None or view.has(part, "contains")
        if is_in_prefix or has_others or has_later or view.refers_outside(part):
            return True
    return False


def _iterate_in_place(view: SchemaView, location: SchemaLocation) -> Iterator[SchemaLocation]:
    visited: set[LocationKey] = set()
    stack = [location]
    while stack:
        part = stack.pop()
        if make_key(part) in visited:
            continue
        visited.add(make_key(part))
        yield part
        if not isinstance(part.schema, dict):
            continue
        if not view.refers_outside(part):
            stack += view.resolve_references(part)
        for keyword in sorted(_EVALUATING_KEYWORDS & part.schema.keys()):
            stack += view.list_subschemas(part, keyword)
