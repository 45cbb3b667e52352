"""Change the case of names."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[A-Z]")


def convert_to_ascii(text: str) -> str:
    """The text in ASCII: accents dropped, what has no ASCII form left out."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


def convert_to_snake_case(text: str) -> str:
    """`get-weather`, `getWeather`, `Get Weather` → `get_weather`; an empty string when nothing is left."""
    words = (_WORD.findall(part) for part in re.split(r"[^A-Za-z0-9]+", convert_to_ascii(text)))
    out = "_".join(word.lower() for part in words for word in _join_digits(part))
    return f"_{out}" if out[:1].isdigit() else out


def _join_digits(words: list[str]) -> list[str]:
    """Digits stay with the word before them: `v2` is one word."""
    out: list[str] = []
    for word in words:
        if word.isdigit() and out:
            out[-1] += word
        else:
            out.append(word)
    return out


def convert_to_pascal_case(text: str) -> str:
    """`get-weather`, `getWeather` → `GetWeather`; inner capitals stay."""
    parts = re.split(r"[^A-Za-z0-9]+", convert_to_ascii(text))
    return "".join(part[:1].upper() + part[1:] for part in parts if part)
