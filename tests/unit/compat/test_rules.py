"""Every compatibility rule, by a folder of `rules`: `old.json`, `new.json`, and what is found between them.

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
from mcpgen.compat.compare import Change
from mcpgen.compat.registry import RULES, Category
from mcpgen.diagnostics import CATALOGUE

FIXTURES = Path(__file__).resolve().parent / "rules"
CASES = sorted(path.name for path in FIXTURES.iterdir())


def found(case: str, before: str = "old", after: str = "new", **options: tuple[str, ...]) -> DiffComparison:
    """The comparison of a case's two files, from its folder."""
    wanted = DiffRequest((Path(f"{before}.json"), Path(f"{after}.json")), None, (), (), None, 1)
    here = Path.cwd()
    os.chdir(FIXTURES / case)
    try:
        return compare_requested(
            DiffRequest(wanted.paths, None, options.get("off", ()), options.get("only", ()), None, 1)
        )
    finally:
        os.chdir(here)


def rules(changes: list[Change]) -> set[str]:
    return {one.rule.id for one in changes}


@pytest.mark.parametrize("case", CASES)
def test_rule(case: str, pytestconfig: pytest.Config) -> None:
    result = found(case)
    assert not result.findings.failed, [one.message for one in result.findings]
    assert case in rules(result.changes)
    expected = FIXTURES / case / "findings.txt"
    if pytestconfig.getoption("--regenerate"):
        expected.write_text("".join(f"{line}\n" for line in format_changes(result.changes)), "utf-8")
    assert "".join(f"{line}\n" for line in format_changes(result.changes)) == expected.read_text("utf-8")
    mine = [one for one in result.changes if one.rule.id == case]
    assert all(one.severity is RULES[case].severity or one.undecided for one in mine)
    assert all(one.span.line and one.to_diagnostic().code in CATALOGUE for one in mine)


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_found_between_a_file_and_itself(case: str) -> None:
    assert found(case, "new", "new").changes == []
    assert found(case, "old", "old").changes == []


@pytest.mark.parametrize("case", CASES)
def test_rule_switched_off(case: str) -> None:
    assert case not in rules(found(case, off=(case,)).changes)
    assert not any(
        one.rule.category == RULES[case].category for one in found(case, off=(RULES[case].category,)).changes
    )
    assert rules(found(case, only=(case,)).changes) == {case}


def test_there_is_a_case_for_each_rule() -> None:
    assert set(CASES) == set(RULES)
    assert len(RULES) >= 40
    assert {one.category for one in RULES.values()} == set(Category)


def test_rules_are_documented() -> None:
    for one in RULES.values():
        assert one.doc.endswith("."), one.id
        assert "\n" not in one.doc, one.id
        assert one.finds.__name__ == one.finds.__name__.lower(), one.id
