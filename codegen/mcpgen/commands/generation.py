"""Generation of all packages of a run, shared by `build`, `check` and `watch`."""

from __future__ import annotations

import os

from mcpgen.cache.memory import Memory
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.shared_settings import drop_names_of_other_packages, pair_findings
from mcpgen.config.models import ConfiguredPackage
from mcpgen.files import journal, private_folders
from mcpgen.incremental import generate_incrementally
from mcpgen.paths import format_path
from mcpgen.pipeline.outcome import Outcome
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count


def generate_packages(
    loaded: LoadedPackages,
    memory: Memory,
    output: CommandOutput,
    jobs: int | None,
) -> list[Outcome]:
    """Generate packages in memory, with a progress bar; all diagnostics go into `loaded.findings`.

    Nothing is written, so that an error in one package leaves the files of the others unchanged.

    Args:
        loaded: the packages of the settings.
        memory: results of earlier runs.
        output: the output of the command.
        jobs: how many worker processes to use; None: as many as there are processors.
    """
    outcomes: list[Outcome] = []
    for package in loaded.packages:
        _print_input(package, memory, output)
        with output.open_progress() as bar:
            outcome = generate_incrementally(package, jobs or os.cpu_count() or 1, bar.show, memory)
        output.print_detail(f"read: {format_count(sum(map(bool, outcome.observed.values())), 'file')}")
        outcomes.append(outcome)
    kept_findings = drop_names_of_other_packages(pair_findings(loaded.packages, outcomes))
    for outcome, kept in zip(outcomes, kept_findings, strict=True):
        outcome.findings = kept
        loaded.findings.extend(kept)
    complaints = [memory.describe_problem(), journal.describe_state_problem()]
    private_folders.warn_unused_folders(loaded.findings, complaints)
    return outcomes


def _print_input(package: ConfiguredPackage, memory: Memory, output: CommandOutput) -> None:
    """Print, as details, which settings are in force and what is used."""
    settings = package.settings
    file = "none, the defaults apply" if package.file is None else format_path(package.file)
    cache = "not used" if memory.store is None else format_path(memory.store.folder)
    protocol = f", protocol {settings.protocol}" if settings.protocol else ""
    output.print_detail(
        f"settings: {file}",
        f"definitions: {', '.join(settings.schemas)}",
        f'package: {settings.out}, for sdk = "{settings.sdk}"{protocol}',
        f"cache: {cache}",
    )
