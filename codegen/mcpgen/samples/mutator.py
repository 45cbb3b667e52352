"""Small random changes to a JSON value that are likely to make it invalid, or to put it on a bound."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import TypeAlias

from mcpgen.samples.text import ODD_CHARACTERS
from mcpgen.samples.vocabulary import SchemaVocabulary
from mcpgen.schema.values import Json

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
    container = value
    for key in path[:-1]:
        container = _get_member(container, key)
    replacement = _replace_value(_get_member(container, path[-1]), vocabulary, random)
    if isinstance(container, dict):
        container[str(path[-1])] = replacement
    elif isinstance(container, list):
        container[int(path[-1])] = replacement
    return value


def _get_member(container: Json, key: str | int) -> Json:
    if isinstance(container, dict):
        return container[str(key)]
    assert isinstance(container, list)
    return container[int(key)]


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
    if random.random() < 0.2:
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
        case None:
            return deepcopy(random.choice((*EDGE_VALUES, *vocabulary.constants)))


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
            lambda: {**value, random.choice(_list_similar_names(name)): value[name]},
            lambda: {key: value[key] for key in random.sample(names, len(names))},
        ]
    return random.choice(changes)()


def _list_similar_names(name: str) -> tuple[str, ...]:
    return name + "_", name.upper(), name.replace("-", "_"), "_" + name


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
