"""Change the case of names."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[A-Z]")


def ascii_of(text: str) -> str:
    """The text in ASCII: accents dropped, what has no ASCII form left out."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


def snake(text: str) -> str:
    """`get-weather`, `getWeather`, `Get Weather` → `get_weather`; an empty string when nothing is left."""
    words = (_WORD.findall(part) for part in re.split(r"[^A-Za-z0-9]+", ascii_of(text)))
    out = "_".join(word.lower() for part in words for word in _joined(part))
    return f"_{out}" if out[:1].isdigit() else out


def _joined(words: list[str]) -> list[str]:
    """Digits stay with the word before them: `v2` is one word."""
    out: list[str] = []
    for word in words:
        if word.isdigit() and out:
            out[-1] += word
        else:
            out.append(word)
    return out


def camel(text: str) -> str:
    """`get-weather`, `getWeather` → `GetWeather`; inner capitals stay."""
    parts = re.split(r"[^A-Za-z0-9]+", ascii_of(text))
    return "".join(part[:1].upper() + part[1:] for part in parts if part)
