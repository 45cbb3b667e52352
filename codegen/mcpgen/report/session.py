"""One run of a command as a person sees it: findings, a progress bar, a closing summary."""

from __future__ import annotations

import difflib
import os
import sys
from pathlib import Path

from mcpgen import write
from mcpgen.config import Package
from mcpgen.depfile import rules
from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.memory import Memory
from mcpgen.outcome import Outcome, compare, finish
from mcpgen.paths import shown
from mcpgen.plan import Action, Step
from mcpgen.recall import generate
from mcpgen.report import text
from mcpgen.report.exit_codes import DRIFT, FINE, INPUT, REFUSED
from mcpgen.report.progress import Bar


class Session:
    """A command's run; `quiet` leaves errors only."""

    def __init__(self, quiet: bool, memory: Memory | None = None, depfile: Path | None = None) -> None:
        self._quiet, self._memory, self._depfile = quiet, memory or Memory(), depfile
        self.outcomes: list[Outcome] = []
        """What the packages of the last run came to."""

    def build(self, packages: tuple[list[Package], Findings], jobs: int | None, force: bool) -> int:
        """Build every package and return the exit code."""
        return self._run(packages, jobs, force, True)

    def check(self, packages: tuple[list[Package], Findings], jobs: int | None) -> int:
        """Compare every package and return the exit code."""
        return self._run(packages, jobs, False, False)

    def _run(self, packages: tuple[list[Package], Findings], jobs: int | None, force: bool, apply: bool) -> int:
        """All packages are generated before any is written, so that a wrong one leaves the others as they are."""
        found, findings = packages
        outcomes = self.outcomes = []
        for package in found:
            with Bar(self._quiet) as bar:
                outcomes.append(generate(package, jobs or os.cpu_count() or 1, bar.show, self._memory))
            findings.extend(outcomes[-1].findings)
        if findings.failed:
            self._say(findings)
            return INPUT
        for outcome in outcomes:
            if apply:
                finish(outcome, force)
            else:
                compare(outcome)
            findings.extend(outcome.findings)
        if self._depfile is not None and not findings.failed:
            self._write_depfile(self._depfile, found, findings)
        self._say(findings)
        return max((self._report(outcome, apply) for outcome in outcomes), default=FINE)

    def _write_depfile(self, path: Path, packages: list[Package], findings: Findings) -> None:
        text = rules((outcome, package.file) for outcome, package in zip(self.outcomes, packages, strict=True))
        try:
            write.replace_file(path, text)
        except OSError as error:
            findings.error("MG404", f"cannot be written: {error.strerror or error}", Span(shown(path)))

    def _say(self, findings: Findings) -> None:
        items = [item for item in findings.sorted() if not self._quiet or item.severity == "error"]
        sys.stderr.write(text.diagnostics(items))

    def _report(self, outcome: Outcome, apply: bool) -> int:
        if outcome.plan is None:
            return INPUT
        if not apply:
            self._say_drift(outcome)
            drifted = bool(outcome.plan.changes) or outcome.interrupted
            return DRIFT if drifted else self._done(outcome, "up to date")
        if outcome.plan.refused:
            return REFUSED
        if outcome.findings.failed:
            return INPUT
        changes = len(outcome.plan.changes)
        return self._done(outcome, f"{_many(changes, 'file')} changed" if changes else "nothing changed")

    def _done(self, outcome: Outcome, what: str) -> int:
        if not self._quiet:
            notes = sum(item.severity is Severity.NOTE for item in outcome.findings)
            warnings = sum(item.severity is Severity.WARNING for item in outcome.findings)
            parts = [_many(outcome.tools, "tool"), _many(outcome.classes, "class"), what]
            parts += [_many(count, word) for count, word in ((warnings, "warning"), (notes, "note")) if count]
            sys.stderr.write(f"{_shown(outcome)}: {', '.join(parts)}\n")
            if outcome.unchosen:
                sys.stderr.write(
                    f"{_many(outcome.unchosen, 'tool')} without a chosen content: the model gets the JSON; "
                    'say so with "x-mcpgen": {"content": "json"}, or choose another\n'
                )
        return FINE

    def _say_drift(self, outcome: Outcome) -> None:
        if outcome.plan is None:
            return
        if outcome.interrupted:
            sys.stderr.write("a build was interrupted here; `mcpgen build` finishes it\n")
        words = {
            Action.CREATE: "missing",
            Action.UPDATE: "stale",
            Action.REMOVE: "orphaned",
            Action.EDITED: "edited",
            Action.FOREIGN: "foreign",
        }
        for step in outcome.plan.changes:
            path = (Path(os.path.relpath(outcome.plan.out)) / step.path).as_posix()
            sys.stderr.write(f"{words[step.action]}: {path}\n")
            if not self._quiet and step.action in (Action.UPDATE, Action.EDITED):
                sys.stdout.write(_diff(step, path))


def _diff(step: Step, path: str) -> str:
    old = (step.current or "").splitlines(keepends=True)
    new = (step.text or "").splitlines(keepends=True)
    return "".join(difflib.unified_diff(old, new, path, f"{path} (wanted)"))


def _shown(outcome: Outcome) -> str:
    return Path(os.path.relpath(outcome.out)).as_posix()


def _many(count: int, word: str) -> str:
    plural = f"{word}es" if word.endswith("s") else f"{word}s"
    return f"{count} {word if count == 1 else plural}"
