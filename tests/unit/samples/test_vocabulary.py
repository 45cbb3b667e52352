"""The vocabulary of a schema."""

from __future__ import annotations

from typing import Any

from mcpgen.samples.vocabulary import collect_vocabulary
from mcpgen.schema.keywords import DRAFT_2020_12


def test_numbers_constants_and_names_of_all_subschemas() -> None:
    schema: Any = {
        "minProperties": 2,
        "properties": {"a": {"minimum": 0.5, "enum": ["x", 1]}},
        "items": {"const": {"maximum": 9}},
        "uniqueItems": True,
        "dependentSchemas": {"b": {}},
    }
    vocabulary = collect_vocabulary(schema, DRAFT_2020_12)
    assert sorted(vocabulary.numbers) == [0.5, 2]
    assert sorted(map(str, vocabulary.constants)) == ["1", "x", "{'maximum': 9}"]
    assert {"a", "b", "class"} <= set(vocabulary.names)
