"""`diff` against oracles: jsonschema-rs on drawn values, and changes to real schemas whose effect is known."""

from __future__ import annotations

from random import Random

import pytest
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json
from support.corpus import SOURCES, tools_of
from support.diff_oracle import Tally, corpus_pairs, counterexample, known_changes, random_pair, verdict


@pytest.mark.parametrize("start", range(0, 60, 20))
def test_compatible_is_never_said_wrongly(start: int) -> None:
    tally = Tally()
    for seed in range(start, start + 20):
        random_pair(seed, 40, tally)
    assert tally.wrong == []
    assert tally.counts["compatible"] >= 3
    assert tally.counts["breaking"] >= 2


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1_000, 1_500, 50))
def test_compatible_is_never_said_wrongly_at_length(start: int) -> None:
    tally = Tally()
    for seed in range(start, start + 50):
        random_pair(seed, 200, tally)
    assert tally.wrong == []


@pytest.mark.skipif(not SOURCES, reason="../shared is not there")
def test_changes_to_real_schemas() -> None:
    tally = Tally()
    for source in SOURCES[::6]:
        if len(tools_of(source)) < 30:
            tally.add(corpus_pairs(source, 1, 3))
    assert tally.wrong == []
    assert tally.counts["schemas"] > 20


@pytest.mark.slow
@pytest.mark.skipif(not SOURCES, reason="../shared is not there")
@pytest.mark.parametrize("source", SOURCES)
def test_ten_changes_to_each_real_schema(source: str) -> None:
    tally = corpus_pairs(source, 10, 5)
    assert tally.wrong == []


def test_the_oracle_finds_what_is_wrong() -> None:
    wide: Json = {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]}
    narrow: Json = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    assert counterexample(wide, narrow, DRAFT_2020_12, 50) != []
    assert counterexample(narrow, wide, DRAFT_2020_12, 50) == []
    assert verdict(wide, narrow, DRAFT_2020_12)[0] == "breaking"
    effects = {(one.widens, one.narrows) for one in known_changes(narrow, DRAFT_2020_12, 60, Random(1))}
    assert effects == {(False, False), (False, True), (True, False), (True, True)}
