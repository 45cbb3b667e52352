"""Warn about required names and formats that look misspelt: JSON Schema accepts every name there."""

from __future__ import annotations

import difflib
from itertools import islice

from mcpgen.diagnostics import Findings
from mcpgen.read.document import SourceDocument
from mcpgen.schema.values import Json, format_pointer

MAX_COMPARED_NAMES, MAX_COMPARED_LENGTH = 1_000, 200
"""Names that a misspelt name is compared with, and characters of it that are compared."""
MAX_REPORTED = 20
"""Names of one object that are compared and reported."""
_LIKENESS = 0.74
"""Likeness, from 0 to 1, from which two names count as one: `naem` and `name` have 0.75, `start` and `state` 0.6."""
_KEYWORDS_WITH_PROPERTIES = frozenset(
    {"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "patternProperties", "dependentSchemas"}
)
"""Keywords next to `properties` that may declare the required property in another place."""
_FORMATS = tuple(
    "date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri iri-reference "
    "uuid uri-template json-pointer relative-json-pointer regex".split()
)
"""The formats that JSON Schema defines."""
_FORMATS_ELSEWHERE = frozenset("timestamp".split())
"""Formats in use elsewhere that are like one of JSON Schema's, and mean something else."""
_FORMAT_ALIASES = {"url": "uri", "guid": "uuid", "mail": "email", "ip": "ipv4", "ip-address": "ipv4", "regexp": "regex"}
"""Format → what JSON Schema calls it."""


def warn_about_names(schema: dict[str, Json], document: SourceDocument, pointer: str, findings: Findings) -> None:
    """Warn about a misspelt `format`, and about required names of an open object that are like those of properties.

    Args:
        schema: A schema object.
        document: The document that contains it.
        pointer: Its JSON pointer there.
        findings: Receives the warnings.
    """
    _warn_about_format(schema, document, pointer, findings)
    properties, required = schema.get("properties"), schema.get("required")
    is_declared_elsewhere = not _KEYWORDS_WITH_PROPERTIES.isdisjoint(schema)
    if not isinstance(properties, dict) or not isinstance(required, list) or is_declared_elsewhere:
        return
    if schema.get("additionalProperties") is False:
        return  # MG106: nothing allows the name
    candidates = [name for name in islice(properties, MAX_COMPARED_NAMES) if name not in required]
    undeclared = [(index, str(name)) for index, name in enumerate(required) if name not in properties]
    for index, name in undeclared[:MAX_REPORTED]:
        meant = _find_meant(name, candidates)
        if meant is not None:
            message = f'"{name}" is required, but "properties" declares "{meant}" and no "{name}"'
            span = document.make_span(pointer + format_pointer("required", index))
            findings.warn("MG116", message, span, f'did you mean "{meant}"? If not, declare "{name}" under properties')


def _find_meant(name: str, candidates: list[str]) -> str | None:
    """Return the name that a misspelt one stands for: the same in another style, or with a few wrong letters."""
    flat = _flatten(name)
    same = [candidate for candidate in candidates if _flatten(candidate) == flat]
    candidates = [candidate for candidate in candidates if _drop_digits(candidate) != _drop_digits(name)]
    close = same or difflib.get_close_matches(name[:MAX_COMPARED_LENGTH], candidates, 1, _LIKENESS)
    return close[0] if close else None


def _flatten(name: str) -> str:
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()


def _drop_digits(name: str) -> str:
    """Return a name without digits: `line1` and `line2` are two names, and neither is misspelt."""
    return "".join(character for character in name if not character.isdigit())


def _warn_about_format(schema: dict[str, Json], document: SourceDocument, pointer: str, findings: Findings) -> None:
    name = schema.get("format")
    if not isinstance(name, str) or name in _FORMATS or name in _FORMATS_ELSEWHERE:
        return
    meant = _FORMAT_ALIASES.get(name.lower()) or _find_meant(name[:MAX_COMPARED_LENGTH].lower(), list(_FORMATS))
    if meant is not None:
        message = f'"{name}" is not a format of JSON Schema, and means nothing to most readers'
        findings.warn("MG116", message, document.make_span(pointer, "format"), f'did you mean "{meant}"?')
