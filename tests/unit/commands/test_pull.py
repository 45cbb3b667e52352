"""`pull`, from a server that answers at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcpgen.commands import pull
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.pull import PullRequest, run_pull
from mcpgen.diagnostics import Findings
from mcpgen.introspect.server_query import parse_server_query
from mcpgen.report.output import CommandOutput, OutputFormat
from support.definitions import PRICE, configure_package
from support.listings import advertised, answer_at_once
from support.packages import tool


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = advertised(tool("buy", PRICE), tool("talk"), protocol="2025-06-18")
    answer_at_once(monkeypatch, pull, answer)
    monkeypatch.chdir(tmp_path)


def _run(
    folder: Path, name: str | None = "shop", out: Path | None = None, force: bool = False, format: OutputFormat = "json"
) -> int:
    query = parse_server_query(["https://a.test/mcp"], (), (), (), None, None)
    package = configure_package(folder, []).model_copy(update={"file": folder / "mcpgen.toml"})
    loaded = LoadedPackages([package], Findings())
    return run_pull(loaded, PullRequest(query, name, out, (), force), CommandOutput("pull", format))


def test_the_definitions_go_into_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(tmp_path) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert (data["file"], data["protocol"], data["written"]) == ("schemas/pulled/shop.json", "2025-06-18", True)
    assert [(tool["name"], tool["class"]) for tool in data["tools"]] == [("buy", "BuyResult"), ("talk", "TalkResult")]
    pulled = json.loads((tmp_path / "schemas" / "pulled" / "shop.json").read_text("utf-8"))
    assert [tool["name"] for tool in pulled["tools"]] == ["buy", "talk"]
    assert _run(tmp_path) == 0
    assert json.loads(capsys.readouterr().out)["data"]["written"] is False


def test_a_foreign_file_is_overwritten_only_by_force(tmp_path: Path) -> None:
    file = tmp_path / "out" / "shop.json"
    file.parent.mkdir()
    file.write_text("{}", "utf-8")
    assert _run(tmp_path, out=Path("out")) == 3
    assert file.read_text("utf-8") == "{}"
    assert _run(tmp_path, out=Path("out"), force=True) == 0
    assert file.read_text("utf-8") != "{}"


@pytest.mark.parametrize("name", ["../a", "a.json", ".a", "a.defs"])
def test_a_name_has_to_be_that_of_a_file(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(tmp_path, name) == 2
    assert '"MG701"' in capsys.readouterr().out


def test_a_problem_of_many_tools_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tools = [tool(f"t{i}", PRICE if i < 5 else {"type": "object"}) for i in range(7)]
    answer = advertised(*tools, protocol="2025-06-18")
    answer_at_once(monkeypatch, pull, answer)
    assert _run(tmp_path, format="text") == 0
    lines = capsys.readouterr().err.splitlines()
    remark = "    the schema says nothing about the object, so its results are not typed"
    assert (
        lines.count(
            f"{remark}; if the server is yours, annotate the return type, or let the tool's definition say more"
        )
        == 2
    )
    nan = [line for line in lines if "NaN" in line]
    problem = "if the number is NaN or infinite, SDKs send null, which the schema does not allow here, "
    problem += "so that a typed client raises ResultError"
    assert nan == [f"5 tools (t0, t1, t2, …): {problem} (for example /properties/price of t0)"]
    assert _run(tmp_path) == 0
    document = json.loads(capsys.readouterr().out)["data"]
    assert [tool["remarks"] for tool in document["tools"]][:5] == [[f"/properties/price: {problem}"]] * 5
