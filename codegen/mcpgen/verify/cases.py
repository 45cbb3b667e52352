"""Requests that test a definition: those that it has to answer, and near misses that it has to refuse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from random import Random
from typing import Any

from mcpgen_runtime.schema_keywords import contained

from mcpgen.samples.generator import MIXED_STYLES, ValueGenerator
from mcpgen.samples.mutator import KeyPath, SchemaVocabulary, collect_vocabulary
from mcpgen.schema.document import SubschemaValidators
from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect
from mcpgen.schema.values import Json, as_array, canonicalize, get_json_type

_MOST_VARIED_PATHS = 60
_OTHER_TYPES: tuple[Json, ...] = ("text", 17, 2.5, True, [], {})
_MOST_REPEATED_LENGTH = 5_000


@dataclass(frozen=True)
class Case:
    """Arguments of a call."""

    arguments: dict[str, Json]
    is_valid: bool
    """Whether the schema of the arguments accepts them, so that the server has to."""


class ArgumentCases:
    """Arguments for a schema, simple ones first; raises ValueError if the validator refuses the schema."""

    def __init__(self, schema: Json, seed: str) -> None:
        self._schema, self._seed = schema, seed
        dialect = detect_dialect(schema) or DRAFT_2020_12
        self._generator = ValueGenerator(schema, dialect)
        self._vocabulary = collect_vocabulary(schema, dialect)
        self._strict = SubschemaValidators(schema, dialect, asserts_formats=True).find_validator("")
        self._validator = SubschemaValidators(schema, dialect).find_validator("")

    @contained()
    def classify(self, arguments: Json) -> Case | None:
        """Return arguments as a case; None if only their formats are wrong, of which JSON Schema says nothing."""
        if not isinstance(arguments, dict):
            return None
        is_valid = bool(self._validator.is_valid(arguments))
        return None if is_valid and not self._strict.is_valid(arguments) else Case(arguments, is_valid)

    def plan(self, most: int) -> list[Case]:
        """Return at most so many cases, a third of them near misses if there are enough of both.

        Those to accept are the declared examples, then each variation of an example: without each optional member,
        with each member of an enum, and at each bound; then drawn values.
        """
        examples = [*islice(self._iterate_examples(), 3)]
        varied = chain.from_iterable(map(self._vary, examples[-1:]))
        drawn = self._generator.iterate_examples(MIXED_STYLES, self._seed)
        candidates = chain(examples, varied, drawn, self._mutate(examples))
        accepted: dict[str, Case] = {}
        refused: dict[str, Case] = {}
        for candidate in islice(candidates, 20 * most):
            case = self.classify(candidate)
            if case is not None:
                (accepted if case.is_valid else refused).setdefault(canonicalize(case.arguments), case)
        near_misses = [*refused.values()][: max(most // 3, most - len(accepted))]
        return [*islice(accepted.values(), most - len(near_misses)), *near_misses]

    def _iterate_examples(self) -> Iterator[Json]:
        """Yield the declared examples, and one with all members."""
        if isinstance(self._schema, dict):
            yield from as_array(self._schema.get("examples"))
        full = self._generator.find_example()
        yield {} if full is None else full

    def _vary(self, example: Json) -> Iterator[Json]:
        """Yield copies of an example with one part changed, the most telling changes of all parts first."""
        paths = [*islice(_iterate_paths(example), _MOST_VARIED_PATHS)]
        changes = [_list_changes(_find(example, path), self._vocabulary) for path in paths]
        for path in paths:
            yield _change(example, path, None, is_removed=True)
        yield {**example, "mcpgen_unknown": 1} if isinstance(example, dict) else example
        for row in zip_longest(*changes):
            yield from (_change(example, path, item[0]) for path, item in zip(paths, row, strict=True) if item)

    def _mutate(self, examples: Sequence[Json]) -> Iterator[Json]:
        random = Random(self._seed)
        while True:
            yield self._generator.mutate_value(random.choice(examples), random)


def _iterate_paths(value: Json, path: KeyPath = ()) -> Iterator[KeyPath]:
    """Yield the paths to the parts of a value, the outer ones first."""
    queue = [(path, value)]
    for at, part in queue:
        if at:
            yield at
        if isinstance(part, dict):
            queue += [((*at, key), member) for key, member in part.items()]
        elif isinstance(part, list):
            queue += [((*at, index), item) for index, item in enumerate(part[:2])]


def _find(value: Json, path: KeyPath) -> Json:
    part: Any = value
    for key in path:
        part = part[key]
    return part  # type: ignore[no-any-return]


def _change(value: Json, path: KeyPath, part: Json, is_removed: bool = False) -> Json:
    """Return a copy of a value with another part at a path, or without that part."""
    copy: Any = deepcopy(value)
    container = copy
    for key in path[:-1]:
        container = container[key]
    if is_removed:
        del container[path[-1]]
    else:
        container[path[-1]] = part
    return copy  # type: ignore[no-any-return]


def _list_changes(part: Json, vocabulary: SchemaVocabulary) -> list[tuple[Json]]:
    """Return what may stand in place of a part, each alone in a tuple: constants, bounds, null, other types."""
    kind = get_json_type(part)
    changes: list[Json] = [constant for constant in vocabulary.constants if get_json_type(constant) == kind]
    whole = sorted({int(number) for number in vocabulary.numbers if abs(number) < 2**53})
    if isinstance(part, str):
        lengths = [
            length + step for length in whole for step in (0, -1, 1) if 0 <= length + step <= _MOST_REPEATED_LENGTH
        ]
        changes += ["", *((part or "x") * (length // len(part or "x") + 1) for length in lengths)]
        changes += [((part or "x") * (length + 1))[:length] for length in lengths]
    elif isinstance(part, int | float) and not isinstance(part, bool):
        changes += [number + step for number in vocabulary.numbers for step in (0, -1, 1)]
        changes += [0, -1, part + 0.5]
    elif isinstance(part, list):
        changes += [[], [*part, *part], *([(part or [None])[0]] * count for count in whole if count <= 100)]
    elif isinstance(part, bool):
        changes.append(not part)
    changes += [None, *(other for other in _OTHER_TYPES if get_json_type(other) != kind)]
    return [(change,) for change in changes]
