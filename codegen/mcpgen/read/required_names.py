"""Warn about required properties that their object forbids, or that nothing describes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from mcpgen.diagnostics import Findings, join_words
from mcpgen.read.document import SourceDocument
from mcpgen.read.misspelt_names import MAX_COMPARED_NAMES, find_extended, find_meant
from mcpgen.schema.keywords import KEYWORD_TABLE, Role
from mcpgen.schema.values import Json, format_pointer

MAX_REPORTED = 20
"""Names of one object that are compared and reported."""
_KEYWORDS_WITH_PROPERTIES = {"patternProperties"} | {
    entry.name for entry in KEYWORD_TABLE.values() if entry.role in (Role.IN_PLACE, Role.REFERENCE)
} - {"not"}
"""Keywords next to `properties` that may declare the required property in another place."""


def warn_about_required_names(
    schema: dict[str, Json], document: SourceDocument, pointer: str, stands_alone: bool, findings: Findings
) -> None:
    """Warn about the required names of an object that no property has.

    Args:
        schema: A schema object.
        document: The document that contains it.
        pointer: Its JSON pointer there.
        stands_alone: Whether no other schema may describe the same object.
        findings: Receives the warnings.
    """
    properties, required = schema.get("properties"), schema.get("required")
    declared = properties if isinstance(properties, dict) else {}
    listed = [str(name) for name in required] if isinstance(required, list) else []
    is_closed = schema.get("additionalProperties") is False and "patternProperties" not in schema
    if not is_closed and (not isinstance(properties, dict) or not _KEYWORDS_WITH_PROPERTIES.isdisjoint(schema)):
        return
    missing = [(pointer + at, name) for at, name in _list_required(schema) if name not in declared]
    if is_closed:
        missing = [(at, name) for at, name in missing if name in listed]
    optional = [name for name in islice(declared, MAX_COMPARED_NAMES) if name not in listed]
    for at, name in missing[:MAX_REPORTED]:
        meant = find_meant(name, optional)
        renamed = optional[0] if len(optional) == len(missing) == 1 else None
        help = _suggest_name(name, meant or find_extended(name, optional), renamed)
        span = document.make_span(at)
        if is_closed:
            findings.warn("MG106", f'"{name}" is required, but {_list_allowed([*declared])}', span, help)
        elif meant is not None:
            message = f'"{name}" is required, but "properties" declares "{meant}" and no "{name}"'
            findings.warn("MG116", message, span, help)
        elif stands_alone and name in listed and not _describes_others(schema):
            findings.warn("MG117", f'"{name}" is required, but nothing describes it', span, help)
    if is_closed and len(missing) > MAX_REPORTED:
        at, name = missing[MAX_REPORTED]
        message = f'"{name}" and {len(missing) - MAX_REPORTED - 1} more are required, but {_list_allowed([*declared])}'
        findings.warn("MG106", message, document.make_span(at), "declare them under properties")


def _describes_others(schema: dict[str, Json]) -> bool:
    """Return whether a schema says what the properties are that it does not name."""
    rest = [schema.get("additionalProperties"), schema.get("unevaluatedProperties")]
    return any(isinstance(part, dict) and part for part in rest)


def _list_required(schema: dict[str, Json]) -> Iterator[tuple[str, str]]:
    """Yield the pointer and the name of each entry of `required` and `dependentRequired`."""
    required, dependent = schema.get("required"), schema.get("dependentRequired")
    for index, name in enumerate(required if isinstance(required, list) else ()):
        yield format_pointer("required", index), str(name)
    for cause, names in dependent.items() if isinstance(dependent, dict) else ():
        yield format_pointer("dependentRequired", cause), cause
        for index, name in enumerate(names if isinstance(names, list) else ()):
            yield format_pointer("dependentRequired", cause, index), str(name)


def _list_allowed(names: list[str]) -> str:
    """Return what a closed object allows, and what follows for a name that it requires."""
    shown = join_words([f'"{name}"' for name in names])
    allowed = f"{shown} only" if shown else "no property"
    return f'"additionalProperties": false allows {allowed}: no object is valid'


def _suggest_name(name: str, meant: str | None, renamed: str | None) -> str:
    """Return the help for a required name that no property has.

    Args:
        name: The required name.
        meant: A declared name that is like it.
        renamed: The only declared name that may have been this one before.
    """
    if meant is not None:
        return f'did you mean "{meant}"? If not, declare "{name}" under properties'
    if renamed is not None:
        return (
            f'if "{renamed}" was called "{name}" before, write "{renamed}"; if not, declare "{name}" under properties'
        )
    return f'declare "{name}" under properties, or remove it from the required names'
