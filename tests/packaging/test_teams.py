"""Where teams run mcpgen: pre-commit, GitHub Actions, a shell that completes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, get_args

import jsonschema_rs
import pytest
from mcpgen.targets import SdkName
from ruamel.yaml import YAML
from support.packages import mcpgen, tool
from support.repository import ROOT
from support.schemastore_copy import schema

pytestmark = pytest.mark.ci

SHIPPED = ("codegen", "templates", "schemas/mcp", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
HOOKS = ("mcpgen-check", "mcpgen-build")


def loaded(name: str) -> Any:
    return YAML(typ="safe").load((ROOT / name).read_text("utf-8"))


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def committed(folder: Path) -> None:
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "all")


@pytest.fixture
def drifted(tmp_path: Path) -> Path:
    """A project whose package is of an older definition."""
    folder = tmp_path / "project"
    (folder / "schemas").mkdir(parents=True)
    definition = folder / "schemas/get_depth.json"
    definition.write_text(json.dumps(tool("get_depth", {"type": "number"})), "utf-8")
    assert mcpgen("build", "--quiet", cwd=folder).returncode == 0
    definition.write_text(json.dumps(tool("get_depth", {"type": "integer"})), "utf-8")
    return folder


# --- pre-commit -------------------------------------------------------------------------------------------------------
def test_the_hooks_are_what_pre_commit_takes() -> None:
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert tuple(hook["id"] for hook in loaded(".pre-commit-hooks.yaml")) == HOOKS


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="pre-commit needs git")
def test_try_repo_fails_on_a_repository_with_drift(drifted: Path, tmp_path: Path) -> None:
    hooks = tmp_path / "hooks"
    for name in SHIPPED:
        source, target = ROOT / name, hooks / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    committed(hooks)
    committed(drifted)

    def tried(*ids: str) -> str:
        command = [sys.executable, "-m", "pre_commit", "try-repo", str(hooks), *ids, "--all-files", "--color", "never"]
        environment = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "store")}
        run = subprocess.run(command, cwd=drifted, capture_output=True, text=True, env=environment, timeout=600)
        assert run.returncode == 1, run.stdout + run.stderr
        return run.stdout

    completed = tried("mcpgen-check")
    assert re.search(r"^mcpgen check\.+Failed$", completed, re.MULTILINE)
    assert "- exit code: 4" in completed
    assert re.search(r"^generated/tools/get_depth.py:\d+:1: error\[MG403\]", completed, re.MULTILINE)
    assert "+++ generated/tools/get_depth.py" in completed
    completed = tried()  # both, in the order of their names: what is built anew is then found current
    assert re.search(r"^mcpgen build\.+Failed$", completed, re.MULTILINE)
    assert "- files were modified by this hook" in completed
    assert re.search(r"^mcpgen check\.+Passed$", completed, re.MULTILINE)


# --- GitHub Actions ---------------------------------------------------------------------------------------------------
def test_the_action_is_what_github_takes() -> None:
    action = loaded("action.yml")
    jsonschema_rs.Draft7Validator(schema("github-action")).validate(action)
    documented = (ROOT / "docs/guides/ci.md").read_text("utf-8")
    assert all(f"| `{name}` |" in documented for name in action["inputs"])
    for step in action["runs"]["steps"]:
        assert "${{" not in step.get("run", ""), "an input would be code of the script"


def stepped(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Return the action's last step, run as the runner would with these inputs."""
    action = loaded("action.yml")
    values = {name: str(declaration.get("default", "")) for name, declaration in action["inputs"].items()} | inputs
    step = action["runs"]["steps"][-1]
    home = folder.parent / "home"
    (home / "bin").mkdir(parents=True, exist_ok=True)
    script = home / "bin/mcpgen"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mcpgen "$@"\n', "utf-8")
    script.chmod(0o755)
    environment = {**os.environ, "GITHUB_WORKSPACE": str(folder.parent)}
    for name, expression in step["env"].items():
        if "inputs." in expression:
            environment[name] = values[expression.removeprefix("${{ inputs.").removesuffix(" }}")]
    environment["MCPGEN_HOME"] = str(home)
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(
        command, cwd=folder / values["working-directory"], capture_output=True, text=True, env=environment
    )


@pytest.mark.skipif(shutil.which("bash") is None, reason="the action's steps are of bash")
def test_the_action_annotates_and_fails(drifted: Path) -> None:
    run = stepped(drifted)
    assert run.returncode == 4, run.stderr
    assert "\n::error file=project/generated/tools/get_depth.py,line=" in run.stdout
    run = stepped(drifted, format="sarif", output="found.sarif", args="--jobs 1 --quiet")
    assert (run.returncode, run.stdout) == (4, "")
    assert json.loads((drifted / "found.sarif").read_text("utf-8"))["version"] == "2.1.0"
    assert stepped(drifted, command="build").returncode == 0
    assert stepped(drifted).returncode == 0


@pytest.mark.skipif(shutil.which("bash") is None, reason="the action's steps are of bash")
def test_an_input_of_the_action_is_no_code(drifted: Path) -> None:
    run = stepped(drifted, args="$(touch pwned) ; touch pwned")
    assert run.returncode != 0
    assert not list(drifted.rglob("pwned"))


# --- completion -------------------------------------------------------------------------------------------------------
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
        start = time.perf_counter()
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
        return time.perf_counter() - start

    bare = min(seconds(sys.executable, "-c", "import typer.main, typer.completion") for _ in range(5))
    fastest = min(seconds(sys.executable, "-m", "mcpgen", "--help") for _ in range(5))
    assert fastest < bare + 0.2
