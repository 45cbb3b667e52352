"""The commands that make an environment, in README.md and docs/, run as they stand there: with pip and the network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.doc_pages import Page, list_pages, read_page
from support.page_runner import make_environment, write_files
from support.repository import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="the commands are for a shell")]
PAGES = [page for page in (read_page(path) for path in list_pages()) if any("set-up" in b.marks for b in page.blocks)]


def list_commands(page: Page) -> list[str]:
    """Return the set-up commands of a page, but for those that run the tests: .ci/run runs these."""
    return [block.text for block in page.blocks if block.kind == "set-up" and "-m pytest" not in block.text]


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_the_commands_make_an_environment(page: Page, tmp_path: Path) -> None:
    checkout = tmp_path / "mcpgen"
    subprocess.run(["git", "clone", "-q", "--no-local", str(ROOT), str(checkout)], check=True)
    project = tmp_path / "project"
    project.mkdir()
    write_files(page, project, None)
    for name in {name for block in page.blocks for name in block.marks.get("files of", "").split()}:
        write_files(read_page(name), project, None)
    environment = {**make_environment(), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    if page.name != "README.md":
        subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "environment")], check=True)
        environment["PATH"] = f"{tmp_path / 'environment' / 'bin'}{os.pathsep}{environment['PATH']}"
    for command in list_commands(page):
        folder = checkout if page.name == "README.md" else project
        run = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command], cwd=folder, env=environment, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stdout + run.stderr
