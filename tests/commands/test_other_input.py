"""What is read beside definitions and settings is bounded, too: values on the command line, and generated files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.in_process import Said, run
from unit.files.test_regular_files import KINDS, device, fifo, folder, listening, loop

pytestmark = pytest.mark.ci

TEXT = {"name": "text", "inputSchema": {"type": "object"}}
NODE = {"type": "object", "properties": {"next": {"$ref": "#"}}}
DEEP = '{"next":' * 50_000 + "{}" + "}" * 50_000


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.write(path.name.encode())
        file.truncate(2**40)


ODD = [*KINDS, huge]


def mcpgen(*arguments: str, cwd: Path) -> Said:
    """A command without a traceback."""
    completed = run(*arguments, cwd=cwd)
    assert completed.traceback == ""
    return completed


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    inner = tmp_path_factory.mktemp("other")
    (inner / "schemas").mkdir()
    tools = [TEXT, {**TEXT, "name": "node", "outputSchema": NODE}]
    resources = [{"name": "page", "uri": "x:y"}]
    (inner / "schemas" / "a.json").write_text(json.dumps({"tools": tools, "resources": resources}), "utf-8")
    assert mcpgen("build", "--jobs", "1", cwd=inner).returncode == 0
    return inner


@pytest.fixture
def project(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "project"))


VALUES = {
    "deep": DEEP,
    "deep list": "[" * 100_000,
    "twice": '{"next": {}, "next": {}}',
    "no number": '{"x": NaN}',
    "too large a number": '{"x": 1e999}',
    "long number": '{"x": ' + "9" * 5_000 + "}",
    "surrogate": '{"x": "\\ud800"}',
    "no JSON": "{",
    "nothing": "",
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_a_value_on_the_command_line_is_json_or_a_finding(built: Path, value: str) -> None:
    run = mcpgen("show", "node", "--value", value, cwd=built)
    assert run.returncode == 2
    assert "error[MG604]: --value is not JSON" in run.stderr


def test_a_text_on_the_command_line_is_text_or_a_finding(built: Path) -> None:
    run = mcpgen("show", "text", "--value", "\udcff", cwd=built)
    assert run.returncode == 2
    assert "error[MG604]: --value is not text" in run.stderr


@pytest.mark.parametrize("make", ODD)
def test_what_prove_reads_of_a_package_is_a_regular_file(project: Path, make: Callable[[Path], None]) -> None:
    resource = next((project / "generated" / "resources").glob("*.json"))
    resource.unlink()
    make(resource)
    run = mcpgen("prove", "text", "--jobs", "1", cwd=project)
    assert run.returncode == 2
    assert "error[MG602]" in run.stderr


@pytest.mark.parametrize("text", ["[" * 100_000, "[]", '{"schema": 1}', '{"a": 1, "a": 2}', "\udcff"])
def test_what_prove_reads_of_a_package_is_json(project: Path, text: str) -> None:
    resource = next((project / "generated" / "resources").glob("*.json"))
    resource.write_text(text, "utf-8", "surrogateescape")
    run = mcpgen("prove", "text", "--jobs", "1", cwd=project)
    assert run.returncode == 2
    assert "error[MG602]" in run.stderr


@pytest.mark.parametrize("make", [fifo, listening, loop, device, huge, folder])
def test_init_takes_nothing_odd_for_a_generated_package(tmp_path: Path, make: Callable[[Path], None]) -> None:
    (tmp_path / "generated").mkdir()
    make(tmp_path / "generated" / "__init__.py")
    run = mcpgen("init", "--yes", cwd=tmp_path)
    assert run.returncode == 3
    assert "__init__.py: error[MG303]" in run.stderr
    assert not (tmp_path / "mcpgen.toml").exists()


@pytest.mark.parametrize("command", ["build", "check"])
def test_a_huge_file_in_place_of_a_generated_one_is_not_read(project: Path, command: str) -> None:
    path = project / "generated" / "__init__.py"
    os.truncate(path, 2**40)
    run = mcpgen(command, "--jobs", "1", "--no-cache", cwd=project)
    assert run.returncode in (2, 3)
    assert "generated/__init__.py" in run.stderr
    assert path.stat().st_size == 2**40


@pytest.mark.parametrize("command", [["build"], ["check"], ["show", "node"], ["prove", "text"], ["init"]])
def test_no_command_reads_what_is_sent_to_it(project: Path, command: list[str]) -> None:
    with open("/dev/zero", "rb") as endless:
        run = subprocess.run(
            [sys.executable, "-m", "mcpgen", *command], cwd=project, stdin=endless, capture_output=True, timeout=110
        )
    assert run.returncode != 1, run.stderr
