"""The hooks of pre-commit, tried in a repository of their own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from support.packages import mcpgen, tool
from support.repository import ROOT

SHIPPED = (
    "codegen",
    "runtime",
    "templates",
    "schemas/mcp",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    ".pre-commit-hooks.yaml",
)
HOOKS = ("mcpgen-check", "mcpgen-build", "mcpgen-lint")
pytestmark = [pytest.mark.ci, pytest.mark.skipif(shutil.which("git") is None, reason="pre-commit needs git")]


def run_pre_commit(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pre_commit", *arguments]
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, env={**os.environ, **environment}, timeout=600
    )


def git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, text=True)


def commit_all(folder: Path) -> None:
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "all")):
        assert git(folder, *arguments).returncode == 0


def test_the_hooks_are_what_pre_commit_takes() -> None:
    run = run_pre_commit("validate-manifest", str(ROOT / ".pre-commit-hooks.yaml"), cwd=ROOT)
    assert run.returncode == 0, run.stdout + run.stderr
    hooks = YAML(typ="safe").load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert tuple(hook["id"] for hook in hooks) == HOOKS
    documented = (ROOT / "docs/guides/ci.md").read_text("utf-8")
    assert all(f"`{name}`" in documented for name in HOOKS)


@pytest.fixture
def drifted(tmp_path: Path) -> Path:
    """A repository whose package is of an older definition."""
    folder = tmp_path / "project"
    (folder / "schemas").mkdir(parents=True)
    definition = folder / "schemas/get_depth.json"
    definition.write_text(json.dumps(tool("get_depth", {"type": "number"}, description="The depth.")), "utf-8")
    assert mcpgen("build", "--quiet", cwd=folder).returncode == 0
    changed = tool("get_depth", {"type": "integer"}, description="The depth, in metres.")
    definition.write_text(json.dumps(changed), "utf-8")
    commit_all(folder)
    return folder


@pytest.fixture
def hooks(tmp_path: Path) -> Path:
    """A repository with what this one ships."""
    folder = tmp_path / "hooks"
    for name in SHIPPED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    commit_all(folder)
    return folder


@pytest.fixture
def try_hooks(hooks: Path, drifted: Path, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    def run(*ids: str) -> subprocess.CompletedProcess[str]:
        words = ["try-repo", str(hooks), *ids, "--all-files", "--color", "never"]
        return run_pre_commit(*words, cwd=drifted, PRE_COMMIT_HOME=str(tmp_path / "store"))

    return run


@pytest.mark.slow
def test_hooks_find_drift_and_mend_it(
    try_hooks: Callable[..., subprocess.CompletedProcess[str]], drifted: Path
) -> None:
    run = try_hooks("mcpgen-check")
    assert run.returncode == 1, run.stdout + run.stderr
    assert re.search(r"^mcpgen check\.+Failed$", run.stdout, re.MULTILINE)
    assert "- exit code: 4" in run.stdout
    assert re.search(r"^generated/tools/get_depth.py:\d+:1: error\[MG403\]", run.stdout, re.MULTILINE)
    assert "+++ generated/tools/get_depth.py" in run.stdout
    run = try_hooks()  # all, in the order of their names: what is built anew is then found current
    assert run.returncode == 1, run.stdout + run.stderr
    assert re.search(r"^mcpgen build\.+Failed$", run.stdout, re.MULTILINE)
    assert "- files were modified by this hook" in run.stdout
    assert re.search(r"^mcpgen check\.+Passed$", run.stdout, re.MULTILINE)
    assert re.search(r"^mcpgen lint\.+Passed$", run.stdout, re.MULTILINE)
    hints = {"readOnlyHint": True, "destructiveHint": True}
    contradicting = tool("get_depth", {"type": "integer"}, annotations=hints)
    (drifted / "schemas/get_depth.json").write_text(json.dumps(contradicting), "utf-8")
    run = try_hooks("mcpgen-lint")
    assert run.returncode == 1, run.stdout + run.stderr
    assert "- exit code: 7" in run.stdout
    assert re.search(r"^schemas/get_depth.json:1:\d+: \w+\[MG9\d\d\]", run.stdout, re.MULTILINE)


@pytest.mark.slow
def test_an_installed_hook_stops_a_commit_until_its_files_are_added(hooks: Path, drifted: Path, tmp_path: Path) -> None:
    """What docs/guides/ci.md says about `mcpgen-build`: the first commit fails, the second goes through."""
    text = (ROOT / "docs/guides/ci.md").read_text("utf-8")
    (snippet,) = re.findall(r"^```yaml\n(repos:\n.*?)^```$", text, re.MULTILINE | re.DOTALL)
    revision = git(hooks, "rev-parse", "HEAD").stdout.strip()
    snippet = re.sub(r"repo: \S+.*", f"repo: {hooks}", snippet).replace("rev: v0.1.0", f"rev: {revision}")
    config = drifted / ".pre-commit-config.yaml"
    config.write_text(snippet.replace("mcpgen-check", "mcpgen-build"), "utf-8")
    store = {"PRE_COMMIT_HOME": str(tmp_path / "store")}
    assert run_pre_commit("validate-config", str(config), cwd=drifted).returncode == 0
    assert run_pre_commit("install", cwd=drifted, **store).returncode == 0
    git(drifted, "add", config.name)

    def commit() -> subprocess.CompletedProcess[str]:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        command = ["git", *identity, "commit", "-m", "depth"]
        return subprocess.run(command, cwd=drifted, capture_output=True, text=True, env={**os.environ, **store})

    first = commit()
    assert first.returncode == 1, first.stdout + first.stderr
    assert "files were modified by this hook" in first.stdout + first.stderr
    git(drifted, "add", "-A")
    second = commit()
    assert second.returncode == 0, second.stdout + second.stderr
    assert mcpgen("check", cwd=drifted).returncode == 0
