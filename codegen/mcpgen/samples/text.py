"""Draw text that follows no pattern or format."""

from __future__ import annotations

import base64
from random import Random

from mcpgen.words import split_words

LONGEST_STRING = 20_000
"""Characters that one drawn string may have."""
PLAIN_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789 -_."
ODD_CHARACTERS = (
    "éßλЖ中あ\u0301\u200b\u2028\u2029\x00\x1f\x7f\x85\xa0\\\"'{}#$/~`\n\t\r\ufeff\ufffd\ue000😀𝔘🏴\U0010ffff"
)
"""Text that breaks careless code: combining, invisible, control, private and astral characters."""


def draw_text(random: Random, least: int, most: int | None) -> str:
    """Draw text with a length in code points between the bounds; sometimes with odd characters."""
    least = min(least, LONGEST_STRING)
    highest = least + 6 if most is None else min(most, least + 6)
    size = random.randint(least, max(least, highest))
    alphabet = PLAIN_CHARACTERS if random.random() < 0.75 else PLAIN_CHARACTERS + ODD_CHARACTERS
    start = "".join(random.choice(alphabet) for _ in range(min(size, 12)))
    return (start * (size // max(len(start), 1) + 1))[:size]


def draw_base64(random: Random) -> str:
    """Draw a few bytes in canonical base64."""
    return base64.b64encode(bytes(random.randint(0, 255) for _ in range(random.randint(0, 7)))).decode()


def spell_out_name(name: str) -> str:
    """Return readable text for a property: its name in words."""
    return " ".join(word if word.isupper() else word.lower() for word in split_words(name)) or "text"
