"""`diff`: its text, its JSON and its exit code."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcpgen.commands.diff import format_changes, run_diff, summarize_comparison
from mcpgen.commands.diff_comparison import DiffComparison, DiffRequest, compare_requested
from mcpgen.report.output import CommandOutput
from support.definitions import PRICE
from support.packages import tool

REQUEST = DiffRequest((Path("old.json"), Path("new.json")), None, (), (), None, 1)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _write(old: Any, new: Any) -> None:
    for name, schema in (("old", old), ("new", new)):
        Path(f"{name}.json").write_text(json.dumps(tool("buy", schema)), "utf-8")


def test_changes_stand_below_their_tool() -> None:
    _write(PRICE, {**PRICE, "required": []})
    changes = compare_requested(REQUEST).changes
    subject, first, *_ = format_changes(changes)
    assert subject == changes[0].subject
    assert first.startswith("  new.json:1:")
    assert first.endswith(f"({changes[0].rule.id})")


@pytest.mark.parametrize(("new", "exit_code"), [(PRICE, 0), ({**PRICE, "required": []}, 5), ({"type": "x"}, 2)])
def test_the_exit_code_says_whether_a_change_is_breaking(
    new: Any, exit_code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(PRICE, new)
    assert run_diff(REQUEST, CommandOutput("diff", "json")) == exit_code
    document = json.loads(capsys.readouterr().out)
    assert document["exit_code"] == exit_code
    breaking = [change["breaking"] for change in (document["data"] or {"changes": []})["changes"]]
    assert any(breaking) == (exit_code == 5)
    assert run_diff(REQUEST, CommandOutput("diff", "text", "never")) == exit_code


def test_the_summary_counts_what_was_compared() -> None:
    _write(PRICE, {**PRICE, "required": []})
    found = compare_requested(REQUEST)
    assert summarize_comparison(found).startswith("1 breaking change")
    acknowledged = DiffComparison(tools=1, resources=2, acknowledged=[found.changes[0]] * 3)
    assert summarize_comparison(acknowledged) == "no breaking change, 3 acknowledged in 1 tool and 2 resources"
    comparison = DiffComparison(tools=2, resources=1, prompts=3)
    assert summarize_comparison(comparison) == "no breaking change in 2 tools, 1 resource and 3 prompts"
    assert summarize_comparison(DiffComparison()) == "no breaking change in 0 tools"


def test_new_definitions_are_counted() -> None:
    Path("old.json").write_text(json.dumps({"tools": [], "prompts": []}), "utf-8")
    Path("new.json").write_text(json.dumps({"tools": [tool("buy")], "prompts": [{"name": "plan"}]}), "utf-8")
    summary = summarize_comparison(compare_requested(REQUEST))
    assert summary == "no breaking change, 2 additions in 1 tool and 1 prompt"


def test_acknowledged_changes_are_counted_as_they_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """A shared definition of two tools changes: one change is shown, and one is acknowledged, by whatever entry."""
    for name, required in (("old", ["price"]), ("new", [])):
        Path(name).mkdir()
        shared = {"$defs": {"Price": {**PRICE, "required": required}}}
        Path(name, "shared.json").write_text(json.dumps(shared), "utf-8")
        for user in ("buy", "sell"):
            schema = {"type": "object", "properties": {"price": {"$ref": "shared.json#/$defs/Price"}}}
            Path(name, f"{user}.json").write_text(json.dumps(tool(user, schema)), "utf-8")
    request = replace(REQUEST, paths=(Path("old"), Path("new")), only=("output",))
    run_diff(request, CommandOutput("diff", "text", "never", verbose=True))
    printed = capsys.readouterr()
    assert "1 breaking change in 2 tools" in printed.err
    (line,) = [line for line in printed.out.splitlines() if "acknowledge by:" in line]
    entry = line.partition("acknowledge by: ")[2].replace(", ", "\n")
    header = '[[diff.acknowledged]]\nreason = "intended"\n'
    for entries in (f"{header}{entry}", f'{header}{entry}\n{header}rule = "output-property-became-optional"'):
        Path("mcpgen.toml").write_text(entries, "utf-8")
        run_diff(request, CommandOutput("diff", "text", "never"))
        assert capsys.readouterr().err.splitlines() == ["no breaking change, 1 acknowledged in 2 tools"]


def test_how_to_acknowledge_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    _write(PRICE, {**PRICE, "required": []})
    run_diff(REQUEST, CommandOutput("diff", "text", "never"))
    lines = [line for line in capsys.readouterr().err.splitlines() if "acknowledge" in line]
    rule = compare_requested(REQUEST).changes[0].rule.id
    entry = f'[[diff.acknowledged]] with its rule, such as rule = "{rule}", and a reason'
    assert lines == [
        f"if a change is intended, acknowledge it in the settings: {entry}; -v prints its tool and pointer, too"
    ]
    _write(PRICE, PRICE)
    run_diff(REQUEST, CommandOutput("diff", "text", "never"))
    assert "acknowledge" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "settings", "header"),
    [
        ("pyproject.toml", '[tool.mcpgen]\nschemas = ["s"]\n', "[[tool.mcpgen.diff.acknowledged]]"),
        ("mcpgen.toml", '[[package]]\nschemas = ["s"]\nout = "a"\n', "[[package.diff.acknowledged]]"),
    ],
)
def test_the_entry_is_named_as_the_settings_file_writes_it(
    file: str, settings: str, header: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(PRICE, {**PRICE, "required": []})
    Path(file).write_text(settings, "utf-8")
    run_diff(REQUEST, CommandOutput("diff", "text", "never"))
    assert f"acknowledge it in the settings: {header} with its rule" in capsys.readouterr().err
    rule = compare_requested(REQUEST).changes[0].rule.id
    Path(file).write_text(f'{settings}\n{header}\nrule = "{rule}"\nreason = "intended"\n', "utf-8")
    assert run_diff(REQUEST, CommandOutput("diff", "text", "never")) == 0
