"""What `diff` says of two schemas, checked against values: drawn ones, and changes whose effect is known."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import unquote

import jsonschema_rs
from mcpgen.compat.counterexample import WitnessSearch
from mcpgen.compat.gap import Gap
from mcpgen.compat.inclusion.keyword_rules import find_gaps
from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.samples.generator import ValueGenerator
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12, detect_dialect, iterate_subschemas
from mcpgen.schema.values import Json, follow_pointer, parse_pointer
from mcpgen_runtime.schema_keywords import select_custom_keywords
from support.corpus import tools_of
from support.random_schemas import schema
from support.schema_changes import changed

AT_ROOT = ("$schema", "$id", "$defs", "definitions")
"""What has to stay at the root for references to lead where they did."""
LARGE = 20_000
"""Characters of a real schema from which on no values are drawn: what its changes do is known anyway."""
INDEPENDENT = 5
"""One of so many random pairs is of two schemas that have nothing to do with each other."""


@dataclass
class Tally:
    """How often `diff` said what, and where it was wrong."""

    counts: Counter[str] = field(default_factory=Counter[str])
    wrong: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def add(self, other: Tally) -> None:
        self.counts += other.counts
        self.wrong += other.wrong


def validator(schema: Json, dialect: str) -> Callable[[Json], bool] | None:
    """jsonschema-rs on a schema, None when it refuses it."""
    cls = jsonschema_rs.Draft7Validator if dialect == DRAFT_07 else jsonschema_rs.Draft202012Validator
    assert isinstance(schema, dict | bool)
    try:
        keywords = select_custom_keywords(dialect == DRAFT_07)
        return cls(schema, validate_formats=False, offline=True, keywords=keywords).is_valid
    except (ValueError, jsonschema_rs.ValidationError):
        return None


def drawn(producer: Json, consumer: Json, dialect: str, draws: int) -> Iterator[Json]:
    """Values of the producer's schema or near one of the two, whatever they are worth."""
    drawers = ValueGenerator(producer, dialect), ValueGenerator(consumer, dialect)
    for index in range(draws):
        random = Random(f"oracle {index}")
        value = drawers[0].draw_value(random)
        yield value
        bent = value
        for drawer in (drawers[1], drawers[0], drawers[1]):
            bent = drawer.mutate_value(bent, random)
            yield bent
        if index % 4 == 0:
            yield drawers[0].mutate_value(drawers[1].draw_value(random), random)


def counterexample(producer: Json, consumer: Json, dialect: str, draws: int) -> list[Json]:
    """A value of the producer's schema that is none of the consumer's, or nothing."""
    accepts, wants = validator(producer, dialect), validator(consumer, dialect)
    assert accepts is not None
    assert wants is not None
    for value in drawn(producer, consumer, dialect, draws):
        try:
            if accepts(value) and not wants(value):
                return [value]
        except (ValueError, UnicodeEncodeError):
            continue
    return []


def verdict(producer: Json, consumer: Json, dialect: str) -> tuple[str, list[Gap]]:
    """`compatible`, `breaking` or `undecided`, as the command says it of schemas."""
    books = SchemaView(producer, dialect), SchemaView(consumer, dialect)
    gaps = find_gaps(*books)
    if not gaps:
        return "compatible", gaps
    if any(gap.certain for gap in gaps):
        return "breaking", gaps
    search = WitnessSearch(*books)
    text = any(search.find_for_gap(gap, 40) is not None for gap in gaps) or search.find_anywhere(120) is not None
    return "breaking" if text else "undecided", gaps


def random_pair(seed: int, draws: int, tally: Tally) -> None:
    """Two random schemas: mostly one and a copy of it with a few changes, in either order."""
    random = Random(seed)
    dialect = DRAFT_07 if seed % 3 == 0 else DRAFT_2020_12
    first = schema(random, dialect)
    second = schema(random, dialect) if seed % INDEPENDENT == 0 else changed(first, dialect, random)
    producer, consumer = (first, second) if random.random() < 0.5 else (second, first)
    if not all(_sound(item, dialect) for item in (producer, consumer)):
        tally.counts["left out"] += 1
        return
    answer, _ = verdict(producer, consumer, dialect)
    tally.counts[answer] += 1
    if answer == "compatible" and (witness := counterexample(producer, consumer, dialect, draws)):
        tally.wrong.append({"seed": seed, "producer": producer, "consumer": consumer, "value": witness[0]})


def _sound(value: Json, dialect: str) -> bool:
    assert isinstance(value, dict)
    try:
        jsonschema_rs.meta.validate({"$schema": dialect, **value})
    except (jsonschema_rs.ValidationError, ValueError):
        return False
    return validator(value, dialect) is not None


# --- real schemas ----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Known:
    """A change to a schema of which it is known whether it lets new values in, and whether it keeps old ones out."""

    name: str
    before: Json
    after: Json
    widens: bool
    narrows: bool


def corpus_pairs(source: str, count: int, draws: int) -> Tally:
    """Changes to the outputSchemas and inputSchemas of one file, judged in both directions."""
    tally = Tally()
    for tool in tools_of(source):
        for side in ("inputSchema", "outputSchema"):
            if side not in tool:
                continue
            tally.counts["schemas"] += 1
            dialect = detect_dialect(tool[side]) or DRAFT_2020_12
            draws = 0 if len(json.dumps(tool[side])) > LARGE else draws
            for item in known_changes(tool[side], dialect, count, Random(f"{source}/{tool['name']}/{side}")):
                _judge(
                    item.before, item.after, item.narrows, dialect, draws, tally, f"{tool['name']} {side} {item.name}"
                )
                _judge(
                    item.after,
                    item.before,
                    item.widens,
                    dialect,
                    draws,
                    tally,
                    f"{tool['name']} {side} {item.name}, back",
                )
    return tally


def _judge(producer: Json, consumer: Json, breaks: bool, dialect: str, draws: int, tally: Tally, name: str) -> None:
    answer, gaps = verdict(producer, consumer, dialect)
    tally.counts[f"{answer}, {'breaks' if breaks else 'does not break'}"] += 1
    text = [f"{gap.kind.name} {gap.producer_pointer}" for gap in gaps]
    entry = {"name": name, "said": answer, "breaks": breaks, "gaps": text}
    if answer != ("breaking" if breaks else "compatible"):
        tally.wrong.append(entry)
    elif not breaks and counterexample(producer, consumer, dialect, draws):
        tally.wrong.append({**entry, "said": "compatible, but a value was drawn"})


def known_changes(schema: Json, dialect: str, count: int, random: Random) -> Iterator[Known]:
    """So many changes to one schema, at places that a value reaches whatever else is in it."""
    assert isinstance(schema, dict)
    places = list(_reached(schema, dialect)) or [()]
    changes = OF_ANY if places == [()] and not _COMBINING.isdisjoint(schema) else CHANGES
    change_count = 0
    for _ in range(count * 20):
        at = random.choice(places)
        change = random.choice(changes)
        changed_schema = deepcopy(schema)
        place = _at(changed_schema, at)
        effect = change(place, random)
        if effect is None or changed_schema == schema:
            continue
        yield Known(f"{change.__name__} at /{'/'.join(at)}", schema, changed_schema, *effect)
        change_count += 1
        if change_count == count:
            return


def _reached(schema: dict[str, Any], dialect: str) -> Iterator[tuple[str, ...]]:
    """Yield the places of declared properties and items, below nothing that combines schemas but for plain
    references.
    """
    plain = not any(
        f'"{keyword}":' in json.dumps(schema) for keyword in ("not", "if", "oneOf", "contains", "$id", "$anchor")
    )
    visited: set[tuple[str, ...]] = set()
    stack: list[tuple[tuple[str, ...], Any]] = [((), schema)]
    while stack:
        at, folder = stack.pop()
        if not isinstance(folder, dict) or at in visited:
            continue
        visited.add(at)
        ref = folder.get("$ref")
        if plain and isinstance(ref, str) and ref.startswith("#/") and _COMBINING.isdisjoint(folder.keys() - {"$ref"}):
            target = tuple(parse_pointer(unquote(ref[1:])))
            stack.append((target, follow_pointer(schema, target)))
        if not _COMBINING.isdisjoint(folder) or folder.get("maxItems") == 0:
            continue
        yield at
        for path, inner in iterate_subschemas(folder, dialect):
            if path[0] == "properties" or path == ("items",):
                stack.append(((*at, *path), inner))


_COMBINING = frozenset("$ref $dynamicRef allOf anyOf oneOf not if enum const patternProperties propertyNames".split())
_COMBINING |= frozenset(
    "dependentRequired dependentSchemas dependencies unevaluatedProperties unevaluatedItems".split()
)
_COMBINING |= frozenset("contains prefixItems minProperties maxProperties uniqueItems".split())


def _at(schema: Any, path: tuple[str, ...]) -> dict[str, Any]:
    for token in path:
        schema = schema[token]
    assert isinstance(schema, dict)
    return schema


Effect = tuple[bool, bool] | None
"""Whether it widens, whether it narrows; None: it does not apply."""


def prose(place: dict[str, Any], random: Random) -> Effect:
    place["description"] = f"Something else {random.random()}"
    return False, False


def reorder(place: dict[str, Any], random: Random) -> Effect:
    if len(place.get("properties", {})) < 2:
        return None
    place["properties"] = dict(reversed(place["properties"].items()))
    place["required"] = list(reversed(place.get("required", [])))
    return False, False


def nullable(place: dict[str, Any], random: Random) -> Effect:
    named = place.get("type")
    if not isinstance(named, str) or named == "null":
        return None
    place["type"] = [named, "null"]
    return True, False


def require(place: dict[str, Any], random: Random) -> Effect:
    free = [name for name in place.get("properties", {}) if name not in place.get("required", [])]
    if place.get("type") != "object" or not free:
        return None
    place["required"] = [*place.get("required", []), random.choice(free)]
    return False, True


def unrequire(place: dict[str, Any], random: Random) -> Effect:
    if place.get("type") != "object" or not place.get("required"):
        return None
    names = list(dict.fromkeys(place["required"]))
    names.remove(random.choice(names))
    place["required"] = names
    return True, False


def close(place: dict[str, Any], random: Random) -> Effect:
    if place.get("type") != "object" or place.get("additionalProperties", True) not in (True, {}):
        return None
    place["additionalProperties"] = False
    return False, True


def open_up(place: dict[str, Any], random: Random) -> Effect:
    if place.get("type") != "object" or place.get("additionalProperties") is not False:
        return None
    del place["additionalProperties"]
    return True, False


def add_property(place: dict[str, Any], random: Random) -> Effect:
    if place.get("type") != "object" or "brandNew" in place.get("properties", {}):
        return None
    closed = place.get("additionalProperties", True)
    if closed not in (True, {}, False):
        return None
    place["properties"] = {**place.get("properties", {}), "brandNew": {"type": "string"}}
    return closed is False, closed is not False


def retype(place: dict[str, Any], random: Random) -> Effect:
    if place.get("type") not in ("string", "boolean", "integer", "number"):
        return None
    place["type"] = "array"
    return True, True


def to_number(place: dict[str, Any], random: Random) -> Effect:
    if place.get("type") != "integer" or {"minimum", "maximum"} <= place.keys():
        return None
    place["type"] = "number"
    return True, False


def bound_length(place: dict[str, Any], random: Random) -> Effect:
    if place.get("type") != "string" or {"maxLength", "pattern"} & place.keys() or place.get("minLength", 0) > 7:
        return None
    place["maxLength"] = 7
    return False, True


def bound_items(place: dict[str, Any], random: Random) -> Effect:
    if (
        place.get("type") != "array"
        or "minItems" in place
        or place.get("maxItems", 9) < 2
        or not place.get("items", {})
    ):
        return None
    place["minItems"] = 2
    return False, True


def bound_number(place: dict[str, Any], random: Random) -> Effect:
    bounds = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
    if place.get("type") not in ("integer", "number") or bounds & place.keys():
        return None
    place["minimum"] = 3
    return False, True


def free_items(place: dict[str, Any], random: Random) -> Effect:
    items = place.get("items")
    if place.get("type") != "array" or not isinstance(items, dict) or "type" not in items:
        return None
    if isinstance(items["type"], list):
        return None
    del place["items"]
    return True, False


def admit_null(place: dict[str, Any], random: Random) -> Effect:
    return _admit(place, {"type": "null"}, None)


def admit_word(place: dict[str, Any], random: Random) -> Effect:
    new_value = f"a word {random.random()}"
    return _admit(place, {"const": new_value}, new_value)


def admit_both(place: dict[str, Any], random: Random) -> Effect:
    return _admit(place, {"enum": [None, 0.5]}, 0.5)


def _admit(place: dict[str, Any], more: dict[str, Any], value: Json) -> Effect:
    """A whole schema or something else, which it does not admit itself."""
    whole = deepcopy(place)
    accepts = validator(whole, detect_dialect(whole) or DRAFT_2020_12)
    refs = [part.split('"')[1] for part in json.dumps(whole).split('"$ref": ')[1:]]
    if accepts is None or accepts(value) or not all(ref.startswith(("#/$defs/", "#/definitions/")) for ref in refs):
        return None
    root_keywords: dict[str, Any] = {keyword: whole.pop(keyword) for keyword in AT_ROOT if keyword in whole}
    place.clear()
    place.update({**root_keywords, "anyOf": [whole, more]})
    return True, False


OF_ANY: list[Callable[[dict[str, Any], Random], Effect]] = [prose, admit_null, admit_word, admit_both]
"""For schemas of which no part can be changed so that the effect is known."""
CHANGES: list[Callable[[dict[str, Any], Random], Effect]] = [
    prose, reorder, nullable, require, unrequire, close, open_up, add_property, retype, to_number, bound_length,
    bound_items, bound_number, free_items,
]  # fmt: skip
