"""Read the names that schemas give themselves: titles and the keys of definitions."""

from __future__ import annotations

import re

from mcpgen.files.definition_files import get_stem
from mcpgen.schema.values import Json

MAX_TITLE_LENGTH = 40
"""Longer titles are sentences, not names; so are titles of more than `MAX_TITLE_WORDS` words."""
MAX_TITLE_WORDS = 4
_SEPARATOR = re.compile(r"[/:#.]+|__+")


def find_title(schema: Json) -> str:
    """Return the `title` of a schema if it can be a name, else an empty text."""
    title = schema.get("title") if isinstance(schema, dict) else None
    if not isinstance(title, str) or not any(map(str.isalpha, title)):
        return ""
    return title if len(title) <= MAX_TITLE_LENGTH and len(title.split()) <= MAX_TITLE_WORDS else ""


def shorten_definition_key(key: str) -> str:
    """Return the last part of a definition's key that looks like a path, a URI or a qualified name, else the key.

    `core/forecast-value.json` is `forecast-value`, `com.acme.Money` is `Money`.
    """
    parts = [part for part in _SEPARATOR.split(get_stem(key)) if any(map(str.isalpha, part))]
    return parts[-1] if parts else key
