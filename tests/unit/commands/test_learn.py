"""`mcpgen learn`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcpgen.commands import learn
from mcpgen.commands.generated_package import (
    NoExampleResult,
    collect_texts,
    format_compact,
    make_example_result,
)
from mcpgen.commands.learn import (
    LearnedTool,
    LearnRequest,
    choose_folders,
    format_left_out,
    format_report,
    is_named,
    read_package_tools,
    run_learn,
    write_files,
)
from mcpgen.commands.package_selection import LoadedPackages, select_packages
from mcpgen.config.models import ConfiguredPackage, Limits, PackageSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.introspect.calls import ToolCalls
from mcpgen.introspect.server_query import parse_server_query
from mcpgen.learn.recordings import RecordedCall, RecordedValue, ToolRecording
from mcpgen.report.output import CommandOutput
from mcpgen.schema.values import Json
from support.definitions import PRICE
from support.packages import package, tool

# --- `learn` with a server that answers at once; tests/commands/test_learn.py has whole runs --------------------------
QUERY = parse_server_query(["https://a.test/mcp"], (), (), (), None, None)
RESULT: dict[str, Any] = {"content": [], "structuredContent": {"x": "…"}}


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[RecordedCall]:
    """The calls that are asked for; each is answered, but for those of the tool `b`."""
    asked: list[RecordedCall] = []

    def call_tools(_: object, calls: list[RecordedCall], *rest: object) -> ToolCalls:
        asked.extend(calls)
        return ToolCalls(
            tuple(replace(call, result=None if call.tool == "b" else RESULT) for call in calls), ("c",), ()
        )

    monkeypatch.setattr(learn, "call_tools", call_tools)
    monkeypatch.chdir(tmp_path)
    return asked


def run(*calls: dict[str, Any], format: Any = "json", **request: Any) -> tuple[int, Findings]:
    Path("calls.json").write_text(json.dumps([*calls]), "utf-8")
    loaded = LoadedPackages([], Findings())
    made = LearnRequest((Path("calls.json"),), None, frozenset(), QUERY, **request)
    return run_learn(loaded, made, CommandOutput("learn", format)), loaded.findings


def test_equal_arguments_are_sent_once(asked: list[RecordedCall]) -> None:
    code, findings = run(
        {"tool": "a"},
        {"tool": "a", "arguments": {}},
        {"tool": "a", "arguments": {"n": 1, "m": 2}},
        {"tool": "a", "arguments": {"m": 2.0, "n": 1}, "result": None},
        {"tool": "a", "arguments": [1]},
        {"tool": "b", "arguments": None},
    )
    assert code == 0
    assert [(call.tool, call.arguments) for call in asked] == [("a", {}), ("a", {"n": 1, "m": 2}), ("b", {})]
    assert [item.code for item in findings] == ["MG718"]


def test_answers_are_recorded_in_a_new_file(asked: list[RecordedCall], capsys: pytest.CaptureFixture[str]) -> None:
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


def test_no_empty_file_is_recorded(asked: list[RecordedCall], capsys: pytest.CaptureFixture[str]) -> None:
    code, findings = run({"tool": "b"}, record=Path("new.jsonl"), format="text")
    assert (code, [item.code for item in findings], len(asked)) == (2, ["MG718"], 1)
    assert not Path("new.jsonl").exists()
    assert "new.jsonl: not written" in capsys.readouterr().err


def test_a_server_that_fails(asked: list[RecordedCall], monkeypatch: pytest.MonkeyPatch) -> None:
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


# --- what `learn` says of each tool -----------------------------------------------------------------------------------
def report(folder: Path, state: str, **tools: str) -> list[str]:
    """Return the report on the tool `a`; `tools` are the outputSchemas that the settings name."""
    settings = PackageSettings.model_validate({"tools": {name: {"outputSchema": path} for name, path in tools.items()}})
    package = ConfiguredPackage(settings=settings, folder=folder, file=folder / "mcpgen.toml")
    recording = ToolRecording([RecordedValue({"x": 1}, Span("x.json"))], Counter({"errors": 2, "no text": 1}))
    assert format_left_out(recording) == "errors (2), no text (1)"
    tool = LearnedTool(
        "a", folder / "learned", "a.output.json", recording, "{}", is_named([(package, {})], "a", folder / "learned")
    )
    first, left_out, *rest = format_report([(package, {})], [tool], {"a": state})
    assert first.endswith(f"a.output.json: from 1 result, {state}")
    assert left_out == "  left out: errors (2), no text (1)"
    return rest


def test_what_to_do_with_a_new_file(tmp_path: Path) -> None:
    assert report(tmp_path, "written")[1:] == ['  [tools."a"]', '  outputSchema = "learned/a.output.json"']
    assert report(tmp_path, "written", a="learned/a.output.json") == ["next:", "  mcpgen build"]
    assert report(tmp_path, "written", a="other.json") == []
    assert report(tmp_path, "unchanged", a="learned/a.output.json") == []


# --- files of learned schemas: what those that are there say of recorded results --------------------------------------
LIMITS = Limits.model_validate({})
NO_JSON = "text that is not JSON"


def write(
    folder: Path, text: str, values: Sequence[Json], unreadable: list[Span], *, is_named: bool
) -> tuple[dict[str, str] | None, list[str]]:
    recorded = [RecordedValue(value, Span("x.jsonl", line)) for line, value in enumerate(values, 1)]
    recording = ToolRecording(recorded, unreadable=[(NO_JSON, span) for span in unreadable])
    tool = LearnedTool("a", folder, "a.output.json", recording, text, is_named)
    states = write_files([tool], LIMITS, findings := Findings())
    assert all(item.code == "MG719" for item in findings)
    return states, [item.message for item in findings]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.output.json").write_text(json.dumps({"type": "integer"}), "utf-8")
    return tmp_path


def test_a_new_file_is_written(tmp_path: Path) -> None:
    assert write(tmp_path, "{}", [1], [], is_named=False) == ({"a": "written"}, [])
    assert write(tmp_path, "{}", [1], [], is_named=False) == ({"a": "unchanged"}, [])
    _, messages = write(tmp_path, "{}", [1], [Span("x.jsonl", 2)], is_named=True)
    assert messages == [f"refuses 1 of 2 recorded results: x.jsonl:2: {NO_JSON}"], "although the file is the same"


def test_answers_that_are_no_json_count_once_the_settings_name_the_file(folder: Path) -> None:
    answer = [Span("x.jsonl", 2)]
    assert write(folder, "{}", [1], answer, is_named=False) == ({"a": "kept, since it accepts the result"}, [])
    states, messages = write(folder, "{}", [1], answer, is_named=True)
    assert states == {"a": "kept, but it refuses recorded results"}
    assert messages == [f"refuses 1 of 2 recorded results: x.jsonl:2: {NO_JSON}"]
    assert write(folder, "", [], answer, is_named=True)[1] == [f"refuses 1 of 1 recorded result: x.jsonl:2: {NO_JSON}"]


def test_places_are_lines_or_servers(folder: Path) -> None:
    (folder / "a.output.json").write_text(json.dumps({"properties": {"id": {"type": "integer"}}}), "utf-8")
    _, (message,) = write(folder, "{}", [{"id": "x"}], [Span.of_server("tickets")], is_named=True)
    assert message.startswith(f"refuses 2 of 2 recorded results: an answer of tickets: {NO_JSON}; x.jsonl:1 at /id: ")


# --- which folder the schema of each tool belongs to ------------------------------------------------------------------
ONE, TWO = Path("one/learned"), Path("two/learned")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two packages: both have the tool `both`, and each has one of its own."""
    monkeypatch.chdir(tmp_path)
    tables = "".join(f'[[package]]\nschemas = ["{name}"]\nout = "out_{name}"\n' for name in ("one", "two"))
    Path("mcpgen.toml").write_text(tables, "utf-8")
    for name in ("one", "two"):
        Path(name).mkdir()
        Path(name, "tools.json").write_text(json.dumps({"tools": [tool(name), tool("both")]}), "utf-8")
    return tmp_path


def choose(names: list[str], out: Path | None = None) -> tuple[dict[str, Path], list[str]]:
    """Return the folders below the project, and the messages with their places and helps."""
    findings = Findings()
    spans: dict[str, Span | None] = {name: Span("calls.jsonl", line) for line, name in enumerate(names, 1)}
    folders = choose_folders(read_package_tools(select_packages(None, None).packages), spans, out, findings)
    here = Path.cwd()
    shown = {name: folder.relative_to(here) if out is None else folder for name, folder in folders.items()}
    return shown, [f"{finding.span and finding.span.line}: {finding.message}; {finding.help}" for finding in findings]


@pytest.mark.usefixtures("project")
def test_a_schema_goes_to_the_package_of_its_tool() -> None:
    assert choose(["two", "one"]) == ({"two": TWO, "one": ONE}, [])
    assert choose([]) == ({}, [])


@pytest.mark.usefixtures("project")
def test_what_is_open_is_asked_for() -> None:
    folders, (several, none, misspelt) = choose(["one", "both", "elsewhere", "twoo"])
    assert folders == {"one": ONE}, "the others are open"
    assert several.startswith('2: several packages define "both", so its schema could go to one/learned or two/learned')
    assert none == (
        '3: none of the 2 packages in the settings defines "elsewhere"; they define both, one, two; '
        "pull it or write its definition first; --out FOLDER writes the schemas of all tools there"
    )
    assert misspelt == (
        '4: none of the 2 packages in the settings defines "twoo"; did you mean "two"? If not, pull it or write its '
        "definition first"
    )


@pytest.mark.usefixtures("project")
def test_a_folder_of_the_user_holds_for_all_tools() -> None:
    assert choose(["one", "both", "other"], Path("mine")) == (dict.fromkeys(["one", "both", "other"], Path("mine")), [])


def test_packages_that_share_a_folder(project: Path) -> None:
    (project / "mcpgen.toml").write_text((project / "mcpgen.toml").read_text().replace('["two"]', '["one"]'))
    assert choose(["both"]) == ({"both": ONE}, [])


def test_one_package_needs_no_definition(project: Path) -> None:
    (project / "mcpgen.toml").write_text('schemas = ["one"]\n')
    assert choose(["other"]) == ({"other": ONE}, [])


@pytest.mark.skipif(sys.platform == "win32", reason="links take rights there")
def test_a_folder_out_of_the_project(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (project / ONE).symlink_to(tmp_path_factory.mktemp("outside"))
    folders, (message,) = choose(["one", "two"])
    assert folders == {"two": TWO}
    assert "is outside the project " in message


# --- example results: of a value, of an example, and why there is none ------------------------------------------------
@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder: Path = tmp_path_factory.mktemp("examples")
    return package(folder, [tool("buy", PRICE), tool("greet"), tool("never", {"type": "object", "not": {}})])


def make(generated: Any, name: str, text: str | None = None) -> Any:
    return make_example_result(generated.RESULT_TYPES[name], generated.TOOLS[name], text)


def test_a_result_has_the_value_that_is_given(generated: Any) -> None:
    result = make(generated, "buy", '{"price": 2.5}')
    text, whole = '{"price":2.5}', format_compact(result.to_wire())
    assert collect_texts(result, generated.TOOLS["buy"]) == {"text": text, "result": whole, "json": text}


def test_without_a_schema_a_result_has_text_only(generated: Any) -> None:
    result = make(generated, "greet", "hello")
    whole = format_compact(result.to_wire())
    assert collect_texts(result, generated.TOOLS["greet"]) == {"text": "hello", "result": whole}
    assert collect_texts(make(generated, "greet"), generated.TOOLS["greet"])["text"] == "some text"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("buy", "{", "--value is not JSON"),
        ("buy", '"\\ud800"', "--value is not JSON: a string holds a lone surrogate"),
        ("buy", "{}", "--value does not satisfy the outputSchema"),
        ("never", None, "no example was found that satisfies the schema"),
    ],
)
def test_why_there_is_no_result(generated: Any, name: str, text: str | None, message: str) -> None:
    with pytest.raises(NoExampleResult, match=message):
        make(generated, name, text)


def test_json_is_compact_and_in_unicode() -> None:
    value = {"a": [1, "é"], "b": None}
    assert format_compact(value) == '{"a":[1,"é"],"b":null}'
    assert json.loads(format_compact(value)) == value
