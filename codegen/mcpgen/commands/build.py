"""One run of `build` or `check` as a person sees it: findings, a progress bar, a closing summary."""

from __future__ import annotations

import os
from pathlib import Path

from mcpgen import write
from mcpgen.cache.memory import Memory
from mcpgen.commands import check_report
from mcpgen.commands.depfile import render_rules
from mcpgen.config.load import LoadedPackages
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.files import journal, private_folders
from mcpgen.files.project_paths import resolve_path
from mcpgen.incremental import generate_incrementally
from mcpgen.paths import format_path
from mcpgen.pipeline.outcome import Outcome, compare_output, write_output
from mcpgen.report.exit_codes import DRIFT, INVALID_INPUT, SUCCESS, WRITE_REFUSED
from mcpgen.report.output import CommandOutput
from mcpgen.report.progress import ProgressBar


class BuildSession:
    """A command's run."""

    def __init__(self, output: CommandOutput, memory: Memory | None = None, depfile: Path | None = None) -> None:
        self._output, self._memory, self._depfile = output, memory or Memory(), depfile
        self.outcomes: list[Outcome] = []
        """What the packages of the last run came to."""

    def build(self, packages: LoadedPackages, jobs: int | None, force: bool) -> int:
        """Build every package and return the exit code."""
        return self._run(packages, jobs, force, True)

    def check(self, packages: LoadedPackages, jobs: int | None) -> int:
        """Compare every package and return the exit code."""
        return self._run(packages, jobs, False, False)

    def _run(self, packages: LoadedPackages, jobs: int | None, force: bool, apply: bool) -> int:
        """All packages are generated before any is written, so that a wrong one leaves the others as they are."""
        found, findings = packages
        outcomes = self.outcomes = []
        for package in found:
            with ProgressBar(self._output.quiet) as bar:
                outcomes.append(generate_incrementally(package, jobs or os.cpu_count() or 1, bar.show, self._memory))
            findings.extend(outcomes[-1].findings)
        self._refuse_depfile(found, findings)
        private_folders.warn_unused_folders(
            findings, [self._memory.describe_problem(), journal.describe_state_problem()]
        )
        if findings.failed:
            return self._output.close(findings, INVALID_INPUT)
        for outcome in outcomes:
            if apply:
                write_output(outcome, force)
            else:
                compare_output(outcome)
            findings.extend(outcome.findings)
        depended = self._depended(found, findings)
        code = max([depended, *(self._judged(outcome, apply, findings) for outcome in outcomes)])
        as_json = check_report.build_outcome_json
        self._output.close(findings, code, lambda: {"packages": [as_json(outcome, not apply) for outcome in outcomes]})
        for outcome in outcomes:
            self._summarise(outcome, apply)
        return code

    def _refuse_depfile(self, packages: list[ConfiguredPackage], findings: Findings) -> None:
        """A depfile that would take the place of what was read, or of what is generated, is an error."""
        if self._depfile is None:
            return
        file = resolve_path(self._depfile)
        read = {resolve_path(path) for outcome in self.outcomes for path, seen in outcome.seen.items() if seen}
        read |= {resolve_path(package.file) for package in packages if package.file is not None}
        outs = [resolve_path(outcome.out) for outcome in self.outcomes]
        if file in read or any(out in file.parents for out in outs):
            where, help = Span(format_path(self._depfile)), "name a file that is nothing else's: --depfile"
            findings.error("MG404", "holds what is read or generated, so the depfile cannot go there", where, help)

    def _depended(self, packages: list[ConfiguredPackage], findings: Findings) -> int:
        """Write what was read, where that is asked for and all went well; the exit code."""
        if self._depfile is None or findings.failed:
            return SUCCESS
        text = render_rules((outcome, package.file) for outcome, package in zip(self.outcomes, packages, strict=True))
        try:
            write.replace_file(self._depfile, text)
        except OSError as error:
            findings.error("MG404", f"cannot be written: {error.strerror or error}", Span(format_path(self._depfile)))
            return INVALID_INPUT
        return SUCCESS

    def _judged(self, outcome: Outcome, apply: bool, findings: Findings) -> int:
        """What one package's outcome means for the exit code; of a check also the difference, and what it means."""
        if outcome.plan is None:
            return INVALID_INPUT
        if apply and outcome.plan.refused:
            return WRITE_REFUSED
        if apply:
            return INVALID_INPUT if outcome.findings.failed else SUCCESS
        if not self._output.quiet and (difference := check_report.make_diffs(outcome)):
            self._output.show(difference, "diff")
        return DRIFT if check_report.report_differences(outcome, findings) else SUCCESS

    def _summarise(self, outcome: Outcome, apply: bool) -> None:
        if outcome.plan is None or (apply and outcome.findings.failed):
            return
        changes = len(outcome.plan.changes)
        if not apply:
            what = check_report.summarise_outcome(outcome) or "up to date"
        else:
            what = f"{_format_count(changes, 'file')} changed" if changes else "nothing changed"
        notes = sum(item.severity is Severity.NOTE for item in outcome.findings)
        warnings = sum(item.severity is Severity.WARNING for item in outcome.findings)
        parts = [_format_count(outcome.tools, "tool"), _format_count(outcome.classes, "class"), what]
        parts += [_format_count(count, word) for count, word in ((warnings, "warning"), (notes, "note")) if count]
        self._output.say(f"{format_path(outcome.out)}: {', '.join(parts)}")
        if outcome.unchosen and not (changes and not apply):
            self._output.say(
                f"{_format_count(outcome.unchosen, 'tool')} without a chosen content: the model gets the JSON; "
                'say so with "x-mcpgen": {"content": "json"}, or choose another'
            )


def _format_count(count: int, word: str) -> str:
    plural = f"{word}es" if word.endswith("s") else f"{word}s"
    return f"{count} {word if count == 1 else plural}"
