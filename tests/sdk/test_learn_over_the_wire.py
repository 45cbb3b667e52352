"""`mcpgen learn --server`: tools of a server of the SDK are called as recorded, over each transport."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sdk import wire
from support.packages import files, mcpgen

pytestmark = pytest.mark.ci

pytest.importorskip("mcp_types", reason="mcp 2.x is not installed here")
SERVER = """
import os, sys
from pathlib import Path

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("weather")
HARMLESS = ToolAnnotations(read_only_hint=True, idempotent_hint=True)
LOG = Path(__file__).with_name("called.txt")


def tool(annotations=None):
    def register(function):
        return server.tool(annotations=annotations, structured_output=False)(function)
    return register


def log(name):
    with LOG.open("a") as file:
        file.write(name + "\\n")


@tool(HARMLESS)
def forecast(city: str) -> dict[str, object]:
    log(f"forecast {city}")
    return {"city": city, "degrees": len(city) / 2, "day": "2026-01-01"}


@tool(HARMLESS)
def fails(city: str) -> dict[str, object]:
    log("fails")
    raise ValueError("no such city")


@tool(HARMLESS)
def leaks() -> dict[str, object]:
    log("leaks")
    return {"token": os.environ.get("TOKEN", "")}


@tool(HARMLESS)
def ends() -> dict[str, object]:
    log("ends")
    os._exit(3)


@tool(ToolAnnotations(read_only_hint=True))
def counter() -> dict[str, object]:
    log("counter")
    return {"count": 1}


@tool()
def remove(city: str) -> dict[str, object]:
    log("remove")
    return {"removed": city}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        server.run("stdio")
"""
SECRET = "s3cret-of-mine"
CALLS: list[dict[str, Any]] = [
    {"tool": "forecast", "arguments": {"city": "Oslo"}},
    {"tool": "forecast", "arguments": {"city": "Ulm"}},
    {"tool": "forecast", "arguments": {"city": "Oslo"}, "result": {"content": [], "structuredContent": {"old": 1}}},
    {"tool": "forecast", "arguments": ["Bonn"]},
    {"tool": "fails", "arguments": {"city": "Ulm"}},
    {"tool": "counter", "arguments": {}},
    {"tool": "remove", "arguments": {"city": "Ulm"}},
    {"tool": "unknown", "arguments": {}},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "server.py").write_text(SERVER, "utf-8")
    write(tmp_path, *CALLS)
    return tmp_path


def write(folder: Path, *calls: dict[str, Any]) -> None:
    (folder / "calls.jsonl").write_text("\n".join(map(json.dumps, calls)), "utf-8")


def learn(folder: Path, *options: str, server: str = f"{sys.executable} server.py") -> subprocess.CompletedProcess[str]:
    run = mcpgen("learn", "calls.jsonl", "--server", server, *options, cwd=folder)
    assert "Traceback" not in run.stdout + run.stderr
    return run


def list_called(folder: Path) -> list[str]:
    log = folder / "called.txt"
    return log.read_text("utf-8").splitlines() if log.exists() else []


@pytest.fixture(params=["stdio", "http"])
def server(request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    """The way to the server."""
    if request.param == "stdio":
        yield f"{sys.executable} server.py"
    else:
        with wire.http(lambda port: [sys.executable, str(folder / "server.py"), port], folder / "log") as url:
            yield url


def test_annotated_tools_are_called_once_for_each_arguments(folder: Path, server: str) -> None:
    run = learn(folder, "--record", "new.jsonl", server=server)
    assert run.returncode == 0, run.stderr
    assert sorted(list_called(folder)) == ["fails", "forecast Oslo", "forecast Ulm"]
    lines = run.stderr.splitlines()
    assert "3 calls made" in lines
    assert (
        "  not called, since they are not annotated as read-only and idempotent: counter, remove "
        "(--call NAME calls one all the same)" in lines
    )
    assert "  not called, since the server has no such tools: unknown" in lines
    assert any('"fails": errors (1)' in line for line in lines)
    assert any('a call of "forecast" is not made' in line for line in lines)
    schema = json.loads((folder / "schemas/learned/forecast.output.json").read_text("utf-8"))
    assert schema["x-mcpgen"]["comment"] == "Learned by mcpgen from 3 results of forecast."
    assert set(schema["properties"]) == {"old", "city", "degrees", "day"}
    recorded = [json.loads(line) for line in (folder / "new.jsonl").read_text("utf-8").splitlines()]
    assert [(call["tool"], call["arguments"]) for call in recorded] == [
        ("forecast", {"city": "Oslo"}),
        ("forecast", {"city": "Ulm"}),
        ("fails", {"city": "Ulm"}),
    ]
    again = mcpgen("learn", "new.jsonl", "--out", "again", cwd=folder)
    assert again.returncode == 0
    assert json.loads((folder / "again/forecast.output.json").read_text("utf-8"))["required"] == [
        "city",
        "degrees",
        "day",
    ]


def test_other_tools_are_called_by_name(folder: Path) -> None:
    run = learn(folder, "--call", "remove")
    assert run.returncode == 0
    assert "remove" in list_called(folder)
    assert "counter" not in list_called(folder)
    assert (folder / "schemas/learned/remove.output.json").is_file()


def test_a_record_is_never_overwritten_and_that_is_known_before_the_first_call(folder: Path) -> None:
    (folder / "mine.jsonl").write_text("mine")
    run = learn(folder, "--record", "mine.jsonl")
    assert (run.returncode, "error[MG404]" in run.stderr) == (2, True)
    assert (folder / "mine.jsonl").read_text() == "mine"
    assert list_called(folder) == []
    assert not (folder / "schemas").exists()
    run = learn(folder, "--record", "missing/new.jsonl")
    assert (run.returncode, "error[MG404]" in run.stderr) == (2, True)
    assert list_called(folder) == []


def test_a_secret_that_a_tool_returns_is_neither_shown_nor_written(folder: Path) -> None:
    write(folder, {"tool": "leaks"}, {"tool": "forecast", "arguments": {"city": "Ulm"}})
    run = learn(folder, "--env", f"TOKEN={SECRET}", "--record", "new.jsonl")
    assert (run.returncode, "error[MG715]" in run.stderr) == (2, True)
    assert SECRET not in run.stdout + run.stderr
    assert not (folder / "new.jsonl").exists()
    assert not (folder / "schemas").exists()


def test_a_server_that_ends_in_a_call(folder: Path) -> None:
    write(folder, {"tool": "forecast", "arguments": {"city": "Ulm"}}, {"tool": "ends"})
    before = files(folder)
    run = learn(folder)
    assert (run.returncode, "error[MG705]" in run.stderr) == (2, True)
    assert {*files(folder)} - {*before} == {"called.txt"}
    run = learn(folder, "--record", "new.jsonl")
    assert (run.returncode, "new.jsonl: the answers before the error" in run.stderr) == (2, True)
    (line,) = (folder / "new.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["arguments"] == {"city": "Ulm"}
    assert not (folder / "schemas").exists()


def test_a_server_that_cannot_be_started(folder: Path) -> None:
    run = learn(folder, server="no-such-command-here")
    assert (run.returncode, "error[MG7" in run.stderr) == (2, True)


def test_calls_that_nobody_allowed_name_the_option(folder: Path) -> None:
    write(folder, {"tool": "remove", "arguments": {"city": "Ulm"}})
    run = learn(folder)
    assert run.returncode == 2
    assert not list_called(folder)
    assert "error[MG718]: nothing was learned: no tool was called" in run.stderr
    assert "--call remove" in run.stderr
