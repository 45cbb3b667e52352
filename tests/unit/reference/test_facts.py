"""What keywords say, in words."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.reference.facts import format_value, list_facts
from mcpgen.reference.model import Fact


@pytest.mark.parametrize(
    ("schema", "facts"),
    [
        ({"minimum": 1, "exclusiveMaximum": 2.5}, [Fact("at least", ("1",)), Fact("less than", ("2.5",))]),
        ({"minLength": 1}, [Fact("at least 1 character")]),
        ({"maxItems": 3}, [Fact("at most 3 items")]),
        ({"uniqueItems": True, "deprecated": False}, [Fact("no item twice")]),
        ({"enum": ["a", None]}, [Fact("one of", ('"a"', "null"))]),
        ({"const": 1}, [Fact("always", ("1",))]),
        ({"default": []}, [Fact("default", ("[]",))]),
        ({"format": "date"}, [Fact("format", ("date",))]),
        ({"type": "string", "title": "A", "description": "B", "$comment": "C"}, []),
        (True, []),
    ],
)
def test_words(schema: Any, facts: list[Fact]) -> None:
    assert list(list_facts(schema)) == facts


def test_long_lists_and_values_are_cut() -> None:
    (fact,) = list_facts({"enum": [*range(100)]})
    assert len(fact.values) == 61
    assert fact.values[-1] == "… 40 more"
    assert len(format_value("x" * 1000)) == 240
