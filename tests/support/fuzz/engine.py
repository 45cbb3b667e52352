"""Running the targets: in a worker process, one input after the other, within limits; and what is made of its end."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, NoReturn

from support.fuzz.mutation import MOST, mutated, stream
from support.fuzz.targets import TARGETS, Broken, Target
from support.repository import ROOT

SCRIPT = ROOT / "scripts" / "fuzz.py"
MEMORY = 4 * 2**30
"""Bytes of address space of a worker."""
GROWTH_MIB = 300
"""What the peak of memory may rise by with one input."""
UNINTERRUPTIBLE_SECONDS = 10
"""CPU time beyond a target's own, after which a worker is ended that does not come back to Python."""


@dataclass(frozen=True)
class Finding:
    """A broken promise, or an exception that nobody promised."""

    target: str
    what: str
    place: str
    """The module and function at fault."""
    file: str
    """The input that shows it."""

    @property
    def line(self) -> str:
        """Return the finding on one line."""
        return f"{self.target}: {self.what} [{self.place}] {self.file}"


class TooSlow(BaseException):
    """An input took more CPU time than it may; what catches every `Exception` does not catch this."""


# --- in the worker ---------------------------------------------------------------------------------------------------
class Worker:
    """Runs inputs of targets and writes down what they break; each kind of finding once."""

    def __init__(self, findings: Path) -> None:
        self._folder, self._seen = findings, set[str]()
        self.runs = 0
        signal.signal(signal.SIGVTALRM, _too_slow)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def run(self, target: Target, data: bytes) -> None:
        """Run an input within its limits."""
        self.runs += 1
        if self.runs % 50 == 0:
            (self._folder / f"runs-{os.getpid()}").write_text(str(self.runs), "utf-8")
        (self._folder / "current").write_bytes(target.name.encode() + b"\n" + data)
        start_mib = _peak_mib()
        _allow(target.seconds + UNINTERRUPTIBLE_SECONDS)
        match self._raised(target, data):
            case None:
                pass
            case TooSlow() as error:
                self._found(target, f"more than {target.seconds} s of CPU", data, error)
            case Broken() as error:
                self._found(target, str(error), data, error)
            case error:
                text = " ".join(str(error).split())[:200]
                self._found(target, f"{type(error).__name__}: {text}", data, error)
        if (more := _peak_mib() - start_mib) > GROWTH_MIB:
            self._found(target, "much memory", data, None, f"{more:.0f} MiB of memory")

    def _raised(self, target: Target, data: bytes) -> BaseException | None:
        """Return what an input raises; the timer may go off anywhere in here."""
        raised: BaseException | None = None
        sys.setrecursionlimit(1000)  # as a process starts with, whatever the input before has set it to
        try:
            try:
                signal.setitimer(signal.ITIMER_VIRTUAL, target.seconds, 0.5)
                target.run(data)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raised = error
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        except TooSlow as error:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            raised = error
        return raised

    def _found(
        self, target: Target, description: str, data: bytes, error: BaseException | None, text: str | None = None
    ) -> None:
        place = _place(error)
        kind = type(error).__name__ if error is not None and not isinstance(error, Broken) else _kind(description)
        key = f"{target.name} {kind} {place}"
        if key not in self._seen:
            self._seen.add(key)
            tell(self._folder, target.name, text or description, place, data, key)


def tell(folder: Path, target: str, description: str, place: str, data: bytes, key: str) -> Finding:
    """Write a finding's input into a file of its own, and the finding beside it."""
    name = f"{target}-{hashlib.sha256(key.encode()).hexdigest()[:10]}"
    (folder / f"{name}.input").write_bytes(data)
    finding = Finding(target, description, place, str(folder / f"{name}.input"))
    (folder / f"{name}.json").write_text(json.dumps(vars(finding)), "utf-8")
    return finding


def _kind(description: str) -> str:
    """Return what is wrong, without the figures and names of one input."""
    return "".join(char for char in description.split("'")[0] if char.isalnum() or char == " ")[:60]


def _too_slow(number: int, frame: FrameType | None) -> NoReturn:
    raise TooSlow


def _place(error: BaseException | None) -> str:
    """Return the innermost function of mcpgen's, of its templates' or of a generated package's, in a traceback."""
    for frame in reversed(traceback.extract_tb(error.__traceback__) if error is not None else []):
        path = Path(frame.filename)
        if "site-packages" not in path.parts and "lib" not in path.parts and path.parent.name != "tests":
            return f"{path.parent.name}/{path.name}:{frame.name}"
    return ""


def _peak_mib() -> float:
    """Return the most memory that this process has had; `ru_maxrss` would know of the process that started it, too."""
    status = Path("/proc/self/status")
    if status.is_file():
        return int(re.findall(r"VmHWM:\s+(\d+) kB", status.read_text())[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _allow(seconds: float) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))


def run_plain(names: list[str], worker: Worker, seed: int, seconds: float, runs: int) -> None:
    """Run targets with changes that nothing guides, each for as long as the others.

    Args:
        names: of the targets.
        worker: runs the inputs.
        seed: of the changes.
        seconds: how long to go on, on the clock.
        runs: how many inputs in place of that; the targets take turns then, so that the run can be repeated.
    """
    streams: list[tuple[Target, Iterator[bytes]]] = []
    for name in names:
        seeds = TARGETS[name].seeds()
        random = Random(f"{seed} {name}")
        random.shuffle(seeds)
        streams.append((TARGETS[name], stream(seeds, random)))
    if runs:
        for number in range(runs):
            target, inputs = streams[number % len(streams)]
            worker.run(target, next(inputs))
        return
    end, spent = time.monotonic() + seconds, [0.0] * len(streams)
    while (start := time.monotonic()) < end:
        index = spent.index(min(spent))
        target, inputs = streams[index]
        worker.run(target, next(inputs))
        spent[index] += time.monotonic() - start


def run_guided(atheris: Any, name: str, worker: Worker, seed: int, seconds: float, runs: int, corpus: Path) -> None:
    """Run a target under atheris, which keeps inputs that reach new code; ends the process."""
    target = TARGETS[name]
    seeds = target.seeds()
    corpus.mkdir(parents=True, exist_ok=True)
    for data in seeds:
        (corpus / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)

    def change(data: bytes, most: int, number: int) -> bytes:
        return mutated(data, Random(number), seeds, most)

    options = [
        f"-seed={seed + 1}",
        f"-max_len={MOST}",
        "-print_final_stats=0",
        "-verbosity=0",
        "-timeout=600",
        "-rss_limit_mb=0",
        f"-artifact_prefix={corpus}/",
    ]
    options += [f"-max_total_time={max(1, round(seconds))}"] if seconds else []
    options += [f"-runs={runs}"] if runs else []
    atheris.Setup(["fuzz", *options, str(corpus)], lambda data: worker.run(target, data), custom_mutator=change)
    atheris.Fuzz()


# --- around the workers ----------------------------------------------------------------------------------------------
@dataclass
class Run:
    """How to fuzz."""

    folder: Path
    """Where findings go."""
    names: list[str]
    seed: int = 0
    seconds: float = 20.0
    """On the clock, all targets together; 0: what `runs` says."""
    runs: int = 0
    """Inputs of each worker; 0: what `seconds` says."""
    guided: bool = False


def fuzz(run: Run, package: Path) -> list[Finding]:
    """Fuzz, and return what was found: workers that die are told of, and followed by others."""
    run.folder.mkdir(parents=True, exist_ok=True)
    for old in [*run.folder.glob("*.input"), *run.folder.glob("*.json"), *run.folder.glob("runs-*")]:
        old.unlink()
    parts = [[name] for name in run.names] if run.guided else [run.names]
    deaths: set[str] = set()
    for names in parts:
        _share(run, names, run.seconds / len(parts), package, deaths)
    return [Finding(**json.loads(file.read_text("utf-8"))) for file in sorted(run.folder.glob("*.json"))]


def inputs_of(folder: Path) -> int:
    """Return how many inputs the last run into a folder of findings had, about."""
    return sum(int(file.read_text("utf-8") or 0) for file in folder.glob("runs-*"))


def _share(run: Run, names: list[str], seconds: float, package: Path, deaths: set[str]) -> None:
    """Run workers one after the other for a share of the time."""
    end, seed = time.monotonic() + seconds, run.seed
    seconds_left, corpus = seconds, run.folder / "corpus"
    while seconds_left > 0 or (run.runs and seed == run.seed):
        command = [sys.executable, str(SCRIPT), "--worker", ",".join(names), "--package", str(package)]
        command += ["--findings", str(run.folder), "--seed", str(seed), "--corpus", str(corpus)]
        command += [
            "--seconds",
            str(seconds_left),
            "--runs",
            str(run.runs),
            *(["--guided"] if run.guided else ["--plain"]),
        ]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            _, output = process.communicate(timeout=seconds_left + 300)
        except subprocess.TimeoutExpired:
            output = "it does not end"
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait()
        if process.returncode == 0:
            return
        _died(run.folder, process.returncode, output, deaths)
        seed, seconds_left = seed + 1000, end - time.monotonic() if not run.runs else 0


def _died(folder: Path, status: int, report: str, deaths: set[str]) -> None:
    """Tell of a worker that ended before its time; the input that it had is at fault."""
    current = folder / "current"
    if not current.exists():
        raise RuntimeError(f"the worker does not start: {report[-2000:]}")
    name, _, data = current.read_bytes().partition(b"\n")
    why = signal.Signals(-status).name if status < 0 else f"exit {status}: {' '.join(report.split())[-300:]}"
    key = f"{name.decode()} {why}"
    if key not in deaths:
        deaths.add(key)
        tell(folder, name.decode(), f"the process ends: {why}", "", data, key)


__all__ = ["Finding", "Run", "Worker", "fuzz", "inputs_of", "run_guided", "run_plain", "tell"]
