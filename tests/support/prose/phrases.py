"""Phrases that no text of the repository may have, and what to write instead of each."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field

from support.prose.texts import Prose
from support.repository import ROOT

PHRASES_FILE = ROOT / "tests" / "docs" / "prose_phrases.toml"


@dataclass(frozen=True)
class Phrase:
    """An entry of prose_phrases.toml, which explains its members."""

    pattern: str
    instead: str
    bad: str
    good: str = ""
    only: list[str] = field(default_factory=list[str])

    def find(self, text: str) -> str | None:
        """Return the part of a text that this phrase refuses."""
        match = re.search(self.pattern, text, re.IGNORECASE)
        return match[0].strip() if match else None


def read_phrases() -> list[Phrase]:
    """Read the phrases, in their order."""
    return [Phrase(**entry) for entry in tomllib.loads(PHRASES_FILE.read_text("utf-8"))["phrase"]]


def find_phrases(group: str, prose: list[Prose], phrases: list[Phrase]) -> list[str]:
    """Return a line for each phrase in a group's prose: where it is, the phrase, and what to write instead."""
    chosen = [phrase for phrase in phrases if not phrase.only or group in phrase.only]
    return [
        f'{item.path}:{item.line}: "{found}" in "{item.text[:160]}": write: {phrase.instead}'
        for item in prose
        for phrase in chosen
        if (found := phrase.find(item.text)) is not None
    ]
