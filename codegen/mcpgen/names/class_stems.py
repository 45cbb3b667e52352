"""Make names of nested classes from words, none longer than `MAX_CLASS_NAME`."""

from __future__ import annotations

from collections.abc import Sequence

from mcpgen.words import convert_to_pascal_case, split_words

MAX_CLASS_NAME = 40
"""Characters of a class inside a schema. The names of results and arguments follow from the tool's name in full."""


def list_class_stems(words: Sequence[str]) -> list[str]:
    """Return the possible names for a list of words, the best first: `("days", "item")` gives `DaysItem`. If that
    is too long, these are the first word with the last ones, then the last ones alone.
    """
    parts = [part for part in map(convert_to_pascal_case, words) if part]
    if not parts:
        return []
    *others, last = parts
    last = _shorten_word(last)
    candidates = [_join_last(others, last)]
    if sum(map(len, others)) + len(last) > MAX_CLASS_NAME and len(others) > 1:
        rest = MAX_CLASS_NAME - len(others[0])
        if len(last) <= rest:
            candidates.insert(0, others[0] + _join_last(others[1:], last, rest))
    return [*dict.fromkeys(f"_{stem}" if stem[:1].isdigit() else stem for stem in candidates)]


def add_number(stem: str, number: int) -> str:
    """Return a name with a number behind it, not longer than any other."""
    suffix = f"_{number}" if stem[-1:].isdigit() else str(number)
    return stem[: MAX_CLASS_NAME - len(suffix)] + suffix


def _join_last(others: Sequence[str], last: str, limit: int = MAX_CLASS_NAME) -> str:
    """Return the last word with as many of those before it as the limit admits."""
    joined = last
    for part in reversed(others):
        if len(part) + len(joined) > limit:
            break
        joined = part + joined
    return joined


def _shorten_word(word: str) -> str:
    """Return the first parts of a word in PascalCase that fit."""
    if len(word) <= MAX_CLASS_NAME:
        return word
    shortened = ""
    for part in split_words(word):
        if len(shortened) + len(part) > MAX_CLASS_NAME:
            break
        shortened += part
    return shortened or word[:MAX_CLASS_NAME]
