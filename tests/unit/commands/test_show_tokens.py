"""`show --tokens`: tables for people, all numbers as JSON."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcpgen import vocabularies
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.token_counts import (
    MeasureTask,
    ShowTokensRequest,
    TokenCounts,
    build_counts_json,
    measure_tools,
    run_show_tokens,
    sum_counts,
)
from mcpgen.diagnostics import Findings
from mcpgen.prove.package_loader import PackageNotImportable
from mcpgen.report.output import CommandOutput
from mcpgen.vocabularies import VOCABULARY_NAMES, VocabularyName
from ruamel.yaml import YAML
from support.definitions import PRICE
from support.packages import mcpgen, package, tool
from support.repository import ROOT

pytestmark = pytest.mark.ci


def run(
    capsys: pytest.CaptureFixture[str], *names: VocabularyName, tool: str | None = None, format: Any = "text"
) -> tuple[int, str, str]:
    from mcpgen.commands.package_selection import select_packages

    loaded = select_packages(ROOT / "pyproject.toml", None)
    exit_code = run_show_tokens(loaded, ShowTokensRequest(tool, names, None, 1), CommandOutput("show", format, "never"))
    captured = capsys.readouterr()
    return exit_code, captured.out, captured.err


def test_each_number_of_the_table_is_the_vocabularys(capsys: pytest.CaptureFixture[str]) -> None:
    exit_code, out, _ = run(capsys)
    title, header, *rows, total = out.splitlines()
    assert exit_code == 0
    assert title == "tokens of o200k_base (GPT-4o, o1 and later of OpenAI)"
    assert header.split() == ["tool", "definition", "text", "JSON", "text/JSON", "result"]
    encoding: Any = importlib.import_module("bpe_openai").get_encoding("o200k_base")
    counted = 0
    for path in (ROOT / "generated" / "tools").glob("*.json"):
        declared = json.loads(path.read_bytes())["tool"]
        read = {key: declared[key] for key in ("name", "description", "inputSchema") if key in declared}
        tokens = len(encoding.encode_ordinary(json.dumps(read, ensure_ascii=False, separators=(",", ":"))))
        (row,) = (row for row in rows if row.split()[0] == declared["name"])
        assert row.split()[1] == f"{tokens:,}"
        counted += tokens
    assert total.split()[:2] == ["total", f"{counted:,}"]


def test_the_json_has_all_vocabularies(capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(run(capsys, tool="list_pilots", format="json")[1])
    (package,) = document["data"]["tokens"]
    assert tuple(package["vocabularies"]) == VOCABULARY_NAMES
    for counts in package["vocabularies"].values():
        (row,) = counts["tools"]
        assert row == {"name": "list_pilots", **counts["totals"]}


def list_short_texts() -> set[str]:
    """Return the example's tools whose text is a table or a template."""
    names: set[str] = set()
    for path in (ROOT / "schemas").rglob("*.*"):
        if path.suffix in (".json", ".yaml", ".yml") and "mcp" not in path.relative_to(ROOT / "schemas").parts:
            document: Any = YAML(typ="safe").load(path)
            tools = document if isinstance(document, list) else document.get("tools", [document])
            for tool in tools:
                choice = tool.get("x-mcpgen", {})
                has_template = "template" in choice or path.with_name(f"{path.stem}.content.j2").exists()
                if has_template or choice.get("content") in ("table", "csv", "tsv"):
                    names.add(tool.get("name", path.stem))
    return names


@pytest.mark.parametrize("vocabulary", VOCABULARY_NAMES)
def test_tables_and_templates_take_half_the_tokens_of_json(
    capsys: pytest.CaptureFixture[str], vocabulary: VocabularyName
) -> None:
    names = list_short_texts()
    assert names == {"list_arrivals", "list_pilots", "quote_stay", "tide_table", "vessel_profile"}
    document = json.loads(run(capsys, vocabulary, format="json")[1])
    rows = [row for row in document["data"]["tokens"][0]["vocabularies"][vocabulary]["tools"] if row["name"] in names]
    assert len(rows) == len(names)
    assert sum(row["text"] for row in rows) <= sum(row["json"] for row in rows) / 2


def test_one_tool_has_no_total(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "qwen3", "cl100k_base", tool="list_pilots")
    assert [line.split()[0] for line in out.splitlines() if line] == ["tokens", "tool", "list_pilots"] * 2


def test_an_unknown_tool_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    exit_code, out, err = run(capsys, tool="list_pilot")
    assert (exit_code, out) == (2, "")
    assert 'error[MG602]: no generated package has a tool "list_pilot"' in err


def test_without_the_vocabulary_it_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "bpe_openai", None)
    vocabularies._load_counter.cache_clear()
    exit_code, out, err = run(capsys)
    assert (exit_code, out) == (2, "")
    assert "error[MG605]: the vocabulary o200k_base comes with bpe-openai, which is not installed" in err
    assert "help: pip install 'mcpgen[tokens]'" in err


def test_nothing_is_counted_where_nothing_was_built(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from support.definitions import configure_package

    loaded = LoadedPackages([configure_package(tmp_path, [])], Findings())
    assert run_show_tokens(loaded, ShowTokensRequest(None, (), None, 1), CommandOutput("show", "json")) == 2
    (diagnostic,) = json.loads(capsys.readouterr().out)["diagnostics"]
    assert diagnostic["code"] == "MG602"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--tokens", "--vocabulary", "gpt2"], 'no vocabulary is called "gpt2"'),
        (["--tokens", "--wire"], "use --tokens alone"),
        (["list_pilots", "--vocabulary", "qwen3"], "--vocabulary and --jobs go with --tokens"),
        ([], "name a tool; only --tokens and --hosts show all of them"),
    ],
)
def test_options_that_make_no_sense(options: list[str], message: str) -> None:
    process = mcpgen("show", *options, cwd=ROOT)
    assert process.returncode == 2
    assert message in process.stderr


# --- counting the tokens of generated packages, against the vocabulary's own package ----------------------------------
TOOLS = [
    tool("buy", PRICE, description="Buy a ship.", title="Unread", annotations={"readOnlyHint": False}),
    tool("greet", description="Say hello — in words."),
    tool("never", {"type": "object", "not": {}}),
]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("tokens")
    generated = package(folder, TOOLS)
    return Path(generated.__file__).parent


def count(text: str) -> int:
    encoding: Any = importlib.import_module("bpe_openai").get_encoding("o200k_base")
    return len(encoding.encode_ordinary(text))


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def test_a_definition_is_what_a_model_reads_of_it(out: Path) -> None:
    measured = measure_tools(MeasureTask(out, ("o200k_base",), with_results=False), ["buy", "greet", "never"], 1)
    expected = [
        {"name": "buy", "description": "Buy a ship.", "inputSchema": {"type": "object"}},
        {"name": "greet", "description": "Say hello — in words.", "inputSchema": {"type": "object"}},
        {"name": "never", "inputSchema": {"type": "object"}},
    ]
    assert [tool.counts["o200k_base"] for tool in measured] == [TokenCounts(count(compact(item))) for item in expected]


def test_results_are_counted_and_a_missing_one_has_a_reason(out: Path) -> None:
    buy, greet, never = measure_tools(MeasureTask(out, ("o200k_base", "qwen3")), ["buy", "greet", "never"], 1)
    assert (greet.counts["o200k_base"].text, greet.counts["o200k_base"].json) == (count("some text"), None)
    assert buy.counts["o200k_base"].text == buy.counts["o200k_base"].json
    assert buy.counts["qwen3"].result
    assert (buy.problem, greet.problem) == ("", "")
    assert never.problem == "no example was found that satisfies the schema"
    assert never.counts["o200k_base"].result is None


def test_several_processes_count_the_same() -> None:
    task = MeasureTask(ROOT / "generated", ("o200k_base",))
    names = [path.stem for path in (ROOT / "generated" / "tools").glob("*_*.json")]
    names = [json.loads((ROOT / "generated" / "tools" / f"{name}.json").read_bytes())["tool"]["name"] for name in names]
    assert len(names) > 12
    assert measure_tools(task, names, 2) == measure_tools(task, names, 1)


def test_totals_leave_out_what_there_is_none_of() -> None:
    assert sum_counts([TokenCounts(1, 2, None, 4), TokenCounts(10)]) == TokenCounts(11, 2, 0, 4)


def test_all_numbers_are_in_the_json(out: Path) -> None:
    measured = measure_tools(MeasureTask(out, ("qwen3",), with_results=False), ["greet"], 1)
    number = measured[0].counts["qwen3"].definition
    row = {"definition": number, "text": None, "json": None, "result": None}
    totals = {"definition": number, "text": 0, "json": 0, "result": 0}
    assert build_counts_json(measured, "qwen3") == {"tools": [{"name": "greet", **row}], "totals": totals}


def test_a_missing_package_is_said(tmp_path: Path) -> None:
    with pytest.raises(PackageNotImportable):
        measure_tools(MeasureTask(tmp_path, ("o200k_base",)), ["buy"], 1)
