"""Rules for objects whose required properties are forbidden or unknown, and for defaults and examples that break them.

The last two are asked about schemas with everything that they refer to.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from mcpgen_runtime.schema_keywords import CheckFailed, contained

from mcpgen.diagnostics import join_words
from mcpgen.lint.misspelt_names import MAX_COMPARED_NAMES, find_extended, find_meant
from mcpgen.lint.rule import LintedSchema, Place, Problem
from mcpgen.schema.document import format_error, matches_pattern
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import (
    CONSTRAINING_KEYWORDS,
    DRAFT_07,
    DRAFT_2020_12,
    KEYWORD_TABLE,
    Role,
    iterate_references,
    iterate_subschemas,
)
from mcpgen.schema.values import Json, as_array, as_object, format_pointer

MAX_REPORTED = 20
"""Names of one object, and problems of one kind in one schema, that are reported."""


# --- required names --------------------------------------------------------------------------------------------------
_KEYWORDS_WITH_PROPERTIES = {"patternProperties"} | {
    entry.name for entry in KEYWORD_TABLE.values() if entry.role in (Role.IN_PLACE, Role.REFERENCE)
} - {"not"}
"""Keywords next to `properties` that may declare the required property in another place."""


def check_closed_objects(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find required names that their object does not allow."""
    for place in filter(_is_closed, schema.objects):
        declared = as_object(place.schema.get("properties"))
        required = as_array(place.schema.get("required"))
        missing = [(at, name) for at, name in _list_undeclared(place.schema) if name in required]
        shown = join_words([f'"{name}"' for name in declared])
        allowed = f"allows {f'{shown} only' if shown else 'no property'}: no object is valid"
        for at, name in missing[:MAX_REPORTED]:
            message = f'"{name}" is required, but "additionalProperties": false {allowed}'
            optional = _list_optional(place.schema)
            help = _suggest_name(name, find_meant(name, optional), optional, is_only=len(missing) == 1)
            yield Problem(place.pointer + at, message, help)
        for at, name in missing[MAX_REPORTED : MAX_REPORTED + 1]:
            message = f'"{name}" and {len(missing) - MAX_REPORTED - 1} more are required, but "additionalProperties": '
            yield Problem(place.pointer + at, f"{message}false {allowed}", "declare them under properties")


def check_misspelt_names(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find required names that no property has, but one that is like them."""
    for unknown in _find_unknown_names(schema):
        if unknown.meant is not None:
            name = unknown.name
            message = f'"{name}" is required, but "properties" declares "{unknown.meant}" and no "{name}"'
            yield Problem(unknown.pointer, message, unknown.suggest())


def check_undescribed_names(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find required names that nothing describes, and that are like none."""
    found = [unknown for unknown in _find_unknown_names(schema) if not unknown.is_described and unknown.meant is None]
    combined = find_combined_places(schema) if found else frozenset[str]()
    for unknown in found:
        if unknown.place.pointer not in combined:
            yield Problem(unknown.pointer, f'"{unknown.name}" is required, but nothing describes it', unknown.suggest())


def _is_closed(place: Place) -> bool:
    return place.schema.get("additionalProperties") is False and "patternProperties" not in place.schema


@dataclass(frozen=True)
class _UnknownName:
    """Required name of an open object that no property has."""

    place: Place
    at: str
    """Where it is required: a JSON pointer in the object's schema."""
    name: str
    optional: tuple[str, ...]
    """The properties that are not required."""
    is_only: bool
    """Whether the object requires no other such name."""

    @property
    def pointer(self) -> str:
        return self.place.pointer + self.at

    @property
    def meant(self) -> str | None:
        """The property that it may stand for."""
        return find_meant(self.name, self.optional)

    @property
    def is_described(self) -> bool:
        """Whether its object has a schema for other properties; also if it is required only beside another one."""
        schema = self.place.schema
        rest = (schema.get("additionalProperties"), schema.get("unevaluatedProperties"))
        is_required = self.name in as_array(schema.get("required"))
        return not is_required or any(isinstance(part, dict) and part for part in rest)

    def suggest(self) -> str:
        return _suggest_name(self.name, self.meant, self.optional, is_only=self.is_only)


def _find_unknown_names(schema: LintedSchema) -> Iterator[_UnknownName]:
    """Yield the first required names of each open object that no property has."""
    for place in schema.objects:
        declares_all = "properties" in place.schema and _KEYWORDS_WITH_PROPERTIES.isdisjoint(place.schema)
        if declares_all and not _is_closed(place):
            missing, optional = _list_undeclared(place.schema), _list_optional(place.schema)
            for at, name in missing[:MAX_REPORTED]:
                yield _UnknownName(place, at, name, optional, is_only=len(missing) == 1)


def _list_undeclared(schema: dict[str, Json]) -> list[tuple[str, str]]:
    declared = as_object(schema.get("properties"))
    required = enumerate(as_array(schema.get("required")))
    names = [(format_pointer("required", at), str(name)) for at, name in required]
    for cause, dependent in as_object(schema.get("dependentRequired")).items():
        names.append((format_pointer("dependentRequired", cause), cause))
        places = enumerate(as_array(dependent))
        names += ((format_pointer("dependentRequired", cause, at), str(name)) for at, name in places)
    return [(at, name) for at, name in names if name not in declared]


def _list_optional(schema: dict[str, Json]) -> tuple[str, ...]:
    required = as_array(schema.get("required"))
    declared = islice(as_object(schema.get("properties")), MAX_COMPARED_NAMES)
    return tuple(name for name in declared if name not in required)


def _suggest_name(name: str, meant: str | None, optional: Sequence[str], *, is_only: bool) -> str:
    meant = meant or find_extended(name, optional)
    if meant is not None:
        return f'did you mean "{meant}"? If not, declare "{name}" under properties'
    if is_only and len(optional) == 1:
        renamed = optional[0]
        instead = f'if not, declare "{name}" under properties'
        return f'if "{renamed}" was called "{name}" before, write "{renamed}"; {instead}'
    return f'declare "{name}" under properties, or remove it from the required names'


# --- schemas that describe one value together ------------------------------------------------------------------------
_ALTERNATIVES = frozenset({"anyOf", "oneOf"})
MAX_PARTS = 50
"""Schemas that describe one object together and are compared."""


def find_combined_places(schema: LintedSchema) -> frozenset[str]:
    """Return the JSON pointers of the subschemas beside which others may describe the same value.

    Such are the members of `allOf`, `then` and the like, what is inside of them, and the definitions that they refer
    to. A member of `anyOf` or `oneOf` is none if these stand alone. If a reference leads to another file, which may
    refer back, all definitions are such.
    """
    index, dialect = schema.index, schema.dialect
    leads_out = any(
        target is None for place in schema.objects for target in _find_targets(index, place.pointer, place.schema)
    )
    combined: set[str] = set()
    visited: set[tuple[str, bool]] = set()
    stack: list[tuple[str, Json, bool]] = [("", schema.value, schema.is_part)]
    while stack:
        pointer, inner, is_combined = stack.pop()
        if (pointer, is_combined) in visited or not isinstance(inner, dict):
            continue
        visited.add((pointer, is_combined))
        is_combined = is_combined or "$dynamicAnchor" in inner  # which references lead to it depends on the value
        if is_combined:
            combined.add(pointer)
        has_several_parts = len(inner.keys() & CONSTRAINING_KEYWORDS - {"type"}) > 1
        is_shared = is_combined or has_several_parts
        for path, child in iterate_subschemas(inner, dialect):
            role = KEYWORD_TABLE[path[0]].role
            child_is_combined = is_shared if path[0] in _ALTERNATIVES else role is Role.IN_PLACE or is_combined
            if role is Role.DEFINITIONS:
                child_is_combined = leads_out  # otherwise, what refers to it decides
            stack.append((pointer + format_pointer(*path), child, child_is_combined))
        targets = _find_targets(index, pointer, inner)
        stack.extend((target, index.get(target), is_shared) for target in targets if target is not None)
    return frozenset(combined)


def _find_targets(index: SchemaIndex, pointer: str, schema: dict[str, Json]) -> Iterator[str | None]:
    """Yield the pointer to which each reference of a schema may lead; None if that is in another file."""
    for _, reference in iterate_references(schema, DRAFT_2020_12):
        yield index.find_target(pointer, reference)


def check_closed_parts(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find properties that a closed part of a schema forbids to its other parts."""
    forbidden: dict[str, tuple[str, Place, bool]] = {}
    for place in schema.objects:
        if "allOf" in place.schema or (schema.dialect != DRAFT_07 and "$ref" in place.schema):
            parts = [*islice(_list_parts(place, schema.index), MAX_PARTS)]
            required = [name for part in parts for name in as_array(part.schema.get("required"))]
            for closed in parts:
                if closed.schema.get("additionalProperties") is False:
                    for at, name in _list_forbidden(closed, parts):
                        forbidden.setdefault(at, (name, closed, name in required))
    for at, (name, closed, is_required) in islice(forbidden.items(), MAX_REPORTED):
        subject = schema.describe(closed.pointer)
        message = f'"{name}" is never allowed: {subject} has "additionalProperties": false without it'
        message += "; it is required, so no object is valid" * is_required
        help = f'declare "{name}" there too, or leave "additionalProperties" out there'
        if schema.dialect != DRAFT_07:
            help += ', and write "unevaluatedProperties": false next to the "allOf" or "$ref"'
        yield Problem(at, message, help)


def _list_parts(place: Place, index: SchemaIndex) -> Iterator[Place]:
    """Yield a schema, and those that apply to the same object by its `allOf` and `$ref`."""
    stack, seen = [place], set[str]()
    while stack:
        part = stack.pop()
        if part.pointer in seen:
            continue
        seen.add(part.pointer)
        target = index.find_referred(part.pointer)
        if target is not None:
            stack.append(Place(target, "$ref", as_object(index.get(target))))
        if index.dialect != DRAFT_07 or "$ref" not in part.schema:
            yield part
            for number, branch in enumerate(as_array(part.schema.get("allOf"))):
                stack.append(Place(part.pointer + format_pointer("allOf", number), "allOf", as_object(branch)))


def _list_forbidden(closed: Place, parts: list[Place]) -> Iterator[tuple[str, str]]:
    declared, patterns = as_object(closed.schema.get("properties")), as_object(closed.schema.get("patternProperties"))
    for part in parts:
        for name, schema in as_object(part.schema.get("properties")).items():
            if part is closed or name in declared or schema is False:
                continue
            if not any(matches_pattern(pattern, name) for pattern in patterns):
                yield part.pointer + format_pointer("properties", name), name


# --- defaults and examples -------------------------------------------------------------------------------------------
MAX_VALUES = 1_000
"""Defaults and examples of one schema that are checked."""


def check_examples(schema: LintedSchema, clients: frozenset[str]) -> Iterator[Problem]:
    """Find defaults and examples that break the schema around them."""
    values = [*islice(_list_values(schema), MAX_VALUES)]
    try:
        validators = schema.validators if values else None
    except ValueError:  # which was reported
        return
    reported = set[tuple[str, str]]()
    for pointer, path, value in values:
        noun = "default" if path == ("default",) else "example"
        if validators is None or (pointer, noun) in reported or len(reported) == MAX_REPORTED:
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
            yield Problem(pointer + format_pointer(*path), message, _advise(noun, value))


def _list_values(schema: LintedSchema) -> Iterator[tuple[str, tuple[str | int, ...], Json]]:
    for place in schema.objects:
        if not CONSTRAINING_KEYWORDS.isdisjoint(place.schema):
            # a pulled default of null is an absent argument in Python, and whole servers have them
            if "default" in place.schema and (place.schema["default"] is not None or not schema.is_pulled):
                yield place.pointer, ("default",), place.schema["default"]
            for number, example in enumerate(as_array(place.schema.get("examples"))):
                yield place.pointer, ("examples", number), example


def _advise(noun: str, value: Json) -> str:
    if value is None:
        return 'leave it out, or let "type" allow "null"'
    text = json.dumps(value, ensure_ascii=False)
    return f"write a valid {noun}, or let the schema allow {text if len(text) <= 40 else 'it'}"
