"""Walk over a schema document: subschemas, references, and validation of values by subschemas."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from typing import Any, TypeAlias
from urllib.parse import quote

import jsonschema_rs
from mcpgen_runtime.schema_keywords import CheckFailed, contained, encode_references, select_custom_keywords

from mcpgen import paths
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12, detect_dialect, iterate_references
from mcpgen.schema.values import Json, as_array, as_object, follow_pointer, format_pointer

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
        return as_object(self.schema).get(keyword)

    def get_number(self, keyword: str) -> int | float | None:
        """Return the value of a keyword if it is a number, else None."""
        value = self.get(keyword)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    def get_object(self, keyword: str) -> dict[str, Json]:
        """Return the value of a keyword if it is an object, else an empty object."""
        return as_object(self.get(keyword))

    def get_array(self, keyword: str) -> list[Json]:
        """Return the value of a keyword if it is an array, else an empty array."""
        return as_array(self.get(keyword))

    def has(self, keyword: str) -> bool:
        """Report whether a keyword is present."""
        return isinstance(self.schema, dict) and keyword in self.schema


class SchemaDocument:
    """A schema document with its subschemas, references and validators."""

    def __init__(self, schema: Json, dialect: str) -> None:
        self.draft_07 = dialect == DRAFT_07
        self._dialect = dialect
        self._index = SchemaIndex(schema, dialect)
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
        for keyword, ref in iterate_references(place.schema, self._dialect):
            pointer = self._index.find_target(place.at, ref)
            if pointer is None:
                yield SchemaLocation(place.at, place.scope, META_SCHEMA_SAMPLE)
                continue
            if keyword == "$dynamicRef":
                pointer = self._resolve_dynamically(place, pointer)
            yield self._locate(pointer, place.scope, self._index.get(pointer))

    def _resolve_dynamically(self, place: SchemaLocation, pointer: str) -> str:
        """Return the target of a `$dynamicRef` that would lead to `at` as a `$ref` (2020-12 core, section 8.2.3.2)."""
        name = as_object(self._index.get(pointer)).get("$dynamicAnchor")
        for base in place.scope if isinstance(name, str) else ():
            anchored = self._index.anchors.get((base, str(name)))
            if anchored is not None and as_object(self._index.get(anchored)).get("$dynamicAnchor") == name:
                return anchored
        return pointer

    @cached_property
    def _validators(self) -> SubschemaValidators:
        return SubschemaValidators(self._index.root, self._dialect)

    def is_valid(self, place: SchemaLocation, value: Json) -> bool:
        """Report whether a value is valid against the subschema at a place; raise ValueError if that is no schema.

        The subschema is validated on its own, so a `$dynamicRef` in it ignores the scope of the place.
        """
        return self._validators.is_valid(place.at, value)


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


# --- validators ------------------------------------------------------------------------------------------------------
_BASE_URI = "https://mcpgen.invalid/schema"


def get_validator_class(dialect: str) -> Any:
    """Return the class of validators for a dialect."""
    return jsonschema_rs.Draft7Validator if dialect == DRAFT_07 else jsonschema_rs.Draft202012Validator


@cache
def compile_pattern(pattern: str, *, is_linear: bool = False) -> Any:
    """Return a validator of texts with a pattern, None if the validator of generated code cannot read it.

    With `is_linear`, it has the engine without look-around and back-references, which takes linear time.
    """
    options = jsonschema_rs.RegexOptions() if is_linear else None
    try:
        with contained():
            return jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=options, offline=True)
    except (jsonschema_rs.ValidationError, ValueError):
        return None


def matches_pattern(pattern: str, text: str) -> bool:
    """Report whether a pattern matches in a text, by the validator's regular expressions with bounded time."""
    compiled = compile_pattern(pattern)
    with contained():
        return compiled is not None and compiled.is_valid(text)


def format_error(error: Any) -> str:
    """Return the message of a validator's error, in one line and shortened."""
    text = " ".join(str(getattr(error, "message", error)).split())
    return text if len(text) <= 200 else text[:197] + "..."


class SubschemaValidators:
    """Validators of one self-contained schema; `format` is an annotation, unless it is asserted.

    Each is compiled when it is first needed: `jsonschema-rs` can compile them all at once, but its time and memory grow
    with the square of the schema.
    """

    def __init__(self, schema: Json, dialect: str = "", asserts_formats: bool = False) -> None:
        """Compile the whole schema, by default in its own dialect; raise ValueError if the validator rejects it."""
        whole: Any = encode_references(schema)
        base = "" if isinstance(whole, bool) else str(whole.get("$id", "")).partition("#")[0]
        self._base = base if ":" in base else _BASE_URI
        self._dialect = dialect or detect_dialect(schema) or DRAFT_2020_12
        self._asserts_formats = asserts_formats
        draft = jsonschema_rs.Draft7 if self._dialect == DRAFT_07 else jsonschema_rs.Draft202012
        with contained():
            self._registry = jsonschema_rs.Registry([(self._base, whole)], draft=draft)
        self._validators: dict[str, Any] = {"": self._compile(whole)}

    def find_validator(self, pointer: str) -> Any:
        """Return the validator of the subschema at a JSON pointer, None where it cannot be compiled by itself."""
        if pointer not in self._validators:
            try:
                validator = self._compile({"$ref": f"{self._base}#{quote(pointer)}"})
            except (jsonschema_rs.ReferencingError, ValueError):
                validator = None
            self._validators[pointer] = validator
        return self._validators[pointer]

    def is_valid(self, pointer: str, value: Json) -> bool:
        """Report whether a value is valid against the subschema at a JSON pointer, or that cannot be compiled."""
        validator = self.find_validator(pointer)
        try:
            with contained():
                return validator is None or validator.is_valid(value)
        except CheckFailed:
            return False

    def _compile(self, schema: Any) -> Any:
        keywords = select_custom_keywords(self._dialect == DRAFT_07)
        with contained():
            return get_validator_class(self._dialect)(
                schema, validate_formats=self._asserts_formats, offline=True, registry=self._registry, keywords=keywords
            )


Check: TypeAlias = Callable[[Json], tuple[str, str]]
"""Returns the keyword that refuses a value, and the first violations with their places; empty if none does."""


def make_check(schema: Any, asserts_formats: bool = False) -> Check:
    """Return the check of values by a schema; raise ValueError if it is none."""
    validator = SubschemaValidators(schema, asserts_formats=asserts_formats).find_validator("")

    def find_refusal(value: Json) -> tuple[str, str]:
        errors: list[Any] = []
        with suppress(CheckFailed), contained():
            errors += islice(validator.iter_errors(value), 3)
        violations = [f"{format_pointer(*one.instance_path) or 'the root'}: {shorten(one.message)}" for one in errors]
        return str([*errors[0].schema_path][-1]) if errors else "", "; ".join(violations)

    return find_refusal


def load_protocol(version: str) -> tuple[dict[str, Any], str]:
    """Return a version's MCP schema, and the keyword under which it has its definitions."""
    document = json.loads((paths.find_shipped_folder("schemas/mcp") / version / "schema.json").read_text("utf-8"))
    return document, "$defs" if "$defs" in document else "definitions"


@cache
def make_protocol_check(version: str, definition: str) -> Check:
    """Return the check of values by a definition of a version's MCP schema."""
    document, keyword = load_protocol(version)
    return make_check({**document, "$ref": f"#/{keyword}/{definition}"})


def shorten(text: str) -> str:
    """Return a text as one line that is not too long."""
    line = " ".join(text.split())
    return line if len(line) <= 200 else f"{line[:200]}…"
