"""The workflows of this repository and of the example, and the action: what linters and GitHub's schemas say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import jsonschema_rs
import pytest
from ruamel.yaml import YAML
from support.linters import run_linter
from support.repository import ROOT
from support.schemastore_copy import schema

pytestmark = pytest.mark.ci
WORKFLOWS = sorted([*ROOT.glob(".github/workflows/*.yml"), *ROOT.glob("examples/*/.github/workflows/*.yml")])
ZIZMOR = """
rules:
  unpinned-uses:
    config:
      policies:
        "actions/*": ref-pin
        "pypa/gh-action-pypi-publish": ref-pin  # its maintainers move this branch for every fix
        "*": hash-pin
  self-repository:
    disable: true
"""
"""Actions of GitHub itself may be named by their version, all others by a hash."""
BAD = """
on: push
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: stranger/action@v1
      - run: echo ${{ github.event.issue.title }}
"""


@pytest.fixture(params=WORKFLOWS, ids=lambda path: path.relative_to(ROOT).as_posix())
def workflow(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def test_there_are_workflows() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in WORKFLOWS}
    assert {".github/workflows/test.yml", "examples/weather-server/.github/workflows/ci.yml"} <= names


def test_the_workflow_runs_every_leg_of_ci() -> None:
    legs = re.search(r"(?m)^LEGS=\((.*)\)$", (ROOT / ".ci" / "run").read_text("utf-8"))
    job = YAML(typ="safe").load((ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8"))["jobs"]["run"]
    assert legs is not None
    assert job["strategy"]["matrix"]["leg"] == legs[1].split()


def test_a_workflow_is_what_github_takes(workflow: Path) -> None:
    value = YAML(typ="safe").load(workflow.read_text("utf-8"))
    jsonschema_rs.Draft7Validator(schema("github-workflow")).validate(value)


def test_actionlint_finds_nothing_in_a_workflow(workflow: Path) -> None:
    assert run_linter("actionlint", "-no-color", str(workflow), cwd=ROOT) == ""


def test_the_workflow_names_tests_that_there_are() -> None:
    text = (ROOT / ".github/workflows/test.yml").read_text("utf-8")
    named = re.findall(r"tests/[\w/]+\.py", text)
    assert named
    assert all((ROOT / name).is_file() for name in named)


def lint_security(folder: Path, *paths: str) -> str:
    config = folder / "zizmor.yml"
    config.write_text(ZIZMOR, "utf-8")
    return run_linter("zizmor", "--offline", "--no-progress", "--config", str(config), *paths, cwd=folder)


def test_zizmor_finds_nothing(tmp_path: Path) -> None:
    paths = [str(ROOT / "action.yml"), *map(str, WORKFLOWS)]
    assert lint_security(tmp_path, *paths) == ""


def test_linters_find_what_is_wrong(tmp_path: Path) -> None:
    """Otherwise the tests above would say nothing."""
    bad = tmp_path / ".github/workflows/bad.yml"
    bad.parent.mkdir(parents=True)
    bad.write_text(BAD, "utf-8")
    found = lint_security(tmp_path, str(bad))
    assert "unpinned-uses" in found
    assert "template-injection" in found
    assert "checkout" in found  # which keeps credentials
    assert "untrusted" in run_linter("actionlint", "-no-color", str(bad), cwd=tmp_path)


@pytest.mark.slow
def test_tests_can_be_collected_without_the_modules_of_posix(tmp_path: Path) -> None:
    """As on Windows, where test.yml runs them."""
    modules = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
    (tmp_path / "without_posix.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({modules}))\n", "utf-8")
    words = ["-q", "-p", "without_posix", "-p", "no:cacheprovider", "--collect-only", "-m", "not ci and not slow"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        timeout=600,
    )
    assert run.returncode == 0, run.stdout[-3000:]
    collected = re.search(r"(\d+)/\d+ tests collected", run.stdout)
    assert collected is not None
    assert int(collected[1]) > 10_000
