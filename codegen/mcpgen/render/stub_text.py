"""Shorten descriptions for stubs, and list what a schema says of a value that its type does not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress

from mcpgen.schema.values import Json, as_array, follow_pointer, parse_pointer
from mcpgen.words import split_words

CUT = "..."
"""Ends a text of which something was left out."""
_SENTENCE = re.compile(r".+?(?:[.!?](?=\s|$)|[。！？]|$)", re.DOTALL)
_PARAGRAPH_END = re.compile(r"\n\s*\n")
_STATED_KEYWORDS = (
    "default",
    "format",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "contentEncoding",
    "contentMediaType",
)
"""Keywords that a comment states as they are, for types say nothing of them."""
_LONGEST_STATEMENT = 80
MAX_REFERENCES = 8
"""References in a row that are followed."""


_FILLERS = frozenset(
    (
        "a an and any array for if in indicates is it list object of or optional that the this to value was were "
        "whether which"
    ).split()
)
"""Words of a description that say nothing about a member of a known type."""
_LARGEST_EXACT_INTEGER = 2**53 - 1
"""The largest integer of which JavaScript knows the next one."""


def repeats_name(description: str, name: str) -> bool:
    """Check whether a description has no word that is not in the name: `The name of the branch` for `branchName`."""
    return _list_words(description) <= _list_words(name)


def _list_words(text: str) -> frozenset[str]:
    words = (word.lower() for word in split_words(text))
    return frozenset(word.removesuffix("s") for word in words) - _FILLERS


def shorten(text: str, length: int) -> str:
    """Return the sentences at the start of a text that fit, and at least a part of the first one, on one line.

    Args:
        text: the text. Of its paragraphs only the first one counts.
        length: the most characters of the sentences together.

    Returns:
        The text, which ends in `...` if something was left out.
    """
    clean = text.strip()
    paragraph = " ".join(_PARAGRAPH_END.split(clean, maxsplit=1)[0].split())
    kept = ""
    for match in _SENTENCE.finditer(paragraph):
        if kept and match.end() > length:
            break
        kept = paragraph[: match.end()]
    if len(kept) > length:
        kept = kept[:length].rpartition(" ")[0] or kept[:length]
    return kept if kept == " ".join(clean.split()) else f"{kept.rstrip('.:;, ')}{CUT}"


def state_keywords(schema: Json, root: Json) -> str:
    """Return the constraints of a value that its Python type does not express, in the words of JSON Schema.

    Args:
        schema: the schema of the value.
        root: the schema that references in it lead into.
    """
    return ", ".join(dict.fromkeys(_iterate_statements(schema, root, MAX_REFERENCES)))


def _iterate_statements(schema: Json, root: Json, references: int) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    for keyword in _STATED_KEYWORDS:
        value = schema.get(keyword)
        if keyword not in schema or _says_nothing(keyword, value):
            continue
        if keyword == "uniqueItems":
            yield keyword
            continue
        text = value if isinstance(value, str) and keyword != "default" else json.dumps(value, ensure_ascii=False)
        if len(text) <= _LONGEST_STATEMENT:
            yield f"{keyword} {text}"
    yield from (f"items {statement}" for statement in _iterate_statements(schema.get("items"), root, references))
    branches = [
        branch
        for keyword in ("anyOf", "oneOf", "allOf")
        for branch in as_array(schema.get(keyword))
        if branch != {"type": "null"}
    ]
    if len(branches) == 1:
        yield from _iterate_statements(branches[0], root, references)
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/") and references:
        with suppress(KeyError):
            target = follow_pointer(root, parse_pointer(reference[1:]))
            yield from _iterate_statements(target, root, references - 1)


def _says_nothing(keyword: str, value: Json) -> bool:
    """Check whether a constraint is no constraint, or one that generators of schemas add to everything."""
    bounds: dict[str, tuple[Json, ...]] = {
        "minimum": (-_LARGEST_EXACT_INTEGER,),
        "maximum": (_LARGEST_EXACT_INTEGER,),
        "uniqueItems": (False,),
        "minLength": (0, 1),
        "minItems": (0,),
        "minProperties": (0,),
    }
    return value in bounds.get(keyword, ())
