"""Recognize the format that recorded strings have in common."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import jsonschema_rs

_FORMATS = ("date-time", "date", "time", "duration", "uuid", "email", "ipv4", "ipv6", "uri")
"""Formats of JSON Schema that are told from other text, the narrowest first."""
_ABSOLUTE_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|(?:urn|mailto|data):")
"""How a URI begins that is not just some text with a colon."""


def find_common_format(texts: Sequence[str]) -> str | None:
    """Return the format (JSON Schema, Validation, section 7.3) that all texts have; None if they have none."""
    return next((name for name in _FORMATS if all(_has_format(text, name) for text in texts)), None)


def has_some_format(text: str) -> bool:
    """Return whether a text has one of the formats."""
    return any(_has_format(text, name) for name in _FORMATS)


def _has_format(text: str, name: str) -> bool:
    return (name != "uri" or _ABSOLUTE_URI.match(text) is not None) and _make_validator(name).is_valid(text)


@cache
def _make_validator(name: str) -> Any:
    return jsonschema_rs.Draft202012Validator({"format": name}, validate_formats=True)
