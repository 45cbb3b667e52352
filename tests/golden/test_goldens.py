"""End-to-end cases: each folder of tests/golden/cases is an input, a command, and all that the command says.

    <case>/case.toml    what runs, and its exit code
        command         the arguments; if they begin with `python`, that runs instead of mcpgen. Or a list of commands
                        that run one after the other; what each prints is recorded below a line with the command
        exit_code       what is expected, for a list of commands a list
        input           the name of a folder of tests/golden/inputs to work in (optional)
        prepare         commands that run before it and succeed; those of git begin with `git` (optional)
        until           a text of its stderr after which Ctrl-C ends it (optional)
        mistake         the mistake that people make, for docs/mistakes.md (optional)
    <case>/input/       the folder to work in, or files laid over the shared one (optional)
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
INPUTS = GOLDENS.parent / "inputs"
CASES = sorted(path.parent.name for path in GOLDENS.glob("*/case.toml"))
STUB = ".py.txt"
KEYS = {"command", "exit_code", "input", "prepare", "until", "mistake"}
PARTS = {"case.toml", "input", "then", "stderr.txt", "stdout.txt", "generated"}


@dataclass(frozen=True)
class Run:
    """What a command of a case said and did."""

    command: str
    exit_code: int
    stdout: str
    stderr: str
    before: dict[str, bytes]
    after: dict[str, bytes]


def run_case(case: Path, folder: Path) -> list[Run]:
    """Lay out a case's input in an empty folder and run its commands there."""
    settings = _read_settings(case)
    if "input" in settings:
        _overlay(INPUTS / settings["input"], folder)
    _overlay(case / "input", folder)
    for line in settings.get("prepare", []):
        run = _git(line, folder) if line.startswith("git ") else _mcpgen(line, folder)
        assert run.returncode == 0, f"{case.name}: `{line}` failed:\n{_text(run.stderr)}"
    _overlay(case / "then", folder)
    command = settings["command"]
    runs = []
    for line in command if isinstance(command, list) else [command]:
        files_before = files(folder)
        run = _mcpgen(line, folder, settings.get("until", ""))
        runs.append(Run(line, run.returncode, _text(run.stdout), _text(run.stderr), files_before, files(folder)))
    return runs


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
def started(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], tuple[Path, Future[list[Run]]]]]:
    """Yield the folder and the runs of a case. All chosen cases start at once, a few at a time; under xdist each
    worker starts its own.
    """
    cases: dict[str, tuple[Path, Future[list[Run]]]] = {}
    with ThreadPoolExecutor(min(8, (os.cpu_count() or 1) + 1)) as pool:

        def start(case: str) -> tuple[Path, Future[list[Run]]]:
            if case not in cases:
                folder = tmp_path_factory.mktemp(case)
                cases[case] = folder, pool.submit(run_case, GOLDENS / case, folder)
            return cases[case]

        if "PYTEST_XDIST_WORKER" not in os.environ:
            for item in request.session.items:
                parameters: dict[str, object] = getattr(getattr(item, "callspec", None), "params", {})
                if isinstance(case := parameters.get("case"), str) and case in CASES:
                    start(case)
        yield start


@pytest.mark.parametrize("case", CASES)
def test_golden(
    case: str, started: Callable[[str], tuple[Path, Future[list[Run]]]], pytestconfig: pytest.Config
) -> None:
    folder, future = started(case)
    runs = future.result()
    for run in runs:
        _assert_sane(run, folder)
    said = _join(runs)
    if pytestconfig.getoption("--regenerate"):
        _record(GOLDENS / case, folder, said)
    assert said["stderr.txt"] == _read(GOLDENS / case / "stderr.txt")
    assert said["stdout.txt"] == _read(GOLDENS / case / "stdout.txt")
    assert said["exit_code"] == str(_read_settings(GOLDENS / case)["exit_code"])
    for path, expected in _expected(GOLDENS / case).items():
        written = folder / path
        assert written.is_file(), f"{path} was not written"
        assert _read(written) == _read(expected), path


def _assert_sane(run: Run, folder: Path) -> None:
    """Assert what is true of every run, whatever its golden is; nothing else is ever recorded."""
    for text in (run.stderr, run.stdout):
        assert "Traceback" not in text
        assert str(folder) not in text, "an absolute path"
    assert run.exit_code in (0, 2, 3, 4, 5, 6, 7, 8)
    if run.exit_code:
        assert run.after == run.before, "a run that did not succeed changed files"


def _join(runs: list[Run]) -> dict[str, str]:
    """Return what is recorded of the runs: two texts, where each of several has a line with its command above, and the
    exit codes.
    """
    if len(runs) == 1:
        return {"stderr.txt": runs[0].stderr, "stdout.txt": runs[0].stdout, "exit_code": str(runs[0].exit_code)}
    errors = "".join(f"$ {run.command}\n{run.stderr}" for run in runs if run.stderr)
    output = "".join(f"$ {run.command}\n{run.stdout}" for run in runs if run.stdout)
    return {"stderr.txt": errors, "stdout.txt": output, "exit_code": str([run.exit_code for run in runs])}


def _expected(case: Path) -> dict[str, Path]:
    paths = [path for path in (case / "generated").rglob("*") if path.is_file()]
    return {path.relative_to(case).as_posix().removesuffix(".txt"): path for path in sorted(paths)}


def _record(case: Path, folder: Path, said: dict[str, str]) -> None:
    settings = re.sub(r"^exit_code = .*\n", "", _read(case / "case.toml"), flags=re.MULTILINE)
    (case / "case.toml").write_text(f"{settings}exit_code = {said['exit_code']}\n", "utf-8")
    for name in ("stderr.txt", "stdout.txt"):
        if said[name]:
            (case / name).write_text(said[name], "utf-8", newline="")
        else:
            (case / name).unlink(missing_ok=True)
    for path, expected in _expected(case).items():
        if (folder / path).is_file():
            expected.write_bytes((folder / path).read_bytes())


def test_the_cases_are_complete() -> None:
    for case in CASES:
        settings = _read_settings(GOLDENS / case)
        assert "exit_code" in settings, f"{case}: run with --regenerate first"
        assert settings.keys() <= KEYS, case
        assert {path.name for path in (GOLDENS / case).iterdir()} <= PARTS, case
    assert {path.name for path in GOLDENS.iterdir() if path.is_dir()} == set(CASES)
    shared = {_read_settings(GOLDENS / case).get("input") for case in CASES} - {None}
    assert {path.name for path in INPUTS.iterdir()} == shared
