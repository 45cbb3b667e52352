"""Adversarial values: what is spent on them grows with their size at most linearly, or they are refused for a limit."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.adversarial.pairs import PAIRS, Pair
from support.adversarial.ways import WAYS, Built, Verdict, _allow, build, in_child, judge, measure
from support.holding import validator

pytest.importorskip("mcp_types", reason="the packages are built for mcp 2.x, which is not installed here")

FEW = (
    "oneOf twice, wrong at the bottom",
    "anyOf twice",
    "allOf of itself twice",
    "not of not, twice",
    "any JSON, spelled out, wrong at the bottom",
    "unevaluatedProperties, wrong at the bottom",
    "deep lists for anything",
    "unique integers, one twice as a float",
    "each row wrong",
    "many undeclared keys",
    "a long string for a number",
    "pattern: look-ahead for the end",
    "pattern: nested quantifiers",
    "a node that holds itself",
)
"""What is measured in the short run."""
GROUPS = 16


def test_there_are_as_many_as_were_asked_for() -> None:
    assert len(PAIRS) >= 60
    assert len({repr(pair.schema) for pair in PAIRS.values()}) >= 60


def test_the_table_says_what_the_oracle_says() -> None:
    """Of values that are small, which it can judge."""
    different: list[str] = []
    pairs = [pair for pair in PAIRS.values() if pair.oracle or pair.name.startswith("pattern:")]
    for pair in pairs:
        judge_of = validator(pair.schema)
        for size in (pair.least, pair.least + 1, pair.least + 4):
            if judge_of.is_valid(pair.value(size)) != pair.valid:
                different.append(f"{pair.name} at {size}")
    assert different == []
    assert len(pairs) > 150


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(tmp_path_factory.mktemp("few"), [PAIRS[name] for name in FEW])


@pytest.mark.slow
@pytest.mark.parametrize("entry", ["validate", "normalize_any", "call"])
def test_a_few_are_bounded(few: Built, entry: str) -> None:
    bad = [verdict for name in FEW if (verdict := measure(few, PAIRS[name], entry, 400_000, 5)) and not verdict.good]
    assert [f"{item.pair}: {item.why}" for item in bad] == []


@pytest.mark.slow
@pytest.mark.parametrize("group", range(GROUPS))
def test_all_are_bounded(tmp_path: Path, group: int) -> None:
    pairs = [*PAIRS.values()][group::GROUPS]
    built = build(tmp_path, pairs)
    verdicts = [measure(built, pair, entry, 1_000_000) for pair in pairs for entry in WAYS if entry in pair.ways]
    assert [
        f"{verdict.pair}, {verdict.way}: {verdict.why}" for verdict in verdicts if verdict and not verdict.good
    ] == []
    assert sum(verdict is not None for verdict in verdicts) > 3 * len(pairs)


# --- the harness itself ----------------------------------------------------------------------------------------------
def _readings(*spent: float, **more: Any) -> list[dict[str, Any]]:
    usual = {"failure": "", "accepted": True, "limited": False, "model": 0, "log": 0, "mib": 0, "bytes": 1, "said": ""}
    return [{**usual, "size": 100 << index, "ms": item, "counts": True, **more} for index, item in enumerate(spent)]


VALID = Pair("valid", {}, lambda size: [0] * size)
INVALID = Pair("invalid", False, lambda size: 0, valid=False)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pair", "readings", "why"),
    [
        (VALID, _readings(20, 40, 80, 160), ""),
        (VALID, _readings(20, 80, 320, 1280), "size 800 takes 64.0 times what size 100 takes"),
        (VALID, _readings(0.1, 0.4, 1.6, 6.4), ""),
        (VALID, _readings(20, 30, 40, 1, accepted=False, limited=True), ""),
        (VALID, _readings(20, 80, 500, 450, accepted=False, limited=True), ""),
        (VALID, _readings(20, 80, 500, 2000, limited=True), "size 800 takes 100.0 times what size 100 takes"),
        (VALID, _readings(1, accepted=False, said="no"), "refused, but is valid, at size 100: no"),
        (INVALID, _readings(1), "accepted, but is not valid, at size 100"),
        (INVALID, _readings(1, accepted=False, model=1025), "1025 bytes for the model at size 100"),
        (INVALID, _readings(1, accepted=False, log=4097), "4097 bytes for the log at size 100"),
        (VALID, _readings(1, mib=500), "500 MiB at size 100, of 1 bytes"),
        (VALID, _readings(1, failure="KeyError: 'a'"), "KeyError: 'a' at size 100"),
    ],
)
def test_judgements(pair: Pair, readings: list[dict[str, Any]], why: str) -> None:
    assert judge(pair, readings) == why


@pytest.mark.ci
def test_a_value_that_does_not_grow_is_measured_at_last(tmp_path: Path) -> None:
    pair = Pair("small", {"type": "object"}, lambda size: {"value": 1})
    verdict = measure(build(tmp_path, [pair]), pair, "validate")
    assert verdict is not None
    assert verdict.good
    assert len(verdict.readings) < 10


@pytest.mark.ci
def test_a_crash_and_a_loop_are_found() -> None:
    def crash() -> Iterator[int]:
        yield 1
        os.kill(os.getpid(), signal.SIGSEGV)

    def loop() -> Iterator[int]:
        _allow(0)
        while True:
            yield from ()

    def sleep() -> Iterator[int]:
        signal.pause()
        yield 1

    assert [*in_child(crash)] == [1, {"ended": "SIGSEGV"}]
    assert [*in_child(loop)] == [{"ended": "SIGXCPU"}]
    assert [*in_child(sleep, seconds=1)] == [{"ended": "SIGALRM"}]


@pytest.mark.slow
def test_the_worst_are_drawn(tmp_path: Path) -> None:
    from support.adversarial.plots import curves, draw

    def verdict(name: str, *spent: float) -> Verdict:
        return Verdict(name, "validate", True, "", [{"bytes": 100 << i, "ms": ms} for i, ms in enumerate(spent)])

    verdicts = [verdict("slow", 10, 40, 160), verdict("quick", 1, 2, 3), *(verdict(f"{i}", 9, 9) for i in range(9))]
    assert next(iter(curves(verdicts, "validate"))) == "slow"
    assert len(curves(verdicts, "validate")) == 8
    assert curves(verdicts, "call") == {}
    assert draw(verdicts, tmp_path) == ["values-validate.svg"]
    assert "<svg" in (tmp_path / "values-validate.svg").read_text("utf-8")
