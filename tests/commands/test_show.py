"""`mcpgen show`: the class, the wire result, what the content costs."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from support.packages import mcpgen
from support.repository import ROOT

pytestmark = pytest.mark.ci


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
