"""Tell which known name a misspelt one stands for."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from itertools import takewhile

from mcpgen.words import split_words

MAX_COMPARED_NAMES, MAX_COMPARED_LENGTH = 1_000, 200
"""Names that a misspelt name is compared with, and characters of it that are compared."""
_LIKENESS = 0.74
"""Likeness, from 0 to 1, from which two names count as one: `naem` and `name` have 0.75, `start` and `state` 0.6."""
_SHORTEST_COMPARED = 4
"""Letters from which a name with one wrong letter is taken for a misspelt one."""


# --- names that people choose ----------------------------------------------------------------------------------------
def find_meant(name: str, candidates: Sequence[str]) -> str | None:
    """Return the name that a misspelt one stands for: the same in another style, or with a few wrong letters."""
    flat = _flatten(name)
    same = [candidate for candidate in candidates if _flatten(candidate) == flat]
    candidates = [candidate for candidate in candidates if _drop_digits(candidate) != _drop_digits(name)]
    close = same or difflib.get_close_matches(name[:MAX_COMPARED_LENGTH], candidates, 1, _LIKENESS)
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
    close = close or difflib.get_close_matches(name, candidates, 1, 0.82)
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
    """Return how many letters two names begin with alike."""
    pairs = zip(name, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


# --- names in the settings and in commands ----------------------------------------------------------------------------
MAX_COMPARISONS = 50_000
"""Pairs of names that are compared in one run. Each takes about ten microseconds."""
LEAST_SIMILARITY = 0.75
"""Similarity from which a name is taken for a slip in another. Names that share only a word, such as `find_tickets` and
`get_ticket`, are less similar."""
LEAST_RELATION = 0.6
"""Similarity from which a name may be meant by another one, such as `statistics` by `stats`."""


class NameGuesser:
    """Guesser of misspelt names that stops when it has compared too many pairs."""

    def __init__(self) -> None:
        self._comparisons = 0

    def guess(self, name: str, candidates: Sequence[str]) -> str:
        """Return the candidate that is most similar to a name, "" if none is or the limit is reached."""
        return next(iter(self._find_similar(name, candidates, 1, LEAST_SIMILARITY)), "")

    def list_similar(self, name: str, candidates: Sequence[str], most: int) -> list[str]:
        """Return the candidates that have most in common with a name, those alone that could be meant by it."""
        return self._find_similar(name, candidates, most, LEAST_RELATION)

    def _find_similar(self, name: str, candidates: Sequence[str], most: int, least: float) -> list[str]:
        self._comparisons += len(candidates)
        if self._comparisons > MAX_COMPARISONS:
            return []
        return difflib.get_close_matches(name, candidates, most, least)
