"""`learn` with a server that answers at once; tests/commands/test_learn.py has whole runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcpgen.commands import learn
from mcpgen.commands.learn import LearnRequest, run_learn
from mcpgen.commands.package_selection import LoadedPackages, select_packages
from mcpgen.diagnostics import Findings
from mcpgen.introspect.calls import AnsweredCall, ToolCall, ToolCalls
from mcpgen.introspect.client import parse_server_query
from mcpgen.report.output import CommandOutput
from support.packages import tool

QUERY = parse_server_query(["https://a.test/mcp"], (), (), (), None, None)
RESULT: dict[str, Any] = {"content": [], "structuredContent": {"x": "…"}}


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[ToolCall]:
    """The calls that are asked for; each is answered, but for those of the tool `b`."""
    asked: list[ToolCall] = []

    def call_tools(_: object, calls: list[ToolCall], *rest: object) -> ToolCalls:
        asked.extend(calls)
        return ToolCalls(tuple(AnsweredCall(call, None if call.tool == "b" else RESULT) for call in calls), ("c",), ())

    monkeypatch.setattr(learn, "call_tools", call_tools)
    monkeypatch.chdir(tmp_path)
    return asked


def run(*calls: dict[str, Any], format: Any = "json", **request: Any) -> tuple[int, Findings]:
    Path("calls.json").write_text(json.dumps([*calls]), "utf-8")
    loaded = LoadedPackages([], Findings())
    made = LearnRequest((Path("calls.json"),), None, frozenset(), QUERY, **request)
    return run_learn(loaded, made, CommandOutput("learn", format)), loaded.findings


def test_equal_arguments_are_sent_once(asked: list[ToolCall]) -> None:
    code, findings = run(
        {"tool": "a"},
        {"tool": "a", "arguments": {}},
        {"tool": "a", "arguments": {"n": 1, "m": 2}},
        {"tool": "a", "arguments": {"m": 2.0, "n": 1}, "result": None},
        {"tool": "a", "arguments": [1]},
        {"tool": "b", "arguments": None},
    )
    assert code == 0
    assert asked == [ToolCall("a", {}), ToolCall("a", {"n": 1, "m": 2}), ToolCall("b", {})]
    assert [item.code for item in findings] == ["MG718"]


def test_answers_are_recorded_in_a_new_file(asked: list[ToolCall], capsys: pytest.CaptureFixture[str]) -> None:
    assert run({"tool": "a"}, {"tool": "b"}, record=Path("new.jsonl"))[0] == 0
    assert (
        Path("new.jsonl").read_text("utf-8") == '{"tool": "a", "arguments": {}, "result": ' + json.dumps(RESULT) + "}\n"
    )
    (tool,) = json.loads(capsys.readouterr().out)["data"]["tools"]
    assert (tool["name"], tool["state"]) == ("a", "written")
    code, findings = run({"tool": "a"}, record=Path("new.jsonl"))
    assert (code, [item.code for item in findings], len(asked)) == (2, ["MG404"], 2)
    code, findings = run({"tool": "a"}, record=Path("missing/new.jsonl"))
    assert (code, [item.code for item in findings], len(asked)) == (2, ["MG404"], 2)


def test_no_empty_file_is_recorded(asked: list[ToolCall], capsys: pytest.CaptureFixture[str]) -> None:
    code, findings = run({"tool": "b"}, record=Path("new.jsonl"), format="text")
    assert (code, [item.code for item in findings], len(asked)) == (2, ["MG718"], 1)
    assert not Path("new.jsonl").exists()
    assert "new.jsonl: not written" in capsys.readouterr().err


def test_a_server_that_fails(asked: list[ToolCall], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn, "call_tools", lambda *_: None)
    assert run({"tool": "a", "result": RESULT})[0] == 2
    assert not Path("schemas").exists()
    assert asked == []


def test_a_misspelt_tool_does_not_keep_the_others_from_being_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("shop", "bank"):
        Path(name).mkdir()
        Path(name, "tool.json").write_text(json.dumps(tool(f"{name}_stats")), "utf-8")
    Path("mcpgen.toml").write_text(
        "".join(f'[[package]]\nschemas = ["{name}"]\nout = "out_{name}"\n' for name in ("shop", "bank")), "utf-8"
    )
    calls = [{"tool": name, "result": {"structuredContent": {"n": 1}}} for name in ("shop_stats", "bank_stat")]
    Path("calls.jsonl").write_text("".join(json.dumps(call) + "\n" for call in calls), "utf-8")
    request = LearnRequest((Path("calls.jsonl"),), None, frozenset())
    assert run_learn(select_packages(None, None), request, CommandOutput("learn", "text", "never")) == 2
    err = capsys.readouterr().err
    assert 'calls.jsonl:2:1: error[MG302]: none of the 2 packages in the settings defines "bank_stat"' in err
    assert 'did you mean "bank_stats"?' in err
    assert [path.as_posix() for path in Path().rglob("learned/*")] == ["shop/learned/shop_stats.output.json"]
