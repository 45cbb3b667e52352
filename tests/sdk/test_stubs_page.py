"""docs/guides/stubs.md, gone through as it stands there."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
from sdk.installed import SDK
from support.packages import mcpgen, run_python
from support.repository import ROOT

pytestmark = pytest.mark.skipif(SDK != "mcp", reason="the page shows a client of mcp 2.x")
SERVER = """\
from generated import GetWeatherResult, bind
from mcp.server.mcpserver import MCPServer

server = MCPServer("weather")
tools = bind(server)


@tools.get_weather
def get_weather(city: str, days: int = 1) -> GetWeatherResult:
    return GetWeatherResult(celsius=len(city) * days)


tools.complete()
server.run()
"""


def find_block(kind: str, after: str = "# ") -> str:
    text = (ROOT / "docs" / "guides" / "stubs.md").read_text("utf-8").partition(after)[2]
    match = re.search(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert match is not None
    return match[1]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "get_weather.json").write_text(find_block("json"), "utf-8")
    (tmp_path / "mcpgen.toml").write_text(find_block("toml"), "utf-8")
    for name, kind in (("program.py", 'python title="program.py"'), ("host.py", 'python title="host.py"')):
        (tmp_path / name).write_text(find_block(kind), "utf-8")
    (tmp_path / "server.py").write_text(SERVER, "utf-8")
    run = mcpgen("build", "--jobs", "1", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    return tmp_path


def test_the_files_are_as_shown(project: Path) -> None:
    stub = (project / "generated" / "stubs" / "get_weather.pyi").read_text("utf-8")
    assert stub.split("\n", 3)[3] == find_block("pyi")
    index = (project / "generated" / "stubs" / "index.txt").read_text("utf-8")
    assert index.split("\n", 1)[1] == find_block("", "`index.txt`, without its header")


def test_the_host_runs_the_program(project: Path) -> None:
    assert (
        run_python(project, "host.py", PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        == "Bergen\n"
    )


@pytest.mark.ci
def test_checkers_accept_the_program_and_the_host(project: Path) -> None:
    run_python(project, "-m", "mypy", "--strict", "program.py", "host.py")
    run_python(project, "-m", "pyright", "--pythonpath", sys.executable, "program.py", "host.py")
