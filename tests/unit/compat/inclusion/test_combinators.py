"""Gaps of anyOf, oneOf, not and if."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.compat.inclusion.checker import InclusionChecker
from mcpgen.compat.inclusion.combinators import COMBINATOR_RULES
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from support.compat import find_gaps, find_rule_gaps, make_view

STRING, SHORT = {"type": "string"}, {"type": "string", "maxLength": 3}
BRANCHES = {"anyOf": [{"type": "integer"}, SHORT]}


def list_combinator_gaps(producer: Any, consumer: Any) -> list[tuple[str, str, bool]]:
    gaps = find_rule_gaps(COMBINATOR_RULES, producer, consumer, "string")
    return [(gap.kind.name, gap.keyword, gap.certain) for gap in gaps]


@pytest.mark.parametrize(
    ("producer", "consumer", "expected"),
    [
        (SHORT, BRANCHES, []),
        (STRING, BRANCHES, [("MAX_LENGTH", "maxLength", True)]),
        (STRING, {"anyOf": [{"type": "integer"}, {"type": "null"}]}, [("VARIANT", "anyOf", True)]),
        (STRING, {"oneOf": [STRING, SHORT]}, [("OVERLAP", "oneOf", False)]),
        (SHORT, {"not": {"type": "string", "minLength": 4}}, []),
        (STRING, {"not": {"type": "string", "minLength": 4}}, [("EXCLUDED", "not", False)]),
        (STRING, {"if": STRING, "then": SHORT}, [("CONDITION", "if", False)]),
        (STRING, {"if": {"type": "null"}, "then": False}, []),
        (STRING, {"if": STRING, "else": False}, []),
        (STRING, {"if": SHORT, "else": {"type": "null"}}, [("CONDITION", "if", False)]),
    ],
)
def test_gaps(producer: Any, consumer: Any, expected: list[tuple[str, str, bool]]) -> None:
    assert list_combinator_gaps(producer, consumer) == expected


def test_the_hint_quotes_a_schema_without_references_only() -> None:
    (gap,) = find_gaps(STRING, {"not": SHORT})
    assert gap.witness_schema == SHORT
    (gap,) = find_gaps(STRING, {"not": {"$ref": "#/$defs/a"}, "$defs": {"a": SHORT}})
    assert gap.witness_schema is None


def test_the_hint_of_a_condition_is_refused_by_its_consequence() -> None:
    (gap,) = find_gaps(STRING, {"if": STRING, "then": SHORT})
    assert gap.witness_schema == {"allOf": [STRING, {"not": SHORT}]}
    (gap,) = find_gaps(STRING, {"if": {"$ref": "#/$defs/a"}, "then": SHORT, "$defs": {"a": STRING}})
    assert gap.witness_schema is None


def test_a_property_that_ends_like_a_reference_is_quoted() -> None:
    negated = {"type": "object", "properties": {"brief": {"type": "string"}}, "required": ["brief"]}
    (gap,) = find_gaps({"type": "object"}, {"not": negated})
    assert gap.witness_schema == negated


def test_schemas_of_the_other_dialect_are_not_quoted() -> None:
    checker = InclusionChecker(make_view(STRING, DRAFT_07), make_view({"not": SHORT}, DRAFT_2020_12))
    (gap,) = checker.find_gaps()
    assert gap.witness_schema is None
