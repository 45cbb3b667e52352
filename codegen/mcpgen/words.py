"""Split names into words, and change their case."""

from __future__ import annotations

import re
import unicodedata

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


def convert_to_snake_case(text: str) -> str:
    """Convert `get-weather`, `getWeather`, `Get Weather` to `get_weather`; empty if there is no letter or digit."""
    name = "_".join(word.lower() for word in split_words(convert_to_ascii(text)))
    return f"_{name}" if name[:1].isdigit() else name


def convert_to_pascal_case(text: str) -> str:
    """Convert `get-weather`, `getWeather` to `GetWeather`; inner capitals stay."""
    parts = re.split(r"[^A-Za-z0-9]+", convert_to_ascii(text))
    return "".join(part[:1].upper() + part[1:] for part in parts if part)
