"""Small changes to a JSON value that are likely to break its schema, or to land on one of its bounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import TypeAlias

from mcpgen.samples.strings import ODD_CHARACTERS
from mcpgen.schema.keywords import iterate_subschemas
from mcpgen.schema.values import Json

KeyPath: TypeAlias = tuple[str | int, ...]
MOST_MUTATED_PLACES = 400

EDGE_VALUES: tuple[Json, ...] = (
    None, True, False, 0, 1, 1.0, -1, 0.5, 1e300, 2**53 + 1, 2**63, -(2**63) - 1, 2**64, 10**30, "", "1", "true",
    "null", "a", "😀", "\x00", [], [None], [[]], {}, {"": None}, {"__proto__": 1},
)  # fmt: skip


class SchemaVocabulary:
    """What a schema speaks of: its bounds, its constants and its property names, as material for near misses."""

    def __init__(self, schema: Json, dialect: str) -> None:
        self.numbers: list[int | float] = []
        self.constants: list[Json] = []
        self.names: list[str] = ["extra", "class", "model_config", "__init__", "a b", ""]
        stack = [schema]
        while stack:
            here = stack.pop()
            if not isinstance(here, dict):
                continue
            stack.extend(inner for _, inner in iterate_subschemas(here, dialect))
            for word, value in here.items():
                if isinstance(value, int | float) and not isinstance(value, bool):
                    self.numbers.append(value)
                elif word == "enum" and isinstance(value, list):
                    self.constants.extend(value)
                elif word in ("properties", "dependentSchemas", "dependencies") and isinstance(value, dict):
                    self.names.extend(value)
            if "const" in here:
                self.constants.append(here["const"])


def mutate_value(value: Json, words: SchemaVocabulary, random: Random) -> Json:
    """A copy of a value with one change, now and then with two."""
    out = _mutate_once(deepcopy(value), words, random)
    return _mutate_once(out, words, random) if random.random() < 0.2 else out


def _mutate_once(value: Json, words: SchemaVocabulary, random: Random) -> Json:
    path = random.choice(list(_list_paths(value)))
    if not path:
        return _replace_value(value, words, random)
    holder = value
    for key in path[:-1]:
        holder = _get_member(holder, key)
    new = _replace_value(_get_member(holder, path[-1]), words, random)
    if isinstance(holder, dict):
        holder[str(path[-1])] = new
    elif isinstance(holder, list):
        holder[int(path[-1])] = new
    return value


def _get_member(holder: Json, key: str | int) -> Json:
    if isinstance(holder, dict):
        return holder[str(key)]
    assert isinstance(holder, list)
    return holder[int(key)]


def _list_paths(value: Json) -> Iterator[KeyPath]:
    """The places in a value, itself first; containers twice, since there is more to change in them."""
    queue: list[tuple[KeyPath, Json]] = [((), value)]
    for count, (path, here) in enumerate(queue):
        yield path
        if count >= MOST_MUTATED_PLACES:
            return
        if isinstance(here, dict):
            yield path
            queue.extend(((*path, key), inner) for key, inner in here.items())
        elif isinstance(here, list):
            yield path
            queue.extend(((*path, index), inner) for index, inner in enumerate(here))


def _replace_value(value: Json, words: SchemaVocabulary, random: Random) -> Json:
    if random.random() < 0.2:
        return deepcopy(random.choice((*EDGE_VALUES, *words.constants)))
    match value:
        case dict():
            return _mutate_object(value, words, random)
        case list():
            return _mutate_array(value, random)
        case str():
            return _mutate_string(value, words, random)
        case bool():
            return random.choice((not value, int(value), float(value), None, str(value).lower()))
        case int() | float():
            return _mutate_number(value, words, random)
        case None:
            return deepcopy(random.choice((*EDGE_VALUES, *words.constants)))


def _mutate_object(value: dict[str, Json], words: SchemaVocabulary, random: Random) -> Json:
    names = list(value)
    one = random.choice(names) if names else ""
    changes: list[Callable[[], Json]] = [
        lambda: {**value, random.choice(words.names): deepcopy(random.choice(EDGE_VALUES))},
        lambda: {},
        lambda: [value],
    ]
    if names:
        changes += [
            lambda: {key: inner for key, inner in value.items() if key != one},
            lambda: {key: inner for key, inner in value.items() if key != one},
            lambda: {**value, one: None},
            lambda: {**value, random.choice((one + "_", one.upper(), one.replace("-", "_"), "_" + one)): value[one]},
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


def _mutate_string(value: str, words: SchemaVocabulary, random: Random) -> Json:
    texts = [one for one in words.constants if isinstance(one, str)] or [""]
    changes: tuple[Callable[[], Json], ...] = (
        lambda: value + random.choice("aA0 -" + ODD_CHARACTERS),
        lambda: random.choice("aA0 -" + ODD_CHARACTERS) + value,
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


def _mutate_number(value: int | float, words: SchemaVocabulary, random: Random) -> Json:
    bound = random.choice(words.numbers) if words.numbers else 0
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
        others: tuple[Json, ...] = (str(value), value != 0, None, [value])
        return random.choice(others)
    try:
        new = random.choice(changes)()
    except OverflowError:
        return 0
    return new if isinstance(new, int) or math.isfinite(new) else 0
