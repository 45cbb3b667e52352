"""JSON values for one schema: probably valid ones, near misses, and an example for people."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from itertools import islice
from random import Random

from mcpgen_runtime.schema_keywords import contained

from mcpgen.samples.branches import (
    choose_type,
    expand_locations,
    find_allowed_types,
    find_allowed_values,
    find_examples,
)
from mcpgen.samples.containers import draw_array, draw_object
from mcpgen.samples.context import MOST_VALUES_WITH_OPTIONAL, DrawContext, DrawStyle, Unsatisfiable
from mcpgen.samples.mutator import SchemaVocabulary, collect_vocabulary, mutate_value
from mcpgen.samples.scalars import draw_number, draw_string, draw_text
from mcpgen.schema.document import Schema, SchemaDocument, SchemaLocation, SubschemaValidators
from mcpgen.schema.keywords import CONSTRAINING_KEYWORDS, walk_subschemas
from mcpgen.schema.values import JSON_TYPES, Json, get_json_type

MOST_ATTEMPTS = 4
"""Attempts at one value of the whole, each with other branches."""
_FOLLOWED_KEYWORDS = frozenset(
    (
        "$ref $dynamicRef type enum const allOf anyOf then else "
        "properties patternProperties additionalProperties required propertyNames minProperties maxProperties "
        "dependentRequired prefixItems items additionalItems minItems maxItems uniqueItems minContains maxContains "
        "minLength maxLength pattern minimum exclusiveMinimum maximum exclusiveMaximum multipleOf"
    ).split()
)
"""Keywords that drawing follows exactly, apart from those that have no effect of their own."""
_VALIDATED_KEYWORDS = CONSTRAINING_KEYWORDS - _FOLLOWED_KEYWORDS
"""The others: a value is validated, and drawn again if it is invalid."""


class ValueDraw(DrawContext):
    """A single draw, with limits on its size and on its attempts."""

    def __init__(self, document: SchemaDocument, random: Random, style: DrawStyle = DrawStyle.VARIED) -> None:
        super().__init__(document, random, style, self.draw_value)
        self.last_invalid: list[Json] = []
        """The last drawn value of the root that is invalid, alone; empty before there is one."""

    def draw_value(self, locations: Sequence[SchemaLocation], depth: int, name: str = "") -> Json:
        """Draw a value, in so many arrays and objects, that satisfies several schemas at once.

        Raises:
            Unsatisfiable: no value was found.
            ValueError: the validator refuses the document.
        """
        self.drawn_values += 1
        if self.is_exhausted(depth):
            raise Unsatisfiable
        for attempt in range(MOST_ATTEMPTS):
            try:
                expanded = expand_locations(self, locations, depth, attempt)
                value = self._draw_candidate(expanded, depth, name)
                if all(self.document.is_valid(location, value) for location in expanded if _needs_validator(location)):
                    return value
                if depth == 0:
                    self.last_invalid = [value]
            except Unsatisfiable:
                pass
            self.dead_ends += 1
        raise Unsatisfiable

    def draw_anything(self, depth: int) -> Json:
        """Draw any JSON value."""
        random = self.random
        may_nest = depth < 2 and self.drawn_values < MOST_VALUES_WITH_OPTIONAL
        match random.choice(JSON_TYPES if may_nest else JSON_TYPES[2:]):
            case "object":
                size = random.randint(0, 2)
                return {draw_text(random, 0, 3): self.draw_anything(depth + 1) for _ in range(size)}
            case "array":
                return [self.draw_anything(depth + 1) for _ in range(random.randint(0, 2))]
            case scalar_type:
                return self._draw_type(scalar_type, [], depth, "")

    def _draw_candidate(self, locations: list[SchemaLocation], depth: int, name: str) -> Json:
        types = find_allowed_types(self, locations)
        values = find_allowed_values(locations)
        if values is not None:
            values = [value for value in values if get_json_type(value) in types]
            if not values:
                raise Unsatisfiable
            return deepcopy(values[0] if self.takes_first else self.random.choice(values))
        if examples := find_examples(self, locations, types):
            return deepcopy(examples[0])
        if not locations and self.is_varied:
            return self.draw_anything(depth)
        return self._draw_type(choose_type(self, types, locations), locations, depth, name)

    def _draw_type(self, type_name: str, locations: list[SchemaLocation], depth: int, name: str) -> Json:
        match type_name:
            case "object":
                return draw_object(self, locations, depth)
            case "array":
                return draw_array(self, locations, depth, name)
            case "string":
                return draw_string(self, locations, name)
            case "integer" | "number":
                return draw_number(self, locations, type_name == "integer")
            case "boolean":
                return self.toss_coin()
            case _:
                return None


def _needs_validator(location: SchemaLocation) -> bool:
    return isinstance(location.schema, dict) and not _VALIDATED_KEYWORDS.isdisjoint(location.schema)


# --- values of one schema --------------------------------------------------------------------------------------------
_EXAMPLE_STYLES = (DrawStyle.EXAMPLES, DrawStyle.FIRST, DrawStyle.PLAIN, *(DrawStyle.PLAIN, DrawStyle.VARIED) * 29)
"""Style of each attempt at a valid example; the number of the attempt is its seed."""
MIXED_STYLES = (*(DrawStyle.MIXED,) * 8, *_EXAMPLE_STYLES)
"""Style of each attempt at an example that differs from those of other salts."""
_MOST_EXAMPLE_VALUES = 100_000
"""Values drawn in all attempts at an example together."""


class ValueGenerator:
    """Generator of JSON values for one schema; most are valid, but only a validator can tell."""

    def __init__(self, schema: Json, dialect: str) -> None:
        self._schema, self._dialect = schema, dialect
        self._document = SchemaDocument(schema, dialect)
        self._vocabulary: SchemaVocabulary | None = None

    def draw_value(self, random: Random) -> Json:
        """Draw a value that follows the schema as well as simple means allow."""
        draw = ValueDraw(self._document, random)
        try:
            return draw.draw_value((self._document.root,), 0)
        except Unsatisfiable:
            return draw.last_invalid[0] if draw.last_invalid else draw.draw_anything(0)

    def mutate_value(self, value: Json, random: Random) -> Json:
        """Return a copy of a value with a change that is likely to make it invalid, or that is on a boundary."""
        if self._vocabulary is None:
            self._vocabulary = collect_vocabulary(self._schema, self._dialect)
        return mutate_value(value, self._vocabulary, random)

    def find_example(self) -> Json | None:
        """Return a valid value for people, with all properties if possible, always the same; None if there is none.

        Raise ValueError if the validator refuses the schema.
        """
        return next(self.iterate_examples((DrawStyle.FULL, *_EXAMPLE_STYLES)), None)

    def iterate_examples(self, styles: Sequence[DrawStyle] = _EXAMPLE_STYLES, salt: str = "") -> Iterator[Json]:
        """Yield small valid values for people, the same for each `salt`; raise ValueError if the schema is refused."""
        drawn_values = 0
        for seed, style in enumerate(styles):
            if drawn_values > _MOST_EXAMPLE_VALUES:
                return
            draw = ValueDraw(self._document, Random(f"{salt}/{seed}" if salt else seed), style)
            try:
                value = draw.draw_value((self._document.root,), 0)
            except Unsatisfiable:
                continue
            finally:
                drawn_values += draw.drawn_values
            if self._document.is_valid(self._document.root, value):
                yield value


MOST_EXAMPLE_BYTES = 8_192
"""Length of an example as JSON text."""
_MOST_CANDIDATES = 8
"""Valid values that are looked at, to find one whose strings have their formats, too."""


def find_example_text(schema: Schema, needs_formats: bool = False) -> str | None:
    """Return a small valid value as JSON text, always the same one; None where none is found.

    The schema's own `examples`, `const` and `default` come first. Strings have their formats if that is possible, or in
    any case with `needs_formats`.
    """
    first: str | None = None
    try:
        has_formats = _make_format_check(schema)
        for value in islice(ValueGenerator(schema.value, schema.dialect).iterate_examples(), _MOST_CANDIDATES):
            text = json.dumps(value, separators=(",", ":"), allow_nan=False)
            if len(text) > MOST_EXAMPLE_BYTES:
                continue
            if has_formats(value):
                return text
            first = first or text
    except ValueError:  # the validator refuses the schema, as reading it has reported
        return None
    return None if needs_formats else first


def _make_format_check(schema: Schema) -> Callable[[Json], bool]:
    places = [place for _, place in walk_subschemas(schema.value, schema.dialect)]
    if not any(isinstance(place, dict) and "format" in place for place in places):
        return lambda value: True
    validators = SubschemaValidators(schema.value, schema.dialect, asserts_formats=True)
    has_formats: Callable[[Json], bool] = contained()(validators.find_validator("").is_valid)
    return has_formats
