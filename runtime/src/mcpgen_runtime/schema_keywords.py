"""JSON Schema's keywords by what they contain, and patterns that the validator does not support."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, cast
from urllib.parse import quote

SCHEMA_KEYWORDS = frozenset(
    "additionalItems additionalProperties allOf anyOf contains contentSchema else if items not oneOf prefixItems "
    "propertyNames then unevaluatedItems unevaluatedProperties".split()
)
"""Keywords whose value is a schema or a list of schemas."""
SCHEMA_MAP_KEYWORDS = frozenset("$defs definitions dependencies dependentSchemas patternProperties properties".split())
"""Keywords whose value maps names to schemas; `dependencies` also maps names to lists of names."""
DEFINITION_KEYWORDS = frozenset(["$defs", "definitions"])
"""Those of them that apply nothing by themselves."""
VALUE_KEYWORDS = frozenset("const default enum examples".split())
"""Keywords whose value holds JSON values, in which `$ref` is an ordinary member."""
URI_KEYWORDS = frozenset(["$dynamicRef", "$id", "$ref"])
"""Keywords whose value is a URI reference to a schema, or the base of such references."""
TYPED_KEYWORDS = frozenset(
    "additionalItems additionalProperties contains contentEncoding contentMediaType contentSchema dependencies "
    "dependentRequired dependentSchemas exclusiveMaximum exclusiveMinimum format items maxContains maxItems maxLength "
    "maxProperties maximum minContains minItems minLength minProperties minimum multipleOf pattern patternProperties "
    "prefixItems properties propertyNames required unevaluatedItems unevaluatedProperties uniqueItems".split()
)
"""Keywords that concern the values of one type alone."""
ANNOTATION_KEYWORDS = frozenset("default deprecated description examples readOnly title writeOnly".split())
"""Keywords that describe a value and refuse none."""
ONLY_IN_DRAFT_07 = frozenset(["additionalItems"])
ONLY_IN_2020_12 = frozenset(
    "$anchor $dynamicAnchor $dynamicRef $vocabulary dependentRequired dependentSchemas maxContains minContains "
    "prefixItems unevaluatedItems unevaluatedProperties".split()
)
"""Keywords that the other dialect does not have."""


# --- walks -----------------------------------------------------------------------------------------------------------
def walk_objects(schema: Any) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
    """Yield each object in a schema with the path that leads to it. Data is included."""
    todo: list[tuple[tuple[str | int, ...], Any]] = [((), schema)] if isinstance(schema, (dict, list)) else []
    while todo:
        path, inner = todo.pop()
        if isinstance(inner, dict):
            yield path, cast(dict[str, Any], inner)
        items: Iterable[tuple[Any, Any]] = cast(Any, inner.items() if isinstance(inner, dict) else enumerate(inner))
        todo += [((*path, key), item) for key, item in items if isinstance(item, (dict, list))]


def change_objects(schema: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """Return a copy of a schema with each schema object changed, inner ones first. Data stays unchanged."""
    if isinstance(schema, list):
        return [change_objects(inner, change) for inner in cast(Any, schema)]
    if not isinstance(schema, dict):
        return schema
    copy: dict[str, Any] = {}
    for keyword, value in cast(dict[str, Any], schema).items():
        if keyword in SCHEMA_MAP_KEYWORDS and isinstance(value, dict):
            copy[keyword] = {name: change_objects(inner, change) for name, inner in cast(Any, value).items()}
        else:
            copy[keyword] = value if keyword in VALUE_KEYWORDS else change_objects(value, change)
    return change(copy)


def encode_references(schema: Any) -> Any:
    """Percent-encode references that are not URI references (RFC 3986); return the schema itself if all are."""
    encoded = change_objects(schema, encode_uris)
    return schema if encoded == schema else encoded


def encode_uris(members: dict[str, Any]) -> dict[str, Any]:
    """Return a schema object with its references encoded, in place."""
    for key in URI_KEYWORDS:
        uri: object = members.get(key)
        if isinstance(uri, str):
            base, mark, fragment = uri.partition("#")
            members[key] = (base if "//[" in base else _encode(base)) + mark + _encode(fragment)
    return members


def _encode(text: str) -> str:
    return quote(re.sub("%(?![0-9A-Fa-f]{2})", "%25", text), safe="!$&'()*+,;=:@/?%-._~")


# --- the validator ---------------------------------------------------------------------------------------------------
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
    """Raise CheckFailed instead of a panic within the block."""
    try:
        yield
    except BaseException as error:
        if not is_panic(error):
            raise
        raise CheckFailed from error


class _Annotation:
    def __init__(self, schema: object, value: object, path: list[str | int]) -> None:
        pass

    def validate(self, instance: object) -> None:
        """Accept every value."""


class CustomKeyword(NamedTuple):
    """A keyword that `jsonschema-rs` does not implement as mcpgen needs it."""

    implementation: type[Any]
    """Called with a schema object, the keyword's value and its path; `validate` raises a ValueError."""
    in_2020_12: bool = True
    """Whether this is needed in 2020-12, and not in draft-07 alone."""
    expected: Callable[[Any], str] | None = None
    """Describes for messages what the keyword's value requires; None if the keyword accepts everything."""


_ANNOTATED = CustomKeyword(_Annotation, in_2020_12=False)
CUSTOM_KEYWORDS = {"contentEncoding": _ANNOTATED, "contentMediaType": _ANNOTATED}
"""mcpgen checks values with this table, too."""


def select_custom_keywords(draft_07: bool) -> dict[str, Any]:
    """Return the implementations for one dialect, as the option `keywords` of `jsonschema-rs` takes them."""
    return {name: keyword.implementation for name, keyword in CUSTOM_KEYWORDS.items() if draft_07 or keyword.in_2020_12}
