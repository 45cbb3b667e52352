"""The search for a value of a wide schema that a narrow one refuses: drawn, aimed at a gap, made small."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from random import Random

import jsonschema_rs

from mcpgen.compat.gap import WILDCARD, Gap
from mcpgen.compat.inclusion.schema_view import SchemaView
from mcpgen.samples.generator import ValueGenerator
from mcpgen.samples.shrink import shrink_value
from mcpgen.schema.keywords import DRAFT_07
from mcpgen.schema.panics import Panicked, contained
from mcpgen.schema.references import encode_references
from mcpgen.schema.validators import make_ignored_keywords
from mcpgen.schema.values import Json, follow_pointer, parse_pointer

_COMPOUND_KEYWORDS = frozenset(
    "anyOf contains dependencies dependentSchemas else if not oneOf propertyNames then".split()
)
"""Keywords in whose name the validator speaks of what is wrong somewhere inside."""


ENOUGH_WITNESSES = 4
"""Witnesses of which the best is shown."""
WORK, WORK_FOR_EACH = 8_000_000, 100
"""Characters that are drawn from for all gaps of one schema: at least so many, and so many times as it has."""
SHARE = 10
"""How many values are checked in the time in which one is drawn."""


@dataclass(frozen=True)
class Witness:
    """A value of the wide schema that the narrow one refuses."""

    value: Json


class SampleValidator:
    """What `jsonschema-rs` says of values: a schema by itself, formats and content annotations only."""

    def __init__(self, schema: Json, dialect: str) -> None:
        self._schema, self._dialect = schema, dialect

    @cached_property
    def _validator(self) -> jsonschema_rs.Draft7Validator | jsonschema_rs.Draft202012Validator | None:
        cls = jsonschema_rs.Draft7Validator if self._dialect == DRAFT_07 else jsonschema_rs.Draft202012Validator
        assert isinstance(self._schema, dict | bool)
        try:
            with contained():
                return cls(
                    encode_references(self._schema),
                    validate_formats=False,
                    offline=True,
                    keywords=make_ignored_keywords(self._dialect),
                )
        except (ValueError, jsonschema_rs.ValidationError):
            return None

    def is_valid(self, value: Json) -> bool | None:
        """Whether a value satisfies the schema, None when it cannot be told."""
        try:
            with contained():
                return None if self._validator is None else self._validator.is_valid(value)
        except (ValueError, UnicodeEncodeError):
            return None

    def list_breaches(self, value: Json) -> list[tuple[tuple[str, ...], str]]:
        """Where a value violates the schema, and which keyword says so."""
        if self._validator is None:
            return []
        out: list[tuple[tuple[str, ...], str]] = []
        try:
            with contained():
                errors = [*self._validator.iter_errors(value)]
        except Panicked:
            return []
        for error in errors:
            where = tuple(str(step) for step in error.instance_path)
            words = [str(step) for step in error.schema_path]
            out.append((where, words[-1] if words else ""))
        return out


class WitnessSearch:
    """Looks for witnesses between two documents; the same every time."""

    def __init__(self, wide: SchemaView, narrow: SchemaView) -> None:
        self._wide, self._narrow = wide, narrow
        self.size = len(json.dumps(wide.schema))
        """Characters of the wide schema."""
        self._left = max(WORK, WORK_FOR_EACH * self.size)
        self._accepts, self._wants = (
            SampleValidator(wide.schema, wide.dialect),
            SampleValidator(narrow.schema, narrow.dialect),
        )

    def proves(self, value: Json) -> bool:
        """Whether a value satisfies the wide schema and not the narrow one."""
        return self._accepts.is_valid(value) is True and self._wants.is_valid(value) is False

    def find_for_gap(self, gap: Gap, tries: int) -> Witness | None:
        """A witness of a gap, as small as it gets: one that nothing else is wrong with, if there is such a one."""

        def touches(value: Json) -> bool:
            return self.proves(value) and any(_is_breach_of(gap, one) for one in self._wants.list_breaches(value))

        def shows(value: Json) -> bool:
            return self.proves(value) and all(_is_breach_of(gap, one) for one in self._wants.list_breaches(value))

        first: list[Json] = []
        second: list[Json] = []
        for make in (_constrain_root, _constrain_place):
            if self._left < 0:
                break
            for value in self._drawn(make(self._wide, gap), tries):
                if touches(value):
                    (first if shows(value) else second).append(value)
                if len(first) == ENOUGH_WITNESSES:
                    break
            if first:
                return Witness(self._smallest(min(first, key=_rank_readability), shows))
        return Witness(self._smallest(second[0], touches)) if second else None

    def find_anywhere(self, tries: int) -> Witness | None:
        """A witness, looked for everywhere."""
        random = Random(0)
        drawers = (
            ValueGenerator(self._wide.schema, self._wide.dialect),
            ValueGenerator(self._narrow.schema, self._narrow.dialect),
        )
        for index, value in enumerate(self._drawn(self._wide.schema, tries)):
            bent = value if index % 3 == 0 else drawers[index % 2].mutate_value(value, random)
            if self.proves(bent):
                return Witness(self._smallest(bent, self.proves))
        return None

    def _smallest(self, value: Json, fails: Callable[[Json], bool]) -> Json:
        return shrink_value(value, lambda simpler: self._spends(self.size // SHARE) and fails(simpler))

    def _drawn(self, schema: Json, tries: int) -> Iterator[Json]:
        if not self._spends(self.size):  # a drawer looks at all of the schema
            return
        drawer = ValueGenerator(schema, self._wide.dialect)
        for index in range(tries):
            if not self._spends(self.size):
                return
            yield drawer.draw_value(Random(index))

    def _spends(self, characters: int) -> bool:
        """Whether that much work is still allowed, which is then taken as done."""
        self._left -= characters
        return self._left >= 0


def _rank_readability(value: Json) -> tuple[bool, int]:
    """How little a value is fit to be shown to people."""
    text = json.dumps(value, ensure_ascii=False)
    return not (text.isascii() and "\\" not in text), len(text)


def _is_breach_of(gap: Gap, breach: tuple[tuple[str, ...], str]) -> bool:
    """Whether a violation is what a gap says: in the same place, by the same keyword if that is known."""
    where, word = breach
    if not all(step in (WILDCARD, one) for step, one in zip(gap.path, where, strict=False)):
        return False
    if len(where) < len(gap.path):
        return word in _COMPOUND_KEYWORDS
    return word == gap.word or word in _COMPOUND_KEYWORDS or not gap.word or len(where) > len(gap.path)


def _constrain_place(book: SchemaView, gap: Gap) -> Json:
    """The wide schema with what is known of a gap's values at its place."""
    return _add_constraint(book.schema, parse_pointer(gap.wide), gap.hint, book.draft_07)


def _constrain_root(book: SchemaView, gap: Gap) -> Json:
    """The wide schema with what is known of a gap's values, and that they are there, said from the root on."""
    hint: Json = gap.hint
    for step in reversed(gap.path):
        inner: Json = True if hint is None else hint
        outer: dict[str, Json] = {"properties": {step: inner}, "required": list[Json]([step])}
        if step == WILDCARD or step.isdecimal():
            outer = {"items": inner, "minItems": 1}
        hint = outer
    return _add_constraint(book.schema, [], hint, book.draft_07)


def _add_constraint(schema: Json, way: list[str], hint: Json, draft_07: bool) -> Json:
    """A copy of a schema in which the place at the end of a way also satisfies a hint."""
    if not way:
        if hint is None or schema is False:
            return schema
        if not isinstance(schema, dict):
            return hint
        if draft_07 and "$ref" in schema:
            return {"allOf": [schema, hint]}
        held = schema.get("allOf")
        return {**schema, "allOf": [*(held if isinstance(held, list) else []), hint]}
    try:
        follow_pointer(schema, way)
    except KeyError:
        return schema
    inner = _add_constraint(follow_pointer(schema, way[:1]), way[1:], hint, draft_07)
    if isinstance(schema, dict):
        return {**schema, way[0]: inner}
    assert isinstance(schema, list)
    return [inner if str(index) == way[0] else one for index, one in enumerate(schema)]
