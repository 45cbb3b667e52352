"""Decide whether warnings make a command fail: an option, or `fail-on` of the settings, asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from mcpgen.commands.shared_settings import PackageReport
from mcpgen.diagnostics import Diagnostic, Findings, Severity

FailOn: TypeAlias = Literal["error", "warning"]
"""The least severity that makes a command fail."""


def must_fail(
    fail_on: FailOn | None, reports: Sequence[PackageReport], findings: Findings, default: FailOn = "error"
) -> bool:
    """Return whether there are warnings that make a run fail.

    Args:
        fail_on: The option; None: the settings of each package decide about its own warnings.
        reports: Each package, with the findings about it.
        findings: The findings about all packages.
        default: What holds for a package whose settings do not say.
    """
    if fail_on is not None:
        return fail_on == "warning" and any(map(has_warning, [findings, *(found for _, found in reports)]))
    return any((package.settings.fail_on or default) == "warning" and has_warning(found) for package, found in reports)


def has_warning(items: Iterable[Diagnostic]) -> bool:
    """Return whether a warning is among some diagnostics."""
    return any(item.severity is Severity.WARNING for item in items)
