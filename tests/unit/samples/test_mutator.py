"""Changes of values."""

from __future__ import annotations

import json
from random import Random

import pytest
from mcpgen.samples.mutator import mutate_value
from mcpgen.samples.vocabulary import SchemaVocabulary
from mcpgen.schema.values import Json


def test_bounds_and_constants_of_the_vocabulary_are_used() -> None:
    vocabulary = SchemaVocabulary([41], ["red"])
    values = [mutate_value(7, vocabulary, Random(seed)) for seed in range(1000)]
    assert all(value in values for value in (40, 41, 42, "red"))
    assert "red" in {str(mutate_value("blue", vocabulary, Random(seed))) for seed in range(200)}


@pytest.mark.parametrize("value", [1e308, -(10**400), [[[]]], {"a": {"b": {}}}, True, None])
def test_every_value_can_be_changed_and_stays_json(value: Json) -> None:
    before = json.dumps(value)
    mutated = [json.dumps(mutate_value(value, SchemaVocabulary(), Random(seed)), allow_nan=False) for seed in range(60)]
    assert json.dumps(value) == before
    assert len(set(mutated)) > 5
