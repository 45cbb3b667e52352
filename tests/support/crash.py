"""Killing builds at random moments, with a user who edits in between: nothing is lost, and a build makes it whole."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import black
import datamodel_code_generator.parser.jsonschema
import jinja2
from mcpgen import app, write
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.plan import Plan
from support.packages import files, tool

WARM = (black, datamodel_code_generator, jinja2)
"""Imported here, so that the forked builds have them at once."""
SCHEMA = {"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"]}
FINE, INPUT, REFUSED, DRIFT = 0, 2, 3, 4
KILLED = -1
EDITS = ("append", "insert", "prepend", "replace", "add", "take", "remove")


@dataclass(frozen=True)
class Edit:
    """What the user did: a file with what it holds now, and whether the next build has to refuse it."""

    path: Path
    data: bytes
    in_the_way: bool


def kill_builds(folder: Path, times: int, seed: int) -> Counter[str]:
    """Kill a build `times` times, each time on the way from one set of tools to another, and build again.

    One kill in eight falls anywhere in a whole run, half of them between two files that it moves into place, the others
    anywhere while it writes. After half of the kills a user edits, adds, takes or removes a file. Gives how often a run
    was killed, how often it had begun to write then, how often it was done already, and how often each edit was made
    and refused.

    Raises:
        AssertionError: a package was not whole, or something of the user's was lost.
    """
    chance = random.Random(seed)
    expected = {variant: _undisturbed(folder / f"whole{variant}", variant) for variant in (0, 1)}
    project = _project(folder / "killed", 0)
    assert build(project) == FINE
    whole_run, writing = _seconds(folder / "timed")
    counts = Counter[str]()
    for number in range(times):
        variant = (number + 1) % 2
        _project(project, variant)
        kill = "anywhere" if number % 8 == 0 else "moving" if number % 2 else "writing"
        text = None if kill == "anywhere" else expected[variant]
        longest = {"anywhere": whole_run, "writing": 1.2 * writing, "moving": len(expected[variant])}[kill]
        delay = chance.uniform(0, longest)
        ended = build(project, text, kill=kill, delay=delay)
        assert ended in (FINE, KILLED), f"kill {number}: exit code {ended}"
        counts["done" if ended == FINE else "killed"] += 1
        if write.has_interrupted_run(project / "generated"):
            counts["writing"] += 1
            assert check(project, expected[variant]), "check must not call an interrupted package whole"
        edit = _edit(project / "generated", expected[variant], chance, counts) if chance.random() < 0.5 else None
        _mend(project, expected[variant], edit, counts, f"kill {number} of seed {seed}, {kill}, {delay:.4f}")
    return counts


def _mend(project: Path, expected: dict[str, str], edit: Edit | None, counts: Counter[str], when: str) -> None:
    """Build again: what is in the way is refused and kept, and replaced with `force` alone."""
    out = project / "generated"
    code = build(project, expected)
    assert code == (REFUSED if edit is not None and edit.in_the_way else FINE), f"{when}: exit code {code}"
    if edit is not None:
        assert edit.path.read_bytes() == edit.data, f"{when}: what the user wrote was lost"
        if code == REFUSED:
            counts["refused"] += 1
            assert check(project, expected), "check must say what stands in the way"
            assert build(project, expected, force=True) == FINE, when
        else:
            edit.path.unlink()
    texts = {path: data.decode() for path, data in files(out).items()}
    assert texts == expected, f"{when}: {texts.keys() ^ expected.keys()}"
    assert not [*out.glob(".mcpgen-*")], when
    assert not check(project, expected), when


def _edit(out: Path, expected: dict[str, str], chance: random.Random, counts: Counter[str]) -> Edit | None:
    """Do one thing that a person may do to a package that is half of one kind and half of another."""
    kind = chance.choice(EDITS)
    counts[kind] += 1
    user_text = f"# of the user's own, {chance.random()}\n"
    paths = sorted(path for path in out.rglob("*.py") if ".mcpgen-" not in path.as_posix())
    path = chance.choice(paths)
    if kind == "add":
        path = out / f"mine_{chance.randrange(100)}.py"
    if kind == "take":
        path = out / chance.choice([name for name in expected if name.endswith(".py")])
    if kind == "remove":
        path.unlink()
        return None
    text = path.read_text("utf-8") if path.exists() else ""
    lines = text.splitlines(keepends=True)
    edited = {"append": text + user_text, "prepend": user_text + text}.get(kind, user_text)
    if kind == "insert":
        edited = "".join([*lines[: len(lines) // 2], user_text, *lines[len(lines) // 2 :]])
    path.parent.mkdir(exist_ok=True)
    path.write_text(edited, "utf-8")
    is_ours = path.relative_to(out).as_posix() in expected
    has_header = kind in ("append", "insert") and text.startswith("# Code generated by mcpgen")
    return Edit(path, edited.encode(), is_ours or has_header)


def _project(folder: Path, variant: int) -> Path:
    schemas = folder / "schemas"
    schemas.mkdir(parents=True, exist_ok=True)
    for path in schemas.glob("*.json"):
        path.unlink()
    for index in range(6):
        name = f"tool{variant * 3 + index}"
        description = f"variant {variant}"
        (schemas / f"{name}.json").write_text(json.dumps(tool(name, SCHEMA, description=description)), "utf-8")
    return folder


def _undisturbed(folder: Path, variant: int) -> dict[str, str]:
    assert build(_project(folder, variant)) == FINE
    return {path: data.decode() for path, data in files(folder / "generated").items()}


def _seconds(folder: Path) -> tuple[float, float]:
    """How long a whole run takes here, and how long writing does."""
    start = time.perf_counter()
    expected = _undisturbed(folder / "whole", 1)
    between = time.perf_counter()
    assert build(folder / "written", expected) == FINE
    return between - start, time.perf_counter() - between


def _package(folder: Path) -> ConfiguredPackage:
    return ConfiguredPackage(settings=PackageSettings.model_validate({}), folder=folder)


def _generated(folder: Path, expected: dict[str, str] | None) -> app.Outcome:
    """Return what is to be written, which is made anew where it is not known."""
    if expected is None:
        return app.generate_package(_package(folder), 1, lambda *_: None)
    return app.Outcome(folder / "generated", Findings(), app.GeneratedFiles(expected))


def check(folder: Path, expected: dict[str, str] | None = None) -> list[str]:
    """Return what `check` would say, empty for nothing."""
    outcome = _generated(folder, expected)
    app.compare_output(outcome)
    assert outcome.plan is not None
    return ["interrupted"] * outcome.interrupted + [step.path for step in outcome.plan.changes]


def build(
    folder: Path, expected: dict[str, str] | None = None, force: bool = False, kill: str = "", delay: float = 0
) -> int:
    """Build in a forked process; kill it `delay` seconds after it started, or after it began to write; or before it
    moves the file after the first `delay`.

    The exit code that the command would have; -1 for a process that was killed.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reader)
            if kill == "writing":
                _announce(writer)
            if kill == "moving":
                _die_before(int(delay))
            outcome = _generated(folder, expected)
            app.write_output(outcome, force)
            refused = outcome.plan is not None and outcome.plan.refused
            status = REFUSED if refused else FINE if outcome.written else INPUT
        finally:
            os._exit(status)
    os.close(writer)
    try:
        if kill == "writing":
            os.read(reader, 1)
        os.close(reader)
        if kill in ("anywhere", "writing"):
            time.sleep(delay)
    finally:
        if kill in ("anywhere", "writing"):
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else KILLED


def _announce(writer: int) -> None:
    real = write.apply_plan

    def announced(plan: Plan) -> None:
        os.write(writer, b"x")
        real(plan)

    write.apply_plan = announced


def _die_before(move: int) -> None:
    """Kill this process when it is about to move a file for the time after the first `move` ones."""
    real, count = os.replace, 0

    def replace(source: Any, target: Any) -> None:
        nonlocal count
        count += 1
        if count > move + 1:  # the first one is the journal's
            os.kill(os.getpid(), signal.SIGKILL)
        real(source, target)

    os.__dict__["replace"] = replace
