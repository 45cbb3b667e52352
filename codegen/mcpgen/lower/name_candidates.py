"""Candidates for a nested class's name, from what its schema says and where it stands."""

from __future__ import annotations

from collections.abc import Mapping

from mcpgen.schema.values import Json, array_index, follow, tokens

MOST = 40
"""Longer titles are sentences, no names; so are those of more than four words."""

_HOLDERS = ("$defs", "definitions", "properties", "patternProperties", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "prefixItems", "allOf")
_INNER = {"items": "item", "additionalProperties": "value", "additionalItems": "item", "contains": "item"}


def word_candidates(schema: Json, at: str, tag: str, chosen: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    """Word lists, best first: the class chosen by the user, its `title`, the path of properties to it.

    The last is the whole path from the root, which no other place of the schema shares.
    """
    if at in chosen:
        return ((chosen[at],),)
    path = tokens(at)
    title = _title(schema, path)
    words = _path_words(path, tag)
    out: list[tuple[str, ...]] = [(title,)] if title else []
    if len(path) > 2 and path[0] in ("$defs", "definitions") and (outer := _title(schema, path[:2])):
        out.append((outer, *words[1:]))
    return tuple(dict.fromkeys([*out, tuple(words)]))


def _title(schema: Json, path: list[str]) -> str:
    """The `title` at a path if it can be a name, else nothing."""
    here = follow(schema, path)
    title = here.get("title") if isinstance(here, dict) else None
    fits = isinstance(title, str) and len(title) <= MOST and len(title.split()) <= 4 and any(map(str.isalpha, title))
    return str(title) if fits else ""


def _path_words(path: list[str], tag: str) -> list[str]:
    words: list[str] = []
    index = 0
    while index < len(path):
        token = path[index]
        following = path[index + 1] if index + 1 < len(path) else ""
        if token in _HOLDERS:
            words.append(following)
            index += 2
        elif token in _LISTS or (token == "items" and array_index(following) is not None):
            last = index + 2 == len(path)
            if token == "allOf":
                pass
            elif last and tag:
                words.append(tag)
            else:
                kind = "item" if token in ("prefixItems", "items") else "option"
                number = array_index(following)
                words.append(kind if number is None else f"{kind}{number + 1}")
            index += 2
        else:
            words.append(_INNER.get(token, token))
            index += 1
    return words
