"""Rules for keywords that assert nothing."""

from __future__ import annotations

from mcpgen.compat.rules.keyword_changes import INPUT_KEYWORD_RULES, OUTPUT_KEYWORD_RULES
from mcpgen.compat.rules.rule import Category, RuleMatch, SubschemaPair


def test_each_direction_has_its_keywords() -> None:
    assert [rule.keyword for rule in INPUT_KEYWORD_RULES] == ["format", "contentEncoding", "default"]
    assert [rule.keyword for rule in OUTPUT_KEYWORD_RULES] == ["format", "contentEncoding", "contentMediaType"]
    assert {rule.category for rule in INPUT_KEYWORD_RULES} == {Category.INPUT}
    assert {rule.category for rule in OUTPUT_KEYWORD_RULES} == {Category.OUTPUT}


def test_a_replaced_and_a_removed_keyword() -> None:
    rule = INPUT_KEYWORD_RULES[2]
    replaced = SubschemaPair("/properties/a", {"default": 1}, {"default": 2})
    assert list(rule.find(replaced)) == [RuleMatch("default was 1, is 2 now", "/properties/a")]
    assert [match.text for match in rule.find(SubschemaPair("", {"default": 1}, {}))] == ["default was 1, is gone"]


def test_an_added_or_equal_keyword_is_no_change() -> None:
    rule = OUTPUT_KEYWORD_RULES[0]
    assert list(rule.find(SubschemaPair("", {}, {"format": "date"}))) == []
    assert list(rule.find(SubschemaPair("", {"format": "date"}, {"format": "date"}))) == []
