"""Candidates for a nested class's name, from what its schema says and where it stands."""

from __future__ import annotations

from collections.abc import Mapping

from mcpgen.schema.values import Json, follow_pointer, parse_array_index, parse_pointer

MAX_TITLE_LENGTH = 40
"""Longer titles are sentences, no names; so are those of more than four words."""

_SCHEMA_MAP_KEYWORDS = ("$defs", "definitions", "properties", "patternProperties", "dependentSchemas")
_SCHEMA_LIST_KEYWORDS = ("anyOf", "oneOf", "prefixItems", "allOf")
_PART_WORDS = {"items": "item", "additionalProperties": "value", "additionalItems": "item", "contains": "item"}


def list_word_candidates(schema: Json, at: str, tag: str, chosen: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    """Word lists, best first: the class chosen by the user, its `title`, the path of properties to it.

    The last is the whole path from the root, which no other place of the schema shares.
    """
    if at in chosen:
        return ((chosen[at],),)
    path = parse_pointer(at)
    title = _find_title(schema, path)
    words = _make_path_words(path, tag)
    out: list[tuple[str, ...]] = [(title,)] if title else []
    if len(path) > 2 and path[0] in ("$defs", "definitions") and (outer := _find_title(schema, path[:2])):
        out.append((outer, *words[1:]))
    return tuple(dict.fromkeys([*out, tuple(words)]))


def _find_title(schema: Json, path: list[str]) -> str:
    """The `title` at a path if it can be a name, else nothing."""
    here = follow_pointer(schema, path)
    title = here.get("title") if isinstance(here, dict) else None
    fits = (
        isinstance(title, str)
        and len(title) <= MAX_TITLE_LENGTH
        and len(title.split()) <= 4
        and any(map(str.isalpha, title))
    )
    return str(title) if fits else ""


def _make_path_words(path: list[str], tag: str) -> list[str]:
    words: list[str] = []
    index = 0
    while index < len(path):
        token = path[index]
        following = path[index + 1] if index + 1 < len(path) else ""
        if token in _SCHEMA_MAP_KEYWORDS:
            words.append(following)
            index += 2
        elif token in _SCHEMA_LIST_KEYWORDS or (token == "items" and parse_array_index(following) is not None):
            last = index + 2 == len(path)
            if token == "allOf":
                pass
            elif last and tag:
                words.append(tag)
            else:
                kind = "item" if token in ("prefixItems", "items") else "option"
                number = parse_array_index(following)
                words.append(kind if number is None else f"{kind}{number + 1}")
            index += 2
        else:
            words.append(_PART_WORDS.get(token, token))
            index += 1
    return words
