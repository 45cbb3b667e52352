"""Counting the tokens of generated packages, against the vocabulary's own package."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from mcpgen.commands.token_counts import MeasureTask, TokenCounts, build_counts_json, measure_tools, sum_counts
from mcpgen.prove.package_loader import PackageNotImportable
from support.definitions import PRICE
from support.packages import package, tool
from support.repository import ROOT

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
