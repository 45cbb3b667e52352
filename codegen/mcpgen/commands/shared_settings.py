"""Settings that several packages share: a table for a tool is right if one of the packages has the tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Diagnostic, Findings, Span
from mcpgen.pipeline.outcome import Outcome

PackageReport: TypeAlias = tuple[ConfiguredPackage, Findings]
"""A package, and the findings about it."""


def pair_findings(packages: Sequence[ConfiguredPackage], outcomes: Sequence[Outcome]) -> list[PackageReport]:
    """Return each package of a run with the findings of its outcome."""
    return [(package, outcome.findings) for package, outcome in zip(packages, outcomes, strict=True)]


def drop_names_of_other_packages(reports: Sequence[PackageReport]) -> list[Findings]:
    """Return the findings about each package, without warnings about a definition that another package may have.

    The other one must have the same setting. It may have the definition, too, if its errors hide what it has. If none
    has the definition, the first warning remains.

    What the cache stores of each package keeps the warning, so that a run without the other package repeats it.

    Args:
        reports: each package of a run, with the findings about it.
    """
    reported = [{(item.message, item.span) for item in findings} for _, findings in reports]
    kept: list[Findings] = []
    for number, (package, findings) in enumerate(reports):
        others = [
            (other, set[tuple[str, Span | None]]() if other_findings.failed else found)
            for index, ((other, other_findings), found) in enumerate(zip(reports, reported, strict=True))
            if index != number and not other.is_runtime
        ]
        kept.append(Findings())
        kept[-1].extend(
            item
            for item in findings
            if not any(_may_have_definition(item, package, other, found) for other, found in others)
            and not any(item.code == "MG308" and (item.message, item.span) in found for found in reported[:number])
        )
    return kept


def _may_have_definition(
    item: Diagnostic, package: ConfiguredPackage, other: ConfiguredPackage, found: set[tuple[str, Span | None]]
) -> bool:
    """Return whether another package shares the setting that a warning is about, and does not have the warning.

    A setting in the `[[package]]` table of a package is its own.
    """
    if item.code != "MG308" or item.span is None or item.span.pointer.startswith("package."):
        return False
    table, _, name = item.span.pointer.partition(".")
    value = getattr(package.settings, table).get(name)
    is_shared = value is not None and getattr(other.settings, table).get(name) == value
    return is_shared and (item.message, item.span) not in found
