"""Percent-encode the references of a schema, as generated code does (`templates/runtime/schema_references.py`)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import quote

from mcpgen.schema.keywords import DRAFT_2020_12, REFERENCE_KEYWORDS, SCHEMA_MAP_KEYWORDS, VALUE_KEYWORDS

_URI_KEYWORDS = (*REFERENCE_KEYWORDS[DRAFT_2020_12], "$id")
_URI_SAFE_CHARS = "!$&'()*+,;=:@/?%-._~"
_URI_PATTERN = r"(?:[A-Za-z0-9!$&'()*+,;=:@/?._~-]|%[0-9A-Fa-f]{2})*"
_BARE_PERCENT = r"%(?![0-9A-Fa-f]{2})"


def encode_references(schema: Any) -> Any:
    """Return a schema whose references are URI references (RFC 3986): other characters are percent-encoded.

    Returns:
        The same object where no reference needs it, else a copy.
    """
    if all(_encode_uri(subschema[keyword]) == subschema[keyword] for subschema, keyword in _find_references(schema)):
        return schema
    copy = json.loads(json.dumps(schema))
    for subschema, keyword in _find_references(copy):
        subschema[keyword] = _encode_uri(subschema[keyword])
    return copy


def _find_references(schema: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield each reference and identifier: the schema object and the keyword."""
    stack: list[Any] = [schema]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack.extend(cast(Any, value))
        elif isinstance(value, dict):
            subschema = cast(dict[str, Any], value)
            for keyword, member in subschema.items():
                if keyword in _URI_KEYWORDS and isinstance(member, str):
                    yield subschema, keyword
                elif keyword in SCHEMA_MAP_KEYWORDS and isinstance(member, dict):
                    stack.extend(cast(Any, member).values())
                elif keyword not in VALUE_KEYWORDS:
                    stack.append(member)


def _encode_uri(text: str) -> str:
    base, mark, fragment = text.partition("#")
    if not re.fullmatch(_URI_PATTERN, base) and "//[" not in base:
        base = quote(re.sub(_BARE_PERCENT, "%25", base), safe=_URI_SAFE_CHARS)
    if not re.fullmatch(_URI_PATTERN, fragment):
        fragment = quote(re.sub(_BARE_PERCENT, "%25", fragment), safe=_URI_SAFE_CHARS)
    return base + mark + fragment
