"""Folders and files whose names are not UTF-8, which Linux permits: commands work on them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest
from commands.test_watch import Watching
from support.packages import mcpgen, tool

pytestmark = [pytest.mark.ci, pytest.mark.skipif(sys.platform != "linux", reason="file names are text here")]

NAME = os.fsdecode(b"x\xff\x1b[31m")
FORMATS = ("text", "github", "json", "sarif")
TOOL = json.dumps(tool("greet", {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / NAME
    (folder / "schemas" / NAME).mkdir(parents=True)
    (folder / "schemas" / NAME / f"{NAME}.json").write_text(TOOL, "utf-8")
    return folder


@pytest.mark.parametrize("format", FORMATS)
def test_commands_take_them(project: Path, format: str) -> None:
    commands = ["build"], ["check"], ["show", "greet"], ["prove", "--max-examples", "2"], ["diff", "schemas", "schemas"]
    for command in commands:
        run = mcpgen(*command, "--format", format, cwd=project)
        assert run.returncode == 0, run.stdout + run.stderr
        assert "\x1b" not in run.stdout + run.stderr


@pytest.mark.parametrize("command", [["build"], ["check"], ["diff", "schemas", "schemas"]])
def test_findings_name_them(project: Path, command: list[str]) -> None:
    (project / "schemas" / NAME / f"{NAME}.json").write_text("{", "utf-8")
    text = {format: mcpgen(*command, "--format", format, cwd=project) for format in FORMATS}
    assert {run.returncode for run in text.values()} == {2}
    assert all("MG002" in run.stdout + run.stderr for run in text.values())
    assert not any("\x1b" in run.stdout + run.stderr for run in text.values())
    [result] = json.loads(text["sarif"].stdout)["runs"][0]["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote_to_bytes(uri) == os.fsencode(f"schemas/{NAME}/{NAME}.json")


def test_a_depfile_holds_their_bytes(project: Path) -> None:
    name = os.fsdecode(b"\xff.json")
    (project / "schemas" / NAME / f"{NAME}.json").rename(project / "schemas" / name)
    run = mcpgen("build", "--depfile", "out.d", cwd=project)
    assert run.returncode == 0, run.stderr
    assert b"\n  schemas/\xff.json\n" in (project / "out.d").read_bytes()


@pytest.fixture
def watching(project: Path) -> Iterator[Watching]:
    running = Watching(project)
    try:
        running.says("watching")
        yield running
    finally:
        running.kill()


def test_watch_looks_at_them(watching: Watching) -> None:
    [file] = (watching.folder / "schemas" / NAME).iterdir()
    file.write_text(TOOL.replace("greet", "leave"), "utf-8")
    watching.holds("generated/tools/leave.py", "class LeaveResult")
    assert watching.end() == 0
