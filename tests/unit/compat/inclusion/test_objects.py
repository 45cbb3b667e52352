"""Gaps of object keywords other than those for the values of properties."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.compat.inclusion.objects import OBJECT_RULES
from support.compat import find_rule_gaps

OPEN = {"type": "object"}


def list_object_gaps(producer: Any, consumer: Any) -> list[tuple[str, str, str, bool]]:
    gaps = find_rule_gaps(OBJECT_RULES, producer, consumer, "object")
    return [(gap.kind.name, gap.keyword, gap.name, gap.certain) for gap in gaps]


@pytest.mark.parametrize(
    ("producer", "consumer", "expected"),
    [
        ({**OPEN, "properties": {"a": {"type": "null"}}}, {"required": ["a"]}, [("REQUIRED", "required", "a", True)]),
        (OPEN, {"required": ["a"]}, [("UNDECLARED", "required", "a", True)]),
        ({**OPEN, "minProperties": 1}, {"required": ["a"]}, [("UNDECLARED", "required", "a", False)]),
        ({**OPEN, "required": ["a"]}, {"required": ["a"]}, []),
        (OPEN, {"minProperties": 1}, [("MIN_PROPERTIES", "minProperties", "", True)]),
        ({**OPEN, "required": ["a"]}, {"minProperties": 1}, []),
        (OPEN, {"maxProperties": 1}, [("MAX_PROPERTIES", "maxProperties", "", True)]),
        (OPEN, {"dependentRequired": {"a": ["b"]}}, [("DEPENDENT", "dependentRequired", "a", True)]),
        ({**OPEN, "required": ["b"]}, {"dependentRequired": {"a": ["b"]}}, []),
        ({**OPEN, "properties": {"a": False}}, {"dependentRequired": {"a": ["b"]}}, []),
        (
            OPEN,
            {"dependentSchemas": {"a": {"minProperties": 5}}},
            [("DEPENDENT", "dependentSchemas", "a", False)],
        ),
    ],
)
def test_gaps(producer: Any, consumer: Any, expected: list[tuple[str, str, str, bool]]) -> None:
    assert list_object_gaps(producer, consumer) == expected
