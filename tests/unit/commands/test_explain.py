"""`explain`: codes in any spelling."""

from __future__ import annotations

import json

import pytest
import typer
from mcpgen.commands.explain import normalize_code, run_explain
from mcpgen.compat.registry import RULES
from mcpgen.compat.rules.rule import CATEGORY_CODES
from mcpgen.diagnostics import CATALOGUE
from mcpgen.report.output import CommandOutput


@pytest.mark.parametrize("code", ["MG101", "mg101", "101", "MG-101", "mg-101"])
def test_a_code_is_known_in_each_spelling(code: str) -> None:
    assert normalize_code(code) == "MG101"


@pytest.mark.parametrize(
    ("code", "suggestion"),
    [
        ("MG1011", "near it are"),
        ("jinja", "MG501"),
        ("xyz", "`mcpgen explain` lists all"),
        ("tool-remove", "tool-removed"),
    ],
)
def test_an_unknown_code_has_suggestions(code: str, suggestion: str) -> None:
    with pytest.raises(typer.BadParameter) as error:
        normalize_code(code)
    assert suggestion in error.value.message


def test_each_rule_of_diff_is_explained_by_its_code(capsys: pytest.CaptureFixture[str]) -> None:
    for rule in RULES.values():
        assert run_explain(rule.id, CommandOutput("explain", "text", "never")) == 0
        heading, _, remark, *_ = capsys.readouterr().out.splitlines()
        assert heading.startswith(f"# {CATEGORY_CODES[rule.category]}: ")
        assert remark == f"`{rule.id}` is a rule of `mcpgen diff`: {rule.doc}"


def test_without_a_code_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_explain(None, CommandOutput("explain", "text", "never")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"{code}  {meaning}" for code, meaning in CATALOGUE.items()]


def test_the_json_has_the_whole_explanation(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_explain("101", CommandOutput("explain", "json")) == 0
    (entry,) = json.loads(capsys.readouterr().out)["data"]["codes"]
    assert (entry["code"], entry["meaning"]) == ("MG101", CATALOGUE["MG101"])
    assert "## Bad example" in entry["explanation"]
