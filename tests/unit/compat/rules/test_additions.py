"""New properties of open objects are additions."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.compat.rules.definitions import ADDITION_RULES
from mcpgen.compat.rules.rule import SubschemaPair, SubschemaRule

A: dict[str, Any] = {"a": {}}
B: dict[str, Any] = {"a": {}, "b": {}}


@pytest.mark.parametrize(
    ("old", "new", "count"),
    [
        ({"properties": A}, {"properties": B}, 1),
        ({"properties": B}, {"properties": A}, 0),
        ({"properties": A, "additionalProperties": False}, {"properties": B}, 0),
        ({}, {"properties": B}, 0),
    ],
)
def test_new_properties(old: dict[str, Any], new: dict[str, Any], count: int) -> None:
    (rule,) = [rule for rule in ADDITION_RULES if isinstance(rule, SubschemaRule)]
    assert len([*rule.find(SubschemaPair("", old, new))]) == count
