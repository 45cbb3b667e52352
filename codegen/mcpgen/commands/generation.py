"""Generation of all packages of a run, shared by `build`, `check` and `watch`."""

from __future__ import annotations

import os

from mcpgen.cache.memory import Memory
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.files import journal, private_folders
from mcpgen.incremental import generate_incrementally
from mcpgen.pipeline.outcome import Outcome
from mcpgen.report.output import CommandOutput
from mcpgen.report.progress import ProgressBar


def generate_packages(loaded: LoadedPackages, memory: Memory, output: CommandOutput, jobs: int | None) -> list[Outcome]:
    """Generate every package in memory, with a progress bar; all diagnostics go into `loaded.findings`.

    Nothing is written, so that an error in one package leaves the files of the others unchanged.
    """
    outcomes: list[Outcome] = []
    for package in loaded.packages:
        with ProgressBar(output.quiet) as bar:
            outcome = generate_incrementally(package, jobs or os.cpu_count() or 1, bar.show, memory)
        outcomes.append(outcome)
        loaded.findings.extend(outcome.findings)
    complaints = [memory.describe_problem(), journal.describe_state_problem()]
    private_folders.warn_unused_folders(loaded.findings, complaints)
    return outcomes
