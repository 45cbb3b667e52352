"""Random changes to JSON Schemas: pairs of schemas that have much in common, for the relation between them."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

from mcpgen.schema.keywords import iterate_subschemas
from mcpgen.schema.values import Json
from support.random_keywords import NAMES, NUMBERS, PATTERNS, VALUES

TYPES = ["object", "array", "string", "integer", "number", "boolean", "null"]


def changed(schema: dict[str, Any], dialect: str, random: Random) -> dict[str, Any]:
    """A copy of a schema with one to three small changes, which may make it wider, narrower or both."""
    out = deepcopy(schema)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        places = [item for item in _places(out, dialect) if isinstance(item, dict)]
        _change(random.choice(places), random)
    return out


def _places(schema: Json, dialect: str) -> list[Json]:
    places: list[Json] = [schema]
    for item in places:  # which grows on the way
        if isinstance(item, dict):
            places.extend(inner for _, inner in iterate_subschemas(item, dialect))
    return places


def _change(place: dict[str, Any], random: Random) -> None:
    plain = [
        keyword for keyword in place if keyword not in ("$defs", "definitions", "$id", "$anchor", "$ref", "$schema")
    ]
    changes: list[Callable[[dict[str, Any], Random], None]] = [_type, _required, _bound, _property, _closed, _other]
    if plain and random.random() < 0.35:
        del place[random.choice(plain)]
    else:
        random.choice(changes)(place, random)


def _type(place: dict[str, Any], random: Random) -> None:
    named = place.get("type")
    kinds = [named] if isinstance(named, str) else list(named or [])
    if kinds and random.random() < 0.5:
        kinds.remove(random.choice(kinds))
    if not kinds or random.random() < 0.7:
        kinds.append(random.choice([item for item in TYPES if item not in kinds]))
    place["type"] = kinds if len(kinds) > 1 else kinds[0]


def _required(place: dict[str, Any], random: Random) -> None:
    names = list(place.get("required", []))
    if names and random.random() < 0.6:
        names.remove(random.choice(names))
    else:
        pool = [name for name in [*place.get("properties", {}), random.choice(NAMES)] if name not in names]
        names += [random.choice(pool)] if pool else []
    place["required"] = names


def _bound(place: dict[str, Any], random: Random) -> None:
    bounds = [
        keyword for keyword, value in place.items() if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    if bounds and random.random() < 0.7:
        keyword = random.choice(bounds)
        place[keyword] = max(0, place[keyword] + random.choice((-1, 1, 2))) if place[keyword] < 1e6 else 1
        if keyword == "multipleOf":
            place[keyword] = place[keyword] or 1
        return
    keyword = random.choice(
        "minimum maximum exclusiveMinimum minLength maxLength minItems maxItems minProperties".split()
    )
    place[keyword] = random.choice(NUMBERS) if "imum" in keyword else random.randint(0, 3)


def _property(place: dict[str, Any], random: Random) -> None:
    properties = place.setdefault("properties", {})
    if properties and random.random() < 0.4:
        del properties[random.choice(list(properties))]
    elif isinstance(properties, dict):
        properties[random.choice(NAMES)] = {"type": random.choice(TYPES)}


def _closed(place: dict[str, Any], random: Random) -> None:
    keyword = random.choice(("additionalProperties", "additionalProperties", "unevaluatedProperties", "items"))
    place[keyword] = random.choice((False, True, {"type": random.choice(TYPES)}))


def _other(place: dict[str, Any], random: Random) -> None:
    if "enum" in place and random.random() < 0.7:
        place["enum"] = [value for value in place["enum"] if random.random() < 0.7] or [random.choice(VALUES)]
        return
    keyword = random.choice(("enum", "pattern", "uniqueItems", "anyOf", "oneOf", "not", "allOf", "if", "contains"))
    values_by_keyword: dict[str, Any] = {
        "enum": [random.choice(VALUES)],
        "pattern": random.choice(PATTERNS),
        "uniqueItems": True,
        "not": {"type": random.choice(TYPES)},
        "if": {"required": [random.choice(NAMES)]},
        "contains": {"type": random.choice(TYPES)},
    }
    branches: list[Any] = [{"type": random.choice(TYPES)}, {"const": random.choice(VALUES)}]
    if keyword in place and isinstance(place[keyword], list):
        place[keyword].append(random.choice(branches))
    else:
        place[keyword] = deepcopy(values_by_keyword.get(keyword) or branches)
