"""Generation of all packages of a run, shared by `build`, `check` and `watch`."""

from __future__ import annotations

import os
from collections.abc import Sequence

from mcpgen.app import generate_package
from mcpgen.cache.recorded_runs import RunRecord
from mcpgen.cache.store import Store
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.shared_settings import drop_names_of_other_packages, pair_findings
from mcpgen.config.models import ConfiguredPackage
from mcpgen.files import journal, private_folders
from mcpgen.paths import format_path
from mcpgen.pipeline.outcome import Outcome
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count


def generate_packages(
    loaded: LoadedPackages,
    store: Store,
    output: CommandOutput,
    jobs: int | None,
) -> list[Outcome]:
    """Generate packages in memory, with a progress bar; all diagnostics go into `loaded.findings`.

    Nothing is written, so that an error in one package leaves the files of the others unchanged.

    Args:
        loaded: the packages of the settings.
        store: results of earlier runs.
        output: the output of the command.
        jobs: how many worker processes to use; None: as many as there are processors.
    """
    outcomes: list[Outcome] = []
    for package in loaded.packages:
        _print_input(package, store, output)
        with output.open_progress() as bar:
            outcome = generate_package(package, jobs or os.cpu_count() or 1, bar.show, store)
        output.print_detail(f"read: {format_count(sum(map(bool, outcome.observed.values())), 'file')}")
        outcomes.append(outcome)
    kept_findings = drop_names_of_other_packages(pair_findings(loaded.packages, outcomes))
    for outcome, kept in zip(outcomes, kept_findings, strict=True):
        outcome.findings = kept
        loaded.findings.extend(kept)
    store.prune()
    complaints = [store.describe_problem(), journal.describe_state_problem()]
    private_folders.warn_unused_folders(loaded.findings, complaints)
    return outcomes


def store_idle_run(record: RunRecord, outcomes: Sequence[Outcome], store: Store, output: CommandOutput) -> None:
    """Store a successful run, if it changed nothing and no package differed from its definitions.

    The details of a verbose run, such as durations, are those of one run, so it is not repeated.
    """
    is_idle = all(outcome.plan is not None and not outcome.plan.changes for outcome in outcomes)
    if is_idle and output.format == "text" and not output.verbose:
        record.store(store, output.printed)


def _print_input(package: ConfiguredPackage, store: Store, output: CommandOutput) -> None:
    """Print, as details, which settings are in force and what is used."""
    settings = package.settings
    file = "none, the defaults apply" if package.file is None else format_path(package.file)
    cache = "not used" if store.folder is None else format_path(store.folder)
    protocol = f", protocol {settings.protocol}" if settings.protocol else ""
    output.print_detail(
        f"settings: {file}",
        f"definitions: {', '.join(settings.schemas)}",
        f'package: {settings.out}, for sdk = "{settings.sdk}"{protocol}',
        f"cache: {cache}",
    )
