"""Draw strings that match a regular expression."""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Callable, Iterable
from functools import lru_cache
from random import Random
from typing import Any

from mcpgen.samples.context import LONGEST_STRING

PLAIN_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789 -_."
LONGEST_PATTERN = 4_000
"""Characters of a pattern that is parsed."""
_Tokens = Iterable[tuple[Any, Any]]
_CHARACTER_CLASSES: dict[str, tuple[str, str]] = {
    "CATEGORY_DIGIT": ("0123456789", "a"),
    "CATEGORY_SPACE": (" \t", "a"),
    "CATEGORY_WORD": ("abcXYZ019_", "-"),
}
"""Python's names of `\\d`, `\\s` and `\\w`: characters inside and outside."""
_ECMA_REWRITES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\(\?<(?=[A-Za-z_])"), lambda _: "(?P<"),
    (re.compile(r"\\u\{([0-9A-Fa-f]{1,6})\}"), lambda match: f"\\U{int(match[1], 16):08x}"),
    (re.compile(r"\\p\{(?:N|General_Category=N|gc=N|Decimal)[^}]{0,40}\}"), lambda _: "3"),
    (re.compile(r"\\p\{(?:Lu|Uppercase)[^}]{0,40}\}"), lambda _: "Λ"),
    (re.compile(r"\\p\{[^}]{1,60}\}"), lambda _: "λ"),
    (re.compile(r"\\P\{[^}]{1,60}\}"), lambda _: "-"),
)
"""Syntax of ECMA-262 that Python lacks, and its replacement; one character stands for its whole Unicode class."""


def draw_matching(pattern: str, random: Random, fill: int = 0) -> str | None:
    """Draw text that a pattern, roughly of ECMA-262, probably matches; None where the pattern cannot be read.

    The pattern is parsed and never run: it may come from anyone, and matching may take forever. Repetitions are
    continued up to the length `fill`.
    """
    parsed = _parse_pattern(pattern)
    if parsed is None:
        return None
    sampler = _PatternSampler(random, fill)
    try:
        sampler.append_all(parsed)
    except (_UnsupportedPattern, RecursionError):
        return None
    return "".join(sampler.texts)


class _UnsupportedPattern(Exception):
    """Pattern with a construct that the sampler cannot follow, or whose text becomes too long."""


@lru_cache(maxsize=512)
def _parse_pattern(pattern: str) -> _Tokens | None:
    if len(pattern) > LONGEST_PATTERN:
        return None
    for syntax, replacement in _ECMA_REWRITES:
        pattern = syntax.sub(replacement, pattern)
    parser = importlib.import_module("re._parser")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return list(parser.parse(pattern))
    except (re.error, OverflowError, RecursionError, ValueError):
        return None


class _PatternSampler:
    def __init__(self, random: Random, fill: int) -> None:
        self._random, self._fill = random, min(fill, LONGEST_STRING)
        self.texts: list[str] = []
        self._groups: dict[int, str] = {}

    def append_all(self, tokens: _Tokens) -> None:
        for kind, value in tokens:
            if len(self.texts) > LONGEST_STRING:
                raise _UnsupportedPattern
            self._append(str(kind), value)

    def _append(self, kind: str, value: Any) -> None:
        match kind:
            case "LITERAL":
                self.texts.append(chr(value))
            case "NOT_LITERAL":
                self.texts.append("b" if value == ord("a") else "a")
            case "ANY":
                self.texts.append(self._random.choice(PLAIN_CHARACTERS))
            case "IN":
                self.texts.append(self._draw_class_member(value))
            case "BRANCH":
                self.append_all(self._random.choice(value[1]))
            case "SUBPATTERN":
                start = len(self.texts)
                self.append_all(value[3])
                self._groups[value[0]] = "".join(self.texts[start:])
            case "ATOMIC_GROUP":
                self.append_all(value)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                self._repeat(*value)
            case "GROUPREF":
                self.texts.append(self._groups.get(value, ""))
            case "AT" | "ASSERT" | "ASSERT_NOT":
                pass  # assumed to hold; a validator finds out where it does not
            case _:
                raise _UnsupportedPattern

    def _repeat(self, least: int, most: Any, tokens: _Tokens) -> None:
        target = self._random.randint(least, max(least, min(int(most), least + 3)))
        for count in range(max(target, min(int(most), self._fill))):
            if count >= target and len(self.texts) >= self._fill:
                return
            self.append_all(tokens)

    def _draw_class_member(self, members: list[tuple[Any, Any]]) -> str:
        negated = bool(members) and str(members[0][0]) == "NEGATE"
        if negated:
            ranges = [_expand_member(str(kind), value) for kind, value in members[1:]]
            for code in (*map(ord, PLAIN_CHARACTERS), *range(0x100, 0x300)):
                if not any(chr(code) in chars or low <= code <= high for chars, low, high in ranges):
                    return chr(code)
            raise _UnsupportedPattern
        kind, value = self._random.choice(members)
        chars, low, high = _expand_member(str(kind), value)
        if chars:
            return self._random.choice(chars)
        code = self._random.randint(low, min(high, low + 25) if self._random.random() < 0.9 else high)
        return chr(code) if not 0xD800 <= code <= 0xDFFF else chr(low)


def _expand_member(kind: str, value: Any) -> tuple[str, int, int]:
    """Return the characters that a member of a class stands for, or the first and the last code point of its range."""
    if kind == "LITERAL":
        return "", value, value
    if kind == "RANGE":
        return "", value[0], value[1]
    if kind == "CATEGORY":
        name = str(value)
        inside, outside = _CHARACTER_CLASSES.get(name.replace("_NOT_", "_"), ("", ""))
        if inside:
            return (outside if "_NOT_" in name else inside), 1, 0
    raise _UnsupportedPattern
