"""What methods that write tables may contain: the example has nothing else, and whatever is put into it is found."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from support.injection.cases import TABLES
from support.injection.cases import cases as make_cases
from support.injection.run import run
from support.injection.tables import take_methods
from support.repository import ROOT

TEXT = (ROOT / "generated" / "tools" / "list_pilots.py").read_text("utf-8")


def test_a_table_is_fine() -> None:
    tree = ast.parse(TEXT)
    assert [*take_methods(tree)] == []
    assert "markdown_text(" not in ast.unparse(tree)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("markdown_text(row.name)", "exec(row.name)"),
        ("markdown_text(row.name)", "row.name.__class__"),
        ("markdown_text(row.name)", "(lambda: 1)()"),
        ("has_more = any(more)", "has_more = open(more)"),
        ("has_more = any(more)", "import os"),
        ("has_more = any(more)", "self.x = 1 == 1"),
        ('"minutes_away" in row.model_fields_set', '"a" in row.name'),
        ('return [text_block("".join(parts))]', "return parts"),
        ("any(more)", "any(key=more)"),
        ("any(more)", "row.sort()"),
    ],
)
def test_what_is_put_into_a_table_is_seen(old: str, new: str) -> None:
    assert old in TEXT
    assert [*take_methods(ast.parse(TEXT.replace(old, new)))]


@pytest.mark.ci
def test_hostile_names_of_columns_stay_text(tmp_path: Path) -> None:
    cases = [case for case in make_cases() if case.position in TABLES]
    report = run(cases[::7], tmp_path)
    assert report.problems == []
    assert set(report.built) == set(TABLES)
