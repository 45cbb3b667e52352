"""Strings that follow a pattern, a format or nothing at all, drawn from a `Random`."""

from __future__ import annotations

import base64
import importlib
import re
import warnings
from collections.abc import Callable, Iterable
from functools import lru_cache
from random import Random
from typing import Any

LONGEST_PATTERN = 4_000
LONGEST_STRING = 20_000
"""Characters that one drawn string may have."""

PLAIN_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789 -_."
ODD_CHARACTERS = (
    "éßλЖ中あ\u0301\u200b\u2028\u2029\x00\x1f\x7f\x85\xa0\\\"'{}#$/~`\n\t\r\ufeff\ufffd\ue000😀𝔘🏴\U0010ffff"
)
"""Text that breaks careless code: combining, invisible, control, private and astral characters."""

_FORMAT_EXAMPLES: dict[str, tuple[str, ...]] = {
    "duration": ("P1D", "PT2H30M", "P1Y2M3DT4H5M6S", "P2W"),
    "email": ("ada@example.org", "a.b+c@sub.example.com"),
    "hostname": ("example.org", "a-b.example.com", "localhost"),
    "ipv6": ("::1", "2001:db8::8a2e:370:7334", "fe80::1"),
    "json-pointer": ("", "/a/b", "/a~1b/0"),
    "regex": ("^a+$", "[0-9]{2}"),
    "relative-json-pointer": ("0", "1/a"),
    "uri": ("https://example.org/a?b=c#d", "urn:isbn:0451450523", "file:///tmp/x"),
    "uri-reference": ("/a/b", "?q=1", "https://example.org"),
    "uri-template": ("https://example.org/{id}", "/{a}{?b,c}"),
}
_FORMAT_ALIASES = {
    "idn-email": "email",
    "idn-hostname": "hostname",
    "iri": "uri",
    "iri-reference": "uri-reference",
    "url": "uri",
}


def draw_format(name: str, random: Random) -> str | None:
    """A string of a format, None when the format is not known."""
    number = random.randint
    date = f"{number(1970, 2099)}-{number(1, 12):02}-{number(1, 28):02}"
    time = f"{number(0, 23):02}:{number(0, 59):02}:{number(0, 59):02}"
    match _FORMAT_ALIASES.get(name, name):
        case "date":
            return date
        case "time":
            return time + random.choice(("Z", "+02:00", ".5Z"))
        case "date-time":
            return f"{date}T{time}{random.choice(('Z', '+02:00', '.125Z'))}"
        case "ipv4":
            return ".".join(str(number(0, 255)) for _ in range(4))
        case "uuid":
            digits = f"{number(0, 2**128 - 1):032x}"
            return "-".join((digits[:8], digits[8:12], "4" + digits[13:16], "8" + digits[17:20], digits[20:]))
        case "byte" | "binary":
            return draw_base64(random)
        case other:
            return random.choice(_FORMAT_EXAMPLES[other]) if other in _FORMAT_EXAMPLES else None


def draw_base64(random: Random) -> str:
    """A few bytes in canonical base64."""
    return base64.b64encode(bytes(random.randint(0, 255) for _ in range(random.randint(0, 7)))).decode()


def draw_text(random: Random, least: int, most: int | None) -> str:
    """Text of a length between the bounds (code points), now and then with odd characters in it."""
    least = min(least, LONGEST_STRING)
    highest = least + 6 if most is None else min(most, least + 6)
    size = random.randint(least, max(least, highest))
    alphabet = PLAIN_CHARACTERS if random.random() < 0.75 else PLAIN_CHARACTERS + ODD_CHARACTERS
    start = "".join(random.choice(alphabet) for _ in range(min(size, 12)))
    return (start * (size // max(len(start), 1) + 1))[:size]


def spell_out_name(name: str) -> str:
    """Text to stand for a property: its name in words."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\W]+", " ", name).split()
    return " ".join(word if word.isupper() else word.lower() for word in words) or "text"


# --- patterns --------------------------------------------------------------------------------------------------------
_Tokens = Iterable[tuple[Any, Any]]
_CHARACTER_CLASSES: dict[str, tuple[str, str]] = {
    "CATEGORY_DIGIT": ("0123456789", "a"),
    "CATEGORY_SPACE": (" \t", "a"),
    "CATEGORY_WORD": ("abcXYZ019_", "-"),
}
"""Python's names of `\\d`, `\\s` and `\\w`: characters inside and outside."""
_ECMA_REWRITES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\(\?<(?=[A-Za-z_])"), lambda _: "(?P<"),
    (re.compile(r"\\u\{([0-9A-Fa-f]{1,6})\}"), lambda found: f"\\U{int(found[1], 16):08x}"),
    (re.compile(r"\\p\{(?:N|General_Category=N|gc=N|Decimal)[^}]{0,40}\}"), lambda _: "3"),
    (re.compile(r"\\p\{(?:Lu|Uppercase)[^}]{0,40}\}"), lambda _: "Λ"),
    (re.compile(r"\\p\{[^}]{1,60}\}"), lambda _: "λ"),
    (re.compile(r"\\P\{[^}]{1,60}\}"), lambda _: "-"),
)
"""What ECMA-262 writes otherwise than Python; a character stands for its whole Unicode class."""


def draw_matching(pattern: str, random: Random, fill: int = 0) -> str | None:
    """Text that a pattern probably matches, None when it cannot be told.

    The pattern is only ever parsed, never run: it may come from anyone and need not end.

    Args:
        pattern: a regular expression, roughly ECMA-262.
        random: where choices come from.
        fill: the length up to which what may be repeated is.
    """
    parsed = _parse_pattern(pattern)
    if parsed is None:
        return None
    out: list[str] = []
    try:
        _PatternSampler(random, fill, out).all(parsed)
    except (_UnknownConstruct, RecursionError):
        return None
    return "".join(out)


class _UnknownConstruct(Exception):
    """A construct that the sampler does not know."""


@lru_cache(maxsize=512)
def _parse_pattern(pattern: str) -> _Tokens | None:
    if len(pattern) > LONGEST_PATTERN:
        return None
    for written, python in _ECMA_REWRITES:
        pattern = written.sub(python, pattern)
    parser = importlib.import_module("re._parser")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return list(parser.parse(pattern))
    except (re.error, OverflowError, RecursionError, ValueError):
        return None


class _PatternSampler:
    """Walks the syntax tree of a pattern and writes what would match."""

    def __init__(self, random: Random, fill: int, out: list[str]) -> None:
        self._random, self._fill, self._out = random, min(fill, LONGEST_STRING), out
        self._groups: dict[int, str] = {}

    def all(self, tokens: _Tokens) -> None:
        for kind, value in tokens:
            if len(self._out) > LONGEST_STRING:
                raise _UnknownConstruct
            self._one(str(kind), value)

    def _one(self, kind: str, value: Any) -> None:
        match kind:
            case "LITERAL":
                self._out.append(chr(value))
            case "NOT_LITERAL":
                self._out.append("b" if value == ord("a") else "a")
            case "ANY":
                self._out.append(self._random.choice(PLAIN_CHARACTERS))
            case "IN":
                self._out.append(self._member(value))
            case "BRANCH":
                self.all(self._random.choice(value[1]))
            case "SUBPATTERN":
                start = len(self._out)
                self.all(value[3])
                self._groups[value[0]] = "".join(self._out[start:])
            case "ATOMIC_GROUP":
                self.all(value)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                self._repeat(*value)
            case "GROUPREF":
                self._out.append(self._groups.get(value, ""))
            case "AT" | "ASSERT" | "ASSERT_NOT":
                pass  # taken to hold: what does not is drawn again, or left to be found invalid
            case _:
                raise _UnknownConstruct

    def _repeat(self, least: int, most: Any, tokens: _Tokens) -> None:
        wanted = self._random.randint(least, max(least, min(int(most), least + 3)))
        for count in range(max(wanted, min(int(most), self._fill))):
            if count >= wanted and len(self._out) >= self._fill:
                return
            self.all(tokens)

    def _member(self, members: list[tuple[Any, Any]]) -> str:
        """A character of a class."""
        negated = bool(members) and str(members[0][0]) == "NEGATE"
        if negated:
            ranges = [_expand_member(str(kind), value) for kind, value in members[1:]]
            for code in (*map(ord, PLAIN_CHARACTERS), *range(0x100, 0x300)):
                if not any(chr(code) in chars or low <= code <= high for chars, low, high in ranges):
                    return chr(code)
            raise _UnknownConstruct
        chars, low, high = _expand_member(*(lambda pair: (str(pair[0]), pair[1]))(self._random.choice(members)))
        if chars:
            return self._random.choice(chars)
        code = self._random.randint(low, min(high, low + 25) if self._random.random() < 0.9 else high)
        return chr(code) if not 0xD800 <= code <= 0xDFFF else chr(low)


def _expand_member(kind: str, value: Any) -> tuple[str, int, int]:
    """What a member of a class stands for: some characters, or a range of code points."""
    if kind == "LITERAL":
        return "", value, value
    if kind == "RANGE":
        return "", value[0], value[1]
    if kind == "CATEGORY":
        name = str(value)
        inside, outside = _CHARACTER_CLASSES.get(name.replace("_NOT_", "_"), ("", ""))
        if inside:
            return (outside if "_NOT_" in name else inside), 1, 0
    raise _UnknownConstruct
