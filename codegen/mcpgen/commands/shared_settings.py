"""Settings that several packages share: a table for a tool is right if one of the packages has the tool."""

from __future__ import annotations

from collections.abc import Sequence

from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Diagnostic, Findings, Span
from mcpgen.pipeline.outcome import Outcome


def drop_names_of_other_packages(packages: Sequence[ConfiguredPackage], outcomes: Sequence[Outcome]) -> None:
    """Drop warnings about a definition that is not in a package if another one with the same setting has it.

    If none has it, the first warning remains.

    What the cache stores of each package keeps the warning, so that a run without the other package repeats it.

    Args:
        packages: the packages of a run.
        outcomes: the outcome of each.
    """
    reported = [{(item.message, item.span) for item in outcome.findings} for outcome in outcomes]
    for number, (package, outcome) in enumerate(zip(packages, outcomes, strict=True)):
        others = [
            (other, found)
            for index, (other, found) in enumerate(zip(packages, reported, strict=True))
            if index != number and not other.is_runtime and not outcomes[index].findings.failed
        ]
        kept = Findings()
        kept.extend(
            item
            for item in outcome.findings
            if not any(_has_definition(item, package, other, found) for other, found in others)
            and not any(item.code == "MG308" and (item.message, item.span) in found for found in reported[:number])
        )
        if len(kept) < len(outcome.findings):
            outcome.findings = kept


def _has_definition(
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
