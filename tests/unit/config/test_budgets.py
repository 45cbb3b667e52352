"""Limits in tokens, as the settings say them."""

from __future__ import annotations

import pytest
from mcpgen.config.budgets import BudgetSettings, ToolBudget
from mcpgen.config.models import PackageSettings
from mcpgen.config.settings_table import CachedResult
from pydantic import ValidationError


def test_nothing_is_limited_unless_it_is_said() -> None:
    assert BudgetSettings.model_validate({}).model_dump(exclude={"vocabulary"}, exclude_none=True) == {}
    assert BudgetSettings.model_validate({}).vocabulary == "o200k_base"


@pytest.mark.parametrize("wrong", [{"definition": 0}, {"text": "5"}, {"vocabulary": "gpt2"}, {"tokens": 5}])
def test_a_wrong_limit_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        BudgetSettings.model_validate(wrong)


@pytest.mark.parametrize("key", ["definitions", "vocabulary"])
def test_what_holds_for_all_tools_is_no_limit_of_one(key: str) -> None:
    with pytest.raises(ValidationError):
        ToolBudget.model_validate({key: 5})


def test_a_budget_is_in_no_key_of_a_cache() -> None:
    settings = PackageSettings.model_validate({"budget": {"definition": 5, "definitions": 7}})
    assert settings.select(*CachedResult) == {}
