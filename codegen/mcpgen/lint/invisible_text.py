"""Find characters in a text that nobody sees, and that a model reads."""

from __future__ import annotations

import re
import unicodedata

_FLAGS = re.compile(
    "\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)\U000e007f"
)
"""The emoji of three flags, which are spelt with tag characters: those of England, Scotland and Wales."""
_SUSPECT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Control characters but tab and line breaks, and Unicode's default ignorable code points."""
_MARKS = "\u061c\u200e\u200f"
"""Marks of the reading direction, which belong into text with letters that are read from right to left."""
_JOINERS = "\u200c\u200d"
_EMOJI_KEYS = "0123456789#*\xa9\xae"
"""Characters below U+0100 that have a form as emoji."""


def find_invisible(text: str) -> list[str]:
    """Return the invisible characters of a text, in order, without those that its writing needs."""
    return [text[offset] for offset in _find_offsets(text)]


def remove_invisible(text: str) -> str:
    """Return a text without what `find_invisible` finds."""
    offsets = set(_find_offsets(text))
    return "".join(char for index, char in enumerate(text) if index not in offsets)


def mark_invisible(text: str) -> str:
    """Return a text with the code point of each character that `find_invisible` finds in its place, as `⟨U+200B⟩`."""
    offsets = set(_find_offsets(text))
    return "".join(f"⟨U+{ord(char):04X}⟩" if index in offsets else char for index, char in enumerate(text))


def describe_invisible(chars: list[str]) -> str:
    """Return the names of characters, and what they spell if they are tags."""
    names = [f"U+{ord(char):04X} {unicodedata.name(char, '')}".rstrip() for char in dict.fromkeys(chars)]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    spelt = "".join(chr(ord(char) - 0xE0000) for char in chars if 0xE0020 <= ord(char) <= 0xE007E)
    return ", ".join(names[:3]) + more + (f'; the tags spell "{spelt[:80]}"' if spelt else "")


def _find_offsets(text: str) -> list[int]:
    if _SUSPECT.search(text) is None:
        return []
    flags = [(match.start(), match.end()) for match in _FLAGS.finditer(text)]
    has_rtl = any(map(_is_rtl_letter, text))
    return [
        match.start()
        for match in _SUSPECT.finditer(text)
        if not any(start <= match.start() < end for start, end in flags)
        and not _is_needed(text, match.start(), has_rtl)
    ]


def _is_needed(text: str, offset: int, has_rtl: bool) -> bool:
    char = text[offset]
    previous = text[offset - 1] if offset else " "
    following = text[offset + 1] if offset + 1 < len(text) else " "
    if char in _MARKS:
        return has_rtl
    if char in _JOINERS:
        return (_is_joined(previous) and _is_joined(following)) or (
            char == "\u200d" and _is_emoji(previous) and ord(following) > 0x2000
        )
    code, base = ord(char), ord(previous)
    if code in (0xFE0E, 0xFE0F):
        return previous in _EMOJI_KEYS or (_is_emoji(previous) and not _SUSPECT.match(previous))
    if 0xFE00 <= code <= 0xFE0D:
        return 0x1000 <= base < 0x1100 or 0x2200 <= base < 0x2300 or _is_ideograph(base)
    if 0xE0100 <= code <= 0xE01EF:
        return _is_ideograph(base)
    return 0x180B <= code <= 0x180F and 0x1820 <= base <= 0x18AA


def _is_rtl_letter(char: str) -> bool:
    return char >= "\u0590" and char.isalpha() and unicodedata.bidirectional(char) in ("R", "AL")


def _is_joined(char: str) -> bool:
    """Report whether a character is of a script whose letters join, so that joiners mean something between them."""
    return ord(char) >= 0x0590 and unicodedata.category(char)[0] in "LM"


def _is_emoji(char: str) -> bool:
    return ord(char) >= 0x2000 and (unicodedata.category(char) in ("So", "Sk", "Sm", "Po") or char == "\ufe0f")


def _is_ideograph(code: int) -> bool:
    return 0x3400 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or 0x20000 <= code <= 0x3FFFF
