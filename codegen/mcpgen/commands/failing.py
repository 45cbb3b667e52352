"""Decide whether warnings make a command fail: an option, or `fail-on` of the settings, asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Diagnostic, Findings, Severity
from mcpgen.pipeline.outcome import Outcome
from mcpgen.report.exit_codes import SUCCESS, WARNINGS

FailOn: TypeAlias = Literal["error", "warning"]
"""The least severity that makes a command fail."""


def choose_exit_code(
    exit_code: int,
    fail_on: FailOn | None,
    packages: Sequence[ConfiguredPackage],
    outcomes: Sequence[Outcome],
    findings: Findings,
) -> int:
    """Return the exit code of a run, which is another one if it succeeded with warnings that are to fail.

    Args:
        exit_code: What it would be without warnings.
        fail_on: The option; None: the settings of each package decide about its own warnings.
        packages: The packages.
        outcomes: What became of each.
        findings: All findings of the run.
    """
    if exit_code != SUCCESS or fail_on == "error":
        return exit_code
    if fail_on == "warning":
        return WARNINGS if has_warning(findings) else exit_code
    strict = [
        outcome
        for package, outcome in zip(packages, outcomes, strict=True)
        if package.settings.fail_on == "warning" and has_warning(outcome.findings)
    ]
    return WARNINGS if strict else exit_code


def has_warning(items: Iterable[Diagnostic]) -> bool:
    """Return whether a warning is among some diagnostics."""
    return any(item.severity is Severity.WARNING for item in items)
