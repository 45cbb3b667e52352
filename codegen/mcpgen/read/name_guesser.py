"""Guess which name a misspelt one stands for, within a limit for the comparisons of one run."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

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
