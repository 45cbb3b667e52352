"""`mcpgen show`: the class, the wire result, what the content costs."""

from __future__ import annotations

import ast
import importlib
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import jsonschema_rs
import pytest
from support.packages import mcpgen
from support.repository import ROOT

pytestmark = pytest.mark.ci


def _show(*arguments: str, cwd: Path = ROOT) -> str:
    run = mcpgen("show", *arguments, cwd=cwd)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_the_class_the_wire_result_and_the_sizes() -> None:
    run = _show("vessel_profile")
    code, wire, sizes = run.split("\n\n{\n")[0], run.split("\n\n{\n")[1].split("\n}\n")[0], run.split("\n}\n")[-1]
    tree = ast.parse(code)
    assert [node.name for node in tree.body if isinstance(node, ast.ClassDef)] == ["VesselProfileResult"]
    (statement,) = (node for node in tree.body if isinstance(node, ast.ImportFrom))
    module = importlib.import_module(str(statement.module))
    assert [alias.name for alias in statement.names] == ["Position", "VesselProfileResult"]
    assert all(isinstance(getattr(module, alias.name), type) for alias in statement.names)
    result = json.loads("{" + wire + "}")
    tools = [json.loads(path.read_bytes())["tool"] for path in (ROOT / "generated" / "tools").glob("*.json")]
    (declared,) = (tool for tool in tools if tool["name"] == "vessel_profile")
    assert jsonschema_rs.is_valid(declared["outputSchema"], result["structuredContent"])
    texts = [block["text"] for block in result["content"]]
    dumped = json.dumps(result["structuredContent"], separators=(",", ":"), ensure_ascii=False)
    rows = [line.split() for line in sizes.strip().splitlines()]
    assert rows[0][:4] == ["content", "(1", "text", "block)"]
    assert int(rows[0][4].replace(",", "")) == len("".join(texts).encode())
    assert int(rows[1][4].replace(",", "")) == len(dumped.encode())


@pytest.mark.parametrize("tool", ["get-berth", "tide_state", "read_instrument", "crew_roster"])
def test_one_part(tool: str) -> None:
    tools = [json.loads(path.read_bytes())["tool"] for path in (ROOT / "generated" / "tools").glob("*.json")]
    (declared,) = (item for item in tools if item["name"] == tool)
    assert json.loads(_show(tool, "--schema")) == declared["outputSchema"]
    ast.parse(_show(tool, "--code"))
    assert set(json.loads(_show(tool, "--wire"))) == {"content", "structuredContent", "resultType"}


def test_a_value_and_a_protocol() -> None:
    document = json.loads(_show("tide_state", "--value", '"ebbing"', "--wire", "--protocol", "2025-06-18"))
    assert document == {"content": [{"type": "text", "text": "ebbing"}], "structuredContent": {"result": "ebbing"}}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["greet-skipper"],
            'error[MG602]: no generated package has a tool "greet-skipper"\n  help: "greet-skipper" is a prompt, and',
        ),
        (
            ["arrival_guide"],
            'error[MG602]: no generated package has a tool "arrival_guide"\n  help: "arrival_guide" is a resource, and',
        ),
        (["tide_state", "--value", '"up"'], "error[MG604]: --value does not satisfy the outputSchema"),
        (["tide_state", "--out", "nowhere"], "nowhere: error[MG602]: there is no generated package"),
    ],
)
def test_mistakes(arguments: list[str], message: str) -> None:
    run = mcpgen("show", *arguments, cwd=ROOT)
    assert run.returncode == 2
    assert message in run.stderr
    assert run.stdout == ""


def test_a_terminal_gets_colours() -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "mcpgen", "show", "tide_state", "--schema"]
    run = subprocess.run(command, cwd=ROOT, stdout=theirs, env={**os.environ, "TERM": "xterm-256color"}, check=True)
    seen = os.read(ours, 65536)
    os.close(theirs)
    os.close(ours)
    assert run.returncode == 0
    assert b"\x1b[" in seen
    assert b"flooding" in seen


@pytest.mark.parametrize(
    ("command", "sdk"),
    [(["show", "a"], "none"), (["show", "a"], "mcp"), (["prove"], "mcp"), (["show", "--tokens"], "none")],
)
def test_a_package_that_was_never_built(command: list[str], sdk: str, tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "mcpgen.toml").write_text(f'sdk = "{sdk}"\n', "utf-8")
    schema = tmp_path / "schemas/a.json"
    schema.write_text('{"type": "object", "properties": {"b": {"type": "text"}}}', "utf-8")
    run = mcpgen(*command, cwd=tmp_path)
    assert run.returncode == 2
    assert run.stderr.splitlines() == [
        "generated: error[MG602]: there is no generated package, since the definitions have 1 error",
        "  help: run `mcpgen build`, and correct what it reports",
    ]
    schema.write_text('{"type": "object"}', "utf-8")
    help = "run `mcpgen build` first" + ", with the SDK of the package installed" * (sdk == "mcp")
    assert mcpgen(*command, cwd=tmp_path).stderr.splitlines() == [
        "generated: error[MG602]: there is no generated package",
        f"  help: {help}",
    ]
