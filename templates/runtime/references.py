"""The references of a schema as URIs: `#/$defs/List[Item]` is none, though everybody knows what is meant."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import quote

_REFERENCES = ("$ref", "$dynamicRef", "$id")
_NAMED = frozenset(
    "properties patternProperties $defs definitions dependentSchemas dependencies".split()
)
"""Keywords that hold schemas by name."""
_VALUES = frozenset("const enum default examples".split())
"""Keywords that hold values, in which a `$ref` is a member like any other."""
_SAFE = "!$&'()*+,;=:@/?%-._~"
_URI = r"(?:[A-Za-z0-9!$&'()*+,;=:@/?._~-]|%[0-9A-Fa-f]{2})*"
_BARE_PERCENT = r"%(?![0-9A-Fa-f]{2})"


def with_uris(schema: Any) -> Any:
    """The schema with what is no URI reference (RFC 3986) percent-encoded; itself where all are."""
    if all(_as_uri(holder[key]) == holder[key] for holder, key in _references(schema)):
        return schema
    copy = json.loads(json.dumps(schema))
    for holder, key in _references(copy):
        holder[key] = _as_uri(holder[key])
    return copy


def _references(schema: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Each reference and identifier: the schema object that holds it, and the keyword."""
    stack: list[Any] = [schema]
    while stack:
        inner = stack.pop()
        if isinstance(inner, list):
            stack.extend(cast(Any, inner))
        elif isinstance(inner, dict):
            held = cast(dict[str, Any], inner)
            for key, value in held.items():
                if key in _REFERENCES and isinstance(value, str):
                    yield held, key
                elif key in _NAMED and isinstance(value, dict):
                    stack.extend(cast(Any, value).values())
                elif key not in _VALUES:
                    stack.append(value)


def _as_uri(text: str) -> str:
    base, mark, fragment = text.partition("#")
    if not re.fullmatch(_URI, base) and "//[" not in base:
        base = quote(re.sub(_BARE_PERCENT, "%25", base), safe=_SAFE)
    if not re.fullmatch(_URI, fragment):
        fragment = quote(re.sub(_BARE_PERCENT, "%25", fragment), safe=_SAFE)
    return base + mark + fragment


__all__ = ["with_uris"]
