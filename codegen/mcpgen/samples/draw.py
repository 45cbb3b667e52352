"""Draw a value of a schema."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from copy import deepcopy
from fractions import Fraction
from random import Random

from mcpgen.samples import strings
from mcpgen.schema.document import META_SCHEMA_SAMPLE, SchemaDocument, SchemaLocation
from mcpgen.schema.values import JSON_TYPES, Json, are_equal, get_json_type

MOST_VALUES_WITH_OPTIONAL = 500
"""Values drawn before everything that may be left out is."""


MOST_DRAWN_VALUES = 20_000
"""Values drawn before giving up: some schemas have no finite value, or none of a reasonable size."""


MOST_DEAD_ENDS = 500
"""Choices that led nowhere before giving up."""


DEEP_NESTING = 6


DEEPEST_NESTING = 60


MOST_ATTEMPTS = 4


_KEYWORDS_BY_KIND = {
    "object": "properties required patternProperties additionalProperties propertyNames minProperties",
    "array": "items prefixItems contains minItems uniqueItems additionalItems",
    "string": "pattern minLength maxLength format contentEncoding",
    "number": "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf",
}


_TRIAL_KEYWORDS = frozenset(
    "not oneOf if contains unevaluatedItems unevaluatedProperties dependentSchemas dependencies".split()
)
"""Keywords that are only followed by trying: what does not satisfy them is drawn again."""


class Unsatisfiable(Exception):
    """No value satisfies what was chosen."""


class ValueDraw:
    """One value being drawn. `nice`: 0 for variety; 3 for the examples given; 2 and 1 for small plain values."""

    def __init__(self, document: SchemaDocument, random: Random, nice: int = 0) -> None:
        self._document, self._random, self._nice = document, random, nice
        self._drawn = self._failed = 0
        self.last: list[Json] = []
        """The last value of the whole schema that did not satisfy it."""

    def draw_value(self, places: Sequence[SchemaLocation], depth: int, name: str = "") -> Json:
        """A value for a conjunction of schemas.

        Args:
            places: the schemas.
            depth: how many arrays and objects it is in.
            name: the property that it is for.

        Raises:
            Impossible: there is none, or it was not found.
        """
        self._drawn += 1
        if depth > DEEPEST_NESTING or self._drawn > MOST_DRAWN_VALUES or self._failed > MOST_DEAD_ENDS:
            raise Unsatisfiable
        for attempt in range(MOST_ATTEMPTS):
            try:
                parts = self._parts(places, depth, attempt)
                value = self._of(parts, depth, name)
                if all(self._document.is_valid(part, value) for part in parts if _needs_trial(part)):
                    return value
                if depth == 0:
                    self.last = [value]
            except Unsatisfiable:
                pass
            self._failed += 1
        raise Unsatisfiable

    def draw_anything(self, depth: int) -> Json:
        """Any JSON value."""
        kinds = JSON_TYPES if depth < 2 and self._drawn < MOST_VALUES_WITH_OPTIONAL else JSON_TYPES[2:]
        match self._random.choice(kinds):
            case "object":
                size = self._random.randint(0, 2)
                return {strings.draw_text(self._random, 0, 3): self.draw_anything(depth + 1) for _ in range(size)}
            case "array":
                return [self.draw_anything(depth + 1) for _ in range(self._random.randint(0, 2))]
            case kind:
                return self._of_kind(kind, [], depth, "")

    # --- choices ------------------------------------------------------------------------------------------------
    def _small(self, depth: int) -> bool:
        return depth > DEEP_NESTING or self._drawn > MOST_VALUES_WITH_OPTIONAL

    def _chance(self, share: float) -> bool:
        return not self._nice and self._random.random() < share

    def _parts(self, places: Sequence[SchemaLocation], depth: int, attempt: int) -> list[SchemaLocation]:
        """The places taken apart: references followed, a branch of each union chosen."""
        out: list[SchemaLocation] = []
        seen: set[tuple[str, tuple[str, ...]]] = set()
        stack = list(places)[::-1]
        while stack:
            place = stack.pop()
            schema = place.schema
            if schema is False:
                raise Unsatisfiable
            if not isinstance(schema, dict):
                continue
            if schema is not META_SCHEMA_SAMPLE:
                if (place.at, place.scope) in seen:
                    continue
                seen.add((place.at, place.scope))
            stack.extend(self._document.follow_references(place))
            if self._document.draft_07 and "$ref" in schema:
                continue
            out.append(place)
            stack.extend(
                self._document.get_subschema(place, "allOf", index) for index in range(len(place.get_array("allOf")))
            )
            for word in ("anyOf", "oneOf"):
                if place.get_array(word):
                    stack.append(self._branch(place, word, depth, attempt))
            if "if" in schema:
                stack.extend(self._condition(place))
        return out

    def _branch(self, place: SchemaLocation, word: str, depth: int, attempt: int) -> SchemaLocation:
        branches = [self._document.get_subschema(place, word, index) for index in range(len(place.get_array(word)))]
        if attempt == 0 and self._small(depth):
            return min(branches, key=lambda branch: self._rank(branch, 4))
        if attempt == 0 and self._nice > 1:
            return branches[0]
        return self._random.choice(branches)

    def _rank(self, place: SchemaLocation, hops: int) -> int:
        """How much a schema asks for at least, roughly."""
        schema = place.schema
        if not isinstance(schema, dict):
            return 9 if schema is False else 0
        if "const" in schema or "enum" in schema:
            return 0
        further = list(self._document.follow_references(place))
        further += [
            self._document.get_subschema(place, "allOf", index) for index in range(len(place.get_array("allOf")))
        ]
        below = [self._rank(one, hops - 1) for one in further] if hops else [5]
        for word in ("anyOf", "oneOf"):
            if place.get_array(word) and hops:
                members = (
                    self._document.get_subschema(place, word, index) for index in range(len(place.get_array(word)))
                )
                below.append(min(self._rank(one, hops - 1) for one in members))
        size = (
            len(place.get_array("required"))
            + (place.get_number("minItems") or 0)
            + (place.get_number("minProperties") or 0)
        )
        return int(size) + 2 * (size > 0) + max(below, default=0)

    def _condition(self, place: SchemaLocation) -> Iterator[SchemaLocation]:
        holds = self._nice > 1 or self._random.random() < 0.5
        for word in ("if", "then") if holds else ("else",):
            if place.has(word):
                yield self._document.get_subschema(place, word)

    # --- a value ------------------------------------------------------------------------------------------------
    def _of(self, parts: list[SchemaLocation], depth: int, name: str) -> Json:
        kinds = self._kinds(parts)
        values = self._values(parts)
        if values is not None:
            values = [value for value in values if get_json_type(value) in kinds]
            if not values:
                raise Unsatisfiable
            return deepcopy(values[0] if self._nice > 1 else self._random.choice(values))
        if self._nice == 3 or self._chance(0.04):
            for part in parts:
                given = part.get_array("examples") or ([part.get("default")] if part.has("default") else [])
                if given and get_json_type(given[0]) in kinds:
                    return deepcopy(given[0])
        if not parts and not self._nice:
            return self.draw_anything(depth)
        return self._of_kind(self._kind(kinds, parts), parts, depth, name)

    def _kinds(self, parts: list[SchemaLocation]) -> set[str]:
        kinds = set[str](JSON_TYPES)
        for part in parts:
            if part.has("type"):
                kinds &= _get_types(part)
            ruled_out = part.get_object("not")
            if ruled_out.keys() == {"type"}:
                kinds -= _get_types(self._document.get_subschema(part, "not"))
        if not kinds:
            raise Unsatisfiable
        return kinds

    def _kind(self, kinds: set[str], parts: list[SchemaLocation]) -> str:
        wanted = [kind for kind in JSON_TYPES if kind in kinds]
        if len(kinds) == len(JSON_TYPES):
            hinted = [
                kind
                for kind, words in _KEYWORDS_BY_KIND.items()
                if any(part.has(word) for part in parts for word in words.split())
            ]
            if hinted and (self._nice or self._random.random() < 0.85):
                wanted = hinted
            elif self._nice:
                wanted = ["string"]
        if self._nice > 1:
            return wanted[0] if wanted[0] != "null" else wanted[-1]
        return self._random.choice(wanted)

    @staticmethod
    def _values(parts: list[SchemaLocation]) -> list[Json] | None:
        """The values that `enum` and `const` leave, None when neither is there."""
        found: list[Json] | None = None
        out: list[Json] = []
        for part in parts:
            for word in ("enum", "const"):
                if part.has(word):
                    here = part.get_array("enum") if word == "enum" else [part.get("const")]
                    found = here if found is None else [v for v in found if any(are_equal(v, w) for w in here)]
            ruled_out = part.get_object("not")
            out += [ruled_out["const"]] if "const" in ruled_out else []
            enum = ruled_out.get("enum")
            out += enum if isinstance(enum, list) else []
        return None if found is None else [v for v in found if not any(are_equal(v, w) for w in out)]

    def _of_kind(self, kind: str, parts: list[SchemaLocation], depth: int, name: str) -> Json:
        match kind:
            case "object":
                return self._object(parts, depth)
            case "array":
                return self._array(parts, depth, name)
            case "string":
                return self._string(parts, name)
            case "integer" | "number":
                return self._number(parts, kind == "integer")
            case "boolean":
                return self._nice > 1 or self._random.random() < 0.5
            case _:
                return None

    # --- objects ------------------------------------------------------------------------------------------------
    def _object(self, parts: list[SchemaLocation], depth: int) -> Json:
        absent = {str(one) for part in parts for one in _get_list(part.get_object("not").get("required"))[:1]}
        parts, required = self._depending(parts, absent, depth)
        least, most = _intersect_sizes(parts, "minProperties", "maxProperties")
        declared = dict.fromkeys(name for part in parts for name in part.get_object("properties"))
        names = dict.fromkeys((*(name for name in declared if name in required), *required))
        if (most is not None and len(names) > most) or least > strings.LONGEST_STRING:
            raise Unsatisfiable
        free = [name for name in declared if name not in required and name not in absent]
        share = self._share(depth)
        if share < 1:
            self._random.shuffle(free)
        for name in free:
            if (most is None or len(names) < most) and (self._random.random() < share or len(names) < least):
                names[name] = None
        todo = list(names)
        for name in todo:  # which grows on the way
            new = [one for one in _list_dependents(parts, name) if one not in names]
            names.update(dict.fromkeys(new))
            todo += new
        out: dict[str, Json] = {}
        for name in sorted(names, key=list(declared).index if names.keys() <= declared.keys() else None):
            places = self._property(parts, name)
            try:
                out[name] = self.draw_value(places, depth + 1, name)
            except Unsatisfiable:
                if name in required:
                    raise
        self._more(parts, out, {*declared, *absent}, least, most, depth)
        return out

    def _share(self, depth: int) -> float:
        """How likely an optional property is there."""
        if self._nice:
            return 1 if self._nice > 1 and depth == 0 else 0
        return 0 if self._small(depth) else self._random.choice((0.15, 0.5, 0.5, 0.9))

    def _depending(
        self, parts: list[SchemaLocation], absent: set[str], depth: int
    ) -> tuple[list[SchemaLocation], set[str]]:
        """The parts with those that some property's presence adds, and all that is required; `absent` may grow."""
        parts = list(parts)
        required: set[str] = set()
        for part in parts:  # which grows on the way
            required.update(str(name) for name in part.get_array("required"))
        done: set[tuple[str, str, str]] = set()
        again = True
        while again:
            again = False
            for part in list(parts):
                for word in ("dependentSchemas", "dependentRequired", "dependencies"):
                    for name, asked in part.get_object(word).items():
                        if (part.at, word, name) in done or name in absent:
                            continue
                        if name not in required:
                            if self._random.random() < (0 if self._nice or self._small(depth) else 0.3):
                                required.add(name)
                            else:
                                if not isinstance(asked, list):
                                    absent.add(name)
                                continue
                        again = True
                        done.add((part.at, word, name))
                        if isinstance(asked, list):
                            required.update(str(one) for one in asked)
                        else:
                            new = self._parts((self._document.get_subschema(part, word, name),), depth, 1)
                            parts += new
                            required.update(str(one) for more in new for one in more.get_array("required"))
        return parts, required

    def _property(self, parts: list[SchemaLocation], name: str) -> list[SchemaLocation]:
        """The schemas that a property has to satisfy."""
        out: list[SchemaLocation] = []
        evaluated = False
        later: list[SchemaLocation] = []
        for part in parts:
            here: list[SchemaLocation] = []
            if name in part.get_object("properties"):
                here.append(self._document.get_subschema(part, "properties", name))
            for pattern in part.get_object("patternProperties"):
                if self._document.matches(pattern, name):
                    here.append(self._document.get_subschema(part, "patternProperties", pattern))
            if not here and part.has("additionalProperties"):
                here.append(self._document.get_subschema(part, "additionalProperties"))
            if part.has("unevaluatedProperties"):
                later.append(self._document.get_subschema(part, "unevaluatedProperties"))
            evaluated = evaluated or bool(here)
            out += here
        return out if evaluated else out + later

    def _more(
        self,
        parts: list[SchemaLocation],
        out: dict[str, Json],
        taken: set[str],
        least: int,
        most: int | None,
        depth: int,
    ) -> None:
        """Add undeclared properties, as many as have to be and now and then some more."""
        wish = 0 if self._nice or self._small(depth) else self._random.choice((0, 0, 0, 1, 2))
        if any(part.get_object("additionalProperties") or part.get_object("patternProperties") for part in parts):
            wish += not self._small(depth)
        most = len(out) + wish + least if most is None else most
        wanted = max(least, min(len(out) + wish, most))
        for _ in range(4 * (wanted - len(out))):
            if len(out) >= wanted:
                return
            try:
                name = self._name(parts, depth)
                if name not in taken and name not in out:
                    out[name] = self.draw_value(self._property(parts, name), depth + 1, name)
            except Unsatisfiable:
                continue
        if len(out) < least:
            raise Unsatisfiable

    def _name(self, parts: list[SchemaLocation], depth: int) -> str:
        """A name for an undeclared property."""
        rules = [self._document.get_subschema(part, "propertyNames") for part in parts if part.has("propertyNames")]
        patterns = [pattern for part in parts for pattern in part.get_object("patternProperties")]
        if patterns and (self._nice or self._random.random() < 0.7):
            sampled = strings.draw_matching(self._random.choice(patterns), self._random)
            if sampled is not None:
                return sampled
        if rules:
            text = SchemaLocation("", (), {"type": "string"})
            name = self.draw_value((*rules, SchemaLocation("/", text.scope, text.schema)), depth + 1)
            return name if isinstance(name, str) else ""
        if self._nice:
            return self._random.choice(("key", "other", "third")) + "_" * self._random.randint(0, self._drawn // 10)
        return strings.draw_text(self._random, 0, 6)

    # --- arrays -------------------------------------------------------------------------------------------------
    def _array(self, parts: list[SchemaLocation], depth: int, name: str) -> Json:
        least, most = _intersect_sizes(parts, "minItems", "maxItems")
        fixed = max((len(self._prefix(part)) for part in parts), default=0)
        wish = 1 if self._nice else 0 if self._small(depth) else self._random.randint(0, 3)
        if fixed and not self._chance(0.3):
            wish = fixed
        size = max(least, wish if most is None else min(wish, most))
        wanted = self._contained(parts)
        size = max(size, len(wanted))
        if (most is not None and size > most) or size > strings.LONGEST_STRING:
            raise Unsatisfiable
        where = dict(zip(self._random.sample(range(size), len(wanted)), wanted, strict=True))
        unique = any(part.get("uniqueItems") is True for part in parts)
        out: list[Json] = []
        for index in range(size):
            places = self._item(parts, index)
            if index in where:
                places.append(where[index])
            try:
                out.append(self._fresh(places, depth, name, out if unique else []))
            except Unsatisfiable:
                if index < max(least, len(wanted)):
                    raise
                break
        return out

    def _fresh(self, places: list[SchemaLocation], depth: int, name: str, taken: list[Json]) -> Json:
        for _ in range(8):
            value = self.draw_value(places, depth + 1, name)
            if not any(are_equal(value, other) for other in taken):
                return value
        raise Unsatisfiable

    def _prefix(self, part: SchemaLocation) -> list[Json]:
        return part.get_array("items" if self._document.draft_07 else "prefixItems")

    def _contained(self, parts: list[SchemaLocation]) -> list[SchemaLocation]:
        """What some items have to be beside what all are."""
        out: list[SchemaLocation] = []
        for part in parts:
            if part.has("contains"):
                least, most = part.get_number("minContains"), part.get_number("maxContains")
                count = 1 if least is None or self._document.draft_07 else int(least)
                if self._chance(0.2) and (most is None or count < most):
                    count += 1
                out += [self._document.get_subschema(part, "contains")] * min(count, strings.LONGEST_STRING)
        return out

    def _item(self, parts: list[SchemaLocation], index: int) -> list[SchemaLocation]:
        """The schemas that an item has to satisfy."""
        out: list[SchemaLocation] = []
        later: list[SchemaLocation] = []
        for part in parts:
            prefix = self._prefix(part)
            first, rest = ("items", "additionalItems") if self._document.draft_07 else ("prefixItems", "items")
            if index < len(prefix):
                out.append(self._document.get_subschema(part, first, index))
            elif self._document.draft_07 and part.has("items") and not isinstance(part.get("items"), list):
                out.append(self._document.get_subschema(part, "items"))
            elif part.has(rest) and (prefix or not self._document.draft_07):
                out.append(self._document.get_subschema(part, rest))
            if part.has("unevaluatedItems"):
                later.append(self._document.get_subschema(part, "unevaluatedItems"))
        return out or later

    # --- scalars ------------------------------------------------------------------------------------------------
    def _string(self, parts: list[SchemaLocation], name: str) -> str:
        least, most = _intersect_sizes(parts, "minLength", "maxLength")
        found: list[str] = []
        for part in parts:
            schema = part.schema
            assert isinstance(schema, dict)
            pattern, kind = schema.get("pattern"), schema.get("format")
            if isinstance(pattern, str):
                for fill in (0, 0, least, least):
                    sampled = strings.draw_matching(pattern, self._random, fill)
                    if sampled is not None and least <= len(sampled) and (most is None or len(sampled) <= most):
                        found.insert(0, sampled)
                        if self._document.matches(pattern, sampled):
                            break
            elif isinstance(kind, str) and not self._chance(0.1):
                found += [text for text in [strings.draw_format(kind, self._random)] if text is not None]
            if schema.get("contentEncoding") == "base64" and not self._chance(0.1):
                found.append(strings.draw_base64(self._random))
        for text in found:
            if least <= len(text) and (most is None or len(text) <= most):
                return text
        if (most is not None and most < least) or least > strings.LONGEST_STRING:
            raise Unsatisfiable
        if self._nice:
            text = strings.spell_out_name(name)
            return (text * (least // len(text) + 1))[: max(least, len(text) if most is None else min(len(text), most))]
        return strings.draw_text(self._random, least, most)

    def _number(self, parts: list[SchemaLocation], whole: bool) -> int | float:
        low, high = _intersect_bounds(parts)
        steps = [Fraction(str(one)) for part in parts if (one := part.get_number("multipleOf"))]
        free = not steps and not whole
        if free and not self._nice and self._random.random() < 0.6:
            return self._real(low, high)
        if whole or free:
            steps.append(Fraction(1))
        step = Fraction(math.lcm(*(one.numerator for one in steps)), math.gcd(*(one.denominator for one in steps)))
        first = None if low is None else math.ceil(low[0] / step)
        last = None if high is None else math.floor(high[0] / step)
        if first is not None and low == (first * step, True):
            first += 1
        if last is not None and high == (last * step, True):
            last -= 1
        if first is not None and last is not None and first > last:
            if free:
                return self._real(low, high)
            raise Unsatisfiable
        value = self._multiple(first, last) * step
        if value.denominator == 1:
            return float(value) if self._chance(0.06) and abs(value) < 2**53 else int(value)
        return float(value)

    def _multiple(self, first: int | None, last: int | None) -> int:
        if self._nice > 1:
            return max(1 if last is None else min(1, last), 1 if first is None else first)
        width = self._random.choice((3, 10, 1000, 2**40, 2**70) if not self._nice else (10,))
        if first is None and last is None:
            first, last = -width, width
        low = first if first is not None else (last or 0) - width
        high = last if last is not None else low + width
        if self._chance(0.25):
            return self._random.choice((low, high))
        return self._random.randint(low, min(high, low + width))

    def _real(self, low: tuple[Fraction, bool] | None, high: tuple[Fraction, bool] | None) -> float:
        least = float(low[0]) if low is not None else None
        most = float(high[0]) if high is not None else None
        if least is None:
            least = (0.0 if most is None else most) - self._random.choice((1.0, 100.0, 1e9))
        if most is None:
            most = least + self._random.choice((1.0, 200.0, 1e10))
        if self._chance(0.1) and (low is None or not low[1]):
            return least
        value = least + (most - least) * (0.05 + 0.9 * self._random.random())
        shorter = round(value, 2)
        return shorter if least < shorter < most else value


def _list_dependents(parts: list[SchemaLocation], name: str) -> list[str]:
    """The properties that a property's presence asks for."""
    held = [part.get_object(word).get(name) for part in parts for word in ("dependentRequired", "dependencies")]
    return [str(one) for names in held for one in _get_list(names)]


def _needs_trial(part: SchemaLocation) -> bool:
    return isinstance(part.schema, dict) and not _TRIAL_KEYWORDS.isdisjoint(part.schema)


def _get_types(part: SchemaLocation) -> set[str]:
    """The types that a schema names; number includes integer."""
    assert isinstance(part.schema, dict)
    named = part.schema.get("type")
    kinds = {str(one) for one in named} if isinstance(named, list) else {str(named)}
    return kinds | ({"integer"} if "number" in kinds else set[str]())


def _get_list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _intersect_sizes(parts: list[SchemaLocation], least: str, most: str) -> tuple[int, int | None]:
    """The bounds of a size; None: no upper one."""
    lows = [value for part in parts if (value := part.get_number(least)) is not None]
    highs = [value for part in parts if (value := part.get_number(most)) is not None]
    return int(max(lows, default=0)), int(min(highs)) if highs else None


def _intersect_bounds(parts: list[SchemaLocation]) -> tuple[tuple[Fraction, bool] | None, tuple[Fraction, bool] | None]:
    """The bounds of a number, each with whether it is excluded itself."""
    lows: list[tuple[Fraction, bool]] = []
    highs: list[tuple[Fraction, bool]] = []
    for part in parts:
        for word, bounds in (("inimum", lows), ("aximum", highs)):
            for key, excluded in (("m" + word, False), ("exclusiveM" + word, True)):
                value = part.get_number(key)
                if value is not None:
                    bounds.append((Fraction(str(value)), excluded))
    low = max(lows, default=None)
    high = min(highs, key=lambda bound: (bound[0], not bound[1]), default=None)
    return low, high
