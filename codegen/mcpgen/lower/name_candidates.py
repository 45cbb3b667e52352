"""Propose names for a nested class, from its title and its place in the schema."""

from __future__ import annotations

from collections.abc import Mapping

from mcpgen.schema.keywords import DEFINITION_KEYWORDS, SCHEMA_MAP_KEYWORDS
from mcpgen.schema.values import Json, follow_pointer, parse_array_index, parse_pointer

MAX_TITLE_LENGTH = 40
"""Longer titles are sentences, not names; so are titles of more than `MAX_TITLE_WORDS` words."""
MAX_TITLE_WORDS = 4

_NAMING_MAP_KEYWORDS = SCHEMA_MAP_KEYWORDS - {"dependencies"}
"""Keywords whose subschemas are named after their keys; names of existing classes depend on it."""
_BRANCH_WORDS = {"anyOf": "option", "oneOf": "option", "prefixItems": "item"}
"""Words for the members of a list of schemas, which are numbered."""
_PART_WORDS = {"items": "item", "additionalProperties": "value", "additionalItems": "item", "contains": "item"}


def list_word_candidates(
    schema: Json, pointer: str, tag: str, chosen: Mapping[str, str]
) -> tuple[tuple[str, ...], ...]:
    """Return lists of words that may name the class at a pointer, the best first.

    These are the name chosen by the user or else the title, the path with the title of its definition, and the whole
    path from the root, which is different for each place of the schema.

    Args:
        schema: the root.
        pointer: where the class stands.
        tag: the constant that distinguishes the class from its siblings in a union; empty: none.
        chosen: names chosen by the user, by pointer.
    """
    if pointer in chosen:
        return ((chosen[pointer],),)
    path = parse_pointer(pointer)
    words = _make_path_words(path, tag)
    candidates: list[tuple[str, ...]] = []
    if title := _find_title(schema, path):
        candidates.append((title,))
    if len(path) > 2 and path[0] in DEFINITION_KEYWORDS and (title := _find_title(schema, path[:2])):
        candidates.append((title, *words[1:]))
    return tuple(dict.fromkeys([*candidates, tuple(words)]))


def _find_title(schema: Json, path: list[str]) -> str:
    """Return the `title` at a path if it can be a name, else an empty text."""
    subschema = follow_pointer(schema, path)
    title = subschema.get("title") if isinstance(subschema, dict) else None
    if not isinstance(title, str) or not any(map(str.isalpha, title)):
        return ""
    return title if len(title) <= MAX_TITLE_LENGTH and len(title.split()) <= MAX_TITLE_WORDS else ""


def _make_path_words(path: list[str], tag: str) -> list[str]:
    words: list[str] = []
    index = 0
    while index < len(path):
        token = path[index]
        following = path[index + 1] if index + 1 < len(path) else ""
        if token in _NAMING_MAP_KEYWORDS:
            words.append(following)
            index += 2
        elif token == "allOf":
            index += 2
        elif token in _BRANCH_WORDS or (token == "items" and parse_array_index(following) is not None):
            is_last = index + 2 == len(path)
            words.append(tag if is_last and tag else _make_branch_word(token, following))
            index += 2
        else:
            words.append(_PART_WORDS.get(token, token))
            index += 1
    return words


def _make_branch_word(keyword: str, index: str) -> str:
    """Return a word such as `option2` for a member of a list of schemas."""
    kind = _BRANCH_WORDS.get(keyword, "item")
    number = parse_array_index(index)
    return kind if number is None else f"{kind}{number + 1}"
