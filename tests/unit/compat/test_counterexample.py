"""Witnesses are valid under the producer's schema, invalid under the consumer's, small and the same every time."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.compat.counterexample import Violation, Witness, WitnessSearch, list_violations
from mcpgen.schema.formats import STANDARD_FORMATS
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.values import Json
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


BEFORE: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"$ref": "#/$defs/c"}},
    "required": ["a", "b"],
    "additionalProperties": False,
    "$defs": {
        "c": {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}, "required": ["x"]}
    },
}
AFTER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "a": {"type": ["string", "null"]},
        "b": {"type": "string"},
        "c": {"$ref": "#/$defs/c"},
        "d": {"type": "string"},
        "e": {"type": "string"},
    },
    "additionalProperties": False,
    "$defs": {"c": {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "string"}}}},
}


def test_a_witness_shows_its_own_gap_among_others() -> None:
    """What each gap changes is put back in the consumer's schema: it accepts the value, so nothing else is wrong."""
    found: dict[str, Json] = {}
    for gap in find_gaps(AFTER, BEFORE):
        witness = search(AFTER, BEFORE).find_for_gap(gap, 40)
        assert witness is not None, gap
        found[".".join((gap.kind.name, *gap.path, gap.name)).rstrip(".")] = witness.value
    repaired = {name: deepcopy(BEFORE) for name in found}
    repaired["REQUIRED.a"]["required"] = ["b"]
    repaired["REQUIRED.b"]["required"] = ["a"]
    repaired["EXTRA.d"]["properties"]["d"] = True
    repaired["EXTRA.e"]["properties"]["e"] = True
    repaired["TYPE.a"]["properties"]["a"] = True
    del repaired["REQUIRED.c.x"]["$defs"]["c"]["required"]
    repaired["TYPE.c.y"]["$defs"]["c"]["properties"]["y"] = True
    for name, schema in repaired.items():
        assert not jsonschema_rs.is_valid(BEFORE, found[name]), name
        assert jsonschema_rs.is_valid(schema, found[name]), (name, found[name])


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


@pytest.mark.parametrize("name", STANDARD_FORMATS)
def test_strings_of_a_witness_follow_their_formats(name: str) -> None:
    properties = {"at": {"type": "string", "format": name}, "n": {"type": "number"}}
    consumer = {"type": "object", "properties": properties, "required": ["at", "n"]}
    producer = {**consumer, "required": ["at"]}
    (gap,) = find_gaps(producer, consumer)
    witness = search(producer, consumer).find_for_gap(gap, 20)
    assert witness is not None
    validator = jsonschema_rs.Draft202012Validator(producer, validate_formats=True)
    assert validator.is_valid(witness.value), witness


def test_a_witness_may_violate_a_format_if_nothing_else_shows_the_gap() -> None:
    consumer = {"type": "string", "format": "date", "maxLength": 10}
    producer = {"type": "string", "format": "date"}
    (gap,) = find_gaps(producer, consumer)
    assert search(producer, consumer).find_for_gap(gap, 40) is not None


# --- validation of samples: valid, invalid, or not to be decided ------------------------------------------------------
def test_values_and_their_violations() -> None:
    schema: Json = {"type": "object", "properties": {"a": {"items": {"type": "string"}}}, "required": ["b"]}
    view = make_view(schema)
    assert view.is_valid(view.root, {"a": ["x"], "b": 1}) is True
    assert view.is_valid(view.root, {"a": ["x", 1]}) is False
    violations = list_violations(view, {"a": ["x", 1]})
    assert set(violations) == {Violation((), "required", ("b",)), Violation(("a", "1"), "type")}


def test_formats_are_annotations() -> None:
    view = make_view({"format": "date"})
    assert view.is_valid(view.root, "no date") is True


def test_the_dialect_decides_which_keywords_count() -> None:
    schema: Json = {"dependentRequired": {"a": ["b"]}}
    for dialect, outcome in ((DRAFT_2020_12, False), (DRAFT_07, True)):
        view = make_view(schema, dialect)
        assert view.is_valid(view.root, {"a": 1}) is outcome


def test_a_schema_that_cannot_be_compiled_decides_nothing() -> None:
    view = make_view({"$ref": "#/$defs/missing"})
    assert view.is_valid(view.root, 1) is None
    assert list_violations(view, 1) == []
