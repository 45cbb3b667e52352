"""Every compatibility rule has a case: a folder of `rules` with `old.json`, `new.json` and the findings.

`python -m pytest tests/unit/compat/test_rules.py --regenerate` records the findings anew; read what changed before
you commit.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from mcpgen.commands.diff import format_changes
from mcpgen.commands.diff_comparison import DiffComparison, compare_requested
from mcpgen.commands.diff_inputs import DiffRequest
from mcpgen.compat.change import Change
from mcpgen.compat.registry import RULES
from mcpgen.compat.rules.rule import Category
from mcpgen.diagnostics import CATALOGUE

FIXTURES = Path(__file__).resolve().parent / "rules"
CASES = sorted(path.parent.name for path in FIXTURES.glob("*/old.json"))


def compare_case(
    case: str, old: str = "old", new: str = "new", off: tuple[str, ...] = (), only: tuple[str, ...] = ()
) -> DiffComparison:
    """Compare two files of a case, from its folder."""
    folder = Path.cwd()
    os.chdir(FIXTURES / case)
    try:
        return compare_requested(DiffRequest((Path(f"{old}.json"), Path(f"{new}.json")), None, off, only, None, 1))
    finally:
        os.chdir(folder)


def list_rules(changes: list[Change]) -> set[str]:
    return {change.rule.id for change in changes}


@pytest.mark.parametrize("case", CASES)
def test_rule(case: str, pytestconfig: pytest.Config) -> None:
    result = compare_case(case)
    assert not result.findings.failed, [finding.message for finding in result.findings]
    assert case in list_rules(result.changes)
    expected = FIXTURES / case / "findings.txt"
    if pytestconfig.getoption("--regenerate"):
        expected.write_text("".join(f"{line}\n" for line in format_changes(result.changes)), "utf-8")
    assert "".join(f"{line}\n" for line in format_changes(result.changes)) == expected.read_text("utf-8")
    mine = [change for change in result.changes if change.rule.id == case]
    assert all(item.severity is RULES[case].severity or item.undecided for item in mine)
    assert all(item.span.line and item.to_diagnostic().code in CATALOGUE for item in mine)


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_found_between_a_file_and_itself(case: str) -> None:
    assert compare_case(case, "new", "new").changes == []
    assert compare_case(case, "old", "old").changes == []


@pytest.mark.parametrize("case", CASES)
def test_rule_switched_off(case: str) -> None:
    assert case not in list_rules(compare_case(case, off=(case,)).changes)
    category = RULES[case].category
    assert not any(change.rule.category == category for change in compare_case(case, off=(category,)).changes)
    assert list_rules(compare_case(case, only=(case,)).changes) == {case}


def test_there_is_a_case_for_each_rule() -> None:
    assert set(CASES) == set(RULES)
    assert len(RULES) >= 40
    assert {rule.category for rule in RULES.values()} == set(Category)


def test_rules_are_documented() -> None:
    for rule in RULES.values():
        assert rule.doc.endswith("."), rule.id
        assert "\n" not in rule.doc, rule.id
