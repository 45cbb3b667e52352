"""Split names into words, change their case, and guess which name a misspelt one stands for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache

MAX_COMPARISONS = 50_000
"""Pairs of names that are compared in one run. Each takes about ten microseconds."""
LEAST_SIMILARITY = 0.75
"""Similarity from which a name is taken for a slip in another. Names that share only a word, such as `find_tickets` and
`get_ticket`, are less similar."""
LEAST_RELATION = 0.6
"""Similarity from which a name may be meant by another one, such as `statistics` by `stats`."""
_UNMARKED = r"(?:OAuth[0-9]*|[A-Z]{2,}v[0-9]+|[A-Z]{2,}s|[23]D|2FA)(?![a-z])"
"""Words whose capitals do not show where they begin or end: `OAuth2`, `IPv4`, `URLs`, `3D`."""
_WORD = re.compile(
    rf"{_UNMARKED}"
    r"|[A-Z][0-9][A-Z](?=[A-Z][a-z]|$)"  # `E2E` of `runE2ETest`
    r"|[0-9]+[A-Z]+(?![a-z])"  # `4K`
    r"|[A-Z][0-9]+(?![0-9a-z])|[A-Z]{2,}(?![a-z])[0-9]*"  # `S3`, `HTTP2`
    r"|^[a-z][A-Z]{2,}(?![a-z])"  # `gRPC`
    rf"|(?:[A-Z][0-9]*)?[a-z](?:(?!{_UNMARKED})[a-z0-9])*"  # `Weather`, `K8s`
    r"|[0-9]+[a-z0-9]*|[A-Z]|[^\W_A-Za-z0-9]+"
)


def convert_to_ascii(text: str) -> str:
    """Return the text in ASCII: without accents, and without characters that have no ASCII form."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


def split_words(text: str) -> list[str]:
    """Return the words of a name: those of `getHTTP2Stream` are `get`, `HTTP2` and `Stream`.

    Between two separators, lower case and digits are one word, and so are capitals and digits: nothing says where
    another one begins.
    """
    parts = re.split(r"[\W_]+", text)
    return [word for part in parts for word in ([part] if part.isupper() else _WORD.findall(part))]


@lru_cache(2**14)  # each name is asked for more than once
def convert_to_snake_case(text: str) -> str:
    """Convert `get-weather`, `getWeather`, `Get Weather` to `get_weather`; empty if there is no letter or digit."""
    name = "_".join(word.lower() for word in split_words(convert_to_ascii(text)))
    return f"_{name}" if name[:1].isdigit() else name


@lru_cache(2**14)  # names repeat each other's words
def convert_to_pascal_case(text: str) -> str:
    """Convert `get-weather`, `getWeather` to `GetWeather`; inner capitals stay."""
    parts = re.split(r"[^A-Za-z0-9]+", convert_to_ascii(text))
    return "".join(part[:1].upper() + part[1:] for part in parts if part)


class NameGuesser:
    """Guesser of misspelt names, which stops when it has compared too many pairs."""

    def __init__(self) -> None:
        self._comparisons = 0

    def guess(self, name: str, candidates: Collection[str], least: float = LEAST_SIMILARITY) -> str:
        """Return the candidate that is most similar to a name, "" if none is or the limit is reached."""
        return next(iter(self.list_similar(name, candidates, 1, least)), "")

    def list_similar(
        self, name: str, candidates: Collection[str], most: int, least: float = LEAST_RELATION
    ) -> list[str]:
        """Return the candidates that have most in common with a name, those alone that could be meant by it."""
        import difflib  # which few runs need

        self._comparisons += len(candidates)
        if self._comparisons > MAX_COMPARISONS:
            return []
        return difflib.get_close_matches(name, candidates, most, least)
