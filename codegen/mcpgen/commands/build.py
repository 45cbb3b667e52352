"""One run of `build` or `check` as a person sees it: findings, a progress bar, a closing summary."""

from __future__ import annotations

import os
from pathlib import Path

from mcpgen import write
from mcpgen.cache.memory import Memory
from mcpgen.commands import check_report
from mcpgen.commands.depfile import rules
from mcpgen.config.models import Package
from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.files import journal, private_folders
from mcpgen.files.input_files import real
from mcpgen.incremental import generate
from mcpgen.paths import shown
from mcpgen.pipeline.outcome import Outcome, compare, finish
from mcpgen.report.exit_codes import DRIFT, FINE, INPUT, REFUSED
from mcpgen.report.output import Output
from mcpgen.report.progress import Bar


class Session:
    """A command's run."""

    def __init__(self, output: Output, memory: Memory | None = None, depfile: Path | None = None) -> None:
        self._output, self._memory, self._depfile = output, memory or Memory(), depfile
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
            with Bar(self._output.quiet) as bar:
                outcomes.append(generate(package, jobs or os.cpu_count() or 1, bar.show, self._memory))
            findings.extend(outcomes[-1].findings)
        self._refuse_depfile(found, findings)
        private_folders.complain(findings, [self._memory.describe_problem(), journal.complaint()])
        if findings.failed:
            return self._output.close(findings, INPUT)
        for outcome in outcomes:
            if apply:
                finish(outcome, force)
            else:
                compare(outcome)
            findings.extend(outcome.findings)
        depended = self._depended(found, findings)
        code = max([depended, *(self._judged(outcome, apply, findings) for outcome in outcomes)])
        as_json = check_report.as_json
        self._output.close(findings, code, lambda: {"packages": [as_json(outcome, not apply) for outcome in outcomes]})
        for outcome in outcomes:
            self._summarise(outcome, apply)
        return code

    def _refuse_depfile(self, packages: list[Package], findings: Findings) -> None:
        """A depfile that would take the place of what was read, or of what is generated, is an error."""
        if self._depfile is None:
            return
        file = real(self._depfile)
        read = {real(path) for outcome in self.outcomes for path, seen in outcome.seen.items() if seen}
        read |= {real(package.file) for package in packages if package.file is not None}
        outs = [real(outcome.out) for outcome in self.outcomes]
        if file in read or any(out in file.parents for out in outs):
            where, help = Span(shown(self._depfile)), "name a file that is nothing else's: --depfile"
            findings.error("MG404", "holds what is read or generated, so the depfile cannot go there", where, help)

    def _depended(self, packages: list[Package], findings: Findings) -> int:
        """Write what was read, where that is asked for and all went well; the exit code."""
        if self._depfile is None or findings.failed:
            return FINE
        text = rules((outcome, package.file) for outcome, package in zip(self.outcomes, packages, strict=True))
        try:
            write.replace_file(self._depfile, text)
        except OSError as error:
            findings.error("MG404", f"cannot be written: {error.strerror or error}", Span(shown(self._depfile)))
            return INPUT
        return FINE

    def _judged(self, outcome: Outcome, apply: bool, findings: Findings) -> int:
        """What one package's outcome means for the exit code; of a check also the difference, and what it means."""
        if outcome.plan is None:
            return INPUT
        if apply and outcome.plan.refused:
            return REFUSED
        if apply:
            return INPUT if outcome.findings.failed else FINE
        if not self._output.quiet and (difference := check_report.diffs(outcome)):
            self._output.show(difference, "diff")
        return DRIFT if check_report.report(outcome, findings) else FINE

    def _summarise(self, outcome: Outcome, apply: bool) -> None:
        if outcome.plan is None or (apply and outcome.findings.failed):
            return
        changes = len(outcome.plan.changes)
        if not apply:
            what = check_report.summary(outcome) or "up to date"
        else:
            what = f"{_many(changes, 'file')} changed" if changes else "nothing changed"
        notes = sum(item.severity is Severity.NOTE for item in outcome.findings)
        warnings = sum(item.severity is Severity.WARNING for item in outcome.findings)
        parts = [_many(outcome.tools, "tool"), _many(outcome.classes, "class"), what]
        parts += [_many(count, word) for count, word in ((warnings, "warning"), (notes, "note")) if count]
        self._output.say(f"{shown(outcome.out)}: {', '.join(parts)}")
        if outcome.unchosen and not (changes and not apply):
            self._output.say(
                f"{_many(outcome.unchosen, 'tool')} without a chosen content: the model gets the JSON; "
                'say so with "x-mcpgen": {"content": "json"}, or choose another'
            )


def _many(count: int, word: str) -> str:
    plural = f"{word}es" if word.endswith("s") else f"{word}s"
    return f"{count} {word if count == 1 else plural}"
