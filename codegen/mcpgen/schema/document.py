"""Places in a schema and what references resolve to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import jsonschema_rs

from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import DRAFT_07
from mcpgen.schema.panics import Panicked, contained
from mcpgen.schema.subschema_validators import SubschemaValidators
from mcpgen.schema.values import Json, follow_pointer, format_pointer, parse_pointer

META_SCHEMA_SAMPLE: Json = {"enum": [True, {}, {"type": "string"}, {"properties": {"a": False}}]}


@dataclass(frozen=True)
class SchemaLocation:
    """A schema inside the document: where it stands and the bases that led there, outermost first."""

    at: str
    scope: tuple[str, ...]
    schema: Json

    def get(self, word: str) -> Json:
        """The value of a keyword, None when it is not there."""
        return self.schema.get(word) if isinstance(self.schema, dict) else None

    def get_number(self, word: str) -> int | float | None:
        """The value of a keyword that is a number."""
        value = self.get(word)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    def get_object(self, word: str) -> dict[str, Json]:
        """The value of a keyword that is an object, an empty one otherwise."""
        value = self.get(word)
        return value if isinstance(value, dict) else {}

    def get_array(self, word: str) -> list[Json]:
        """The value of a keyword that is an array, an empty one otherwise."""
        value = self.get(word)
        return value if isinstance(value, list) else []

    def has(self, word: str) -> bool:
        """Whether a keyword is there."""
        return isinstance(self.schema, dict) and word in self.schema


class SchemaDocument:
    """A schema document: what is inside of what, where references lead, and the validator's word on its parts."""

    def __init__(self, schema: Json, dialect: str) -> None:
        self.draft_07 = dialect == DRAFT_07
        self._dialect = dialect
        self._schema, self._index = schema, SchemaIndex(schema, dialect)
        self._patterns: dict[str, jsonschema_rs.Draft202012Validator | None] = {}
        self.root = self._place("", (), schema)

    def _place(self, at: str, scope: tuple[str, ...], schema: Json) -> SchemaLocation:
        base = self._index.find_base(at)
        return SchemaLocation(at, scope if scope and scope[-1] == base else (*scope, base), schema)

    def get_subschema(self, place: SchemaLocation, *path: str | int) -> SchemaLocation:
        """A subschema of a place."""
        schema = follow_pointer(place.schema, [str(token) for token in path])
        return self._place(place.at + format_pointer(*path), place.scope, schema)

    def follow_references(self, place: SchemaLocation) -> Iterator[SchemaLocation]:
        """What a schema's references lead to."""
        assert isinstance(place.schema, dict)
        for word in ("$ref", "$dynamicRef") if not self.draft_07 else ("$ref",):
            ref = place.schema.get(word)
            if not isinstance(ref, str):
                continue
            at = self._index.find_target(place.at, ref)
            if at is None:
                yield SchemaLocation(place.at, place.scope, META_SCHEMA_SAMPLE)
                continue
            if word == "$dynamicRef":
                at = self._outermost(place, at)
            yield self._place(at, place.scope, self._get(at))

    def _get(self, at: str) -> Json:
        return follow_pointer(self._schema, parse_pointer(at))

    def _outermost(self, place: SchemaLocation, at: str) -> str:
        """Where a `$dynamicRef` leads that would lead to `at`, were it a `$ref` (2020-12 core, section 8.2.3.2)."""
        schema = self._get(at)
        name = schema.get("$dynamicAnchor") if isinstance(schema, dict) else None
        for base in place.scope if isinstance(name, str) else ():
            found = self._index.anchors.get((base, str(name)))
            other = self._get(found) if found is not None else None
            if found is not None and isinstance(other, dict) and other.get("$dynamicAnchor") == name:
                return found
        return at

    @cached_property
    def _validators(self) -> SubschemaValidators:
        return SubschemaValidators(self._schema, self._dialect)

    def is_valid(self, place: SchemaLocation, value: Json) -> bool:
        """Whether a value is valid there, by itself: a `$dynamicRef` has forgotten where it was reached from.

        Raises:
            ValueError: the validator refuses the schema.
        """
        validator = self._validators.find_validator(place.at)
        try:
            with contained():
                return validator is None or validator.is_valid(value)
        except Panicked:
            return False

    def matches(self, pattern: str, text: str) -> bool:
        """Whether a pattern is found in a text, by the validator's own, bounded, regular expressions."""
        if pattern not in self._patterns:
            try:
                with contained():
                    self._patterns[pattern] = jsonschema_rs.Draft202012Validator({"pattern": pattern})
            except (jsonschema_rs.ValidationError, ValueError):
                self._patterns[pattern] = None
        compiled = self._patterns[pattern]
        with contained():
            return compiled is not None and compiled.is_valid(text)


@dataclass(frozen=True)
class Schema:
    """A self-contained JSON Schema, as it is advertised, and its dialect."""

    value: Json
    dialect: str
