"""The search for a value of a wide schema that a narrow one refuses: drawn, aimed at a gap, made small."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from random import Random

import jsonschema_rs

from mcpgen.compat.book import Book
from mcpgen.compat.gap import Gap
from mcpgen.compat.objects import OTHERS
from mcpgen.draw import Drawer
from mcpgen.json_types import Json, follow, tokens
from mcpgen.prove.search import smallest
from mcpgen.read.keywords import DRAFT_07, silenced


@dataclass(frozen=True)
class Witness:
    """A value of the wide schema that the narrow one refuses."""

    value: Json


class Judge:
    """What `jsonschema-rs` says of values: a schema by itself, formats and content annotations only."""

    def __init__(self, schema: Json, dialect: str) -> None:
        self._schema, self._dialect = schema, dialect

    @cached_property
    def _validator(self) -> jsonschema_rs.Draft7Validator | jsonschema_rs.Draft202012Validator | None:
        cls = jsonschema_rs.Draft7Validator if self._dialect == DRAFT_07 else jsonschema_rs.Draft202012Validator
        assert isinstance(self._schema, dict | bool)
        try:
            return cls(self._schema, validate_formats=False, offline=True, keywords=silenced(self._dialect))
        except (ValueError, jsonschema_rs.ValidationError):
            return None

    def valid(self, value: Json) -> bool | None:
        """Whether a value satisfies the schema, None when it cannot be told."""
        try:
            return None if self._validator is None else self._validator.is_valid(value)
        except (ValueError, UnicodeEncodeError):
            return None


class Search:
    """Looks for witnesses between two documents; the same every time."""

    def __init__(self, wide: Book, narrow: Book) -> None:
        self._wide, self._narrow = wide, narrow
        self._accepts, self._wants = Judge(wide.schema, wide.dialect), Judge(narrow.schema, narrow.dialect)

    def proves(self, value: Json) -> bool:
        """Whether a value satisfies the wide schema and not the narrow one."""
        return self._accepts.valid(value) is True and self._wants.valid(value) is False

    def aimed(self, gap: Gap, tries: int) -> Witness | None:
        """A witness, looked for where a gap is."""
        for schema in (_on_the_way(self._wide, gap), _at_its_place(self._wide, gap)):
            found = self._drawn(schema, tries, bend=False)
            if found is not None:
                return found
        return None

    def anywhere(self, tries: int) -> Witness | None:
        """A witness, looked for everywhere."""
        return self._drawn(self._wide.schema, tries, bend=True)

    def _drawn(self, schema: Json, tries: int, bend: bool) -> Witness | None:
        drawer = Drawer(schema, self._wide.dialect)
        other = Drawer(self._narrow.schema, self._narrow.dialect)
        for index in range(tries):
            random = Random(f"{index}")
            value = drawer.value(random)
            if bend and index % 3:
                value = (drawer if index % 3 == 1 else other).near(value, random)
            if self.proves(value):
                return Witness(smallest(value, self.proves))
        return None


def _at_its_place(book: Book, gap: Gap) -> Json:
    """The wide schema with what is known of a gap's values at its place."""
    return _with_hint(book.schema, tokens(gap.wide), gap.hint, book.draft_07)


def _on_the_way(book: Book, gap: Gap) -> Json:
    """The wide schema with what is known of a gap's values, and that they are there, said from the root on."""
    hint = gap.hint
    for step in reversed(gap.path):
        inner: Json = True if hint is None else hint
        if step == OTHERS or step.isdecimal():
            hint = {"items": inner, "minItems": 1}
        else:
            hint = {"properties": {step: inner}, "required": [step]}
    return _with_hint(book.schema, [], hint, book.draft_07)


def _with_hint(schema: Json, way: list[str], hint: Json, draft_07: bool) -> Json:
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
        follow(schema, way)
    except KeyError:
        return schema
    inner = _with_hint(follow(schema, way[:1]), way[1:], hint, draft_07)
    if isinstance(schema, dict):
        return {**schema, way[0]: inner}
    assert isinstance(schema, list)
    return [inner if str(index) == way[0] else one for index, one in enumerate(schema)]
