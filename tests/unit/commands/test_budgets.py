"""Budgets of tokens: what `check` says where a tool has more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcpgen.commands.budgets import Excess, format_worst
from support.packages import mcpgen, tool

LONG = "Find a ship by its name, or by the beginning of its name, among all ships that are in the harbour now."
OUTPUT = {
    "type": "object",
    "properties": {"name": {"type": "string"}},
    "required": ["name"],
    "examples": [{"name": "Möwe"}],
}
TOOLS = [tool("find", OUTPUT, description=LONG), tool("lose", OUTPUT, description="Lose a ship."), tool("say")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("budgets")
    (folder / "schemas").mkdir()
    (folder / "schemas" / "tools.json").write_text(json.dumps({"tools": TOOLS}), "utf-8")
    (folder / "mcpgen.toml").write_text("", "utf-8")
    assert mcpgen("build", cwd=folder).returncode == 0
    return folder


def check(folder: Path, settings: str, *options: str) -> tuple[int, str, str]:
    (folder / "mcpgen.toml").write_text(settings, "utf-8")
    process = mcpgen("check", *options, cwd=folder)
    return process.returncode, process.stdout, process.stderr


def read_tokens(folder: Path, settings: str = "[budget]\ndefinition = 9999") -> dict[str, Any]:
    document = json.loads(check(folder, settings, "--format", "json")[1])
    tokens: dict[str, Any] = document["data"]["packages"][0]["tokens"]
    return tokens


@pytest.mark.ci
def test_a_limit_is_the_most_that_is_allowed(folder: Path) -> None:
    tokens = read_tokens(folder, "[budget]\ntext = 9999")
    rows = {row["name"]: row for row in tokens["tools"]}
    for key, tools in (
        ("definition", ["find", "lose", "say"]),
        ("text", ["find", "lose", "say"]),
        ("result", ["find", "lose", "say"]),
    ):
        most = max(rows[name][key] for name in tools)
        assert check(folder, f"[budget]\n{key} = {most}")[0] == 0
        exit_code, table, errors = check(folder, f"[budget]\n{key} = {most - 1}")
        assert exit_code == 4
        assert "mcpgen.toml:2:1: error[MG606]: " in errors
        assert table.splitlines()[0].split() == ["tool", "budget", "tokens", "limit"]
        assert table.splitlines()[1].split()[1:4] == [key, str(most), str(most - 1)]
    total = tokens["totals"]["definition"]
    assert total == sum(row["definition"] for row in rows.values())
    assert check(folder, f"[budget]\ndefinitions = {total}")[0] == 0
    exit_code, table, errors = check(folder, f"[budget]\ndefinitions = {total - 1}")
    assert exit_code == 4
    assert f"the definitions have {total} tokens together, {total - 1} are allowed" in errors
    assert table.splitlines()[1].startswith("all tools  definitions")


@pytest.mark.ci
def test_the_budget_of_a_tool_wins(folder: Path) -> None:
    assert check(folder, "[budget]\ndefinition = 25\n[tools.find.budget]\ndefinition = 60")[0] == 0
    exit_code, _, errors = check(folder, "[tools.find.budget]\ndefinition = 20")
    assert exit_code == 4
    assert 'mcpgen.toml:2:1: error[MG606]: 1 tool beyond the 20 tokens of `definition`: "find" has' in errors


def test_the_json_has_what_is_exceeded(folder: Path) -> None:
    tokens = read_tokens(folder, '[budget]\ndefinition = 25\nvocabulary = "qwen3"')
    (exceeded,) = tokens["exceeded"]
    (row,) = (row for row in tokens["tools"] if row["name"] == "find")
    assert tokens["vocabulary"] == "qwen3"
    assert exceeded == {"tool": "find", "budget": "definition", "limit": 25, "tokens": row["definition"]}
    assert row["text"] is None, "results are counted where they have a limit"


def test_without_a_budget_nothing_is_counted(folder: Path) -> None:
    document = json.loads(check(folder, "", "--format", "json")[1])
    assert "tokens" not in document["data"]["packages"][0]


def test_a_package_that_is_not_up_to_date_is_not_counted(folder: Path) -> None:
    settings = "azure = true\n[budget]\ndefinition = 1"
    exit_code, _, errors = check(folder, settings)
    assert exit_code == 4
    assert "MG606" not in errors


def test_the_table_has_the_worst_ten() -> None:
    excesses = [Excess(("budget", "text"), 10, 11 + number, f"tool_{number}") for number in range(12)]
    _, first, *rest = format_worst(excesses)
    assert first.split() == ["tool_11", "text", "22", "10", "2.2", "times"]
    assert len(rest) == 9
    assert not any("tool_0" in line for line in rest)
