"""End-to-end cases: each folder of tests/golden/cases is an input, a command, and all that the command says.

    <case>/case.toml    what runs, and its exit code
        command         the arguments; if they begin with `python`, that runs instead of mcpgen
        exit_code       what is expected
        prepare         commands that run before it and succeed; those of git begin with `git` (optional)
        until           a text of its stderr after which Ctrl-C ends it (optional)
        mistake         the mistake that people make, for docs/mistakes.md (optional)
    <case>/input/       the folder to work in; without it, an empty one
    <case>/then/        files laid over the folder after `prepare` (optional)
    <case>/stderr.txt, stdout.txt   what is expected; a text that is empty has no file
    <case>/generated/   the generated files that are worth reading (optional; the others are not compared)

A name ending in `.py.txt` stands for one in `.py`, so that no checker takes these files for code of the project.
`python -m pytest tests/golden/test_goldens.py --regenerate` records everything anew; read what changed before you
commit.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest
from support.children import child, interruptible
from support.command_server import run_command
from support.packages import files

GOLDENS = Path(__file__).resolve().parent / "cases"
CASES = sorted(path.parent.name for path in GOLDENS.glob("*/case.toml"))
STUB = ".py.txt"
KEYS = {"command", "exit_code", "prepare", "until", "mistake"}


@dataclass(frozen=True)
class Run:
    """What a case's command said and did."""

    folder: Path
    exit_code: int
    stdout: str
    stderr: str
    before: dict[str, bytes]
    after: dict[str, bytes]


def run_case(case: Path, folder: Path) -> Run:
    """Lay out a case's input in an empty folder and run its command there."""
    settings = _read_settings(case)
    _overlay(case / "input", folder)
    for line in settings.get("prepare", []):
        run = _git(line, folder) if line.startswith("git ") else _mcpgen(line, folder)
        assert run.returncode == 0, f"{case.name}: `{line}` failed:\n{_text(run.stderr)}"
    _overlay(case / "then", folder)
    files_before = files(folder)
    run = _mcpgen(settings["command"], folder, settings.get("until", ""))
    return Run(folder, run.returncode, _text(run.stdout), _text(run.stderr), files_before, files(folder))


def _git(line: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *identity, *shlex.split(line)[1:]], cwd=folder, capture_output=True, timeout=120)


def _mcpgen(arguments: str, folder: Path, until: str = "") -> subprocess.CompletedProcess[bytes]:
    unset = ("FORCE_COLOR", "GITHUB_WORKSPACE", "PYTHONPATH", "PYTHONWARNINGS", "TERMINAL_WIDTH")
    environment = {key: value for key, value in os.environ.items() if key not in unset}
    environment |= {"COLUMNS": "100", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    environment["VIRTUAL_ENV"] = str(GOLDENS)  # an environment in which nothing is installed
    if arguments.startswith("python "):
        command = [sys.executable, *shlex.split(arguments)[1:]]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=120)
    if not until:
        return run_command(shlex.split(arguments), folder, environment)
    command = [sys.executable, "-m", "mcpgen", *shlex.split(arguments)]
    with child(interruptible(command), cwd=folder, env=environment, stdout=PIPE, stderr=PIPE) as process:
        assert process.stderr is not None
        output = b""
        for line in process.stderr:
            output += line
            if until in line.decode():
                process.send_signal(signal.SIGINT)
                break
        out, more = process.communicate(timeout=120)
    return subprocess.CompletedProcess(command, process.returncode, out, output + more)


def _text(data: bytes) -> str:
    return data.decode("utf-8").replace("\r\n", "\n")


def _read_settings(case: Path) -> dict[str, Any]:
    return tomllib.loads((case / "case.toml").read_text("utf-8"))


def _read(file: Path) -> str:
    return file.read_text("utf-8") if file.is_file() else ""


def _overlay(source: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.rglob("*")):
        if path.is_file():
            name = path.relative_to(source).as_posix()
            target = folder / (name.removesuffix(".txt") if name.endswith(STUB) else name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())


@pytest.fixture(scope="session")
def runs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Future[Run]]]:
    """Yield the run of a case. All chosen cases start at once, a few at a time; under xdist each worker starts its
    own.
    """
    started: dict[str, Future[Run]] = {}
    with ThreadPoolExecutor(min(8, (os.cpu_count() or 1) + 1)) as pool:

        def run(case: str) -> Future[Run]:
            if case not in started:
                started[case] = pool.submit(run_case, GOLDENS / case, tmp_path_factory.mktemp(case))
            return started[case]

        if "PYTEST_XDIST_WORKER" not in os.environ:
            for item in request.session.items:
                parameters: dict[str, object] = getattr(getattr(item, "callspec", None), "params", {})
                if isinstance(case := parameters.get("case"), str) and case in CASES:
                    run(case)
        yield run


@pytest.mark.parametrize("case", CASES)
def test_golden(case: str, runs: Callable[[str], Future[Run]], pytestconfig: pytest.Config) -> None:
    run = runs(case).result()
    _assert_sane(run)
    if pytestconfig.getoption("--regenerate"):
        _record(GOLDENS / case, run)
    assert run.stderr == _read(GOLDENS / case / "stderr.txt")
    assert run.stdout == _read(GOLDENS / case / "stdout.txt")
    assert run.exit_code == _read_settings(GOLDENS / case)["exit_code"]
    for path, expected in _expected(GOLDENS / case).items():
        written = run.folder / path
        assert written.is_file(), f"{path} was not written"
        assert _read(written) == _read(expected), path


def _assert_sane(run: Run) -> None:
    """Assert what is true of every run, whatever its golden is; nothing else is ever recorded."""
    for text in (run.stderr, run.stdout):
        assert "Traceback" not in text
        assert str(run.folder) not in text, "an absolute path"
    assert run.exit_code in (0, 2, 3, 4, 5, 6, 7, 8)
    if run.exit_code:
        assert run.after == run.before, "a run that did not succeed changed files"


def _expected(case: Path) -> dict[str, Path]:
    paths = [path for path in (case / "generated").rglob("*") if path.is_file()]
    return {path.relative_to(case).as_posix().removesuffix(".txt"): path for path in sorted(paths)}


def _record(case: Path, run: Run) -> None:
    settings = re.sub(r"^exit_code = .*\n", "", _read(case / "case.toml"), flags=re.MULTILINE)
    (case / "case.toml").write_text(f"{settings}exit_code = {run.exit_code}\n", "utf-8")
    for name, text in (("stderr.txt", run.stderr), ("stdout.txt", run.stdout)):
        if text:
            (case / name).write_text(text, "utf-8", newline="")
        else:
            (case / name).unlink(missing_ok=True)
    for path, expected in _expected(case).items():
        if (run.folder / path).is_file():
            expected.write_bytes((run.folder / path).read_bytes())


def test_the_cases_are_complete() -> None:
    for case in CASES:
        settings = _read_settings(GOLDENS / case)
        assert "exit_code" in settings, f"{case}: run with --regenerate first"
        assert settings.keys() <= KEYS, case
    assert {path.name for path in GOLDENS.iterdir() if path.is_dir()} == set(CASES)
