"""`mcpgen build`: generate every package and write what changed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from mcpgen import write
from mcpgen.cache.store import Store
from mcpgen.commands.generation import (
    RunRequest,
    build_outcome_json,
    format_step_path,
    generate_packages,
    pair_findings,
    print_summary,
    store_idle_run,
)
from mcpgen.commands.package_selection import LoadedPackages, must_fail, report_found_sdks, suggest_sdk
from mcpgen.commands.project_requirements import report_missing_needs
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.definition_files import walk_input_folders
from mcpgen.files.project_paths import resolve_path
from mcpgen.paths import format_path, format_relative_path
from mcpgen.pipeline.outcome import Outcome, write_output
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS, WARNINGS, WRITE_REFUSED
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class BuildRequest(RunRequest):
    """Options of a build."""

    force: bool = False
    depfile: Path | None = None
    """File that gets the names of all files that were read."""


@dataclass(frozen=True)
class BuildResult:
    """Result of building all packages."""

    exit_code: int
    outcomes: list[Outcome]
    is_complete: bool = True
    """The input was right, so that each package was compared with its folder."""
    fail_on: str = ""
    """What made warnings fail, so that nothing was written; empty if that did not happen."""

    def make_json(self) -> Json:
        """Return what the JSON document says; nothing if the input was wrong."""
        packages: list[Json] = [build_outcome_json(outcome, False) for outcome in self.outcomes]
        return {"packages": packages} if self.is_complete else None

    def print_summaries(self, output: CommandOutput) -> None:
        """Print a line about each package that was built, or say that warnings prevented it."""
        if self.fail_on:
            output.print_summary(f"nothing was written: {self.fail_on} makes warnings fail", failed=True)
        for outcome in self.outcomes if self.is_complete else ():
            if outcome.plan is not None and outcome.plan.is_refused:
                output.print_summary(f"{format_path(outcome.out)}: nothing was written", failed=True)
            elif outcome.plan is not None and not outcome.findings.failed:
                steps = outcome.plan.changes
                output.print_detail(*(f"{step.action.value}: {format_step_path(outcome, step)}" for step in steps))
                state = f"{format_count(len(steps), 'file')} changed" if steps else "nothing changed"
                print_summary(outcome, state, output)


def run_build(loaded: LoadedPackages, request: BuildRequest, store: Store, output: CommandOutput) -> int:
    """Build every package, report on it and return the exit code."""
    result = build_packages(loaded, request, store, output)
    suggest_sdk(loaded.packages, result.outcomes, output)
    if request.record is not None and request.depfile is None and result.exit_code == SUCCESS:
        store_idle_run(request.record, result.outcomes, store, output)
    return result.exit_code


def build_packages(loaded: LoadedPackages, request: BuildRequest, store: Store, output: CommandOutput) -> BuildResult:
    """Build every package, report on it and return the outcomes. Nothing is written if any input is wrong."""
    result = write_packages(loaded, request, store, output)
    output.finish(loaded.findings, result.exit_code, result.make_json)
    result.print_summaries(output)
    report_found_sdks(loaded.packages, result.outcomes, output)
    return result


def write_packages(loaded: LoadedPackages, request: BuildRequest, store: Store, output: CommandOutput) -> BuildResult:
    """Build every package; nothing is written if `loaded.findings` gets an error, or a warning that is to fail."""
    packages, findings, depfile = loaded.packages, loaded.findings, request.depfile
    outcomes = generate_packages(loaded, store, output, request.jobs)
    pairs = [*zip(outcomes, packages, strict=True)]
    if depfile is not None:
        _check_depfile(depfile, pairs, findings)
    if findings.failed:
        return BuildResult(INVALID_INPUT, outcomes, is_complete=False)
    if must_fail(request.fail_on, pair_findings(packages, outcomes), findings):
        for outcome in outcomes:
            findings.extend(outcome.findings)
        cause = 'fail-on = "warning"' if request.fail_on is None else f"--fail-on {request.fail_on}"
        return BuildResult(WARNINGS, outcomes, is_complete=False, fail_on=cause)
    report_missing_needs(packages, findings)
    for outcome in outcomes:
        write_output(outcome, request.force)
        findings.extend(outcome.findings)
    exit_codes = [_get_exit_code(outcome) for outcome in outcomes]
    if depfile is not None and not findings.failed:
        exit_codes.append(_write_depfile(depfile, pairs, findings))
    return BuildResult(max(exit_codes, default=SUCCESS), outcomes)


def _get_exit_code(outcome: Outcome) -> int:
    if outcome.plan is None:
        return INVALID_INPUT
    if outcome.plan.is_refused:
        return WRITE_REFUSED
    return INVALID_INPUT if outcome.findings.failed else SUCCESS


_Pair: TypeAlias = tuple[Outcome, ConfiguredPackage]


def _check_depfile(depfile: Path, pairs: Sequence[_Pair], findings: Findings) -> None:
    path = resolve_path(depfile)
    read = {resolve_path(file) for outcome, _ in pairs for file, exists in outcome.observed.items() if exists}
    read |= {resolve_path(package.file) for _, package in pairs if package.file is not None}
    if path in read or any(resolve_path(outcome.out) in path.parents for outcome, _ in pairs):
        where, help = Span(format_path(depfile)), "name a file that is nothing else's: --depfile"
        findings.error("MG404", "holds what is read or generated, so the depfile cannot go there", where, help)
    if (unquotable := find_unquotable_path(pairs)) is not None:
        message = "its name means something to Make, and no depfile can quote it"
        findings.error("MG404", message, Span(unquotable), "rename it; no control characters and none of : ; = |")


def _write_depfile(depfile: Path, pairs: Sequence[_Pair], findings: Findings) -> int:
    try:
        write.replace_file(depfile, render_rules(pairs))
    except OSError as error:
        write.report_failure(error, depfile, findings)
        return INVALID_INPUT
    return SUCCESS


# --- rules for Make, Ninja and other build systems -------------------------------------------------------------------
_UNQUOTABLE = re.compile(r"[\x00-\x1f\x7f:;=|]|\A\.[A-Z_]+\Z")
"""What Make gives a meaning that nothing takes from it: such a file name could set variables and run commands."""


def render_rules(outcomes: Iterable[_Pair]) -> str:
    """Render a rule per package: its `__init__.py` depends on the files that were read and on its settings file.

    It depends on the folders of definitions, too, because a new file changes a folder's time. Each of these paths also
    gets an empty rule, so that Make does not fail if one is removed.
    """
    text, prerequisites = "", dict[str, None]()
    for outcome, package in outcomes:
        read = _list_prerequisites(outcome, package)
        target = format_relative_path(outcome.out / "__init__.py")
        text += " \\\n  ".join([f"{escape_make_path(target)}:", *map(escape_make_path, read)]) + "\n"
        prerequisites |= dict.fromkeys(read)
    return text + "".join(f"\n{escape_make_path(path)}:\n" for path in prerequisites)


def find_unquotable_path(outcomes: Iterable[_Pair]) -> str | None:
    """Return a path that no rule for Make can name, None if there is none."""
    for outcome, package in outcomes:
        paths = (format_relative_path(outcome.out / "__init__.py"), *_list_prerequisites(outcome, package))
        if (unquotable := next(filter(_UNQUOTABLE.search, paths), None)) is not None:
            return unquotable
    return None


def _list_prerequisites(outcome: Outcome, package: ConfiguredPackage) -> list[str]:
    files = {path for path, observation in outcome.observed.items() if isinstance(observation, str)}
    if package.file is not None:
        files.add(os.fspath(package.file))
    walks = (walk_input_folders(path, outcome.out) for path in package.inputs if path.is_dir())
    folders = {format_relative_path(folder) for walk in walks for folder, _ in walk}
    return sorted({*map(format_relative_path, files), *(name for name in folders if not _UNQUOTABLE.search(name))})


def escape_make_path(path: str) -> str:
    """Escape a path for Make: `$` is doubled; spaces, tabs, `#` and the backslashes before them get a backslash."""
    return re.sub(r"(\\*)([ \t#])", r"\1\1\\\2", path).replace("$", "$$")
