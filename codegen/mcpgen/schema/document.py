"""Walk over a schema document: subschemas, references, and validation of values by subschemas."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import jsonschema_rs
from mcpgen_runtime.schema_keywords import CheckFailed, contained

from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import DRAFT_07, REFERENCE_KEYWORDS
from mcpgen.schema.subschema_validators import SubschemaValidators
from mcpgen.schema.values import Json, follow_pointer, format_pointer, parse_pointer

META_SCHEMA_SAMPLE: Json = {"enum": [True, {}, {"type": "string"}, {"properties": {"a": False}}]}
"""Stands for a built-in meta-schema as the target of a reference."""


@dataclass(frozen=True)
class SchemaLocation:
    """A schema inside a document."""

    at: str
    """JSON pointer."""
    scope: tuple[str, ...]
    """Base URIs on the way there, outermost first: the dynamic scope (2020-12 core, section 7.1)."""
    schema: Json

    def get(self, keyword: str) -> Json:
        """Return the value of a keyword, None when it is absent."""
        return self.schema.get(keyword) if isinstance(self.schema, dict) else None

    def get_number(self, keyword: str) -> int | float | None:
        """Return the value of a keyword if it is a number, else None."""
        value = self.get(keyword)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    def get_object(self, keyword: str) -> dict[str, Json]:
        """Return the value of a keyword if it is an object, else an empty object."""
        value = self.get(keyword)
        return value if isinstance(value, dict) else {}

    def get_array(self, keyword: str) -> list[Json]:
        """Return the value of a keyword if it is an array, else an empty array."""
        value = self.get(keyword)
        return value if isinstance(value, list) else []

    def has(self, keyword: str) -> bool:
        """Report whether a keyword is present."""
        return isinstance(self.schema, dict) and keyword in self.schema


class SchemaDocument:
    """A schema document with its subschemas, references and validators."""

    def __init__(self, schema: Json, dialect: str) -> None:
        self.draft_07 = dialect == DRAFT_07
        self._dialect = dialect
        self._schema, self._index = schema, SchemaIndex(schema, dialect)
        self._patterns: dict[str, jsonschema_rs.Draft202012Validator | None] = {}
        self.root = self._locate("", (), schema)

    def _locate(self, pointer: str, scope: tuple[str, ...], schema: Json) -> SchemaLocation:
        base = self._index.find_base(pointer)
        return SchemaLocation(pointer, scope if scope and scope[-1] == base else (*scope, base), schema)

    def get_subschema(self, place: SchemaLocation, *path: str | int) -> SchemaLocation:
        """Return the subschema at some tokens relative to a place."""
        schema = follow_pointer(place.schema, [str(token) for token in path])
        return self._locate(place.at + format_pointer(*path), place.scope, schema)

    def follow_references(self, place: SchemaLocation) -> Iterator[SchemaLocation]:
        """Yield the targets of a schema's references; for those outside the document, a sample of a meta-schema."""
        assert isinstance(place.schema, dict)
        for keyword in REFERENCE_KEYWORDS[self._dialect]:
            ref = place.schema.get(keyword)
            if not isinstance(ref, str):
                continue
            pointer = self._index.find_target(place.at, ref)
            if pointer is None:
                yield SchemaLocation(place.at, place.scope, META_SCHEMA_SAMPLE)
                continue
            if keyword == "$dynamicRef":
                pointer = self._resolve_dynamically(place, pointer)
            yield self._locate(pointer, place.scope, self._get(pointer))

    def _get(self, pointer: str) -> Json:
        return follow_pointer(self._schema, parse_pointer(pointer))

    def _resolve_dynamically(self, place: SchemaLocation, pointer: str) -> str:
        """Return the target of a `$dynamicRef` that would lead to `at` as a `$ref` (2020-12 core, section 8.2.3.2)."""
        schema = self._get(pointer)
        name = schema.get("$dynamicAnchor") if isinstance(schema, dict) else None
        for base in place.scope if isinstance(name, str) else ():
            anchored = self._index.anchors.get((base, str(name)))
            target = self._get(anchored) if anchored is not None else None
            if anchored is not None and isinstance(target, dict) and target.get("$dynamicAnchor") == name:
                return anchored
        return pointer

    @cached_property
    def _validators(self) -> SubschemaValidators:
        return SubschemaValidators(self._schema, self._dialect)

    def is_valid(self, place: SchemaLocation, value: Json) -> bool:
        """Report whether a value is valid against the subschema at a place.

        The subschema is validated on its own, so a `$dynamicRef` in it ignores the scope of the place.

        Raises:
            ValueError: the validator rejects the schema.
        """
        validator = self._validators.find_validator(place.at)
        try:
            with contained():
                return validator is None or validator.is_valid(value)
        except CheckFailed:
            return False

    def matches(self, pattern: str, text: str) -> bool:
        """Report whether a pattern matches in a text, by the validator's regular expressions with bounded time."""
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
    """A self-contained JSON Schema, as a server advertises it, and its dialect."""

    value: Json
    dialect: str

    @cached_property
    def digest(self) -> str:
        """SHA-256, in hex, of the schema as it is written, and of its dialect."""
        text = json.dumps([self.value, self.dialect], separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()
