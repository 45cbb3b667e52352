"""Environments that cannot live together: their interpreters, the packages generated for them, workers in each."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".benchmarks"
PACKAGES = CACHE / "packages"
SCHEMAS = Path(__file__).resolve().parent / "schemas"
SHARED = ("pydantic", "pydantic-core", "jsonschema-rs", "orjson", "typing-extensions")
"""What every environment has in the version that is installed here."""


@dataclass(frozen=True)
class Environment:
    """An SDK's environment."""

    name: str
    requirements: tuple[str, ...]
    sdks: tuple[str, ...]
    """The targets whose generated packages it runs."""
    cases: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    """What its worker loads, beside the generated packages."""
    reported: tuple[str, ...] = ()
    """The distributions whose versions are told."""


ENVIRONMENTS = (
    Environment(
        "mcp",
        ("mcp>=2.3,<3", "msgspec>=0.19"),
        ("none", "mcp"),
        (
            ("benchmarks.contestants.plain:make_cases", {}),
            ("benchmarks.contestants.checks:make_cases", {"package": "measured_none", "sdk": "none"}),
            ("benchmarks.contestants.mcp2:make_cases", {}),
            ("benchmarks.contestants.stages:make_cases", {"package": "measured_mcp"}),
            ("benchmarks.contestants.clients:make_cases", {"package": "measured_mcp"}),
        ),
        ("mcp", "mcp-types", "msgspec"),
    ),
    Environment("mcp1", ("mcp<2",), ("mcp1",), (("benchmarks.contestants.mcp1:make_cases", {}),), ("mcp",)),
    Environment(
        "fastmcp",
        ("fastmcp>=4,<5",),
        ("fastmcp",),
        (("benchmarks.contestants.mcp2:make_fastmcp_cases", {}),),
        ("fastmcp", "mcp"),
    ),
    Environment(
        "dedalus",
        ("dedalus-mcp>=0.7,<1", "mcp<2"),
        ("dedalus",),
        (("benchmarks.contestants.mcp1:make_dedalus_cases", {}),),
        ("dedalus-mcp", "mcp"),
    ),
)


def make_package_name(sdk: str) -> str:
    """Return the generated package for a target."""
    return f"measured_{sdk}"


def build_packages(sdks: Sequence[str]) -> None:
    """Generate the packages that are not current.

    Raises:
        subprocess.CalledProcessError: mcpgen refused.
    """
    PACKAGES.mkdir(parents=True, exist_ok=True)
    (PACKAGES / "mcpgen.toml").write_text("", "utf-8")
    for sdk in sdks:
        command = [sys.executable, "-m", "mcpgen", "build", str(SCHEMAS), "--sdk", sdk, "--out", make_package_name(sdk)]
        subprocess.run([*command, "--quiet"], cwd=PACKAGES, check=True)


def find_interpreter(environment: Environment) -> Path:
    """Return the Python of an environment, which is made where it is missing or has other requirements.

    Raises:
        subprocess.CalledProcessError: it cannot be made.
    """
    requirements = [
        *environment.requirements,
        *(f"{package}=={importlib.metadata.version(package)}" for package in SHARED),
    ]
    digest = hashlib.sha256(" ".join(requirements).encode()).hexdigest()[:12]
    folder = CACHE / "environments" / f"{environment.name}-{sys.version_info.major}.{sys.version_info.minor}-{digest}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not (folder / "complete").exists():
        print(f"making the environment of {environment.name}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        command = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
        subprocess.run([*command, *requirements], check=True)
        (folder / "complete").touch()
    return python


def make_variables() -> dict[str, str]:
    """Return the variables of workers and servers: where benchmarks, the library and generated packages are."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "runtime" / "src", PACKAGES)))}


class WorkerError(Exception):
    """A worker could not do what it was asked to; its text is the traceback there."""


@dataclass(frozen=True)
class Handle:
    """A case in a worker."""

    worker: Worker
    number: int
    section: str
    value: str
    contestant: str

    def check(self) -> None:
        """Have it make its value once.

        Raises:
            WorkerError: it is not what it should be.
        """
        self.worker.ask(check=self.number)

    def calibrate(self, seconds: float) -> int:
        """How many loops take so long."""
        loops: int = self.worker.ask(calibrate=self.number, seconds=float(seconds))
        return loops

    def time(self, loops: int) -> float:
        """Seconds of CPU time of one loop, the mean of so many."""
        took: float = self.worker.ask(time=self.number, loops=loops)
        return took

    def measure_call(self) -> tuple[int, int]:
        """Bytes at the peak of a call, and those that stay when its result is gone."""
        peak, retained = self.worker.ask(memory=self.number)
        return peak, retained

    def measure_growth(self, calls: int) -> int:
        """Bytes that so many calls leave."""
        grown: int = self.worker.ask(growth=self.number, calls=calls)
        return grown


@dataclass
class Worker:
    """A process of `benchmarks.worker`; a context manager, which ends it."""

    python: Path
    _process: subprocess.Popen[str] = field(init=False)
    _cases: int = field(default=0, init=False)

    def __enter__(self) -> Worker:
        command = [str(self.python), "-m", "benchmarks.worker"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT, env=make_variables())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        into, _ = self._streams()
        into.close()
        self._process.wait(30)

    def _streams(self) -> tuple[IO[str], IO[str]]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout

    def ask(self, **request: Any) -> Any:
        """Return the answer of the process.

        Raises:
            WorkerError: it failed.
        """
        into, out = self._streams()
        print(json.dumps(request), file=into, flush=True)
        line = out.readline()
        if not line:
            raise WorkerError(f"the worker of {self.python} is gone")
        answer = json.loads(line)
        if "error" in answer:
            raise WorkerError(answer["error"])
        return answer["answer"]

    def load(self, target: str, **arguments: Any) -> list[Handle]:
        """Return the cases that the function `module:function` gives there.

        Raises:
            WorkerError: it failed.
        """
        cases = self.ask(**{"load": target, "with": arguments})
        first, self._cases = self._cases, self._cases + len(cases)
        return [Handle(self, first + index, *names) for index, names in enumerate(cases)]


@contextmanager
def start_workers(pythons: Mapping[str, Path]) -> Iterator[dict[str, Worker]]:
    """A worker for each environment, by its name."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(Worker(python)) for name, python in pythons.items()}
