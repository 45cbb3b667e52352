"""`mcpgen verify` finds each of many faults in servers of the installed SDK, and none in servers without faults."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from sdk.installed import ROW, SDK
from support.packages import mcpgen

if ROW is None:
    pytest.skip("no SDK is installed here", allow_module_level=True)

from sdk import faulty_server, wire
from sdk.exchange import MODERN

pytestmark = pytest.mark.ci
HERE = Path(__file__).resolve().parent
NOT_BOUND = ("mcp", "resources", "prompts.yaml")
QUICK = ("--max-calls", "20", "--connections", "2", "--format", "json")


def verify(folder: Path, kind: str, *options: str) -> tuple[int, dict[str, Any], str]:
    """Return the exit code, the data, and the standard error of a run against a kind of server."""
    server = folder / f"{kind}.py"
    start = f"sys.path.insert(0, {str(HERE.parent)!r})\nsys.argv = {['server', kind, str(folder)]}"
    script = f"import sys\n{start}\nfrom sdk import faulty_server\nfaulty_server.main()\n"
    server.write_text(script, "utf-8")
    run = mcpgen("verify", "--server", f"{sys.executable} {server.name}", *QUICK, *options, cwd=folder)
    return run.returncode, json.loads(run.stdout), run.stderr


def list_found(data: dict[str, Any]) -> dict[str, set[str]]:
    """Return the kinds of faults by the name of what has them."""
    named = {item["name"]: {fault["fault"] for fault in item["faults"]} for item in data["data"]["subjects"]}
    return {name: kinds for name, kinds in named.items() if kinds}


def test_each_fault_is_found_and_nothing_is_called_that_may_destroy(tmp_path: Path) -> None:
    code, data, stderr = verify(tmp_path, "many", "--slow", "0.05")
    assert code == 9, stderr
    tools = {**faulty_server.FAULTS, **(faulty_server.RAW_FAULTS if MODERN else {})}
    expected = {name: {kind} for name, (_, _, kind) in tools.items()}
    expected |= {uri: {kind} for uri, (_, _, kind) in faulty_server.RESOURCE_FAULTS.items()}
    expected[faulty_server.PROMPT_FAULT[0]] = {faulty_server.PROMPT_FAULT[1]}
    found = {name: kinds if name == "slow" else kinds - {"slow"} for name, kinds in list_found(data).items()}
    for name in [name for name in found if name.startswith("accepts_")]:  # its bounds and its type are found one by one
        assert expected.pop(name) <= found.pop(name)
    assert found == expected
    assert len(expected) + len(faulty_server.ENDING) >= 30
    called = {*(tmp_path / "called.txt").read_text("utf-8").split()}
    assert called & {"destroy", "unannotated"} == set()
    assert data["data"]["notCalled"] == ["destroy", "unannotated"]


def test_the_next_tool_is_tested_after_a_lost_connection(tmp_path: Path) -> None:
    code, data, stderr = verify(tmp_path, "ending", "--call-seconds", "1")
    assert code == 9, stderr
    assert list_found(data) == {name: {kind} for name, (_, kind) in faulty_server.ENDING.items()}
    assert {item["name"]: item["finished"] for item in data["data"]["subjects"]}["z_good"]


@pytest.mark.parametrize("kind", ["good", "decorated"])
def test_a_server_without_faults_has_none(kind: str, tmp_path: Path) -> None:
    code, data, stderr = verify(tmp_path, kind)
    found = list_found(data)
    if SDK == "dedalus" and kind == "decorated":  # it checks no arguments of its own tools
        assert all(fault.startswith("accepted (") for fault in found.pop("find_place"))
        code -= 9
    assert (code, found) == (0, {}), stderr
    assert sum(item["calls"] for item in data["data"]["subjects"]) > 80


def test_handlers_of_mcpgen_have_no_faults_and_a_stale_definition_is_found(tmp_path: Path) -> None:
    shutil.copytree(wire.ROOT / "schemas", tmp_path / "schemas", ignore=shutil.ignore_patterns(*NOT_BOUND))
    (tmp_path / "mcpgen.toml").write_text('wrap = "legacy"\n', "utf-8")
    build = mcpgen("build", "--out", "harbour", "--sdk", str(SDK), "--jobs", "1", cwd=tmp_path)
    assert build.returncode == 0, build.stderr
    stale = tmp_path / "schemas" / "berths" / "berth_depth.json"
    text = stale.read_text("utf-8")
    stale.write_text(text.replace('"number"', '"string"'), "utf-8")
    code, data, stderr = verify(tmp_path, "harbour")
    assert (code, list_found(data)) == (9, {"berth_depth": {"outputSchema"}}), stderr
    assert "berth_depth" in json.dumps(data["diagnostics"])
    stale.write_text(text, "utf-8")
    calls = [word for name in data["data"]["notCalled"] for word in ("--call", name)]
    code, data, stderr = verify(tmp_path, "harbour", *calls)
    assert (code, list_found(data), data["data"]["notCalled"]) == (0, {}, []), stderr
