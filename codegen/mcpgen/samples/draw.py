"""Draw one value of a schema."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from random import Random

from mcpgen.samples.arrays import draw_array
from mcpgen.samples.branches import expand_locations
from mcpgen.samples.candidates import choose_type, find_allowed_types, find_allowed_values, find_examples
from mcpgen.samples.context import MOST_VALUES_WITH_OPTIONAL, DrawContext, DrawStyle, Unsatisfiable
from mcpgen.samples.numbers import draw_number
from mcpgen.samples.objects import draw_object
from mcpgen.samples.strings import draw_string
from mcpgen.samples.text import draw_text
from mcpgen.schema.document import SchemaDocument, SchemaLocation
from mcpgen.schema.keywords import CONSTRAINING_KEYWORDS
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


class ValueDraw:
    """A single draw, with limits on its size and on its attempts."""

    def __init__(self, document: SchemaDocument, random: Random, style: DrawStyle = DrawStyle.VARIED) -> None:
        self._document = document
        self._context = DrawContext(document, random, style, self.draw_value)
        self.last_invalid: list[Json] = []
        """The last drawn value of the root that is invalid, alone; empty before there is one."""

    @property
    def drawn_values(self) -> int:
        """How many values were drawn so far, those in other values included."""
        return self._context.drawn_values

    def draw_value(self, locations: Sequence[SchemaLocation], depth: int, name: str = "") -> Json:
        """Draw a value that satisfies several schemas at once.

        Args:
            locations: the schemas.
            depth: the number of arrays and objects around the value.
            name: the property that it is the value of.

        Raises:
            Unsatisfiable: no value was found.
            ValueError: the validator refuses the document.
        """
        context = self._context
        context.drawn_values += 1
        if context.is_exhausted(depth):
            raise Unsatisfiable
        for attempt in range(MOST_ATTEMPTS):
            try:
                expanded = expand_locations(context, locations, depth, attempt)
                value = self._draw_candidate(expanded, depth, name)
                if all(self._document.is_valid(location, value) for location in expanded if _needs_validator(location)):
                    return value
                if depth == 0:
                    self.last_invalid = [value]
            except Unsatisfiable:
                pass
            context.dead_ends += 1
        raise Unsatisfiable

    def draw_anything(self, depth: int) -> Json:
        """Draw any JSON value."""
        context, random = self._context, self._context.random
        may_nest = depth < 2 and context.drawn_values < MOST_VALUES_WITH_OPTIONAL
        match random.choice(JSON_TYPES if may_nest else JSON_TYPES[2:]):
            case "object":
                size = random.randint(0, 2)
                return {draw_text(random, 0, 3): self.draw_anything(depth + 1) for _ in range(size)}
            case "array":
                return [self.draw_anything(depth + 1) for _ in range(random.randint(0, 2))]
            case scalar_type:
                return self._draw_type(scalar_type, [], depth, "")

    def _draw_candidate(self, locations: list[SchemaLocation], depth: int, name: str) -> Json:
        """Draw a value that satisfies expanded schemas, as far as can be told without a validator."""
        context = self._context
        types = find_allowed_types(context, locations)
        values = find_allowed_values(locations)
        if values is not None:
            values = [value for value in values if get_json_type(value) in types]
            if not values:
                raise Unsatisfiable
            return deepcopy(values[0] if context.takes_first else context.random.choice(values))
        if examples := find_examples(context, locations, types):
            return deepcopy(examples[0])
        if not locations and context.is_varied:
            return self.draw_anything(depth)
        return self._draw_type(choose_type(context, types, locations), locations, depth, name)

    def _draw_type(self, type_name: str, locations: list[SchemaLocation], depth: int, name: str) -> Json:
        match type_name:
            case "object":
                return draw_object(self._context, locations, depth)
            case "array":
                return draw_array(self._context, locations, depth, name)
            case "string":
                return draw_string(self._context, locations, name)
            case "integer" | "number":
                return draw_number(self._context, locations, type_name == "integer")
            case "boolean":
                return self._context.toss_coin()
            case _:
                return None


def _needs_validator(location: SchemaLocation) -> bool:
    return isinstance(location.schema, dict) and not _VALIDATED_KEYWORDS.isdisjoint(location.schema)
