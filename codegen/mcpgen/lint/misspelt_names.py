"""Tell which known name a misspelt one stands for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile

from mcpgen.words import NameGuesser, split_words

MAX_COMPARED_NAMES, MAX_COMPARED_LENGTH = 1_000, 200
"""Names that a misspelt name is compared with, and characters of it that are compared."""
_LIKENESS = 0.74
"""Likeness, from 0 to 1, from which two names count as one: `naem` and `name` have 0.75, `start` and `state` 0.6."""
_SHORTEST_COMPARED = 4
"""Letters from which a name with one wrong letter is taken for a misspelt one."""


# --- names that people choose ----------------------------------------------------------------------------------------
@lru_cache(1_000)  # several rules ask about one name
def find_meant(name: str, candidates: tuple[str, ...]) -> str | None:
    """Return the name that a misspelt one stands for: the same in another style, or with a few wrong letters."""
    flat = _flatten(name)
    same = [candidate for candidate in candidates if _flatten(candidate) == flat]
    others = [candidate for candidate in candidates if _drop_digits(candidate) != _drop_digits(name)]
    close = same or NameGuesser().list_similar(name[:MAX_COMPARED_LENGTH], others, 1, _LIKENESS)
    return close[0] if close else None


def find_extended(name: str, candidates: Sequence[str]) -> str | None:
    """Return the only name that has all words of another one and more, or fewer: `celsius` and `max_celsius`."""
    words = _split_words(name)
    others = {candidate: _split_words(candidate) for candidate in candidates}
    extended = [other for other, parts in others.items() if words and parts and (words < parts or parts < words)]
    return extended[0] if len(extended) == 1 else None


def _split_words(name: str) -> frozenset[str]:
    return frozenset(word.lower() for word in split_words(name[:MAX_COMPARED_LENGTH]) if word.isalpha())


def _flatten(name: str) -> str:
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()


def _drop_digits(name: str) -> str:
    """Return a name without digits: `line1` and `line2` are two names, and neither is misspelt."""
    return "".join(character for character in name if not character.isdigit())


# --- names of MCP and JSON Schema ------------------------------------------------------------------------------------
def match_misspelt(name: str, candidates: Sequence[str]) -> str | None:
    """Return the name that a misspelt one stands for: other case, underscores, or a wrong letter."""
    if name in candidates:
        return None
    flat = name.replace("_", "").replace("-", "").lower()
    for candidate in candidates:
        if flat == candidate.lower().lstrip("_$") and candidate not in ("_meta", "$id"):
            return candidate
    close = [candidate for candidate in candidates if _differ_by_slip(name, candidate)]
    close = close or NameGuesser().list_similar(name, candidates, 1, 0.82)
    return close[0] if close else None


def _differ_by_slip(name: str, other: str) -> bool:
    """Return whether two names differ by a letter, or by the order of two; short ones are too often alike."""
    if min(len(name), len(other)) < _SHORTEST_COMPARED or abs(len(name) - len(other)) > 1:
        return False
    start = _count_equal(name, other)
    end = _count_equal(name[start:][::-1], other[start:][::-1])
    rest, other_rest = name[start : len(name) - end], other[start : len(other) - end]
    return max(len(rest), len(other_rest)) <= 1 or (len(rest) == 2 and rest == other_rest[::-1])


def _count_equal(name: str, other: str) -> int:
    pairs = zip(name, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
