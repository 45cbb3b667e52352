"""Find the parts of a regular expression that ECMA-262 with its flag u, or Python's re, does not read alike."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Reader(StrEnum):
    """Engines of clients."""

    ECMA_262 = "ECMA-262"
    PYTHON = "Python"


@dataclass(frozen=True)
class PatternPart:
    """A part of a pattern that not every engine reads, and what to write instead."""

    text: str
    help: str
    refusing: tuple[Reader, ...] = (Reader.ECMA_262,)
    differs: bool = False
    """Whether the engines read it, but as something else."""


def find_unportable(pattern: str) -> list[PatternPart]:
    """Return the parts of a pattern that clients refuse or read differently, each once, in order."""
    if len(pattern) > MAX_LENGTH:
        return []
    parts = [*dict.fromkeys(_Scanner(pattern).scan())]
    if not any(Reader.PYTHON in part.refusing for part in parts):
        parts += _ask_python(pattern)
    return parts


MAX_LENGTH = 10_000
"""Characters of a pattern that is examined."""
_BOTH = (Reader.ECMA_262, Reader.PYTHON)
_PYTHON = (Reader.PYTHON,)
_SYNTAX = frozenset("^$\\.*+?()[]{}|/")
_ECMA_ESCAPES = frozenset("dDsSwWtnvfr0")
_CHARACTER_SETS = frozenset("dDsSwWpP")
_LOOK_AROUND = ("(?=", "(?!", "(?<=", "(?<!")
_OPENINGS = ("(?:", "(?>", "(?#", "(?(", *_LOOK_AROUND)
_COUNT = re.compile(r"\{\d+(?:,\d*)?\}")
_UPPER_COUNT = re.compile(r"\{,(\d+)\}")
_HEX = re.compile(r"x[0-9A-Fa-f]{2}")
_UNIT = re.compile(r"u([0-9A-Fa-f]{4})")
_LOW_SURROGATE = re.compile(r"\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})")
_CODE_POINT = re.compile(r"[ux]\{([0-9A-Fa-f]{1,6})\}|U([0-9A-Fa-f]{8})")
_PROPERTY = re.compile(r"[pP](?:\{\^?[\w=:. -]*\}|\w)")
_GROUP = re.compile(
    r"\(\?(?:P?<(?P<name>[A-Za-z_$][\w$]*)>|P=(?P<back>\w+)\)|(?P<flags>[a-zA-Z^]*(?:-[a-zA-Z]+)?)[:)])"
)
_BRACKET = re.compile(r"\\.|[\[\]]|\((?:\?P?<(?![=!])|(?!\?))", re.DOTALL)
"""An escape, an end of a set, or the start of a group that is captured."""
_SET_OPERATION = re.compile(r"(?:&&|--)(\[\^?[^\[\]\\&-]+\])(?=\]|&&|--)")
_POSIX = re.compile(r"\[:\^?(\w+):\]")
_POSIX_SETS = {
    "alpha": "A-Za-z",
    "digit": "0-9",
    "alnum": "A-Za-z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\s",
    "blank": r" \t",
    "punct": r"!-\/:-@\[-`{-~",
    "xdigit": "0-9A-Fa-f",
    "word": r"\w",
    "cntrl": r"\x00-\x1f\x7f",
    "graph": "!-~",
    "print": " -~",
}
_OTHER_ESCAPES = {
    "A": "^",
    "Z": "$",
    "z": "$",
    "a": r"\x07",
    "e": r"\x1b",
    "h": r"[ \t]",
    "H": r"[^ \t]",
    "R": r"(?:\r\n|\n|\r)",
    "X": ".",
}
"""Escapes of Perl, Python, Java or Go → what ECMA-262 writes for them."""


class _Scanner:
    """One walk over a pattern, by the grammar of ECMA-262."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._numbers: dict[str, int] = {}
        self._captured = 0
        self._open: list[str] = []
        self._groups = self._count_groups()

    def _count_groups(self) -> int:
        count, is_in_set = 0, False
        for match in _BRACKET.finditer(self._pattern):
            is_in_set = match[0] == "[" or (is_in_set and match[0] != "]")
            count += not is_in_set and match[0][0] == "("
        return count

    def _number(self, name: str) -> str:
        return f"\\{self._numbers.get(name, 1)}"

    def _read_escape(self, is_in_set: bool) -> Iterator[PatternPart]:
        pattern, start = self._pattern, self._at
        char = pattern[start + 1 : start + 2]
        self._at = min(start + 2, len(pattern))
        if match := _CODE_POINT.match(pattern, start + 1):
            self._at = match.end()
            refusing = _PYTHON if char == "u" else _BOTH if char == "x" else (Reader.ECMA_262,)
            yield PatternPart(
                match[0].join(("\\", "")), f'write "{_write_code(int(match[1] or match[2], 16))}"', refusing
            )
        elif (match := _UNIT.match(pattern, start + 1)) or (match := _HEX.match(pattern, start + 1)):
            self._at = match.end()
            yield from self._read_pair(start)
        elif match := _PROPERTY.match(pattern, start + 1):
            self._at = match.end()
            is_ecma = "{" in match[0] and "^" not in match[0]
            help = 'list the characters that you mean, such as "[A-Za-zÀ-ÖØ-öø-ÿ]" for letters, "[0-9]" for digits'
            yield PatternPart(f"\\{match[0]}", help, _PYTHON if is_ecma else _BOTH)
        elif char == "c" and re.match(r"[A-Za-z]", pattern[start + 2 : start + 3]):
            self._at += 1
            yield PatternPart(f"\\c{pattern[start + 2]}", f'write "\\x{ord(pattern[start + 2]) % 32:02x}"', _PYTHON)
        elif char == "k" and (match := re.compile(r"k<([\w$]+)>").match(pattern, start + 1)):
            self._at = match.end()
            refusing = _PYTHON if f"(?<{match[1]}>" in pattern else _BOTH
            yield PatternPart(f"\\{match[0]}", f'write "{self._number(match[1])}"', refusing)
        elif char.isdigit():
            yield from self._read_digits(start, is_in_set)
        elif char and char not in _SYNTAX and char not in _ECMA_ESCAPES:
            allowed = "b-" if is_in_set else "bB"
            if char not in allowed:
                yield _explain_letter(char, is_in_set)

    def _read_pair(self, start: int) -> Iterator[PatternPart]:
        low = _LOW_SURROGATE.match(self._pattern, self._at)
        high = self._pattern[start + 2 : start + 6]
        if low and re.match(r"[Dd][89ABab]", high):
            self._at = low.end()
            code = 0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low[1], 16) - 0xDC00
            text = self._pattern[start : self._at]
            yield PatternPart(text, f'write "{_write_code(code)}"', _PYTHON, differs=True)

    def _read_digits(self, start: int, is_in_set: bool) -> Iterator[PatternPart]:
        match = re.compile(r"\d{1,3}").match(self._pattern, start + 1)
        assert match is not None
        self._at = match.end()
        number = match[0]
        is_octal = number[0] == "0" and (len(number) > 1)
        if not is_octal and (number == "0" or (not is_in_set and int(number) <= self._groups)):
            return
        octal = re.match(r"[0-7]{1,3}", number)
        self._at = start + 1 + (octal.end() if octal else len(number))
        text = self._pattern[start : self._at]
        help = f'write "{_write_code(int(octal[0], 8))}"' if octal else "there is no such group"
        yield PatternPart(text, help)

    def scan(self) -> Iterator[PatternPart]:
        pattern = self._pattern
        can_repeat = False
        while self._at < len(pattern):
            start, char = self._at, pattern[self._at]
            if char == "\\":
                can_repeat = pattern[start + 1 : start + 2] not in ("b", "B")
                yield from self._read_escape(is_in_set=False)
            elif char == "[":
                yield from self._read_set()
                can_repeat = True
            elif char == "(":
                yield from self._read_group()
                can_repeat = False
            elif char == ")":
                self._at += 1
                if not self._open:
                    yield PatternPart(")", 'write "\\)", or open a group before it', _BOTH)
                can_repeat = not self._open or self._open.pop() not in _LOOK_AROUND
            elif char in "*+?" or (
                char == "{" and (_COUNT.match(pattern, start) or _UPPER_COUNT.match(pattern, start))
            ):
                yield from self._read_quantifier(can_repeat)
                can_repeat = False
            elif char in "{}]":
                self._at += 1
                yield PatternPart(char, f'write "\\{char}"')
                can_repeat = True
            else:
                self._at += 1
                can_repeat = char not in "^$|"
        if self._open:
            yield PatternPart(self._open[-1], 'close the group with ")", or write "\\("', _BOTH)

    def _read_quantifier(self, can_repeat: bool) -> Iterator[PatternPart]:
        pattern, start = self._pattern, self._at
        counted = _COUNT.match(pattern, start) or _UPPER_COUNT.match(pattern, start)
        self._at = counted.end() if counted else start + 1
        written = pattern[start : self._at]
        if not can_repeat:
            yield PatternPart(written, f'there is nothing to repeat; write "\\{written}" for the characters themselves')
        elif counted and written.startswith("{,"):
            yield PatternPart(written, f'write "{{0{written[1:]}"')
        if pattern[self._at : self._at + 1] == "?":
            self._at += 1
        elif pattern[self._at : self._at + 1] == "+":
            self._at += 1
            yield PatternPart(pattern[start : self._at], f'write "{written}"')

    def _read_group(self) -> Iterator[PatternPart]:
        pattern, start = self._pattern, self._at
        opening = next((text for text in _OPENINGS if pattern.startswith(text, start)), "(")
        self._at += len(opening)
        self._open.append(opening)
        self._captured += opening == "(" and not pattern.startswith("?", self._at)
        if opening == "(?>":
            yield PatternPart(opening, 'write "(?:"')
        elif opening in ("(?#", "(?("):
            end = pattern.find(")", start)
            self._at = len(pattern) if end < 0 else end + 1
            help = 'leave the comment out, or write it into "$comment"'
            if opening == "(?#":
                self._open.pop()
            else:
                help = 'write both cases out, as in "(?:ab|c)" for "(a)?(?(1)b|c)"'
            yield PatternPart(pattern[start : self._at], help)
        elif opening == "(" and (match := _GROUP.match(pattern, start)):
            self._at = match.end()
            if match[0].endswith(")"):
                self._open.pop()
            yield from self._name_group(match)
        elif opening == "(" and pattern.startswith("?", self._at):
            self._at += 1
            yield PatternPart(pattern[start : start + 3], "ECMA-262 has no such group: leave it out", _BOTH)

    def _name_group(self, match: re.Match[str]) -> Iterator[PatternPart]:
        text = match[0]
        if name := match["name"]:
            self._captured += 1
            self._numbers[name] = self._captured
            if text.startswith("(?P"):
                yield PatternPart(text, f'write "(", or "(?<{name}>" as in ECMA-262, which Python does not read')
            else:
                yield PatternPart(text, 'write "("', _PYTHON)
        elif name := match["back"]:
            yield PatternPart(text, f'write "{self._number(name)}"')
        elif "i" in (match["flags"] or "").partition("-")[0]:
            help = 'write "(?:", and' if text.endswith(":") else "leave it out, and write"
            yield PatternPart(text, f'{help} both cases of each letter, as in "[Aa]"')
        else:
            yield PatternPart(text, 'write "(?:"' if text.endswith(":") else "leave it out")

    # --- sets of characters ------------------------------------------------------------------------------------
    def _read_set(self) -> Iterator[PatternPart]:
        pattern, start = self._pattern, self._at
        self._at += 2 if pattern.startswith("[^", start) else 1
        if pattern.startswith("]", self._at):
            self._at += 1
            help = 'write "[\\s\\S]" for any character, "\\]" for a bracket'
            yield PatternPart(pattern[start : self._at], help, _PYTHON, differs=True)
            return
        while self._at < len(pattern) and pattern[self._at] != "]":
            yield from self._read_member()
        if self._at >= len(pattern):
            yield PatternPart("[", 'close the set with "]", or write "\\["', _BOTH)
        self._at += 1

    def _read_member(self) -> Iterator[PatternPart]:
        pattern, start = self._pattern, self._at
        if (posix := _POSIX.match(pattern, start)) and "]" in pattern[posix.end() :]:
            self._at = posix.end()
            yield self._explain_posix(posix)
            return
        if operation := _SET_OPERATION.match(pattern, start):
            self._at = operation.end()
            look_ahead = "(?=" if pattern[start] == "&" else "(?!"
            yield PatternPart(operation[0], f'write "{look_ahead}{operation[1]})" in front of the set')
            return
        yield from self._read_character()
        first = pattern[start : self._at]
        is_range = pattern.startswith("-", self._at) and pattern[self._at + 1 : self._at + 2] not in ("]", "")
        if is_range:
            self._at += 1
            middle = self._at
            yield from self._read_character()
            last = pattern[middle : self._at]
            if any(end[:1] == "\\" and end[1:2] in _CHARACTER_SETS for end in (first, last)):
                yield PatternPart(f"{first}-{last}", f'write "{first}\\-{last}"', _BOTH)
            elif len(first) == len(last) == 1 and first > last:
                yield PatternPart(f"{first}-{last}", f'write "{last}-{first}"', _BOTH)

    def _read_character(self) -> Iterator[PatternPart]:
        if self._pattern[self._at] == "\\":
            yield from self._read_escape(is_in_set=True)
        else:
            self._at += 1

    def _explain_posix(self, posix: re.Match[str]) -> PatternPart:
        characters = _POSIX_SETS.get(posix[1], "A-Za-z")
        start, end = posix.span()
        is_alone = self._pattern[start - 1 : start] == "[" and self._pattern[end : end + 1] == "]"
        if is_alone and not posix[0].startswith("[:^"):
            return PatternPart(f"[{posix[0]}]", f'write "[{characters}]"', differs=True)
        return PatternPart(posix[0], f'write "{characters}" in the set', differs=True)


def _explain_letter(char: str, is_in_set: bool) -> PatternPart:
    text = f"\\{char}"
    is_letter = char.isascii() and char.isalpha()
    refusing = _BOTH if is_letter and char not in "aAZ" else (Reader.ECMA_262,)
    if char in _OTHER_ESCAPES and not (is_in_set and char in "AZzRXhH"):
        return PatternPart(text, f'write "{_OTHER_ESCAPES[char]}"', refusing)
    return PatternPart(text, "leave it out" if char in "QEGK" else f'write "{char}"', refusing)


def _write_code(code: int) -> str:
    """Return how every engine reads a character."""
    char = chr(code) if code <= 0x10FFFF else ""
    if char in _SYNTAX or char == "-":
        return f"\\{char}"
    if char and not unicodedata.category(char).startswith(("C", "Z")) and not unicodedata.combining(char):
        return char
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else char


def _ask_python(pattern: str) -> Iterator[PatternPart]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        if "look-behind" in str(error):
            match = re.search(r"\(\?<[=!]", pattern)
            help = "give it one length, or write alternatives of one length each"
            yield PatternPart(match[0] if match else pattern, help, _PYTHON)
        elif isinstance(error, re.error):
            at = error.pos or 0
            yield PatternPart(pattern[at : at + 12], f"it is wrong there: {error.msg}", _BOTH)
