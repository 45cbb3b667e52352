"""Killing builds at random moments; the next build has to leave the whole package."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from pathlib import Path

import black
import datamodel_code_generator.parser.jsonschema
import jinja2
from mcpgen import app, config, write
from mcpgen.plan import Plan
from packages import files, tool

WARM = (black, datamodel_code_generator, jinja2)
"""Imported here, so that the forked builds have them at once."""
SCHEMA = {"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"]}


def kill_builds(folder: Path, times: int, seed: int) -> dict[str, int]:
    """Kill a build `times` times, each time on the way from one set of tools to another, and build again.

    Half of the kills fall anywhere in the run, half while it writes. Gives how often a run was killed, how often it
    had begun to write then, and how often it was done already.

    Raises:
        AssertionError: a package was not whole.
    """
    chance = random.Random(seed)
    wanted = {variant: _undisturbed(folder / f"whole{variant}", variant) for variant in (0, 1)}
    project = _project(folder / "killed", 0)
    assert _build(project, None, 0.0) == "done"
    start = time.perf_counter()
    assert _build(_project(folder / "timed", 1), None, 0.0) == "done"
    whole_run = time.perf_counter() - start
    counts = {"killed": 0, "writing": 0, "done": 0}
    for number in range(times):
        variant = (number + 1) % 2
        _project(project, variant)
        when = "writing" if number % 2 else "anywhere"
        delay = chance.uniform(0, 0.02 if when == "writing" else whole_run)
        ended = _build(project, when, delay)
        counts["done" if ended == "done" else "killed"] += 1
        interrupted = write.pending(project / "generated")
        counts["writing"] += interrupted
        if interrupted:
            assert _check(project) != [], "check must not call an interrupted package whole"
        assert _build(project, None, 0.0) == "done"
        assert files(project / "generated") == wanted[variant], f"kill {number} ({when}, {delay:.4f} s)"
        assert _check(project) == []
    return counts


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


def _undisturbed(folder: Path, variant: int) -> dict[str, bytes]:
    assert _build(_project(folder, variant), None, 0.0) == "done"
    return files(folder / "generated")


def _package(folder: Path) -> config.Package:
    return config.Package(settings=config.PackageSettings.model_validate({}), folder=folder)


def _check(folder: Path) -> list[str]:
    outcome = app.generate(_package(folder), 1, lambda *_: None)
    app.compare(outcome)
    assert outcome.plan is not None
    return ["interrupted"] * outcome.interrupted + [step.path for step in outcome.plan.changes]


def _build(folder: Path, kill: str | None, delay: float) -> str:
    """Build in a forked process; kill it `delay` seconds after it started, or after it began to write."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        status = 1
        try:
            if kill == "writing":
                real = write.apply

                def announced(plan: Plan) -> None:
                    os.write(writer, b"x")
                    real(plan)

                write.apply = announced
            outcome = app.generate(_package(folder), 1, lambda *_: None)
            app.finish(outcome, False)
            status = 0 if outcome.written else 1
        finally:
            os._exit(status)
    os.close(writer)
    if kill == "writing":
        os.read(reader, 1)
    os.close(reader)
    if kill is not None:
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return "done" if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0 else "killed"
