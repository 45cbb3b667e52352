"""Gaps of array keywords."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.compat.inclusion.keyword_rules import ARRAY_RULES
from mcpgen.schema.keywords import DRAFT_07
from support.compat import conjoin, find_gaps, find_rule_gaps

INTEGERS = {"type": "array", "items": {"type": "integer"}}


def list_array_gaps(producer: Any, consumer: Any) -> list[tuple[str, str, bool]]:
    gaps = find_rule_gaps(ARRAY_RULES, producer, consumer, "array")
    return [(gap.kind.name, gap.keyword, gap.certain) for gap in gaps]


@pytest.mark.parametrize(
    ("producer", "consumer", "expected"),
    [
        ({"type": "array"}, INTEGERS, [("UNTYPED_ITEMS", "items", True)]),
        (INTEGERS, {"prefixItems": [{}], "items": False}, [("MORE_ITEMS", "items", True)]),
        ({**INTEGERS, "maxItems": 1}, {"prefixItems": [{}], "items": False}, []),
        (INTEGERS, {"minItems": 1}, [("MIN_ITEMS", "minItems", True)]),
        ({**INTEGERS, "minItems": 2}, {"minItems": 1}, []),
        (INTEGERS, {"maxItems": 3}, [("MAX_ITEMS", "maxItems", True)]),
        (INTEGERS, {"uniqueItems": True}, [("UNIQUE", "uniqueItems", True)]),
        ({**INTEGERS, "maxItems": 1}, {"uniqueItems": True}, []),
        (INTEGERS, {"contains": {"type": "integer"}}, [("CONTAINS", "contains", False)]),
        ({**INTEGERS, "minItems": 2}, {"contains": {"type": "number"}, "minContains": 2}, []),
        (
            {**INTEGERS, "contains": {"const": 1}, "minContains": 2},
            {"contains": {"const": 1}, "minContains": 3},
            [("CONTAINS", "contains", False)],
        ),
        (
            {"type": "array", "contains": {"const": 1}, "minContains": 3},
            {"contains": {"enum": [1, 2]}, "minContains": 3},
            [],
        ),
        ({"type": "array", "contains": {"const": 1}}, {"contains": {"enum": [1, 2]}}, []),
        ({**INTEGERS, "minItems": 1}, {"contains": {"type": "string"}, "minContains": 0, "maxContains": 0}, []),
        (
            {**INTEGERS, "minItems": 1, "maxItems": 9},
            {"contains": {"type": "integer"}, "maxContains": 8},
            [("CONTAINS", "contains", False)],
        ),
        (INTEGERS, {"unevaluatedItems": False}, [("MORE_ITEMS", "unevaluatedItems", True)]),
    ],
)
def test_gaps(producer: Any, consumer: Any, expected: list[tuple[str, str, bool]]) -> None:
    assert list_array_gaps(producer, consumer) == expected


def test_the_path_names_an_item_of_a_tuple() -> None:
    producer = {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False}
    consumer = {"prefixItems": [{"type": "string"}, {"type": "string"}], "items": False}
    (gap,) = find_gaps(producer, consumer)
    assert (gap.path, gap.values) == (("1",), ("integer",))


# --- schemas of items under several subschemas ------------------------------------------------------------------------
def test_prefix_and_later_items_of_each_part() -> None:
    array = conjoin({"prefixItems": [{"const": 1}], "items": {"const": 2}, "allOf": [{"items": {"const": 3}}]})
    assert array.arrays.prefix_length == 1
    assert [item.schema for item in array.arrays.list_schemas(0)] == [{"const": 1}, {"const": 3}]
    assert [item.schema for item in array.arrays.list_schemas(None)] == [{"const": 2}, {"const": 3}]


def test_unevaluated_items_apply_where_nothing_else_does() -> None:
    array = conjoin({"prefixItems": [True], "unevaluatedItems": {"const": 4}})
    assert [item.schema for item in array.arrays.list_schemas(0)] == [True]
    assert [item.schema for item in array.arrays.list_schemas(1)] == [{"const": 4}]


def test_draft_07_tuples() -> None:
    array = conjoin({"items": [{"const": 1}], "additionalItems": {"const": 2}}, DRAFT_07)
    assert [item.schema for item in array.arrays.list_schemas(0)] == [{"const": 1}]
    assert [item.schema for item in array.arrays.list_schemas(None)] == [{"const": 2}]


def test_contains_requires_an_item() -> None:
    for schema, least in (({"contains": {}}, 1), ({"contains": {}, "minContains": 0}, 0), ({}, 0)):
        assert conjoin(schema).arrays.item_counts == (least, None)
