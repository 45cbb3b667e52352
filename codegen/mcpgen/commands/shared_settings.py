"""Settings that several packages share: a table for a tool is right if one of the packages has the tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Diagnostic, Findings, Span
from mcpgen.pipeline.outcome import Outcome
from mcpgen.read.idle_settings import choose_help

PackageReport: TypeAlias = tuple[ConfiguredPackage, Findings]
"""A package, and the findings about it."""
_Warning: TypeAlias = tuple[str, Span | None]
"""The message and the place of a warning, which are the same for each package that shares a setting."""


def pair_findings(packages: Sequence[ConfiguredPackage], outcomes: Sequence[Outcome]) -> list[PackageReport]:
    """Return each package of a run with the findings of its outcome."""
    return [(package, outcome.findings) for package, outcome in zip(packages, outcomes, strict=True)]


def drop_names_of_other_packages(reports: Sequence[PackageReport]) -> list[Findings]:
    """Return the findings about each package, without warnings about a definition that another package may have.

    The other one must have the same setting. It may have the definition, too, if its errors hide what it has. If none
    has the definition, one warning remains: that of the package with the most similar name, see `_choose_help`.

    What the cache stores of each package keeps the warning, so that a run without the other package repeats it.

    Args:
        reports: each package of a run, with the findings about it.
    """
    reported = [{(item.message, item.span) for item in findings} for _, findings in reports]
    doubtful: set[_Warning] = set()
    helps: dict[_Warning, list[tuple[int, str]]] = {}
    for number, (package, findings) in enumerate(reports):
        others = [
            (other, set[_Warning]() if other_findings.failed else found)
            for index, ((other, other_findings), found) in enumerate(zip(reports, reported, strict=True))
            if index != number
        ]
        for item in findings:
            if any(_may_have_definition(item, package, other, found) for other, found in others):
                doubtful.add((item.message, item.span))
            elif item.code == "MG308":
                helps.setdefault((item.message, item.span), []).append((number, item.help))
    packages = [package for package, _ in reports]
    chosen = {
        warning: _choose_help(warning, found, packages) for warning, found in helps.items() if warning not in doubtful
    }
    return [_keep_chosen(findings, number, chosen) for number, (_, findings) in enumerate(reports)]


def _choose_help(
    warning: _Warning, helps: Sequence[tuple[int, str]], packages: Sequence[ConfiguredPackage]
) -> tuple[int, str]:
    """Return which package keeps a warning, and its help; `helps` has the help of each package that has the warning.

    Without a similar name, it is the package with the learned file of the tool, else the first.
    """
    if len(helps) == 1:
        return helps[0]
    index, help = choose_help(warning[0], [help for _, help in helps])
    if index is not None:
        return helps[index][0], help
    name = "" if warning[1] is None else warning[1].pointer.partition(".")[2]
    readers = [number for number, _ in helps if _reads_schema_of(packages[number], name)]
    return (readers or [helps[0][0]])[0], help


def _reads_schema_of(package: ConfiguredPackage, tool: str) -> bool:
    """Return whether the file that the settings name for the outputSchema of a tool is in the input of a package."""
    choice = package.settings.tools.get(tool)
    path = None if choice is None else choice.output_schema
    return path is not None and package.reads(package.folder / path)


def _keep_chosen(findings: Findings, number: int, chosen: Mapping[_Warning, tuple[int, str]]) -> Findings:
    """Return the findings about a package, with those warnings alone that were chosen to stay with it."""
    kept = Findings()
    for item in findings:
        owner, help = chosen.get((item.message, item.span), (None, ""))
        if item.code != "MG308":
            kept.add(item)
        elif owner == number:
            kept.add(replace(item, help=help))
    return kept


def _may_have_definition(
    item: Diagnostic, package: ConfiguredPackage, other: ConfiguredPackage, found: set[_Warning]
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
