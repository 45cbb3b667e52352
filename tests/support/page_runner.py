"""Run the blocks of a page from top to bottom, as somebody who follows it would."""

from __future__ import annotations

import ast
import doctest
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

from mcpgen.config.load import load_packages
from mcpgen.diagnostics import Findings
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from support.doc_pages import Block, Page, matches, read_page
from support.repository import ROOT

SETTINGS = '{"include": ["."], "typeCheckingMode": "strict"}'


class PageRunner:
    """A page, run in folders below one folder; `changes` are the outputs that are not as the page shows them."""

    def __init__(self, page: Page, folder: Path, sdk: str | None) -> None:
        self._page, self._folder, self._sdk = page, folder, sdk
        self.projects: list[Path] = []
        self.changes: list[tuple[Block, str]] = []

    def run(self) -> None:
        """Run all blocks that are for the SDK.

        Raises:
            AssertionError: a block does not do what the page says.
        """
        for number, blocks in enumerate(self._page.list_projects()):
            project = self._folder / f"project{number}"
            project.mkdir()
            self.projects.append(project)
            output = ""
            for block in blocks:
                if block.is_for(self._sdk):
                    output = self._handle(block, project, output)
            for block in blocks:
                if "unchecked" in block.marks and block.title is not None:
                    (project / block.title).unlink()

    def _handle(self, block: Block, project: Path, output: str) -> str:
        """Handle one block, and return what the last commands have printed."""
        kind = block.kind
        for name in block.marks.get("files of", "").split():
            write_files(read_page(name), project, self._sdk)
        if "before" in block.marks:
            run_commands(block, project, block.marks["before"], "0")
        if kind == "commands":
            return run_commands(block, project, block.text, block.marks.get("exit", "0"))
        if kind == "console":
            actual = run_console(block, project)
            self._compare(block, actual)
        if kind == "output":
            self._compare(block, output)
        elif kind == "result":
            self._compare(block, (project / block.marks["result"]).read_text("utf-8"))
        elif kind == "excerpt":
            check_excerpt(block, (project / block.marks["excerpt"]).read_text("utf-8"))
        elif kind in ("file", "append"):
            write_file(block, project)
        elif kind == "data":
            check_syntax(block)
            if block.language == "toml":
                check_settings(block, project)
        elif kind == "doctest":
            test = doctest.DocTestParser().get_doctest(block.text, {}, block.place, None, None)
            assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0
        return output

    def _compare(self, block: Block, actual: str) -> None:
        if not matches(block.text, actual):
            self.changes.append((block, actual))

    def update_page(self) -> None:
        """Write the outputs into the page as they are now."""
        lines = self._page.path.read_text("utf-8").splitlines(keepends=True)
        for block, actual in sorted(self.changes, key=lambda change: -change[0].first_line):
            first = block.first_line + 1
            lines[first : first + len(block.text.splitlines())] = [actual.strip("\n") + "\n"]
        self._page.path.write_text("".join(lines), "utf-8")


def make_environment() -> dict[str, str]:
    """Return the environment of commands: this Python's programs come first, and nothing is coloured."""
    unset = {"FORCE_COLOR", "PYTHONPATH", "GITHUB_ACTIONS", "GITHUB_WORKSPACE"}
    kept = {key: value for key, value in os.environ.items() if key not in unset}
    environment = {key: value for key, value in kept.items() if not key.startswith("PYTEST_")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{environment.get('PATH', os.defpath)}"
    return {**environment, "PATH": path, "NO_COLOR": "1", "COLUMNS": "100", "TERM": "dumb", "REPOSITORY": str(ROOT)}


def run_commands(block: Block, project: Path, commands: str, exit_code: str) -> str:
    """Run commands of a block, and return what they print on both channels."""
    run = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        env=make_environment(),
    )
    assert run.returncode == int(exit_code), f"{block.place}:\n{commands}\n{run.stdout}"
    return run.stdout


def run_console(block: Block, project: Path) -> str:
    """Run the commands of a session, and return the session as it is now."""
    commands = [line.removeprefix("$ ") for line in block.text.splitlines() if line.startswith("$ ")]
    session = ""
    for number, command in enumerate(commands, start=1):
        exit_code = block.marks.get("exit", "0") if number == len(commands) else "0"
        session += f"$ {command}\n{run_commands(block, project, command, exit_code)}"
    return session


def write_file(block: Block, project: Path) -> None:
    """Write the file that a block shows, or add the block to it."""
    check_syntax(block)
    file = project / (block.title or block.marks["append"])
    file.parent.mkdir(parents=True, exist_ok=True)
    before = file.read_text("utf-8") if block.kind == "append" else ""
    file.write_text(f"{before}\n\n{block.text}" if before else block.text, "utf-8")


def write_files(page: Page, project: Path, sdk: str | None) -> None:
    """Write the files that another page shows for an SDK."""
    for block in page.blocks:
        if block.kind in ("file", "append") and block.is_for(sdk) and "unchecked" not in block.marks:
            write_file(block, project)


def check_excerpt(block: Block, text: str) -> None:
    """Check that the paragraphs of a block are in a text, in their order."""
    position = 0
    for paragraph in block.text.strip("\n").split("\n\n"):
        position = text.find(paragraph.strip("\n"), position)
        assert position >= 0, f"{block.place}: {paragraph}"


def check_syntax(block: Block) -> None:
    """Check that a block is valid in its language, if that is one that is known here."""
    try:
        if block.language == "json":
            json.loads(block.text)
        elif block.language == "jsonl":
            for line in block.text.splitlines():
                json.loads(line)
        elif block.language == "toml":
            tomllib.loads(block.text)
        elif block.language == "yaml":
            YAML(typ="safe").load(block.text)
        elif block.language == "python":
            ast.parse(block.text)
    except (ValueError, SyntaxError, YAMLError) as error:
        raise AssertionError(f"{block.place}: {error}") from error


def check_settings(block: Block, project: Path) -> None:
    """Check that mcpgen reads a block as settings."""
    file = project / ".settings" / "pyproject.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(block.text, "utf-8")
    findings = Findings()
    assert load_packages(file, file.parent, findings), block.place
    assert not len(findings), f"{block.place}: {[finding.message for finding in findings]}"


def check_types(projects: Iterable[Path]) -> None:
    """Check the Python files of projects with mypy and pyright, both strict, and the packages beside them."""
    for project in projects:
        files = sorted(path.relative_to(project).as_posix() for path in project.glob("*.py"))
        if not files:
            continue
        packages = sorted(path.parent.name for path in project.glob("*/__init__.py"))
        _run_checker(project, "mypy", "--strict", *files, *packages)
        (project / "pyrightconfig.json").write_text(SETTINGS, "utf-8")
        _run_checker(project, "pyright", "--pythonpath", sys.executable)


def _run_checker(project: Path, module: str, *words: str) -> None:
    command = [sys.executable, "-m", module, *words]
    run = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=600, env=make_environment())
    assert run.returncode == 0, run.stdout
