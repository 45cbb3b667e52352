"""JSON values near a schema: probably valid ones, near misses, and one example to show."""

from __future__ import annotations

from random import Random
from typing import TypeVar

from mcpgen.samples.draw import Unsatisfiable, ValueDraw
from mcpgen.samples.mutator import SchemaVocabulary, mutate_value
from mcpgen.schema.document import SchemaDocument
from mcpgen.schema.values import Json

T = TypeVar("T")
MOST_EXAMPLE_ATTEMPTS = 60
"""Attempts at a valid example."""


class ValueGenerator:
    """Draws JSON values for one schema; whether a value is valid is for a validator to say."""

    def __init__(self, schema: Json, dialect: str) -> None:
        self._schema, self._dialect = schema, dialect
        self._document = SchemaDocument(schema, dialect)
        self._words: SchemaVocabulary | None = None

    def draw_value(self, random: Random) -> Json:
        """A value that follows the schema as well as simple means allow."""
        draw = ValueDraw(self._document, random)
        try:
            return draw.draw_value((self._document.root,), 0)
        except Unsatisfiable:
            return draw.last[0] if draw.last else draw.draw_anything(0)

    def mutate_value(self, value: Json, random: Random) -> Json:
        """A copy of a value with a change that is likely to make it invalid, or sits on a boundary."""
        if self._words is None:
            self._words = SchemaVocabulary(self._schema, self._dialect)
        return mutate_value(value, self._words, random)

    def find_example(self) -> Json | None:
        """A small valid value to show to people, the same each time; None when none is found (or it is null).

        Raises:
            ValueError: the validator refuses the schema.
        """
        for seed in range(MOST_EXAMPLE_ATTEMPTS):
            nice = 3 - seed if seed < 3 else seed % 2
            try:
                value = ValueDraw(self._document, Random(seed), nice).draw_value((self._document.root,), 0)
            except Unsatisfiable:
                continue
            if self._document.is_valid(self._document.root, value):
                return value
        return None
