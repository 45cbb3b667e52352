"""Guess what misspelt names stand for, and warn about formats that look misspelt: JSON Schema accepts all of them."""

from __future__ import annotations

from collections.abc import Sequence

from mcpgen.diagnostics import Findings
from mcpgen.read.document import SourceDocument
from mcpgen.schema.formats import STANDARD_FORMATS
from mcpgen.schema.values import Json
from mcpgen.words import NameGuesser, split_words

MAX_COMPARED_NAMES, MAX_COMPARED_LENGTH = 1_000, 200
"""Names that a misspelt name is compared with, and characters of it that are compared."""
_LIKENESS = 0.74
"""Likeness, from 0 to 1, from which two names count as one: `naem` and `name` have 0.75, `start` and `state` 0.6."""
_FORMATS_ELSEWHERE = frozenset("timestamp".split())
"""Formats in use elsewhere that are like one of JSON Schema's, and mean something else."""
_FORMAT_ALIASES = {"url": "uri", "guid": "uuid", "mail": "email", "ip": "ipv4", "ip-address": "ipv4", "regexp": "regex"}
"""Format → what JSON Schema calls it."""


def find_meant(name: str, candidates: Sequence[str]) -> str | None:
    """Return the name that a misspelt one stands for: the same in another style, or with a few wrong letters."""
    flat = _flatten(name)
    same = [candidate for candidate in candidates if _flatten(candidate) == flat]
    candidates = [candidate for candidate in candidates if _drop_digits(candidate) != _drop_digits(name)]
    close = same or NameGuesser().list_similar(name[:MAX_COMPARED_LENGTH], candidates, 1, _LIKENESS)
    return close[0] if close else None


def find_extended(name: str, candidates: Sequence[str]) -> str | None:
    """Return the only name that has all words of another one and more, or fewer: `celsius` and `max_celsius`."""
    words = _split_words(name)
    others = {candidate: _split_words(candidate) for candidate in candidates}
    extended = [other for other, parts in others.items() if words and parts and (words < parts or parts < words)]
    return extended[0] if len(extended) == 1 else None


def _split_words(name: str) -> frozenset[str]:
    return frozenset(word.lower() for word in split_words(name[:MAX_COMPARED_LENGTH]) if word.isalpha())


def _flatten(name: str) -> str:
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()


def _drop_digits(name: str) -> str:
    """Return a name without digits: `line1` and `line2` are two names, and neither is misspelt."""
    return "".join(character for character in name if not character.isdigit())


def warn_about_format(schema: dict[str, Json], document: SourceDocument, pointer: str, findings: Findings) -> None:
    """Warn about a `format` whose name is like that of a format of JSON Schema.

    Args:
        schema: A schema object.
        document: The document that contains it.
        pointer: Its JSON pointer there.
        findings: Receives the warning.
    """
    name = schema.get("format")
    if not isinstance(name, str) or name in STANDARD_FORMATS or name in _FORMATS_ELSEWHERE:
        return
    lowered = name[:MAX_COMPARED_LENGTH].lower()
    reordered = (standard for standard in STANDARD_FORMATS if sorted(standard) == sorted(lowered))
    meant = _FORMAT_ALIASES.get(lowered) or next(reordered, None) or find_meant(lowered, STANDARD_FORMATS)
    if meant is not None:
        message = f'"{name}" is not a format of JSON Schema, and means nothing to most readers'
        findings.warn("MG116", message, document.make_span(pointer, "format"), f'did you mean "{meant}"?')
