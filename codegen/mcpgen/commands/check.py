"""`mcpgen check`: generate every package and report what `build` would change."""

from __future__ import annotations

from collections import Counter

from mcpgen import incremental
from mcpgen.cache.memory import Memory
from mcpgen.commands.generation import generate_packages, select_runtimes
from mcpgen.commands.outcome_report import build_outcome_json, format_step_path, make_diffs, print_summary
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.diagnostics import Findings, Span
from mcpgen.paths import format_path
from mcpgen.pipeline.outcome import Outcome, compare_output
from mcpgen.plan import Action, find_first_difference
from mcpgen.report.exit_codes import DRIFT, INVALID_INPUT, SUCCESS
from mcpgen.report.output import CommandOutput

ACTION_LABELS = {
    Action.CREATE: "missing",
    Action.UPDATE: "stale",
    Action.REMOVE: "orphaned",
    Action.EDITED: "edited",
    Action.FOREIGN: "foreign",
}
_ACTION_FINDINGS = {
    Action.CREATE: ("MG405", "is missing"),
    Action.UPDATE: ("MG403", "is stale: the definitions or settings ask for something else"),
    Action.REMOVE: ("MG406", "is orphaned: nothing asks for it any more"),
}
"""Edited and foreign files are reported when the plan is made."""


def run_check(
    loaded: LoadedPackages, memory: Memory, output: CommandOutput, jobs: int | None, runtime_only: bool = False
) -> int:
    """Compare every package with its folder, then every run-time package; report the differences, return the exit code.

    With `runtime_only`, only the run-time packages are compared.
    """
    findings = loaded.findings
    packages = select_runtimes(loaded) if runtime_only else [*loaded.packages, *loaded.list_runtimes()]
    outcomes = generate_packages(loaded, memory, output, jobs, packages)
    if findings.failed:
        return output.finish(findings, INVALID_INPUT)
    for package, outcome in zip(packages, outcomes, strict=True):
        compare_output(outcome)
        incremental.remember_file_digests(package, outcome, memory.store)
        findings.extend(outcome.findings)
    exit_code = max((_report_outcome(outcome, findings, output) for outcome in outcomes), default=SUCCESS)
    output.finish(
        findings, exit_code, lambda: {"packages": [build_outcome_json(outcome, True) for outcome in outcomes]}
    )
    for outcome in outcomes:
        if outcome.plan is not None:
            print_summary(outcome, summarize_changes(outcome) or "up to date", output, not outcome.plan.changes)
    return exit_code


def _report_outcome(outcome: Outcome, findings: Findings, output: CommandOutput) -> int:
    """Print the diffs of a package, report its differences and return its exit code."""
    if outcome.plan is None:
        return INVALID_INPUT
    if not output.quiet and (diffs := make_diffs(outcome)):
        output.print_data(diffs, "diff")
    return DRIFT if report_differences(outcome, findings) else SUCCESS


def report_differences(outcome: Outcome, findings: Findings) -> bool:
    """Report missing, stale and orphaned files, and an interrupted build; return whether anything differs."""
    if outcome.plan is None:
        return False
    if outcome.interrupted:
        where = Span(format_path(outcome.out))
        findings.error("MG407", "a build was interrupted here", where, f"`{outcome.build_command}` finishes it")
    for step in outcome.plan.changes:
        if step.action in _ACTION_FINDINGS:
            code, message = _ACTION_FINDINGS[step.action]
            findings.error(code, message, find_first_difference(format_step_path(outcome, step), step))
    return outcome.interrupted or bool(outcome.plan.changes)


def summarize_changes(outcome: Outcome) -> str:
    """Count the files that differ, by kind of difference; empty if none does."""
    counts = Counter(ACTION_LABELS[step.action] for step in (outcome.plan.changes if outcome.plan else ()))
    parts = [f"{counts[label]} {label}" for label in ACTION_LABELS.values() if counts[label]]
    return ", ".join(parts + ["a build was interrupted"] * outcome.interrupted)
