"""Percent-encode references that are not valid URIs, such as `#/$defs/List[Item]`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import quote

from .schema_keywords import SCHEMA_MAP_KEYWORDS, URI_KEYWORDS, VALUE_KEYWORDS

_URI_SAFE_CHARS = "!$&'()*+,;=:@/?%-._~"
_URI_PATTERN = r"(?:[A-Za-z0-9!$&'()*+,;=:@/?._~-]|%[0-9A-Fa-f]{2})*"
_BARE_PERCENT = r"%(?![0-9A-Fa-f]{2})"


def encode_references(schema: Any) -> Any:
    """Percent-encode references that are not URI references (RFC 3986); return the schema itself if all are."""
    if all(_encode_uri(holder[key]) == holder[key] for holder, key in _find_references(schema)):
        return schema
    copy = json.loads(json.dumps(schema))
    for holder, key in _find_references(copy):
        holder[key] = _encode_uri(holder[key])
    return copy


def _find_references(schema: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield each reference and identifier: the schema object that contains it, and the keyword."""
    stack: list[Any] = [schema]
    while stack:
        inner = stack.pop()
        if isinstance(inner, list):
            stack.extend(cast(Any, inner))
        elif isinstance(inner, dict):
            members = cast(dict[str, Any], inner)
            for key, value in members.items():
                if key in URI_KEYWORDS and isinstance(value, str):
                    yield members, key
                elif key in SCHEMA_MAP_KEYWORDS and isinstance(value, dict):
                    stack.extend(cast(Any, value).values())
                elif key not in VALUE_KEYWORDS:
                    stack.append(value)


def _encode_uri(text: str) -> str:
    base, mark, fragment = text.partition("#")
    if not re.fullmatch(_URI_PATTERN, base) and "//[" not in base:
        base = quote(re.sub(_BARE_PERCENT, "%25", base), safe=_URI_SAFE_CHARS)
    if not re.fullmatch(_URI_PATTERN, fragment):
        fragment = quote(re.sub(_BARE_PERCENT, "%25", fragment), safe=_URI_SAFE_CHARS)
    return base + mark + fragment


__all__ = ["encode_references"]
