"""Name the members of `anyOf` and `oneOf` after what tells them apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mcpgen.lower.title_words import find_title, shorten_definition_key
from mcpgen.schema.values import Json, as_array, as_object, parse_pointer

_REFERENCE = "reference"
"""Kind of a member that is a reference, whose type is in another schema."""


@dataclass(frozen=True)
class _Branch:
    """Sources for the name of a union member."""

    kind: str
    """Its JSON type, or `_REFERENCE`; empty: several or unknown."""
    title: str
    definition: str
    """The key of the definition that it refers to."""
    properties: dict[str, Json]
    required: frozenset[str]


def list_branch_words(schemas: Sequence[Json]) -> list[str]:
    """Return a word for each member of a union.

    It is, in this order: nothing for the only object or the only array; a constant that differs in the others; the
    title; the key of the definition that the member refers to; a property that only it requires, or only it declares;
    its JSON type; `other` for the last member without a word; its number.
    """
    branches = [_read_branch(schema) for schema in schemas]
    kinds = Counter(branch.kind for branch in branches)
    is_single = {"array": kinds["array"] == 1, "object": kinds["object"] + kinds[_REFERENCE] == 1}
    words = {index: "" for index, branch in enumerate(branches) if is_single.get(branch.kind)}
    for proposals in (
        _list_constants(branches),
        [branch.title for branch in branches],
        [branch.definition for branch in branches],
        _list_own_properties([branch.required for branch in branches], branches),
        _list_own_properties([branch.properties.keys() for branch in branches], branches),
        [branch.kind for branch in branches],
    ):
        _add_distinct(words, proposals)
    if len(branches) - len(words) == 1 and len(branches) > 2:
        _add_distinct(words, ["other"] * len(branches))
    return [words.get(index, f"option{index + 1}") for index in range(len(branches))]


def _add_distinct(words: dict[int, str], proposals: Sequence[str]) -> None:
    """Add the proposals for members without a word that no other member has."""
    counts = Counter(_fold(proposal) for index, proposal in enumerate(proposals) if index not in words)
    used_words = {_fold(word) for word in words.values()}
    for index, proposal in enumerate(proposals):
        folded = _fold(proposal)
        if index not in words and folded and counts[folded] == 1 and folded not in used_words:
            words[index] = proposal


def _fold(word: str) -> str:
    return re.sub(r"[^a-z0-9]", "", word.lower())


def _read_branch(schema: Json) -> _Branch:
    parts = [as_object(schema), *map(as_object, as_array(as_object(schema).get("allOf")))]
    properties = {name: value for part in parts for name, value in as_object(part.get("properties")).items()}
    required = frozenset(name for part in parts for name in as_array(part.get("required")) if isinstance(name, str))
    reference = parts[0].get("$ref")
    path = parse_pointer(reference[1:]) if isinstance(reference, str) and reference.startswith("#/") else []
    definition = shorten_definition_key(path[-1]) if path else ""
    return _Branch(_find_kind(parts), find_title(schema), definition, properties, required)


def _find_kind(parts: Sequence[dict[str, Json]]) -> str:
    """Return the JSON type of a member apart from null, `_REFERENCE` or nothing."""
    if any("$ref" in part for part in parts):
        return _REFERENCE
    types = {
        name for part in parts for name in [*as_array(part.get("type")), part.get("type")] if isinstance(name, str)
    }
    others = types - {"null"}
    if len(others or types) == 1:
        return (others or types).pop()
    is_object = not types and any("properties" in part or "required" in part for part in parts)
    return "object" if is_object else ""


def _list_constants(branches: Sequence[_Branch]) -> list[str]:
    """Return a word for the constant of each member: of the property that is a different one in most of them."""
    constants = [
        {name: word for name, schema in branch.properties.items() if (word := _make_constant_word(name, schema))}
        for branch in branches
    ]
    names = sorted({name for words in constants for name in words})
    if not names:
        return [""] * len(branches)

    def rate(name: str) -> tuple[int, int]:
        words = [words[name] for words in constants if name in words]
        return len(set(words)), sum(name in branch.required for branch in branches)

    best = max(names, key=rate)  # of equals the first, in alphabetical order
    return [words.get(best, "") for words in constants]


def _make_constant_word(name: str, schema: Json) -> str:
    schema = as_object(schema)
    values = [schema["const"]] if "const" in schema else as_array(schema.get("enum"))
    match values:
        case [True]:
            return name
        case [False]:
            return f"not {name}"
        case [str() as value]:
            return value
        case [int() as value]:
            return f"{name} {value}"
        case [str() as first, str() as second]:
            return f"{first} or {second}"
        case _:
            return ""


def _list_own_properties(names: Sequence[Collection[str]], branches: Sequence[_Branch]) -> list[str]:
    """Return the first name of each member that no other has, preferably one that the others don't declare either."""
    counts = Counter(name for member_names in names for name in member_names)
    declared = Counter(name for branch in branches for name in branch.properties)
    unique_names = [[name for name in member_names if counts[name] == 1] for member_names in names]
    return [min(member_names, key=lambda name: (declared[name] > 1, name), default="") for member_names in unique_names]
