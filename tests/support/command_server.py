"""The command line without its start-up: a process that has imported mcpgen forks a child for each command.

A child runs `python -m mcpgen` in the folder and with the environment that the test asks for, so a command cannot tell
the difference, and what it changes in its process is gone with it. Tests of start-up, signals and imports start a
process of their own instead.

Most of what a short command does is to import libraries and to fill their caches (compiled templates, models of
datamodel-code-generator), so the process has done that before it forks, with a build of a package in a folder of its
own.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import itertools
import json
import os
import pkgutil
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from support.repository import ROOT

UNSET = ("FORCE_COLOR", "GITHUB_ACTIONS", "GITHUB_WORKSPACE", "PYTHONPATH", "PYTHONWARNINGS", "TERMINAL_WIDTH")
"""Variables that libraries read when they are imported, or that change what a command prints."""
SDK_MODULES = ("mcp.server", "mcp.client.stdio", "mcp.client.streamable_http")
"""What commands about running servers import of an SDK."""
_STARTING = threading.Lock()
LONGEST = 120
"""Seconds that a command may take."""


@dataclass(frozen=True)
class Finished:
    """A command that has ended, and the CPU seconds that it took, with the processes that it started."""

    process: subprocess.CompletedProcess[bytes]
    seconds: float


class CommandServer:
    """A process that runs commands, one or several at a time."""

    def __init__(self) -> None:
        environment = {key: value for key, value in os.environ.items() if key not in UNSET}
        environment["PYTHONPATH"] = os.pathsep.join(sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "support.command_server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self._numbers = itertools.count()
        self._lock = threading.Condition()
        self._answers: dict[int, dict[str, Any]] = {}
        self._ready = False
        self._ended = False
        self._pids: dict[int, int] = {}
        threading.Thread(target=self._receive, daemon=True).start()
        atexit.register(self.close)

    def run(
        self,
        arguments: list[str],
        cwd: Path,
        environment: dict[str, str],
        timeout: float = LONGEST,
        limits: Mapping[int, int] | None = None,
    ) -> Finished:
        """Run `python -m mcpgen` with some arguments, and with limits of `resource.setrlimit`.

        Raises:
            TimeoutError: it took longer; it was killed.
            RuntimeError: the process that runs commands has ended.
        """
        with tempfile.TemporaryDirectory() as folder:
            out, error = Path(folder, "out"), Path(folder, "error")
            number = next(self._numbers)
            request: dict[str, Any] = {"number": number, "arguments": arguments, "cwd": str(cwd)}
            request |= {"environment": environment, "out": str(out), "error": str(error)}
            request["limits"] = list((limits or {}).items())
            assert self._process.stdin is not None
            with self._lock:
                self._lock.wait_for(lambda: self._ended or self._ready)
                if self._ended:
                    raise RuntimeError("the process that runs commands has ended; it says why on stderr")
                self._process.stdin.write(json.dumps(request) + "\n")
                self._process.stdin.flush()
                if not self._lock.wait_for(lambda: self._ended or number in self._answers, timeout):
                    os.kill(self._pids[number], signal.SIGKILL)
                    raise TimeoutError(f"mcpgen {' '.join(arguments)} takes more than {timeout} seconds")
                if number not in self._answers:
                    raise RuntimeError("the process that runs commands has ended; it says why on stderr")
                answer = self._answers.pop(number)
            command = ["mcpgen", *arguments]
            completed_process = subprocess.CompletedProcess(
                command, answer["code"], out.read_bytes(), error.read_bytes()
            )
            return Finished(completed_process, answer["seconds"])

    def close(self) -> None:
        """End the process, and with it what it has started."""
        if self._process.poll() is None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()

    def _receive(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer = json.loads(line)
            with self._lock:
                if "ready" in answer:
                    self._ready = True
                elif "pid" in answer:
                    self._pids[answer["number"]] = answer["pid"]
                else:
                    self._answers[answer["number"]] = answer
                self._lock.notify_all()
        with self._lock:
            self._ended = True
            self._lock.notify_all()


@cache
def _start_server() -> CommandServer:
    return CommandServer()


def get_server() -> CommandServer:
    """Return the server of this process, started when it is first asked for, by whichever thread."""
    with _STARTING:
        return _start_server()


CAN_FORK = sys.platform == "linux"
"""Elsewhere there is no fork, or system libraries do not bear it: each command is a process of its own."""


def run_command(arguments: list[str], cwd: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    """Run `python -m mcpgen` with some arguments, in a folder, with the whole of an environment."""
    if CAN_FORK:
        return get_server().run(arguments, cwd, environment).process
    command = [sys.executable, "-m", "mcpgen", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=600)


def _warm_up() -> None:
    """Import all that commands import, and build the example: what one build leaves in memory serves the next."""
    import mcpgen
    import ruamel.yaml  # noqa: F401
    from mcpgen import app
    from mcpgen.config.load import load_packages
    from mcpgen.diagnostics import Findings

    for module in pkgutil.walk_packages(mcpgen.__path__, "mcpgen."):
        if module.name != "mcpgen.__main__":
            importlib.import_module(module.name)
    for name in SDK_MODULES:
        with suppress(ImportError):
            importlib.import_module(name)
    for package in load_packages(ROOT / "pyproject.toml", ROOT, Findings()):
        for sdk in ("none", "mcp"):
            settings = package.settings.model_copy(update={"sdk": sdk})
            app.generate_package(package.model_copy(update={"settings": settings}), 1, lambda *_: None)
    gc.collect()
    gc.freeze()


def _serve() -> None:
    """Read requests until there are no more, and fork a child for each."""
    answers = os.dup(1)
    os.dup2(2, 1)
    _warm_up()
    os.write(answers, json.dumps({"ready": True}).encode() + b"\n")
    numbers: dict[int, int] = {}
    started = threading.Condition()

    def reap() -> None:
        while True:
            with started:
                started.wait_for(lambda: numbers)
            pid, status, usage = os.wait4(-1, 0)
            with started:
                number = numbers.pop(pid)
            code, seconds = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
            os.write(answers, json.dumps({"number": number, "code": code, "seconds": seconds}).encode() + b"\n")

    threading.Thread(target=reap, daemon=True).start()
    for line in sys.stdin:
        request = json.loads(line)
        with started:
            pid = os.fork()
            if pid == 0:
                _run_child(request)
            numbers[pid] = request["number"]
            os.write(answers, json.dumps({"number": request["number"], "pid": pid}).encode() + b"\n")
            started.notify_all()


def _limit(limits: list[list[int]]) -> None:
    import resource  # which Windows does not have

    for limit, value in limits:
        resource.setrlimit(limit, (value, value))


def _run_child(request: dict[str, Any]) -> None:
    """Become `python -m mcpgen` and end."""
    code = 1
    try:
        for number, path, flags in (
            (0, os.devnull, os.O_RDONLY),
            (1, request["out"], os.O_WRONLY | os.O_CREAT),
            (2, request["error"], os.O_WRONLY | os.O_CREAT),
        ):
            os.dup2(os.open(path, flags, 0o600), number)
        os.environ.clear()
        os.environ.update(request["environment"])
        encoding = os.environ.get("PYTHONIOENCODING", "utf-8").partition(":")[0]
        sys.stdin = open(0, encoding=encoding, closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding=encoding, closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding=encoding, errors="backslashreplace", closefd=False)  # noqa: SIM115
        os.chdir(request["cwd"])
        _limit(request["limits"])
        sys.path[:] = [path for path in sys.path if path]
        sys.argv = ["mcpgen", *request["arguments"]]
        try:
            runpy.run_module("mcpgen", run_name="__main__", alter_sys=True)
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        except BaseException:
            import traceback

            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


if __name__ == "__main__":
    _serve()
