"""Gaps of the values of properties."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.compat.gap import merge_gaps
from mcpgen.compat.inclusion.properties import PROPERTY_RULES
from support.compat import find_rule_gaps

STRING = {"type": "string"}
OPEN = {"type": "object", "properties": {"a": STRING}}
CLOSED = {**OPEN, "additionalProperties": False}


def list_property_gaps(producer: Any, consumer: Any) -> list[tuple[str, str, tuple[str, ...], bool]]:
    gaps = find_rule_gaps(PROPERTY_RULES, producer, consumer, "object")
    return [(gap.kind.name, gap.name, gap.path, gap.certain) for gap in merge_gaps(gaps)]


@pytest.mark.parametrize(
    ("producer", "consumer", "expected"),
    [
        (OPEN, {"properties": {"a": {"type": "null"}}}, [("TYPE", "", ("a",), True)]),
        ({"type": "object"}, OPEN, [("UNTYPED", "a", (), True)]),
        (OPEN, CLOSED, [("OPEN", "", (), True)]),
        ({**CLOSED, "properties": {"a": STRING, "b": STRING}}, CLOSED, [("EXTRA", "b", (), True)]),
        (OPEN, {"additionalProperties": STRING}, [("UNTYPED_OTHERS", "", (), True)]),
        (CLOSED, {"additionalProperties": STRING}, []),
        (CLOSED, {"patternProperties": {"^a": {"type": "null"}}}, [("TYPE", "", ("a",), True)]),
        (OPEN, {"patternProperties": {"^x": {"type": "null"}}}, [("UNTYPED_OTHERS", "", (), False)]),
        (
            {"type": "object", "patternProperties": {"^x": STRING}},
            {"patternProperties": {"^x": {"type": "null"}}},
            [("TYPE", "", ("*",), False)],
        ),
        (OPEN, {"unevaluatedProperties": False}, [("EXTRA", "a", (), True), ("OPEN", "", (), True)]),
        (CLOSED, {"properties": {"a": True}, "unevaluatedProperties": False}, []),
        (
            CLOSED,
            {"anyOf": [{"properties": {"a": True}}, True], "unevaluatedProperties": False},
            [("EXTRA", "a", (), False)],
        ),
        ({"type": "object", "propertyNames": {"const": "a"}}, CLOSED, [("UNTYPED", "a", (), True)]),
    ],
)
def test_gaps(producer: Any, consumer: Any, expected: list[tuple[str, str, tuple[str, ...], bool]]) -> None:
    assert list_property_gaps(producer, consumer) == expected


def test_a_new_required_property_has_one_gap() -> None:
    assert list_property_gaps({"type": "object"}, {**OPEN, "required": ["a"]}) == []
