"""`mcpgen handlers`: handlers to begin with are typed, run at once, and are never overwritten."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sdk.exchange import SDK
from support import checkers
from support.injection.payloads import PAYLOADS
from support.packages import files, mcpgen, tool

pytestmark = pytest.mark.ci

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
EITHER = {
    "type": "object",
    "oneOf": [
        {"properties": {"a": {"type": "string"}}, "required": ["a"]},
        {"properties": {"b": {"type": "integer"}}, "required": ["b"]},
    ],
}
TOOLS: list[dict[str, Any]] = [
    tool("get_weather", CITY, inputSchema=CITY, description='The "weather".\n\nSay """where""" with \\.'),
    tool("list-rows", {"type": "array", "items": CITY}),
    tool("say", inputSchema=CITY, description="Says it."),
    tool("nothing"),
    tool("either", {"type": "integer"}, inputSchema=EITHER),
    tool("tool_error", {"type": "integer"}, inputSchema=CITY),
    tool("list", {"type": "string"}),
    tool("tools", {"type": "string"}),
    tool("a_tool_whose_name_is_so_long_that_its_handler_does_not_fit_into_a_line", CITY, inputSchema=CITY),
]
SERVER = {
    "mcp": "from mcp.server.mcpserver import MCPServer as Server",
    "mcp1": "from mcp.server.fastmcp import FastMCP as Server",
    "fastmcp": "from fastmcp import FastMCP as Server",
    "dedalus": "from dedalus_mcp import MCPServer as Server",
}
RUN = """\
import asyncio
import json

SERVER
from generated import ToolCallError, bind, connect
from handlers import bind_handlers
from sdk import exchange

server = Server("test")
tools = bind(server)
bind_handlers(tools)
tools.complete()


async def ask() -> None:
    async with exchange.connected(server) as connection:
        for name, arguments in json.loads(ARGUMENTS).items():
            answer = await exchange.call(connection, name, arguments)
            print(json.dumps([name, answer["isError"], exchange.text(answer)]))


asyncio.run(ask())
"""


def prepare(folder: Path, tools: list[dict[str, Any]] = TOOLS, sdk: str = "mcp") -> None:
    (folder / "schemas").mkdir()
    (folder / "schemas/tools.json").write_text(json.dumps({"tools": tools}), "utf-8")
    (folder / "mcpgen.toml").write_text(f'sdk = "{sdk}"\n', "utf-8")


def test_the_handlers_of_all_tools_are_written_once(tmp_path: Path) -> None:
    prepare(tmp_path)
    run = mcpgen("handlers", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "wrote handlers.py; bind them: `bind_handlers(bind(server))`" in run.stderr
    files_before = files(tmp_path)
    again = mcpgen("handlers", cwd=tmp_path)
    assert again.returncode != 0
    assert "handlers.py: error[MG303]: is there already" in again.stderr
    assert files(tmp_path) == files_before


@pytest.mark.parametrize(
    ("arguments", "sdk", "message"),
    [
        (
            ["get_wether"],
            "mcp",
            'error[MG602]: no definition has a tool "get_wether"\n  help: did you mean "get_weather"?',
        ),
        (
            ["plan-dinner"],
            "mcp",
            'error[MG602]: no definition has a tool "plan-dinner"\n  help: "plan-dinner" is a prompt, and this command',
        ),
        ([], "none", "error[MG302]: handlers are bound by packages for an SDK"),
        (["--print", "--to", "x.py"], "mcp", "choose one of --to and --print"),
    ],
)
def test_what_cannot_be_written_is_said(tmp_path: Path, arguments: list[str], sdk: str, message: str) -> None:
    prepare(tmp_path, sdk=sdk)
    (tmp_path / "schemas/prompt.json").write_text('{"name": "plan-dinner", "arguments": []}', "utf-8")
    files_before = files(tmp_path)
    run = mcpgen("handlers", *arguments, cwd=tmp_path)
    assert run.returncode == 2
    assert message in run.stderr
    assert files(tmp_path) == files_before


def test_init_writes_handlers_too(tmp_path: Path) -> None:
    (tmp_path / "src/acme").mkdir(parents=True)
    (tmp_path / "src/acme/__init__.py").touch()
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "acme"\ndependencies = ["mcp>=2"]\n', "utf-8")
    run = mcpgen("init", "--yes", "--handlers", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "wrote src/acme/handlers.py" in run.stderr
    text = (tmp_path / "src/acme/handlers.py").read_text("utf-8")
    assert "from .mcp_gen import GetWeatherArguments, GetWeatherResult, tool_error\n" in text
    assert "from mcpgen_runtime.sdk.mcp.types import CallToolResult\n" in text


@pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
def test_they_answer_at_once_that_they_are_not_implemented(tmp_path: Path) -> None:
    prepare(tmp_path, sdk=str(SDK))
    for command in ("build", "handlers"):
        assert mcpgen(command, cwd=tmp_path).returncode == 0
    arguments = {tool["name"]: {"city": "Oslo"} if tool["inputSchema"] == CITY else {} for tool in TOOLS} | {
        "either": {"b": 1}
    }
    text = RUN.replace("SERVER", SERVER[str(SDK)], 1).replace("ARGUMENTS", repr(json.dumps(arguments)), 1)
    (tmp_path / "run.py").write_text(text, "utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path(__file__).parents[1])])}
    run = subprocess.run([sys.executable, "run.py"], cwd=tmp_path, capture_output=True, text=True, env=environment)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert answers == [[name, True, f"{name} is not implemented"] for name in arguments], run.stderr


@pytest.mark.skipif(
    SDK is None or not (importlib.util.find_spec("mypy") and importlib.util.find_spec("pyright")),
    reason="no checkers here",
)
@pytest.mark.parametrize("checker", checkers.CHECKERS)
def test_checkers_have_nothing_to_say(tmp_path: Path, checker: str) -> None:
    prepare(tmp_path, sdk=str(SDK))
    for command in ("build", "handlers"):
        assert mcpgen(command, cwd=tmp_path).returncode == 0
    text = (tmp_path / "handlers.py").read_text("utf-8")
    lines, output = checkers.reported_together(tmp_path, checker, {"handlers": text})["handlers"]
    assert lines == set(), output


def plan(folder: Path, tools: list[dict[str, Any]], settings: str = "") -> Any:
    """Run the command on some tools."""
    (folder / "schemas").mkdir(parents=True, exist_ok=True)
    (folder / "schemas/tools.json").write_text(json.dumps({"tools": tools}), "utf-8")
    (folder / "mcpgen.toml").write_text(f'sdk = "mcp"\n{settings}', "utf-8")
    return mcpgen("handlers", cwd=folder)


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    """Each function has its docstring and its return, whatever a stranger's description says."""
    payloads = [text for text in PAYLOADS if text.isascii() or text.encode("utf-8", "replace").decode() == text]
    assert len(payloads) > 10
    tools = [tool(f"t{number}", CITY, description=text, title=text) for number, text in enumerate(payloads)]
    run = plan(tmp_path / "project", tools)
    assert run.returncode == 0, run.stderr
    module = ast.parse((tmp_path / "project/handlers.py").read_text("utf-8"))
    functions = [node for node in module.body if isinstance(node, ast.AsyncFunctionDef)]
    assert len(functions) == len(payloads)
    assert {tuple(type(statement).__name__ for statement in function.body) for function in functions} == {
        ("Expr", "Return")
    }
    statement_kinds = {type(node).__name__ for node in module.body} - {"AsyncFunctionDef"}
    assert statement_kinds == {"Expr", "ImportFrom", "FunctionDef"}


@pytest.mark.parametrize(
    "second_tool", [tool("tool_error_", CITY), tool("y", CITY, **{"x-mcpgen": {"name": "tool_error_"}})]
)
def test_no_two_tools_get_one_function(tmp_path: Path, second_tool: dict[str, Any]) -> None:
    run = plan(tmp_path / "project", [tool("tool-error", CITY), second_tool])
    assert run.returncode == 2
    assert "error[MG20" in run.stderr
    assert not list(tmp_path.rglob("handlers.py"))


def test_settings_lead_no_handlers_out_of_the_project(tmp_path: Path) -> None:
    run = plan(tmp_path / "project", TOOLS, 'out = "."\n')
    assert run.returncode == 2
    assert "error[MG304]: handlers next to the package would be outside the project" in run.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["project"]


def test_packages_in_one_folder_get_no_common_file(tmp_path: Path) -> None:
    names = ("tides", "weather")
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "tools.json").write_text(json.dumps({"tools": [tool(f"get_{name}", CITY)]}), "utf-8")
    tables = [f"[[package]]\nschemas = ['{name}']\nout = 'generated/{name}'\n" for name in names]
    (tmp_path / "mcpgen.toml").write_text("sdk = 'mcp'\n" + "".join(tables), "utf-8")
    run = mcpgen("handlers", cwd=tmp_path)
    assert run.returncode == 2
    file = os.path.join("generated", "handlers.py")
    assert f"{file}: error[MG302]: 2 packages would have their handlers in this file" in run.stderr
    assert not list(tmp_path.rglob("*.py"))
    printed = mcpgen("handlers", "--print", cwd=tmp_path).stdout
    for name in names:
        assert f"def get_{name}(" in printed
        written = mcpgen("handlers", f"get_{name}", "--to", f"{name}_handlers.py", cwd=tmp_path)
        assert written.returncode == 0, written.stderr
        assert f"def get_{name}(" in (tmp_path / f"{name}_handlers.py").read_text("utf-8")


@pytest.mark.parametrize("out", ["gen-x", "class", "1x", "x y", "a;b", "x/../g h"])
def test_a_package_that_cannot_be_imported_is_said(tmp_path: Path, out: str) -> None:
    run = plan(tmp_path / "project", TOOLS, f"out = {json.dumps(out)}\n")
    assert run.returncode == 2
    assert "error[MG302]" in run.stderr
    assert "so no program could import the package" in run.stderr
    assert not list(tmp_path.rglob("handlers.py"))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no FIFOs")
@pytest.mark.parametrize("kind", ["link", "fifo", "folder"])
def test_nothing_in_the_way_is_written_to(tmp_path: Path, kind: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    file = project / "handlers.py"
    if kind == "link":
        file.symlink_to(tmp_path / "victim")
    elif kind == "fifo":
        os.mkfifo(file)
    else:
        file.mkdir()
    run = plan(project, TOOLS)
    assert run.returncode == 3, run.stderr
    assert "error[MG303]: is there already" in run.stderr
    assert not (tmp_path / "victim").exists()
