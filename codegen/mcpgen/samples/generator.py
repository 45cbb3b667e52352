"""JSON values for one schema: probably valid ones, near misses, and an example for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from mcpgen.samples.context import DrawStyle, Unsatisfiable
from mcpgen.samples.draw import ValueDraw
from mcpgen.samples.mutator import mutate_value
from mcpgen.samples.vocabulary import SchemaVocabulary, collect_vocabulary
from mcpgen.schema.document import SchemaDocument
from mcpgen.schema.values import Json

_EXAMPLE_STYLES = (DrawStyle.EXAMPLES, DrawStyle.FIRST, DrawStyle.PLAIN, *(DrawStyle.PLAIN, DrawStyle.VARIED) * 29)
"""Style of each attempt at a valid example; the number of the attempt is its seed."""
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
        """Return a valid value for people, always the same one; None where none is found, or it is null.

        It has all properties if that is possible.

        Raises:
            ValueError: the validator refuses the schema.
        """
        return next(self._iterate_valid((DrawStyle.FULL, *_EXAMPLE_STYLES)), None)

    def iterate_examples(self) -> Iterator[Json]:
        """Yield small valid values for people, the most readable first; the same ones every time.

        Raises:
            ValueError: the validator refuses the schema.
        """
        return self._iterate_valid(_EXAMPLE_STYLES)

    def _iterate_valid(self, styles: Sequence[DrawStyle]) -> Iterator[Json]:
        drawn_values = 0
        for seed, style in enumerate(styles):
            if drawn_values > _MOST_EXAMPLE_VALUES:
                return
            draw = ValueDraw(self._document, Random(seed), style)
            try:
                value = draw.draw_value((self._document.root,), 0)
            except Unsatisfiable:
                continue
            finally:
                drawn_values += draw.drawn_values
            if self._document.is_valid(self._document.root, value):
                yield value
