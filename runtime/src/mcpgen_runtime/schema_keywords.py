"""JSON Schema's keywords by what they contain, and patterns that the validator does not support."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, cast
from urllib.parse import quote

SCHEMA_KEYWORDS = frozenset(
    [
        "additionalItems",
        "additionalProperties",
        "allOf",
        "anyOf",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "oneOf",
        "prefixItems",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    ]
)
"""Keywords whose value is a schema or a list of schemas."""
SCHEMA_MAP_KEYWORDS = frozenset(
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"]
)
"""Keywords whose value maps names to schemas; `dependencies` also maps names to lists of names."""
DEFINITION_KEYWORDS = frozenset(["$defs", "definitions"])
"""Those of them that apply nothing by themselves."""
VALUE_KEYWORDS = frozenset(["const", "default", "enum", "examples"])
"""Keywords whose value holds JSON values, in which `$ref` is an ordinary member."""
URI_KEYWORDS = frozenset(["$dynamicRef", "$id", "$ref"])
"""Keywords whose value is a URI reference to a schema, or the base of such references."""
TYPED_KEYWORDS = frozenset(
    [
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "items",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "propertyNames",
        "required",
        "unevaluatedItems",
        "unevaluatedProperties",
        "uniqueItems",
    ]
)
"""Keywords that concern the values of one type alone."""
ANNOTATION_KEYWORDS = frozenset(["default", "deprecated", "description", "examples", "readOnly", "title", "writeOnly"])
"""Keywords that describe a value and refuse none."""
ONLY_IN_DRAFT_07 = frozenset(["additionalItems"])
"""Keywords of draft-07 that 2020-12 does not have."""
ONLY_IN_2020_12 = frozenset(
    [
        "$anchor",
        "$dynamicAnchor",
        "$dynamicRef",
        "$vocabulary",
        "dependentRequired",
        "dependentSchemas",
        "maxContains",
        "minContains",
        "prefixItems",
        "unevaluatedItems",
        "unevaluatedProperties",
    ]
)
"""Keywords of 2020-12 that draft-07 does not have."""


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


class CheckFailed(ValueError):
    """The validator failed, so it is unknown whether a value satisfies its schema."""

    def __init__(self, message: str = "could not be checked, since the validator failed") -> None:
        super().__init__(message)


def is_panic(error: BaseException) -> bool:
    """Return whether an exception is a panic; its class cannot be imported."""
    kind = type(error)
    return (kind.__module__, kind.__name__) == ("pyo3_runtime", "PanicException")


@contextmanager
def contained() -> Generator[None]:
    """Convert a panic within the block to an ordinary error.

    Raises:
        CheckFailed: a panic occurred.
    """
    try:
        yield
    except BaseException as error:
        if not is_panic(error):
            raise
        raise CheckFailed from error


class _Annotation:
    """A keyword that accepts every value."""

    def __init__(self, schema: object, value: object, path: list[str | int]) -> None:
        pass

    def validate(self, instance: object) -> None:
        """Accept every value."""


class CustomKeyword(NamedTuple):
    """A keyword, and the dialects in which `jsonschema-rs` needs its implementation."""

    implementation: type[Any]
    """Called with a schema object, the keyword's value and its path; `validate` raises a ValueError."""
    in_2020_12: bool = True
    in_draft_07: bool = True
    expected: Callable[[Any], str] | None = None
    """Describes for messages what the keyword's value requires; None if the keyword accepts everything."""


CUSTOM_KEYWORDS: dict[str, CustomKeyword] = {
    "contentEncoding": CustomKeyword(_Annotation, in_2020_12=False),
    "contentMediaType": CustomKeyword(_Annotation, in_2020_12=False),
}
"""The keywords; mcpgen checks values with this table, too."""


def select_custom_keywords(draft_07: bool) -> dict[str, Any]:
    """Return the implementations for one dialect, as the option `keywords` of `jsonschema-rs` takes them."""
    return {
        name: keyword.implementation
        for name, keyword in CUSTOM_KEYWORDS.items()
        if (keyword.in_draft_07 if draft_07 else keyword.in_2020_12)
    }
