"""A pulled file that was edited by hand: each command that reads it says so, also when it repeats an earlier run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcpgen.introspect.pulled_file import render_pulled_file
from support.listings import advertised
from support.packages import mcpgen, tool

SAID = "schemas/pulled/shop.json:1:1: warning[MG401]: was edited by hand after it was pulled\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "schemas/pulled/shop.json"
    path.parent.mkdir(parents=True)
    text = render_pulled_file(advertised(tool("buy", {"type": "object"}, description="Buys.")), "shop")
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
