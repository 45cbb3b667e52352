"""The fuzzer: a short run over every target, and that it finds what it is there for."""

from __future__ import annotations

import importlib.util
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from support.fuzz import targets as fuzz_targets
from support.fuzz.engine import Run, fuzz, inputs_of
from support.fuzz.mutation import MOST, mutated, parse, stream
from support.fuzz.targets import TARGETS
from support.repository import ROOT

pytestmark = pytest.mark.ci

pytest.importorskip("mcp_types", reason="the package is built for mcp 2.x, which is not installed here")

GUIDED = importlib.util.find_spec("atheris") is not None


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzzed")
    fuzz_targets.prepare(folder)
    return folder


def test_nothing_is_found_in_a_short_run(tmp_path: Path, package: Path) -> None:
    findings = fuzz(Run(tmp_path / "findings", [*TARGETS], seconds=20), package)
    assert [item.line for item in findings] == []
    assert inputs_of(tmp_path / "findings") >= 50


@pytest.mark.slow
def test_nothing_is_found_in_a_long_run(tmp_path: Path, package: Path) -> None:
    """Guided by coverage where atheris is installed."""
    findings = fuzz(Run(tmp_path / "findings", [*TARGETS], seed=1, seconds=600, guided=GUIDED), package)
    assert [item.line for item in findings] == []


# --- the fuzzer itself -----------------------------------------------------------------------------------------------
def test_a_run_can_be_repeated() -> None:
    seeds = TARGETS["json"].seeds()

    def inputs(seed: int) -> list[bytes]:
        return [*islice(stream(seeds, Random(seed)), 300)]

    assert inputs(1) == inputs(1)
    assert inputs(1)[len(seeds) :] != inputs(2)[len(seeds) :]


def test_inputs_differ_and_stay_small() -> None:
    seeds = [seed for target in TARGETS.values() if target.name != "uri" for seed in target.seeds()]
    random = Random(0)
    mutants = [mutated(random.choice(seeds), random, seeds) for _ in range(2000)]
    assert max(map(len, mutants)) <= MOST
    assert len({*mutants} - {*seeds}) > 1500
    assert sum(_is_json(item) for item in mutants) > 500  # changed as JSON, not only broken
    deep = [seeds[0], *(b"[" * depth + b"1" + b"]" * depth for depth in range(900, 1000))]
    for number in range(2000):  # what is too deep to be written is changed all the same
        mutated(random.choice(deep), Random(number), deep)


def _is_json(data: bytes) -> bool:
    try:
        parse(data)
    except ValueError:
        return False
    return True


BROKEN = """
import os, sys, time
from support.fuzz import targets as fuzz_targets
from support.fuzz.targets import Target, TARGETS

def loop(data):
    while True: pass

def crash(data):
    os.abort()

def hold(data):
    TARGETS["held"] = bytearray(400 * 2**20)

def fail(data):
    raise KeyError("a")

def seeds():
    return [b"seed"]

TARGETS["loop"] = Target("loop", seeds, loop, 0.2)
TARGETS["crash"] = Target("crash", seeds, crash)
TARGETS["hold"] = Target("hold", seeds, hold)
TARGETS["fail"] = Target("fail", seeds, fail)
fuzz_targets.use = lambda package: None
"""


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A script whose targets break every promise."""
    script = tmp_path / "script.py"
    start = f"import sys\nsys.path[:0] = [{str(ROOT / 'tests')!r}, {str(ROOT / 'scripts')!r}]\n"
    script.write_text(f"{start}{BROKEN}\nimport fuzz\nsys.exit(fuzz.main())\n", "utf-8")
    monkeypatch.setattr("support.fuzz.engine.SCRIPT", script)
    return tmp_path / "findings"


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("loop", "more than 0.2 s of CPU"),
        ("crash", "the process ends: SIGABRT"),
        ("hold", "MiB of memory"),
        ("fail", "KeyError: 'a'"),
    ],
)
def test_what_is_broken_is_found(broken: Path, tmp_path: Path, name: str, description: str) -> None:
    (finding,) = fuzz(Run(broken, [name], seconds=0, runs=1), tmp_path)
    assert (finding.target, description in finding.what) == (name, True), finding.line
    assert Path(finding.file).read_bytes() == b"seed"
