"""Propose names for a nested class, from its title and its place in the schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcpgen.ir.types import NameOrigin
from mcpgen.lower.branch_words import list_branch_words
from mcpgen.lower.title_words import find_title, shorten_definition_key
from mcpgen.schema.keywords import DEFINITION_KEYWORDS, SCHEMA_MAP_KEYWORDS
from mcpgen.schema.values import Json, as_array, iterate_values, parse_array_index, parse_pointer

_NAMING_MAP_KEYWORDS = SCHEMA_MAP_KEYWORDS - {"dependencies"}
"""Keywords whose subschemas are named after their keys; names of existing classes depend on it."""
_UNION_KEYWORDS = frozenset(["anyOf", "oneOf"])
_PART_WORDS = {"items": "item", "additionalProperties": "value", "additionalItems": "item", "contains": "item"}

Words = tuple[str, ...]


@dataclass(frozen=True)
class NameSources:
    """Sources for the name of a class."""

    origin: NameOrigin
    """Where the best of the candidates comes from."""
    candidates: tuple[Words, ...]
    """Lists of words that may name it, the best first."""
    given: str
    """Its title or the key of its definition; empty: it has none."""
    tail: Words
    """The last words of its path, from the last property on."""


def find_name_sources(schema: Json, pointer: str, tag: str, chosen: Mapping[str, str]) -> NameSources:
    """Return the sources for the name of the class at a pointer.

    The candidates are the name chosen by the user or else the title, the key of the definition, the path inside the
    definition after its title or key, and the whole path from the root.

    Args:
        schema: the root.
        pointer: the place of the class.
        tag: the constant that distinguishes the class from its siblings in a union; empty: none.
        chosen: names chosen by the user, by pointer.
    """
    path = parse_pointer(pointer)
    values = [*iterate_values(schema, path)]
    title = find_title(values[-1] if values else schema)
    named: list[Words] = [(title,)] if title else []
    words, tail = _make_path_words(values, path, tag)
    inner: list[Words] = []
    if len(path) > 1 and path[0] in DEFINITION_KEYWORDS:
        short_key = shorten_definition_key(path[1])
        if len(path) == 2:
            named.append((short_key,))
        else:
            heads = [head for head in (find_title(values[1]), short_key) if head]
            inner = [(head, *words[1:]) for head in heads]
    candidates = dict.fromkeys([*named, *inner, tuple(words)])
    if len(path) > 1 and path[-2] in _UNION_KEYWORDS:
        candidates[(*words, "object")] = None  # the union itself may have a name, too
    if pointer in chosen:
        candidates = {(chosen[pointer],): None}
    origin = NameOrigin.CHOSEN if pointer in chosen else NameOrigin.GIVEN if named else NameOrigin.PATH
    return NameSources(origin, tuple(candidates), named[0][0] if named else "", tail)


def _make_path_words(values: list[Json], path: list[str], tag: str) -> tuple[list[str], Words]:
    """Return the words of a path, and the last of them, from the last property on.

    Args:
        values: the value after each token of the path.
        path: the tokens of the path.
        tag: the constant that distinguishes the last place from its siblings in a union; empty: none.
    """
    words: list[str] = []
    start = index = 0
    while index < len(path):
        token = path[index]
        following = path[index + 1] if index + 1 < len(path) else ""
        if token in _NAMING_MAP_KEYWORDS:
            words += [following] if following not in words[-1:] else []
            start = len(words) - 1
            index += 2
        elif token == "allOf":
            index += 2
        elif token in _UNION_KEYWORDS:
            is_last = index + 2 == len(path)
            word = tag if is_last and tag else _make_branch_word(values[index], following)
            words += [word] if word and word not in words[-1:] else []
            index += 2
        elif token == "prefixItems" or (token == "items" and parse_array_index(following) is not None):
            number = parse_array_index(following)
            words.append("item" if number is None else f"item{number + 1}")
            index += 2
        else:
            words.append(_PART_WORDS.get(token, token))
            index += 1
    return words, tuple(words[start:])


def _make_branch_word(branches: Json, index: str) -> str:
    """Return the word for a member of a union."""
    number = parse_array_index(index)
    words = list_branch_words(as_array(branches))
    return words[number] if number is not None and number < len(words) else "option"
