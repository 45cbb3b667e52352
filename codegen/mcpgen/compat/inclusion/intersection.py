"""The values that satisfy several places of one document at once: what is known of them, kind by kind."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product

from mcpgen.compat.inclusion.schema_view import VALUE_KINDS, SchemaView
from mcpgen.compat.inclusion.unevaluated import EvaluatedItems, EvaluatedProperties
from mcpgen.schema.document import SchemaLocation
from mcpgen.schema.values import Json, are_equal, get_json_type

MOST_ENUMERATED = 50
"""Values of a small range that are looked at one by one."""
MOST_ALTERNATIVES = 64
DEEPEST_EMPTINESS_CHECK = 3
"""Levels below a value at which it is still asked whether there is any."""
_INCOMPLETE_KEYWORDS: dict[str, tuple[str, ...]] = {
    "": ("not", "if", "oneOf", "anyOf"),
    "object": ("dependentRequired", "dependentSchemas", "dependencies", "propertyNames", "unevaluatedProperties"),
    "array": ("contains", "unevaluatedItems"),
    "string": ("pattern",),
    "number": ("multipleOf",),
}
"""Keywords by which what a conjunction says of a value may be more than is followed here."""


@dataclass(frozen=True)
class NumberBound:
    """A bound of a number, and whether it is excluded itself."""

    value: Fraction
    excluded: bool


@dataclass(frozen=True)
class Conjunction:
    """All values that satisfy the parts, and none of the excluded places."""

    book: SchemaView
    parts: tuple[SchemaLocation, ...]
    """Every place met: references followed and `allOf` taken apart, the places that held them included."""
    impossible: bool = False
    excluded: tuple[SchemaLocation, ...] = ()
    chosen: frozenset[tuple[str, tuple[str, ...], str]] = frozenset()
    """Unions of which a branch was taken."""
    present: frozenset[str] = frozenset()
    """Properties that are taken to be there."""
    unsure: bool = False
    """Whether the values may be fewer than this says."""

    # --- making -------------------------------------------------------------------------------------------------
    def intersect(self, places: Iterable[SchemaLocation]) -> Conjunction:
        """The values among these that satisfy further places, too."""
        parts = {(one.at, one.scope): one for one in self.parts}
        impossible, unsure, excluded = self.impossible, self.unsure, self.excluded
        stack = list(places)[::-1]
        while stack:
            place = stack.pop()
            if place.schema is False:
                impossible = True
            if not isinstance(place.schema, dict) or (place.at, place.scope) in parts:
                continue
            parts[place.at, place.scope] = place
            if self.book.refers_outside(place):
                unsure = True
            else:
                stack.extend(self.book.resolve_references(place))
            stack.extend(self.book.get_subschemas(place, "allOf"))
            ruled_out = self.book.get_subschema(place, "not")
            excluded += () if ruled_out is None else (ruled_out,)
        return replace(self, parts=tuple(parts.values()), impossible=impossible, unsure=unsure, excluded=excluded)

    def with_present(self, name: str) -> Conjunction:
        """The values among these that have a property."""
        out = replace(self, present=self.present | {name})
        return out.intersect(out._depending())

    def _depending(self) -> list[SchemaLocation]:
        there = self.required
        return [
            place
            for part in self.parts
            for name, _, place in self.book.get_dependents(part)
            if place is not None and name in there
        ]

    def split_union(self) -> list[Conjunction] | None:
        """The conjunctions for each branch of one union, None when there is no union left."""
        for part in self.parts:
            for word in ("anyOf", "oneOf"):
                key = (part.at, part.scope, word)
                branches = self.book.get_subschemas(part, word)
                if key in self.chosen or not branches or self._moot(part, word):
                    continue
                chosen = replace(self, chosen=self.chosen | {key})
                out: list[Conjunction] = []
                for index, branch in enumerate(branches):
                    case = chosen.intersect((branch,))
                    if word == "oneOf" and len(branches) > 1:
                        others = tuple(branches[:index] + branches[index + 1 :])
                        case = replace(case, excluded=(*case.excluded, *others))
                    out.append(case)
                return out
        return None

    def _moot(self, part: SchemaLocation, word: str) -> bool:
        """Whether a union is settled: one of its branches is among the parts by itself."""
        held = {(one.at, one.scope) for one in self.parts}
        return word == "anyOf" and any((one.at, one.scope) in held for one in self.book.get_subschemas(part, word))

    @property
    def key(self) -> tuple[object, ...]:
        """What tells this conjunction from others."""
        parts = frozenset((one.at, one.scope) for one in self.parts)
        excluded = frozenset((one.at, one.scope) for one in self.excluded)
        return parts, excluded, self.chosen, self.present, self.impossible

    # --- kinds and values ---------------------------------------------------------------------------------------
    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of values that there may be; never one too few."""
        if self.impossible:
            return frozenset()
        out = frozenset(VALUE_KINDS)
        for part in self.parts:
            out &= self.book.kinds(part)
        return out

    def is_doubtful(self, kind: str) -> bool:
        """Whether there may be fewer values of a kind than is known here."""
        if self.unsure:
            return True
        words = (*_INCOMPLETE_KEYWORDS[""], *_INCOMPLETE_KEYWORDS.get("number" if kind == "integer" else kind, ()))
        return any(self.book.has(part, word) and not self._settled(part, word) for part in self.parts for word in words)

    @property
    def limited(self) -> bool:
        """Whether a kind of values that is named may be ruled out all the same."""
        return self.unsure or any(self.book.has(part, word) for part in self.parts for word in ("not", "if"))

    def _settled(self, part: SchemaLocation, word: str) -> bool:
        return (part.at, part.scope, word) in self.chosen or (word == "anyOf" and self._moot(part, word))

    def values(self, kind: str) -> list[Json] | None:
        """All values of a kind, where they are few; now and then some that only nearly satisfy the parts."""
        found = self._enumerated()
        found = self._few(kind) if found is None else [value for value in found if get_json_type(value) == kind]
        return None if found is None else [value for value in found if self._holds(value)]

    def _enumerated(self) -> list[Json] | None:
        found: list[Json] | None = None
        for part in self.parts:
            for word in ("enum", "const"):
                if self.book.has(part, word):
                    here = self.book.values(part, word)
                    found = here if found is None else [v for v in found if any(are_equal(v, w) for w in here)]
        return found

    def _few(self, kind: str) -> list[Json] | None:
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
            case "string":
                return [""] if self.size("minLength", "maxLength")[1] == 0 else None
            case "array":
                return [[]] if self.item_counts[1] == 0 else None
            case "object":
                return [{}] if self.property_counts[1] == 0 else None
            case _:
                return None

    def _holds(self, value: Json) -> bool:
        """Whether a value may be among these."""
        return not self.impossible and not (
            any(self.book.is_valid(part, value) is False for part in self.parts)
            or any(self.book.is_valid(one, value) is True for one in self.excluded)
            or (isinstance(value, dict) and not self.present <= value.keys())
        )

    def surely_accepts(self, value: Json) -> bool:
        """Whether a value surely is among these."""
        return (
            not self.impossible
            and not self.unsure
            and all(self.book.is_valid(part, value) for part in self.parts)
            and all(self.book.is_valid(one, value) is False for one in self.excluded)
        )

    def is_empty(self, kind: str, depth: int = 0) -> bool:
        """Whether there surely is no value of a kind."""
        if kind not in self.kinds or (values := self.values(kind)) == []:
            return True
        if values is not None:
            return False
        match kind:
            case "object":
                least, most = self.property_counts
                if most is not None and least > most:
                    return True
                return depth < DEEPEST_EMPTINESS_CHECK and any(
                    self.property(name).accepts_nothing(depth + 1) for name in self.required
                )
            case "array":
                least, most = self.item_counts
                return most is not None and least > most
            case "string":
                least, most = self.size("minLength", "maxLength")
                return most is not None and least > most
            case "integer" | "number":
                low, high = self.bounds
                if low is None or high is None:
                    return False
                return low.value > high.value or (low.value == high.value and (low.excluded or high.excluded))
            case _:
                return False

    @property
    def blank(self) -> bool:
        """Whether a glance tells that there is no value."""
        return self.impossible or not self.kinds

    def accepts_nothing(self, depth: int = 0) -> bool:
        """Whether there surely is no value at all."""
        return all(self.is_empty(kind, depth) for kind in self.kinds)

    # --- numbers and sizes --------------------------------------------------------------------------------------
    @cached_property
    def bounds(self) -> tuple[NumberBound | None, NumberBound | None]:
        """The bounds of numbers."""
        lows: list[NumberBound] = []
        highs: list[NumberBound] = []
        for part in self.parts:
            for word, found in (("inimum", lows), ("aximum", highs)):
                for key, excluded in (("m" + word, False), ("exclusiveM" + word, True)):
                    if (value := self.book.get_number(part, key)) is not None:
                        found.append(NumberBound(Fraction(value), excluded))
        low = max(lows, key=lambda one: (one.value, one.excluded), default=None)
        high = min(highs, key=lambda one: (one.value, not one.excluded), default=None)
        return low, high

    def size(self, least: str, most: str) -> tuple[int, int | None]:
        """The bounds of a size; None: no upper one."""
        lows = [value for part in self.parts if (value := self.book.get_number(part, least)) is not None]
        highs = [value for part in self.parts if (value := self.book.get_number(part, most)) is not None]
        return math.ceil(max(lows, default=0)), math.floor(min(highs)) if highs else None

    # --- objects ------------------------------------------------------------------------------------------------
    @cached_property
    def required(self) -> frozenset[str]:
        """The properties that are always there."""
        out = set(self.present)
        for part in self.parts:
            out.update(self.book.get_names(part, "required"))
        again = True
        while again:
            asked = {
                one
                for part in self.parts
                for name, names, _ in self.book.get_dependents(part)
                if name in out
                for one in names
            }
            again = not asked <= out
            out |= asked
        return frozenset(out)

    @cached_property
    def declared(self) -> list[str]:
        """The properties that are spoken of by name."""
        found = dict.fromkeys(
            name for part in self.parts for name in self.book.get_named_subschemas(part, "properties")
        )
        return list(dict.fromkeys([*found, *sorted(self.required)]))

    @cached_property
    def _patterned(self) -> bool:
        return any(self.book.get(part, "patternProperties") for part in self.parts)

    @cached_property
    def property_counts(self) -> tuple[int, int | None]:
        """How many properties there are at least and at most."""
        least, most = self.size("minProperties", "maxProperties")
        if not self.list_undeclared(frozenset()):
            possible = sum(not self.property(name).blank for name in self.declared)
            most = possible if most is None else min(most, possible)
        if (allowed := self.list_allowed_names()) is not None:
            most = len(allowed) if most is None else min(most, len(allowed))
        return max(least, len(self.required)), most

    @cached_property
    def _properties(self) -> dict[str, Conjunction]:
        return {}

    def property(self, name: str) -> Conjunction:
        """What the value of a property is, when it is there."""
        if name not in self._properties:
            self._properties[name] = self._property(name)
        return self._properties[name]

    def _property(self, name: str) -> Conjunction:
        out: list[SchemaLocation] = []
        unsure = False
        for part in self.parts:
            here = (
                [self.book.get_named_subschemas(part, "properties")[name]]
                if name in self.book.get_named_subschemas(part, "properties")
                else []
            )
            for pattern, place in self.book.get_named_subschemas(part, "patternProperties").items():
                if self.book.matches(pattern, name):
                    here.append(place)
            more = self.book.get_subschema(part, "additionalProperties")
            if not here and more is not None:
                here.append(more)
            rest = self.book.get_subschema(part, "unevaluatedProperties")
            if rest is not None and not here:
                if EvaluatedProperties(self.book, part).may_have(name):
                    unsure = True
                else:
                    here.append(rest)
            out += here
        return replace(Conjunction(self.book, ()), unsure=unsure).intersect(out)

    def list_allowed_names(self) -> list[Json] | None:
        """The names that properties can have, where `propertyNames` leaves only a few."""
        rules = [place for part in self.parts if (place := self.book.get_subschema(part, "propertyNames")) is not None]
        return Conjunction(self.book, ()).intersect(rules).values("string") if rules else None

    def list_undeclared(self, patterns: frozenset[str]) -> list[Conjunction]:
        """What the values of undeclared properties are, of those whose names match none of some patterns.

        One of several alternatives holds for each; none: there are no such properties.
        """
        choices: list[list[tuple[SchemaLocation, ...]]] = []
        unsure = False
        for part in self.parts:
            here: list[tuple[SchemaLocation, ...]] = [
                (place,)
                for pattern, place in self.book.get_named_subschemas(part, "patternProperties").items()
                if pattern not in patterns
            ]
            more = self.book.get_subschema(part, "additionalProperties")
            rest = self.book.get_subschema(part, "unevaluatedProperties")
            if more is None and rest is not None:
                evaluated = EvaluatedProperties(self.book, part)
                unsure = unsure or evaluated.elsewhere
                more = None if evaluated.all or evaluated.patterns else rest
            here.append(() if more is None else (more,))
            choices.append([one for one in here if not any(place.schema is False for place in one)])
        if math.prod(len(one) for one in choices) > MOST_ALTERNATIVES:
            return [replace(Conjunction(self.book, ()), unsure=True)]
        plain = replace(Conjunction(self.book, ()), unsure=unsure or self._patterned)
        found = (plain.intersect(place for one in chosen for place in one) for chosen in product(*choices))
        return [one for one in found if not one.blank]

    # --- arrays -------------------------------------------------------------------------------------------------
    @cached_property
    def fixed(self) -> int:
        """How many first items are spoken of one by one."""
        return max((len(self.book.get_prefix(part)) for part in self.parts), default=0)

    def item(self, index: int | None) -> Conjunction:
        """What an item is; None: one behind all that are spoken of one by one."""
        out: list[SchemaLocation] = []
        for part in self.parts:
            prefix = self.book.get_prefix(part)
            rest = self.book.get_rest(part)
            if index is not None and index < len(prefix):
                out.append(prefix[index])
            elif rest is not None:
                out.append(rest)
            else:
                later = self.book.get_subschema(part, "unevaluatedItems")
                if later is not None and not EvaluatedItems(self.book, part).may_have(index):
                    out.append(later)
        return Conjunction(self.book, ()).intersect(out)

    @cached_property
    def item_counts(self) -> tuple[int, int | None]:
        """How many items there are at least and at most."""
        least, most = self.size("minItems", "maxItems")
        for part in self.parts:
            if self.book.has(part, "contains"):
                least = max(least, 1 if self.book.get_number(part, "minContains") is None else 0)
        for index in range(self.fixed + 1):
            if most is not None and most <= index:
                break
            if self.item(index if index < self.fixed else None).blank:
                return least, index
        return least, most


def make_conjunction(book: SchemaView, *places: SchemaLocation) -> Conjunction:
    """The conjunction of some places."""
    return Conjunction(book, ()).intersect(places)
