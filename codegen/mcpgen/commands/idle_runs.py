"""Runs of `build` and `check` that had nothing to do: remember all that they depended on, so that they are repeated."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from mcpgen.cache.memory import Memory
from mcpgen.cache.repeated_runs import RunRecord, WatchedPaths
from mcpgen.cache.toolchain import list_toolchain_paths
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.project_requirements import list_watched_paths
from mcpgen.config.load import SETTINGS_FILES
from mcpgen.config.models import ConfiguredPackage
from mcpgen.files import journal
from mcpgen.files.definition_files import walk_input_folders
from mcpgen.files.project_paths import REPOSITORY_MARKERS
from mcpgen.pipeline.outcome import Outcome
from mcpgen.report.output import CommandOutput


def remember_idle_run(
    record: RunRecord, loaded: LoadedPackages, outcomes: Sequence[Outcome], memory: Memory, output: CommandOutput
) -> None:
    """Remember a successful run, if it changed nothing and no package differed from its definitions.

    The details of a verbose run, such as durations, are those of one run, so it is not repeated.
    """
    is_idle = all(outcome.plan is not None and not outcome.plan.changes for outcome in outcomes)
    store = memory.store
    if store is None or not is_idle or output.format != "text" or output.verbose:
        return
    state_folder = journal.find_state_folder()
    packages = loaded.packages
    contents = [*list_toolchain_paths(), *_list_settings_files(packages)]
    contents += list_watched_paths(packages, loaded.findings)
    presence = [str(journal.locate_journal(outcome.out)) for outcome in outcomes if state_folder is not None]
    access = [str(store.folder), *([str(state_folder)] if state_folder is not None else [])]
    for package in packages:
        contents += _list_input_folders(package)
        access += [str(package.folder), *map(str, package.inputs)]
        presence += _list_repository_markers(package.folder)
    for outcome in outcomes:
        contents += outcome.observed
        contents += _list_output(outcome.out)
        access.append(str(outcome.out))
    record.remember(store, WatchedPaths(contents, presence, access), output.printed)


def _list_settings_files(packages: Sequence[ConfiguredPackage]) -> Iterator[str]:
    """Yield the settings files that the run read, and those that it would read if they were there."""
    for package in packages:
        if package.file is not None:
            yield str(package.file)
    for folder in _list_parents(Path.cwd()):
        yield from (str(folder / name) for name in SETTINGS_FILES)
        if any(package.file is not None and package.file.parent == folder for package in packages):
            return


def _list_repository_markers(start: Path) -> Iterator[str]:
    """Yield the paths that decide which folder is the project's; see `find_project`."""
    for folder in _list_parents(Path(os.path.realpath(start))):
        markers = [os.path.join(folder, name) for name in REPOSITORY_MARKERS]
        yield from markers
        if any(os.path.lexists(marker) for marker in markers):
            return


def _list_parents(folder: Path) -> list[Path]:
    absolute = folder.absolute()
    return [absolute, *absolute.parents]


def _list_input_folders(package: ConfiguredPackage) -> Iterator[str]:
    for path in package.inputs:
        if path.is_dir():
            yield from (folder for folder, _ in walk_input_folders(path, package.out))


def _list_output(out: Path) -> Iterator[str]:
    """Yield the files and folders in an output folder; what Python has compiled does not count."""
    for folder, folders, files in os.walk(out):
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield folder
        yield from (os.path.join(folder, name) for name in files)
