"""Each limit of the settings is applied somewhere, and messages about an exceeded one name its key."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest
from mcpgen.config.models import BudgetSettings, CachedResult, Limits, PackageSettings, ToolBudget, suggest_raising
from mcpgen_runtime.package import Limits as ValueLimits
from pydantic import ValidationError
from support.repository import ROOT

SOURCE = ROOT / "codegen" / "mcpgen"
KEYS = {field.alias or name: name for name, field in Limits.model_fields.items()}
SHOWN_WITHOUT_KEY = {"pull-seconds"}
"""The limit that `--timeout` replaces."""


@cache
def read_sources() -> tuple[set[str], set[str], set[object]]:
    """Return the attributes that the code reads, its texts, and the constants that it calls functions with.

    The trees are not kept: they are large.
    """
    attributes, texts, arguments = set[str](), set[str](), set[object]()
    for path in SOURCE.rglob("*.py"):
        if path == SOURCE / "config" / "models.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Attribute():
                    attributes.add(node.attr)
                case ast.Constant(value=str(text)):
                    texts.add(text)
                case ast.Call():
                    arguments |= {argument.value for argument in node.args if isinstance(argument, ast.Constant)}
    return attributes, texts, arguments


def test_each_limit_is_read() -> None:
    attributes, _, arguments = read_sources()
    assert [name for name in KEYS.values() if name not in {*attributes, *arguments, *ValueLimits._fields}] == []
    assert {*ValueLimits._fields} < {*KEYS.values()}


def test_messages_name_keys_that_exist_and_every_key() -> None:
    _, texts, arguments = read_sources()
    named = {key for text in texts for key in re.findall(r"`limits\.([\w-]+)`", text)}
    assert named <= set(KEYS)
    counted = {key for key, name in KEYS.items() if name in arguments}
    assert set(KEYS) - named - arguments - counted == SHOWN_WITHOUT_KEY


def test_the_help_names_the_key() -> None:
    assert suggest_raising("file-size") == "raise `limits.file-size` in the settings if this is intended"


# --- limits in tokens, as the settings say them -----------------------------------------------------------------------
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
