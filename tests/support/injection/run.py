"""Hostile definitions through a build, a check of what came out, and its use in a process that is listened to."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from mcpgen import app
from mcpgen.config import load, models
from mcpgen.diagnostics import Diagnostic, Findings, Severity
from mcpgen.files.ownership import Owner, detect_owner, get_record_path
from mcpgen.lower import identity
from mcpgen.names.identifiers import make_module_name
from mcpgen.render import declared_places
from mcpgen.report import text
from mcpgen.report.text import CommandRun
from support.injection.cases import Case
from support.injection.compare import compare
from support.injection.payloads import FOLDER, SENTINEL, SENTINEL_TEXT

SDKS = ("none", "mcp") if importlib.util.find_spec("mcp_types") else ("none",)
_NAME = re.compile(r"(?!(con|nul|aux|prn)\.|\.\.)[A-Za-z0-9_.]+")


@dataclass
class Report:
    """What became of the cases."""

    schemas: int = 0
    """In packages that were built."""
    built: Counter[str] = field(default_factory=Counter[str])
    payloads: Counter[str] = field(default_factory=Counter[str])
    """Those of the built cases."""
    refused: Counter[str] = field(default_factory=Counter[str])
    codes: Counter[str] = field(default_factory=Counter[str])
    problems: list[str] = field(default_factory=list[str])


@dataclass
class Built:
    """A package of cases."""

    folder: Path
    name: str
    sdk: str
    cases: list[Case]
    deaf: set[str]
    """Tools whose schema the validator cannot read, so that it refuses every value (MG109)."""

    @property
    def out(self) -> Path:
        """Return the package's folder."""
        return self.folder / self.name


def run(todo: Iterable[Case], folder: Path, size: int = 150) -> Report:
    """Build all cases in packages of `size`, for one SDK and the other, and look at everything that comes of it."""
    report = Report()
    packages: list[Built] = []
    for built in _packages(list(todo), folder, size, report):
        packages.append(built)
        for case in built.cases:
            report.schemas += case.schemas
            report.built[case.position] += 1
            report.payloads[case.payload] += 1
        twin = built
        if twins := [case.twin for case in built.cases if case.twin is not None]:
            twin, _ = _build(twins, folder / f"twin_{built.name}", built.name, built.sdk, Report())
            report.problems += [f"{built.name}: no twin of {case.path}" for case in twins if case not in twin.cases]
        report.problems += [f"{built.name}: {problem}" for problem in examined(built, twin.out)]
    report.problems += used(packages, folder)
    return report


# --- building --------------------------------------------------------------------------------------------------------
def _packages(waiting: list[Case], folder: Path, size: int, report: Report) -> Iterator[Built]:
    """Packages of all cases that can be built; what falls together with others by name goes into a later one."""
    for number in itertools.count():
        if not waiting:
            return
        batch, waiting = _batch(waiting, size)
        built, later = _build(batch, folder / f"p{number}", f"hostile{number}", SDKS[number % len(SDKS)], report)
        waiting += later
        if built.cases:
            yield built


def _batch(waiting: list[Case], size: int) -> tuple[list[Case], list[Case]]:
    """Cases for one package, no two of the same Python name, all with twins or all without, and the others."""
    batch: dict[tuple[bool, str], Case] = {}
    remaining: list[Case] = []
    for case in waiting:
        wire = case.tool or str(case.content.get("name", ""))
        chosen = case.content.get("x-mcpgen", case.settings.get(wire, {})).get("name")
        key = (case.tool is None, make_module_name(wire, chosen).lower())
        if key in batch or len(batch) == size or (case.twin is None) != (waiting[0].twin is None):
            remaining.append(case)
        else:
            batch[key] = case
    return list(batch.values()), remaining


def _build(batch: list[Case], folder: Path, name: str, sdk: str, report: Report) -> tuple[Built, list[Case]]:
    """One package, without the cases that findings speak of; those whose names clash are given back."""
    later: list[Case] = []
    while True:
        with _choose_without_hashes():
            outcome = app.generate_package(written(batch, folder, name, sdk), 1, lambda *_: None)
        wrong: dict[str, set[str]] = {}
        for finding in outcome.findings:
            report.problems += _said(finding)
            if finding.severity is Severity.ERROR:
                wrong.setdefault(_case_of(finding, batch, folder).path, set()).add(finding.code)
        if not wrong:
            break
        for case in (case for case in batch if case.path in wrong):
            codes = wrong[case.path]
            if codes <= {"MG201", "MG203"} and len(batch) > 1:
                later.append(case)
            else:
                report.refused[case.position] += 1
                report.codes.update(codes)
        batch = [case for case in batch if case.path not in wrong]
        if not batch:
            return Built(folder, name, sdk, [], set()), later
    app.write_output(outcome, False)
    assert outcome.written, list(outcome.findings)
    deaf = {str(_case_of(finding, batch, folder).tool) for finding in outcome.findings if finding.code == "MG109"}
    return Built(folder, name, sdk, batch, deaf), later


@contextmanager
def _choose_without_hashes() -> Iterator[None]:
    """Have numbers of contents, and names of tools, in place of their hashes, which are others in a twin.

    Where several classes or tools want the same, the lowest hash decides.
    """
    numbers: dict[str, str] = {}

    def number(value: Any) -> str:
        return numbers.setdefault(json.dumps(value, sort_keys=True), f"{len(numbers):08}".ljust(64, "0"))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(identity, "hash_json", number)
        names = SimpleNamespace(sha256=lambda name: SimpleNamespace(digest=lambda: name))
        patch.setattr(declared_places, "hashlib", names)
        yield


def _case_of(finding: Diagnostic, batch: list[Case], folder: Path) -> Case:
    assert finding.span is not None, finding
    for case in batch:
        named = any(f"tools.{tool}" in finding.span.pointer for tool in case.settings)
        if named or Path(finding.span.file).resolve() == (folder / "schemas" / case.path).resolve():
            return case
    raise AssertionError(finding)


def _said(finding: Diagnostic) -> list[str]:
    """A finding in a terminal: hostile text begins no line and holds no control characters."""
    rendered = text.render_text([finding], CommandRun("build"))
    lines = rendered.removesuffix("\n").split("\n")
    fine = len(lines) <= 5 and all(line.isprintable() for line in lines)
    return [] if fine else [f"the finding {rendered!r}"]


def written(batch: list[Case], folder: Path, name: str, sdk: str) -> models.ConfiguredPackage:
    """Return the cases' files and settings on disk, and nothing else below `folder`."""
    shutil.rmtree(folder, ignore_errors=True)
    for case in batch:
        path = folder / "schemas" / case.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(case.content), "utf-8")
    lines = [f'out = "{name}"', f'sdk = "{sdk}"', *(["testing = true", "stubs = true"] if sdk != "none" else [])]
    for tool, chosen in ((tool, chosen) for case in batch for tool, chosen in case.settings.items()):
        lines += [f"[tools.{_toml(tool)}]", *(f"{key} = {_toml(value)}" for key, value in chosen.items())]
    settings = folder / "mcpgen.toml"
    settings.write_text("\n".join(lines), "utf-8")
    findings = Findings()
    (package,) = load.load_packages(settings, folder, findings)
    assert not findings.failed, list(findings)
    return package


def _toml(text: str) -> str:
    """A TOML basic string: as JSON's, but DEL is escaped, and lone surrogates cannot be said."""
    return json.dumps(text.replace("\ud800", "?"), ensure_ascii=False).replace("\x7f", "\\u007f")


# --- looking ---------------------------------------------------------------------------------------------------------
def examined(built: Built, twin: Path) -> Iterator[str]:
    """Yield what is wrong with the files of a package, and with what stands beside it."""
    files = {path.relative_to(built.folder).as_posix() for path in built.folder.rglob("*") if not path.is_dir()}
    inputs = {"mcpgen.toml", *(f"schemas/{case.path}" for case in built.cases)}
    for name in sorted(files - inputs):
        inner = name.removeprefix(f"{built.name}/")
        if inner == name or not all(map(_NAME.fullmatch, inner.split("/"))):
            yield f"the file {name}"
        elif inner != "py.typed":
            text = (built.folder / name).read_bytes().decode()
            record = get_record_path(inner)
            beside = "" if record is None else (built.folder / built.name / record).read_bytes().decode()
            if detect_owner(inner, text, beside=beside) is not Owner.MCPGEN:
                yield f"{inner} is not mcpgen's"
            if inner.endswith((".py", ".pyi")) and detect_owner(inner, text + "\nx = 1\n") is not Owner.EDITED:
                yield f"an edit of {inner} would be lost"
    yield from compare(built.out, twin)


def used(packages: Iterable[Built], folder: Path) -> list[str]:
    """Return what went wrong, and what was heard, while the packages were imported and used in another process."""
    results: dict[str, Any] = {}
    for built in packages:
        tools = [
            {
                "position": case.position,
                "tool": case.tool,
                "declared": case.declared,
                "value": case.value,
                "arguments": case.arguments,
                "deaf": case.tool in built.deaf,
            }
            for case in built.cases
            if case.tool is not None
        ]
        results[built.name] = {"folder": str(built.folder), "tools": tools}
    specification = folder / "use.json"
    specification.write_text(json.dumps(results), "utf-8")
    sentinel = folder / "sentinel"
    sentinel.mkdir(exist_ok=True)
    (sentinel / f"{SENTINEL}.py").write_text(SENTINEL_TEXT, "utf-8")
    environment = {**os.environ, FOLDER: str(sentinel), "PYTHONPATH": str(sentinel), "PYTHONDONTWRITEBYTECODE": "1"}
    script = Path(__file__).with_name("use.py")
    run = subprocess.run(
        [sys.executable, str(script), str(folder), str(specification)], env=environment, capture_output=True, text=True
    )
    if run.returncode:
        return [f"using the packages: {run.stderr[-2000:]}"]
    document = json.loads(run.stdout)
    ran = ["a payload ran"] if document["ran"] or (sentinel / "ran").exists() else []
    return [*document["problems"], *document["heard"], *ran]
