"""Decide whether warnings make a command fail: an option, or `fail-on` of the settings, asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Diagnostic, Findings, Severity
from mcpgen.pipeline.outcome import Outcome

FailOn: TypeAlias = Literal["error", "warning"]
"""The least severity that makes a command fail."""


def must_fail(
    fail_on: FailOn | None, packages: Sequence[ConfiguredPackage], outcomes: Sequence[Outcome], findings: Findings
) -> bool:
    """Return whether there are warnings that make a run fail.

    Args:
        fail_on: The option; None: the settings of each package decide about its own warnings.
        packages: The packages.
        outcomes: What became of each.
        findings: The findings about all packages.
    """
    if fail_on is not None:
        return fail_on == "warning" and any(map(has_warning, [findings, *(outcome.findings for outcome in outcomes)]))
    return any(
        package.settings.fail_on == "warning" and has_warning(outcome.findings)
        for package, outcome in zip(packages, outcomes, strict=True)
    )


def has_warning(items: Iterable[Diagnostic]) -> bool:
    """Return whether a warning is among some diagnostics."""
    return any(item.severity is Severity.WARNING for item in items)
