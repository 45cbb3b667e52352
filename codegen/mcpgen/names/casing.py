"""Change the case of names."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[A-Z]")


def convert_to_ascii(text: str) -> str:
    """Return the text in ASCII: without accents, and without characters that have no ASCII form."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


def convert_to_snake_case(text: str) -> str:
    """Convert `get-weather`, `getWeather`, `Get Weather` to `get_weather`; empty if there is no letter or digit."""
    parts = (_WORD.findall(part) for part in re.split(r"[^A-Za-z0-9]+", convert_to_ascii(text)))
    name = "_".join(word.lower() for words in parts for word in _join_digits(words))
    return f"_{name}" if name[:1].isdigit() else name


def _join_digits(words: list[str]) -> list[str]:
    """Join digits to the word before them: `v2` is one word."""
    joined: list[str] = []
    for word in words:
        if word.isdigit() and joined:
            joined[-1] += word
        else:
            joined.append(word)
    return joined


def convert_to_pascal_case(text: str) -> str:
    """Convert `get-weather`, `getWeather` to `GetWeather`; inner capitals stay."""
    parts = re.split(r"[^A-Za-z0-9]+", convert_to_ascii(text))
    return "".join(part[:1].upper() + part[1:] for part in parts if part)
