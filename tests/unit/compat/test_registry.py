"""The registry has each rule once and cannot be changed."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.compat.registry import RULES, index_rules
from mcpgen.compat.rules import wording
from mcpgen.compat.rules.rule import CATEGORY_CODES, Category, Rule
from mcpgen.diagnostics import CATALOGUE, Severity


def test_rules_are_listed_by_category_and_id() -> None:
    assert all(id == rule.id for id, rule in RULES.items())
    categories = [rule.category for rule in RULES.values()]
    in_order = list(dict.fromkeys(categories))
    assert in_order == [
        "annotations",
        "content",
        "input",
        "output",
        "prompts",
        "names",
        "resources",
        "tools",
        "wording",
        "additions",
    ]
    assert categories == sorted(categories, key=in_order.index)


def test_rules_about_wording_break_nobody() -> None:
    """They are notes, and all of them are in the registry: one each for tools, resources and prompts."""
    assert [rule for rule in RULES.values() if rule.category is Category.WORDING] == [*wording.WORDING_RULES]
    assert {rule.severity for rule in wording.WORDING_RULES} == {Severity.NOTE}
    assert len({type(rule) for rule in wording.WORDING_RULES}) == 3


def test_the_registry_is_immutable() -> None:
    registry: Any = RULES
    with pytest.raises(TypeError):
        registry["new"] = RULES["tool-removed"]


def test_an_id_occurs_once() -> None:
    rule = Rule("twice", Category.TOOLS, "A rule.")
    assert dict(index_rules([rule])) == {"twice": rule}
    with pytest.raises(ValueError, match="twice"):
        index_rules([rule, rule])


def test_each_category_has_a_code_of_the_catalogue() -> None:
    assert set(CATEGORY_CODES) == set(Category)
    assert set(CATEGORY_CODES.values()) <= set(CATALOGUE)
