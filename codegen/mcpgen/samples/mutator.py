"""Small random changes to a JSON value that are likely to make it invalid, or to put it on a bound."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeAlias

from mcpgen.samples.scalars import ODD_CHARACTERS
from mcpgen.schema.keywords import DEFINITION_KEYWORDS, SCHEMA_MAP_KEYWORDS, iterate_subschemas
from mcpgen.schema.values import Json

_UNUSUAL_NAMES = ("extra", "class", "model_config", "__init__", "a b", "")
"""Property names that generated code could mishandle."""
_NAMING_KEYWORDS = SCHEMA_MAP_KEYWORDS - DEFINITION_KEYWORDS - {"patternProperties"}
"""Keywords whose members are named like properties."""


@dataclass
class SchemaVocabulary:
    """Material for near misses."""

    numbers: list[int | float] = field(default_factory=list[int | float])
    """Values of numeric keywords, most of them bounds."""
    constants: list[Json] = field(default_factory=list[Json])
    """Values of `enum` and `const`."""
    names: list[str] = field(default_factory=lambda: [*_UNUSUAL_NAMES])
    """Names of properties, and some unusual ones."""


def collect_vocabulary(schema: Json, dialect: str) -> SchemaVocabulary:
    """Return the vocabulary of a schema and all its subschemas."""
    vocabulary = SchemaVocabulary()
    stack = [schema]
    while stack:
        subschema = stack.pop()
        if not isinstance(subschema, dict):
            continue
        stack.extend(nested for _, nested in iterate_subschemas(subschema, dialect))
        for keyword, value in subschema.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                vocabulary.numbers.append(value)
            elif keyword == "enum" and isinstance(value, list):
                vocabulary.constants.extend(value)
            elif keyword in _NAMING_KEYWORDS and isinstance(value, dict):
                vocabulary.names.extend(value)
        if "const" in subschema:
            vocabulary.constants.append(subschema["const"])
    return vocabulary


KeyPath: TypeAlias = tuple[str | int, ...]
MOST_MUTATED_PATHS = 400
"""Paths in a value among which the change is chosen."""
EDGE_VALUES: tuple[Json, ...] = (
    None, True, False, 0, 1, 1.0, -1, 0.5, 1e300, 2**53 + 1, 2**63, -(2**63) - 1, 2**64, 10**30, "", "1", "true",
    "null", "a", "😀", "\x00", [], [None], [[]], {}, {"": None}, {"__proto__": 1},
)  # fmt: skip
"""Values that careless code mishandles."""
_EDGE_CHARACTERS = "aA0 -" + ODD_CHARACTERS


def mutate_value(value: Json, vocabulary: SchemaVocabulary, random: Random) -> Json:
    """Return a copy of a value with one change, sometimes with two."""
    mutated = _mutate_once(deepcopy(value), vocabulary, random)
    return _mutate_once(mutated, vocabulary, random) if random.random() < 0.2 else mutated


def _mutate_once(value: Json, vocabulary: SchemaVocabulary, random: Random) -> Json:
    """Replace a random part of a value in place, or return a replacement of the whole."""
    path = random.choice(list(_iterate_paths(value)))
    if not path:
        return _replace_value(value, vocabulary, random)
    container: Any = value
    for key in path[:-1]:
        container = container[key]
    container[path[-1]] = _replace_value(container[path[-1]], vocabulary, random)
    return value


def _iterate_paths(value: Json) -> Iterator[KeyPath]:
    """Yield the paths to all parts of a value, itself first; containers twice, since they offer more changes."""
    queue: list[tuple[KeyPath, Json]] = [((), value)]
    for count, (path, part) in enumerate(queue):
        yield path
        if count >= MOST_MUTATED_PATHS:
            return
        if isinstance(part, dict):
            yield path
            queue.extend(((*path, key), member) for key, member in part.items())
        elif isinstance(part, list):
            yield path
            queue.extend(((*path, index), item) for index, item in enumerate(part))


def _replace_value(value: Json, vocabulary: SchemaVocabulary, random: Random) -> Json:
    if random.random() < 0.2 or value is None:
        return deepcopy(random.choice((*EDGE_VALUES, *vocabulary.constants)))
    match value:
        case dict():
            return _mutate_object(value, vocabulary, random)
        case list():
            return _mutate_array(value, random)
        case str():
            return _mutate_string(value, vocabulary, random)
        case bool():
            return random.choice((not value, int(value), float(value), None, str(value).lower()))
        case int() | float():
            return _mutate_number(value, vocabulary, random)


def _mutate_object(value: dict[str, Json], vocabulary: SchemaVocabulary, random: Random) -> Json:
    names = list(value)
    name = random.choice(names) if names else ""
    changes: list[Callable[[], Json]] = [
        lambda: {**value, random.choice(vocabulary.names): deepcopy(random.choice(EDGE_VALUES))},
        lambda: {},
        lambda: [value],
    ]
    if names:
        changes += [
            lambda: {key: member for key, member in value.items() if key != name},
            lambda: {key: member for key, member in value.items() if key != name},
            lambda: {**value, name: None},
            lambda: {
                **value,
                random.choice((f"{name}_", name.upper(), name.replace("-", "_"), f"_{name}")): value[name],
            },
            lambda: {key: value[key] for key in random.sample(names, len(names))},
        ]
    return random.choice(changes)()


def _mutate_array(value: list[Json], random: Random) -> Json:
    changes: list[Callable[[], Json]] = [
        lambda: [],
        lambda: [*value, deepcopy(random.choice(EDGE_VALUES))],
        lambda: {str(index): item for index, item in enumerate(value)},
    ]
    if value:
        index = random.randrange(len(value))
        changes += [
            lambda: value[:index] + value[index + 1 :],
            lambda: [*value, deepcopy(value[index])],
            lambda: value[::-1],
            lambda: [value[index], *value],
            lambda: value[index],
        ]
    return random.choice(changes)()


def _mutate_string(value: str, vocabulary: SchemaVocabulary, random: Random) -> Json:
    texts = [constant for constant in vocabulary.constants if isinstance(constant, str)] or [""]
    changes: tuple[Callable[[], Json], ...] = (
        lambda: value + random.choice(_EDGE_CHARACTERS),
        lambda: random.choice(_EDGE_CHARACTERS) + value,
        lambda: value[:-1],
        lambda: value[1:],
        lambda: "",
        lambda: value * 2,
        lambda: value.swapcase(),
        lambda: value + "\n",
        lambda: random.choice(texts),
        lambda: [value],
        lambda: None,
    )
    return random.choice(changes)()


def _mutate_number(value: int | float, vocabulary: SchemaVocabulary, random: Random) -> Json:
    bound = random.choice(vocabulary.numbers) if vocabulary.numbers else 0
    step = random.choice((-1, 0, 1, 0.5, -1e-9))
    changes: tuple[Callable[[], int | float], ...] = (
        lambda: value + 1,
        lambda: value - 1,
        lambda: value + 0.5,
        lambda: -value,
        lambda: float(value),
        lambda: int(value),
        lambda: bound,
        lambda: bound + step,
        lambda: value * 10**20,
    )
    if random.random() < 0.15:
        other_types: tuple[Json, ...] = (str(value), value != 0, None, [value])
        return random.choice(other_types)
    try:
        mutated = random.choice(changes)()
    except OverflowError:
        return 0
    return mutated if isinstance(mutated, int) or math.isfinite(mutated) else 0


MOST_SHRINK_ATTEMPTS = 2_000
"""Attempts at a smaller value."""


def shrink_value(value: Json, fails: Callable[[Json], bool]) -> Json:
    """Return a value that still fails, but of which no single part can be left out or simplified.

    It is the smallest that was found in `MOST_SHRINK_ATTEMPTS` attempts.
    """
    attempts = 0
    improved = True
    while improved:
        improved = False
        for simpler in simplify_value(value):
            attempts += 1
            if attempts > MOST_SHRINK_ATTEMPTS:
                return value
            if fails(simpler):
                value, improved = simpler, True
                break
    return value


def simplify_value(value: Json) -> Iterator[Json]:
    """Yield copies of a value in which one part is left out or simpler."""
    match value:
        case dict():
            yield from value.values()
            for key in value:
                yield {name: member for name, member in value.items() if name != key}
            for key, member in value.items():
                for simpler in simplify_value(member):
                    yield {**value, key: simpler}
        case list():
            yield from value
            for index in range(len(value)):
                yield value[:index] + value[index + 1 :]
            for index, item in enumerate(value):
                for simpler in simplify_value(item):
                    yield [*value[:index], simpler, *value[index + 1 :]]
        case str() if value:
            yield ""
            yield value[: len(value) // 2]
            yield value[1:]
        case bool() | None | str():
            return
        case int() | float():
            if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
                yield int(value)
            for simpler in (0, 1, int(value / 2) if abs(value) < 2**53 else 2**53):
                if abs(simpler) < abs(value):
                    yield simpler
