"""`mcpgen check`: generate every package and report what `build` would change."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mcpgen.cache.store import Store
from mcpgen.commands.generation import (
    RunRequest,
    build_outcome_json,
    format_step_path,
    generate_packages,
    make_diffs,
    pair_findings,
    print_summary,
    store_idle_run,
)
from mcpgen.commands.package_selection import LoadedPackages, must_fail
from mcpgen.commands.project_requirements import report_missing_needs
from mcpgen.config.models import PackageSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.text_problems import find_merge_conflict
from mcpgen.paths import format_path
from mcpgen.pipeline.outcome import Outcome, compare_output
from mcpgen.plan import Action, find_first_difference
from mcpgen.report.exit_codes import DRIFT, INVALID_INPUT, SUCCESS, WARNINGS
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count
from mcpgen.schema.values import Json

if TYPE_CHECKING:
    from mcpgen.commands.token_counts import BudgetCheck

ACTION_LABELS = {
    Action.CREATE: "missing",
    Action.UPDATE: "stale",
    Action.REMOVE: "orphaned",
    Action.EDITED: "edited",
    Action.FOREIGN: "foreign",
}
_ACTION_FINDINGS = {
    Action.CREATE: ("MG405", "is missing", "`{build}` writes it; commit it"),
    Action.UPDATE: (
        "MG403",
        "is stale: the definitions or settings ask for something else",
        "run `{build}` and commit what it changes; if nobody changed the input, use the same mcpgen everywhere",
    ),
    Action.REMOVE: ("MG406", "is orphaned: nothing asks for it any more", "`{build}` removes it; commit that"),
}
"""Edited and foreign files are reported when the plan is made."""
_CONFLICT_HELP = "`{build}` rewrites it; then `git add` it"
MOST_DIFF_LINES = 60
"""Lines of the diffs of a package that are printed, unless details are wanted."""


def run_check(loaded: LoadedPackages, request: RunRequest, store: Store, output: CommandOutput) -> int:
    """Compare every package with its folder, report on it and return the exit code."""
    packages, findings = loaded.packages, loaded.findings
    outcomes = generate_packages(loaded, store, output, request.jobs)
    if findings.failed:
        return output.finish(findings, INVALID_INPUT)
    report_missing_needs(packages, findings)
    for outcome in outcomes:
        compare_output(outcome)
        findings.extend(outcome.findings)
    exit_code = max((_report_outcome(outcome, findings, output) for outcome in outcomes), default=SUCCESS)
    budgets = _check_budgets(loaded, outcomes, output, request.jobs)
    exit_code = max(exit_code, INVALID_INPUT if None in budgets.values() else SUCCESS)
    if any(budget is not None and budget.excesses for budget in budgets.values()):
        exit_code = DRIFT
    if exit_code == SUCCESS and must_fail(request.fail_on, pair_findings(packages, outcomes), findings):
        exit_code = WARNINGS
    tokens = {number: {"tokens": budget.data} for number, budget in budgets.items() if budget is not None}

    def make_json() -> dict[str, Json]:
        described = (build_outcome_json(outcome, True) for outcome in outcomes)
        return {"packages": [item | tokens.get(number, {}) for number, item in enumerate(described)]}

    output.finish(findings, exit_code, make_json)
    for outcome in outcomes:
        if outcome.plan is not None:
            changes = summarize_changes(outcome)
            print_summary(outcome, changes or "up to date", output, failed=bool(changes))
    mended = [outcome for outcome in outcomes if outcome.plan is not None and not outcome.plan.is_refused]
    if commands := [outcome.build_command for outcome in mended if summarize_changes(outcome)]:
        advice = "next: build, and commit what that changes:"
        output.print_summary(advice, *(f"  {command}" for command in dict.fromkeys(commands)), failed=True)
    if request.record is not None and exit_code == SUCCESS and not budgets:
        store_idle_run(request.record, outcomes, store, output)
    return exit_code


def has_budget(settings: PackageSettings) -> bool:
    """Check whether the settings of a package limit anything in tokens."""
    budgets = [settings.budget, *(choice.budget for choice in settings.tools.values() if choice.budget is not None)]
    return any(budget.model_dump(exclude={"vocabulary"}, exclude_none=True) for budget in budgets)


def _check_budgets(
    loaded: LoadedPackages, outcomes: Sequence[Outcome], output: CommandOutput, jobs: int | None
) -> dict[int, BudgetCheck | None]:
    """Return how the packages that are up to date fit their budgets, by number; None if tokens cannot be counted."""
    pairs = enumerate(zip(loaded.packages, outcomes, strict=True))
    current = [(number, package) for number, (package, outcome) in pairs if outcome.plan and not outcome.plan.changes]
    chosen = [number for number, package in current if has_budget(package.settings)]
    if not chosen:
        return {}
    from mcpgen.commands.token_counts import check_budget, format_worst

    jobs = jobs or os.cpu_count() or 1
    budgets = {number: check_budget(loaded.packages[number], jobs, loaded.findings) for number in chosen}
    excesses = [excess for budget in budgets.values() if budget is not None for excess in budget.excesses]
    if excesses and not output.quiet:
        output.print_data(format_worst(excesses))
    return budgets


def _report_outcome(outcome: Outcome, findings: Findings, output: CommandOutput) -> int:
    if outcome.plan is None:
        return INVALID_INPUT
    if not output.quiet and not _is_missing(outcome) and (lines := make_diffs(outcome)):
        most = len(lines) if output.verbose else MOST_DIFF_LINES
        output.print_data(lines[:most], "diff")
        if len(lines) > most:
            output.print_remark(f"… {len(lines) - most:,} more lines of diffs: mcpgen check -v")
    return DRIFT if report_differences(outcome, findings) else SUCCESS


def report_differences(outcome: Outcome, findings: Findings) -> bool:
    """Report missing, stale and orphaned files, and an interrupted build; return whether anything differs."""
    if outcome.plan is None:
        return False
    where = Span(format_path(outcome.out))
    if outcome.interrupted:
        findings.error("MG407", "a build was interrupted here", where, f"`{outcome.build_command}` finishes it")
    if _is_missing(outcome):
        message = f"the package is missing, with all of its {format_count(len(outcome.plan.changes), 'file')}"
        findings.error("MG405", message, where, f"`{outcome.build_command}` writes it; commit it")
        return True
    helped = set[str]()
    for step in () if outcome.plan.changes_kind else outcome.plan.changes:  # one cause, which is reported already
        if step.action in _ACTION_FINDINGS:
            code, message, help = _ACTION_FINDINGS[step.action]
            path = format_step_path(outcome, step)
            span = find_first_difference(path, step)
            conflict = find_merge_conflict(step.current or "") if step.action is Action.UPDATE else None
            if conflict is not None:
                message, help = f"has {conflict}", _CONFLICT_HELP
                span = Span(path, conflict.first_line, 1)
            help = help.format(build=outcome.build_command)
            findings.error(code, message, span, "" if help in helped else help)  # once is enough
            helped.add(help)
    return outcome.interrupted or bool(outcome.plan.changes)


def _is_missing(outcome: Outcome) -> bool:
    """Tell whether nothing of a package is there, so that one finding says it all."""
    if outcome.plan is None or not outcome.plan.changes or outcome.out.exists():
        return False
    return all(step.action is Action.CREATE for step in outcome.plan.changes)


def summarize_changes(outcome: Outcome) -> str:
    """Say how many files differ, by kind of difference; empty if none does."""
    return ", ".join(count_changes(outcome) + ["a build was interrupted"] * outcome.interrupted)


def count_changes(outcome: Outcome) -> list[str]:
    """Return the number of files that differ, for each kind of difference that there is."""
    counts = Counter(ACTION_LABELS[step.action] for step in (outcome.plan.changes if outcome.plan else ()))
    return [f"{counts[label]} {label}" for label in ACTION_LABELS.values() if counts[label]]
