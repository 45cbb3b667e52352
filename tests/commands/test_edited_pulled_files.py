"""A pulled file that was edited by hand: each command that reads it says so, also when it repeats an earlier run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from mcpgen.commands.pulled_files import PulledHeader, render_pulled_file
from support.listings import advertised
from support.packages import mcpgen, tool

pytestmark = pytest.mark.ci

HELP = (
    "  help: if the tools are yours, move the file out of its folder; else undo the edit, or pull again with --force\n"
)
SERVER = """\
import json, sys

TOOLS = [{"name": "get_weather", "inputSchema": {"type": "object"}}]
ABOUT = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "weather", "version": "1"},
}
ANSWERS = {"initialize": ABOUT, "tools/list": {"tools": TOOLS}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        known = asked["method"] in ANSWERS
        answer = {"result": ANSWERS[asked["method"]]} if known else {"error": {"code": -32601, "message": "no"}}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)
"""
SAID = "schemas/pulled/shop.json:1:1: warning[MG401]: was edited by hand after it was pulled\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "schemas/pulled/shop.json"
    path.parent.mkdir(parents=True)
    text = render_pulled_file(advertised(tool("buy", {"type": "object"}, description="Buys.")), PulledHeader("shop"))
    path.write_text(text, "utf-8")
    (tmp_path / "mcpgen.toml").write_text('sdk = "none"\n')
    return path


def _run(folder: Path, command: str) -> tuple[int, str]:
    run = mcpgen(command, *(() if command == "lint" else ("--cache-dir", str(folder / "cache"))), cwd=folder)
    return run.returncode, run.stderr


def test_each_command_says_it(file: Path, tmp_path: Path) -> None:
    for command in ("build", "check", "lint"):
        assert "MG401" not in _run(tmp_path, command)[1], command
    text = file.read_text("utf-8")
    file.write_text(text.replace("Buys.", "Buys it."), "utf-8")
    for command in ("build", "build", "check", "check"):
        code, said = _run(tmp_path, command)
        assert (code, said.count(SAID)) == (0, 1), said
    code, said = _run(tmp_path, "lint")
    assert SAID in said
    assert (code, "2 findings in 1 definition" in said) == (7, True), said
    report = json.loads(mcpgen("lint", "--format", "json", cwd=tmp_path).stdout)
    assert report["data"]["findings"] == {"MG401": 1, "MG935": 1}
    file.write_text(text, "utf-8")
    for command in ("build", "build", "check", "lint"):
        assert "MG401" not in _run(tmp_path, command)[1], command


def test_a_comparison_with_the_server_says_how_to_go_on_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER, "utf-8")
    server = f"{sys.executable} server.py"
    pulled = mcpgen("pull", "--name", "weather", server, cwd=tmp_path)
    assert pulled.returncode == 0, pulled.stderr
    file = tmp_path / "schemas/pulled/weather.json"
    unedited = file.read_text("utf-8")
    arguments = ("check", "--name", "weather", "--server", server)
    file.write_text(unedited.replace('"type": "object"', '"type": "object", "required": ["city"]'), "utf-8")
    checked = mcpgen(*arguments, cwd=tmp_path)
    assert checked.returncode == 4, checked.stderr
    assert "warning[MG401]: was edited by hand after it was pulled\n" in checked.stderr
    assert HELP in checked.stderr
    assert "/inputSchema/required is missing on the server" in checked.stderr
    assert "next:" not in checked.stderr, "`mcpgen pull` would lose the edit"
    file.write_text(unedited, "utf-8")
    (tmp_path / "server.py").write_text(SERVER.replace('"object"', '"object", "required": ["city"]'), "utf-8")
    checked = mcpgen(*arguments, cwd=tmp_path)
    assert checked.returncode == 4, checked.stderr
    assert "MG401" not in checked.stderr
    assert "next: pull, build, then run your type checker" in checked.stderr
