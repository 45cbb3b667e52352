"""A schema is checked, bundled and limited when it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcpgen.read.schema_choices import PlaceChoices
from mcpgen.read.schemas import NamedSchema, read_schema
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from support.documents import list_messages, make_context, make_site


def read(folder: Path, schema: Any, **limits: int) -> tuple[NamedSchema | None, list[tuple[str, str]]]:
    context = make_context(folder, limits=limits)
    return read_schema(schema, make_site(folder, schema), context), list_messages(context.findings)


def test_a_schema_has_its_dialect_and_its_class_names(tmp_path: Path) -> None:
    named, messages = read(tmp_path, {"items": {"x-mcpgen": {"type": "Row"}, "type": "object"}})
    assert named is not None
    assert (named.schema, named.choices) == (
        Schema({"items": {"type": "object"}}, DRAFT_2020_12),
        PlaceChoices({"/items": "Row"}),
    )
    assert messages == []
    named, _ = read(tmp_path, {"$schema": "http://json-schema.org/draft-07/schema#"})
    assert named is not None
    assert named.schema.dialect == DRAFT_07


def test_references_to_other_files_are_bundled(tmp_path: Path) -> None:
    make_site(tmp_path, {"$defs": {"B": {"type": "integer"}}}, name="schemas/b.defs.json")
    named, messages = read(tmp_path, {"$ref": "b.defs.json#/$defs/B"})
    assert named is not None
    assert named.schema.value == {"$ref": "#/$defs/B", "$defs": {"B": {"type": "integer"}}}
    assert messages == []


TWICE = {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}], "$defs": {"a": {"type": "object"}}}


@pytest.mark.parametrize(
    ("schema", "limits", "code"),
    [
        ({"type": "strin"}, {}, "MG101"),
        ({"$schema": "https://json-schema.org/draft/2019-09/schema"}, {}, "MG102"),
        ({"$ref": "#/$defs/nothing"}, {}, "MG103"),
        ({"$ref": "https://example.com/a.json"}, {}, "MG104"),
        ({"pattern": "("}, {}, "MG101"),
        (TWICE, {"subschemas": 3}, "MG009"),
        (TWICE, {"repeats": 4}, "MG009"),
        (TWICE, {"check-depth": 2}, "MG009"),
    ],
)
def test_what_is_wrong_is_reported(tmp_path: Path, schema: Any, limits: dict[str, int], code: str) -> None:
    named, messages = read(tmp_path, schema, **limits)
    assert named is None
    assert [actual for actual, _ in messages] == [code]
    if limits:
        assert read(tmp_path, schema)[0] is not None
