"""Kinds of rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.rules.rule import Category, GapRule, KeywordRule, RuleMatch, SubschemaPair, ToolPair, ToolRule
from mcpgen.diagnostics import Severity
from support.compat import make_tool


def find_title(pair: ToolPair) -> Iterator[RuleMatch]:
    if pair.old.tool.get("title") != "A":
        yield RuleMatch("has another title")


def test_a_rule_is_an_error_with_the_code_of_its_category() -> None:
    rule = ToolRule("tool-title", Category.TOOLS, "A title.", find_title)
    assert (rule.severity, rule.code) == (Severity.ERROR, "MG803")
    assert [match.text for match in rule.find(ToolPair(make_tool(), None))] == ["has another title"]
    assert list(rule.find(ToolPair(make_tool(title="A"), None))) == []


def test_a_rule_is_immutable() -> None:
    rule: Any = ToolRule("tool-title", Category.TOOLS, "A title.", find_title)
    with pytest.raises(FrozenInstanceError):
        rule.id = "other"


def test_a_gap_rule_fills_its_template() -> None:
    rule = GapRule("input-long", Category.INPUT, "Long.", GapKind.MAX_LENGTH, "longer than {gap.constraint}")
    gap = Gap(GapKind.MAX_LENGTH, (), "", "", "maxLength", constraint=3)
    assert rule.applies(gap)
    assert rule.describe(gap) == "longer than 3"


def test_a_keyword_rule_reports_where() -> None:
    rule = KeywordRule("input-title", Category.INPUT, "Title.", "title", severity=Severity.NOTE)
    match = RuleMatch('title was "A", is gone', "/items")
    assert list(rule.find(SubschemaPair("/items", {"title": "A"}, {"title": None}))) == [match]
