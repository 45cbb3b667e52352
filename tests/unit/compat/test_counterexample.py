"""Witnesses are valid under the producer's schema, invalid under the consumer's, small and the same every time."""

from __future__ import annotations

from typing import Any

from mcpgen.compat.counterexample import Witness, WitnessSearch
from support.compat import find_gaps, make_view


def search(producer: Any, consumer: Any) -> WitnessSearch:
    return WitnessSearch(make_view(producer), make_view(consumer))


def test_is_witness() -> None:
    witnesses = search({"type": ["string", "null"]}, {"type": "string"})
    assert witnesses.is_witness(None)
    assert not witnesses.is_witness("a")  # valid under both
    assert not witnesses.is_witness(1)  # valid under neither


def test_a_witness_shows_its_gap() -> None:
    producer = {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]}
    consumer = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    gaps = {gap.kind.name: gap for gap in find_gaps(producer, consumer)}
    assert set(gaps) == {"TYPE", "OPEN"}
    assert search(producer, consumer).find_for_gap(gaps["TYPE"], 20) == Witness({"a": None})


def test_the_search_is_deterministic() -> None:
    producer, consumer = {"type": "array", "items": {"type": "number"}}, {"items": {"type": "integer"}}
    (gap,) = find_gaps(producer, consumer)
    first, second = (search(producer, consumer).find_for_gap(gap, 20) for _ in range(2))
    assert first is not None
    assert first == second


def test_nothing_is_found_where_there_is_nothing() -> None:
    assert search({"type": "integer"}, {"type": "number"}).find_anywhere(30) is None


def test_a_witness_anywhere() -> None:
    witness = search({"type": "string"}, {"type": "string", "maxLength": 0}).find_anywhere(30)
    assert witness is not None
    assert isinstance(witness.value, str)
    assert len(witness.value) == 1


def test_the_budget_ends_a_search() -> None:
    witnesses = search({"type": "null"}, {"type": "string"})
    witnesses._budget = -1
    (gap,) = find_gaps({"type": "null"}, {"type": "string"})
    assert witnesses.find_for_gap(gap, 20) is None


def test_a_gap_deep_in_a_value_is_reached_without_a_hint() -> None:
    producer = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string", "pattern": "^a"}}}}
    consumer = {"type": "object", "properties": {"a": {"items": {"type": "string", "pattern": "^ab"}}}}
    (gap,) = find_gaps(producer, consumer)
    assert (gap.witness_schema, gap.certain) == (None, False)
    witness = search(producer, consumer).find_for_gap(gap, 20)
    assert witness == Witness({"a": ["a"]})
