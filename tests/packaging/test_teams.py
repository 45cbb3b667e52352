"""Shells: what they complete, readers that go away, how soon help answers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from mcpgen.targets import SdkName
from support.packages import mcpgen

pytestmark = pytest.mark.ci


def completed(words: str, folder: Path) -> list[str]:
    program = Path(sys.executable).with_name("mcpgen")
    environment = {**os.environ, "_MCPGEN_COMPLETE": "complete_bash", "COMP_WORDS": words, "NO_COLOR": "1"}
    environment["COMP_CWORD"] = str(len(words.split(" ")) - 1)
    run = subprocess.run([str(program)], cwd=folder, capture_output=True, text=True, env=environment)
    return run.stdout.split()


def test_a_shell_completes_commands_options_and_values(tmp_path: Path) -> None:
    assert completed("mcpgen ch", tmp_path) == ["check"]
    assert completed("mcpgen check --for", tmp_path) == ["--format"]
    assert completed("mcpgen check --format s", tmp_path) == ["sarif"]
    assert set(completed("mcpgen init --sdk ", tmp_path)) == set(get_args(SdkName))
    assert completed("mcpgen explain MG101", tmp_path) == ["MG101"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_is_shown(shell: str, tmp_path: Path) -> None:
    environment = {"SHELL": f"/bin/{shell}", "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    run = mcpgen("--show-completion", shell, cwd=tmp_path, **environment)
    assert run.returncode == 0, run.stderr
    assert "_COMPLETE=complete_" in run.stdout


def test_a_reader_that_goes_is_no_bug(tmp_path: Path) -> None:
    """`mcpgen explain | head`: exit code 1 is for bugs."""
    removed, pipe = os.pipe()
    os.close(removed)
    run = subprocess.run([sys.executable, "-m", "mcpgen", "explain"], cwd=tmp_path, stdout=pipe, stderr=subprocess.PIPE)
    os.close(pipe)
    assert (run.returncode, run.stderr) == (130, b"")


def test_help_answers_at_once(tmp_path: Path) -> None:
    def seconds(*command: str) -> float:
        """Return the CPU time of a process, which other processes do not lengthen as they do that on the clock."""
        before = os.times()
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
        after = os.times()
        return sum(after[2:4]) - sum(before[2:4])

    bare = min(seconds(sys.executable, "-c", "import typer.main, typer.completion") for _ in range(5))
    fastest = min(seconds(sys.executable, "-m", "mcpgen", "--help") for _ in range(5))
    assert fastest < bare + 0.2
