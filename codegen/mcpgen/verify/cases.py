"""Arguments that test a definition: those that it has to accept, and near misses that it has to refuse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from random import Random
from typing import Any, cast

from mcpgen.samples.generator import MIXED_STYLES, ValueGenerator
from mcpgen.samples.mutator import collect_vocabulary
from mcpgen.schema.document import make_check
from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect
from mcpgen.schema.values import Json, as_array, as_object, canonicalize, get_json_type

_MOST_CANDIDATES = 12
"""Candidates that are looked at for each call, since many are the same, or no use."""
_LONGEST_TEXT, _LONGEST_ARRAY = 5_000, 100
_OTHER_TYPES: tuple[Json, ...] = (None, "text", 2.5, {}, [])
"""What no lenient reader takes for a value of another type, as it may take `"17"` for 17, or true for 1."""


@dataclass(frozen=True)
class Case:
    """Arguments of a call; with the keyword of the schema that refuses them, the server has to refuse them, too."""

    arguments: dict[str, Json]
    refusal: str = ""
    violations: str = ""


class ArgumentCases:
    """Arguments for a schema; raises ValueError if the validator refuses the schema."""

    def __init__(self, schema: Json, seed: str) -> None:
        self._seed, dialect = seed, detect_dialect(schema) or DRAFT_2020_12
        self._check, self._check_formats = make_check(schema), make_check(schema, asserts_formats=True)
        self._examples, self._generator = as_array(as_object(schema).get("examples")), ValueGenerator(schema, dialect)
        vocabulary = collect_vocabulary(schema, dialect)
        bounds = sorted({number for number in vocabulary.numbers if abs(number) < 2**53}, reverse=True)
        self._constants, self._edges = vocabulary.constants, [bound + step for bound in bounds for step in (0, -1, 1)]
        self._sizes = sorted({int(edge) for edge in self._edges if 1 <= edge <= _LONGEST_TEXT}, reverse=True)

    def classify(self, arguments: Json) -> Case | None:
        """Return arguments as a case; None if only their formats are wrong, which JSON Schema leaves open."""
        if not isinstance(arguments, dict):
            return None
        case = Case(arguments, *self._check(arguments))
        return case if case.refusal or not any(self._check_formats(arguments)) else None

    def plan(self, most: int) -> list[Case]:
        """Return at most so many cases, a third of them near misses if there are enough of both.

        Those to accept are the declared examples, one with all members, this one without each optional member, with
        each member of an enum and at each bound, then drawn values, and variations of them.
        """
        full = self._generator.find_example() or {}
        candidates = chain(self._examples, (full,), self._vary(full), self._draw_variations())
        accepted: dict[str, Case] = {}
        refused: dict[str, list[Case]] = {}
        for case in map(self.classify, islice(candidates, _MOST_CANDIDATES * most)):
            if case is not None and case.refusal:
                refused.setdefault(case.refusal, []).append(case)
            elif case is not None:
                accepted.setdefault(canonicalize(case.arguments), case)
        near_misses = [*_alternate(refused.values())][: max(most // 3, most - len(accepted))]
        return [*islice(accepted.values(), most - len(near_misses)), *near_misses]

    def _draw_variations(self) -> Iterator[Json]:
        """Yield drawn values, each with some variations of it."""
        random = Random(self._seed)
        for value in self._generator.iterate_examples(MIXED_STYLES, self._seed):
            variations = [*islice(self._vary(value), 100)]
            yield from (value, *random.sample(variations, min(len(variations), 4)))

    def _vary(self, value: Any) -> Iterator[Any]:
        """Yield copies of a value with one part left out or changed, the most telling changes of all parts first."""
        if isinstance(value, dict):
            members = cast("dict[str, Json]", value)
            yield from ({key: members[key] for key in members if key != name} for name in members)
            yield {**members, "mcpgen_unknown": 1}
            yield from _alternate(self._vary_at(value, name) for name in members)
        elif isinstance(value, list):
            items = cast("list[Json]", value)
            yield from _alternate(self._vary_at(items, index) for index in range(min(len(items), 2)))

    def _vary_at(self, value: Any, place: str | int) -> Iterator[Any]:
        """Yield copies of an object or array with another part at a place."""
        for part in self._vary_part(value[place]):
            copy = value.copy()
            copy[place] = part
            yield copy

    def _vary_part(self, part: Json) -> Iterator[Json]:
        kind = get_json_type(part)
        yield from (constant for constant in self._constants if get_json_type(constant) == kind)
        match part:  # at bounds of the schema, and near the part
            case bool():
                yield not part
            case str():
                yield from ((part or "x").ljust(size, "x")[:size] for size in self._sizes)
                yield from ("", f"{part}x")
            case list():
                yield from ([], part + part)
                yield from ((part or ["x"])[:1] * size for size in self._sizes if size <= _LONGEST_ARRAY)
            case int() | float():
                yield from (*self._edges, 0, -1, part + 0.5)
            case _:
                pass
        yield from (other for other in _OTHER_TYPES if get_json_type(other) != kind)
        yield from self._vary(part)


def _alternate(rows: Iterable[Iterable[Any]]) -> Iterator[Any]:
    """Yield the first item of each row, then the second of each, and so on."""
    for column in zip_longest(*rows, fillvalue=_alternate):
        yield from (item for item in column if item is not _alternate)
