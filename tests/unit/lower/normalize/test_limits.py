"""Budgets and sizes of types."""

from __future__ import annotations

import pytest
from mcpgen.lower.normalize.core import Core
from mcpgen.lower.normalize.limits import (
    LOOKUPS_PER_TYPE,
    MIN_TYPE_BUDGET,
    LoweringBudget,
    LoweringLimits,
    SchemaTooLarge,
    TypeSizes,
)


def test_a_small_schema_may_unfold_into_the_minimum() -> None:
    budget = LoweringBudget(LoweringLimits(unfolding=1), subschemas=1)
    budget.count_types(MIN_TYPE_BUDGET)
    with pytest.raises(SchemaTooLarge, match="more than 1 types for each subschema"):
        budget.count_types()


def test_a_large_schema_may_unfold_in_proportion() -> None:
    budget = LoweringBudget(LoweringLimits(unfolding=20), subschemas=1_000)
    budget.count_types(20_000)
    with pytest.raises(SchemaTooLarge):
        budget.count_types()


def test_places_have_a_budget_of_their_own() -> None:
    budget = LoweringBudget(LoweringLimits(unfolding=1), subschemas=1)
    budget.count_places(MIN_TYPE_BUDGET * LOOKUPS_PER_TYPE)
    budget.count_types()
    with pytest.raises(SchemaTooLarge):
        budget.count_places()


def test_the_size_of_a_type_counts_its_levels_and_parts() -> None:
    text: Core = {"type": "string"}
    size = TypeSizes().measure({"anyOf": [text, {"type": "array", "items": text}, {"enum": [1, 2, 3]}]})
    assert (size.levels, size.parts) == (3, 1 + 1 + 2 + 3)


def test_a_part_that_occurs_twice_counts_twice() -> None:
    text: Core = {"type": "string"}
    assert TypeSizes().measure({"anyOf": [text, text]}).parts == 3
