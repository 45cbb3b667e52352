"""Warn about properties that a closed part of a schema forbids, and about defaults and examples that break it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from mcpgen_runtime.schema_keywords import CheckFailed, contained

from mcpgen.diagnostics import Findings
from mcpgen.read.schema_mistakes import format_error
from mcpgen.read.written_schema import WrittenSchema
from mcpgen.schema.document import SchemaDocument, SubschemaValidators
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import CONSTRAINING_KEYWORDS, DRAFT_07, walk_subschemas
from mcpgen.schema.values import Json, as_array, as_object, follow_pointer, format_pointer, parse_pointer

MAX_REPORTED = 20
"""Warnings of one kind about one schema."""
MAX_VALUES = 1_000
"""Defaults and examples of one schema that are checked."""
MAX_PARTS = 50
"""Schemas that describe one object together and are compared."""


def warn_about_bundled(schema: Json, dialect: str, written: WrittenSchema, findings: Findings) -> None:
    """Warn about the mistakes that only a schema with everything that it refers to shows.

    Args:
        schema: The schema, bundled.
        dialect: Its dialect.
        written: Where its parts are written.
        findings: Receives the warnings.
    """
    _warn_about_closed_parts(schema, dialect, written, findings)
    _warn_about_values(schema, dialect, written, findings)


# --- closed parts ----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Part:
    """One of the schemas that all apply to the same object."""

    pointer: str
    schema: dict[str, Json]


def _warn_about_closed_parts(schema: Json, dialect: str, written: WrittenSchema, findings: Findings) -> None:
    forbidden: dict[str, tuple[str, _Part, bool]] = {}
    index, document = SchemaIndex(schema, dialect), SchemaDocument(schema, dialect)
    for pointer, inner in walk_subschemas(schema, dialect):
        if isinstance(inner, dict) and ("allOf" in inner or (dialect != DRAFT_07 and "$ref" in inner)):
            parts = [*islice(_list_parts(pointer, inner, dialect, index), MAX_PARTS)]
            required = [name for part in parts for name in as_array(part.schema.get("required"))]
            for closed in parts:
                if closed.schema.get("additionalProperties") is False:
                    for place, name in _list_forbidden(closed, parts, document):
                        forbidden.setdefault(place, (name, closed, name in required))
    for place, (name, closed, is_required) in islice(forbidden.items(), MAX_REPORTED):
        message = (
            f'"{name}" is never allowed: {_describe(closed, written)} has "additionalProperties": false without it'
        )
        message += "; it is required, so no object is valid" * is_required
        help = f'declare "{name}" there too, or leave "additionalProperties" out there'
        if dialect != DRAFT_07:
            help += ', and write "unevaluatedProperties": false next to the "allOf" or "$ref"'
        findings.warn("MG120", message, written.find(place).make_span(), help)


def _describe(part: _Part, written: WrittenSchema) -> str:
    """Return where a part is, in its schema or in another file."""
    place = written.find(part.pointer)
    if place.document is not written.root.document:
        return f"the schema at {place.document.name}#{place.pointer}"
    return f"the schema at #{part.pointer}" if part.pointer else "the schema itself"


def _list_parts(pointer: str, schema: dict[str, Json], dialect: str, index: SchemaIndex) -> Iterator[_Part]:
    """Yield a schema, and those that apply to the same object by its `allOf` and `$ref`."""
    stack: list[tuple[str, Json]] = [(pointer, schema)]
    seen = set[str]()
    while stack:
        at, part = stack.pop()
        if at in seen or not isinstance(part, dict):
            continue
        seen.add(at)
        reference = part.get("$ref")
        target = index.find_target(at, reference) if isinstance(reference, str) else None
        if target is not None:
            stack.append((target, follow_pointer(index.root, parse_pointer(target))))
        if dialect != DRAFT_07 or "$ref" not in part:
            yield _Part(at, part)
            branches = as_array(part.get("allOf"))
            stack.extend((at + format_pointer("allOf", number), branch) for number, branch in enumerate(branches))


def _list_forbidden(closed: _Part, parts: list[_Part], document: SchemaDocument) -> Iterator[tuple[str, str]]:
    """Yield the place and the name of each property of the other parts that a closed one forbids."""
    declared, patterns = as_object(closed.schema.get("properties")), as_object(closed.schema.get("patternProperties"))
    for part in parts:
        for name, schema in as_object(part.schema.get("properties")).items():
            if part is closed or name in declared or schema is False:
                continue
            if not any(document.matches(pattern, name) for pattern in patterns):
                yield part.pointer + format_pointer("properties", name), name


# --- defaults and examples -------------------------------------------------------------------------------------------
def _warn_about_values(schema: Json, dialect: str, written: WrittenSchema, findings: Findings) -> None:
    listed = _list_values(schema, dialect)
    if written.root.document.is_pulled:  # a default of null is an absent argument in Python: whole servers have them
        listed = ((at, path, value) for at, path, value in listed if value is not None or path != ("default",))
    values = [*islice(listed, MAX_VALUES)]
    if not values:
        return
    try:
        validators = SubschemaValidators(schema, dialect)
    except ValueError:  # which was reported
        return
    reported = set[tuple[str, str]]()
    for pointer, path, value in values:
        noun = "default" if path == ("default",) else "example"
        if (pointer, noun) in reported or len(reported) == MAX_REPORTED:
            continue
        validator = validators.find_validator(pointer)
        try:
            with contained():
                error = None if validator is None else next(iter(validator.iter_errors(value)), None)
        except CheckFailed:
            continue
        if error is not None:
            reported.add((pointer, noun))
            message = f"this {noun} is not valid by the schema around it: {format_error(error)}"
            span = written.find(pointer + format_pointer(*path)).make_span()
            findings.warn("MG121", message, span, _advise(noun, value))


def _list_values(schema: Json, dialect: str) -> Iterator[tuple[str, tuple[str | int, ...], Json]]:
    """Yield the pointer of each schema with a default or examples, the path from there, and the value."""
    for pointer, inner in walk_subschemas(schema, dialect):
        if isinstance(inner, dict) and not CONSTRAINING_KEYWORDS.isdisjoint(inner):
            if "default" in inner:
                yield pointer, ("default",), inner["default"]
            for number, example in enumerate(as_array(inner.get("examples"))):
                yield pointer, ("examples", number), example


def _advise(noun: str, value: Json) -> str:
    if value is None:
        return 'leave it out, or let "type" allow "null"'
    text = json.dumps(value, ensure_ascii=False)
    return f"write a valid {noun}, or let the schema allow {text if len(text) <= 40 else 'it'}"
