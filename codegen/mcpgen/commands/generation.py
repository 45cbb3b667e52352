"""Generation of all packages of a run, shared by `build`, `check` and `watch`, and reports on what came of each."""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from mcpgen.app import generate_package
from mcpgen.cache.recorded_runs import RunRecord
from mcpgen.cache.store import Store
from mcpgen.commands.package_selection import FailOn, LoadedPackages, PackageReport
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.files import journal, private_folders
from mcpgen.paths import format_path
from mcpgen.pipeline.outcome import Outcome
from mcpgen.plan import Action, Step, find_place, split_diff_lines
from mcpgen.read.idle_settings import choose_help
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count
from mcpgen.report.visible import escape_line, split_text_lines
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class RunRequest:
    """Options of a run that generates packages."""

    jobs: int | None = None
    """Worker processes; None: as many as there are processors."""
    record: RunRecord | None = None
    """Record of the run, so that it can be repeated if it changes nothing."""
    fail_on: FailOn | None = None
    """Whether warnings make it fail; None: the settings decide."""


def generate_packages(loaded: LoadedPackages, store: Store, output: CommandOutput, jobs: int | None) -> list[Outcome]:
    """Generate packages in memory, with a progress bar; all diagnostics go into `loaded.findings`."""
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
    """Store a successful run that changed nothing; one with details, such as durations, is not to be repeated."""
    is_idle = all(outcome.plan is not None and not outcome.plan.changes for outcome in outcomes)
    if is_idle and output.format == "text" and not output.verbose:
        record.store(store, output.printed)


def _print_input(package: ConfiguredPackage, store: Store, output: CommandOutput) -> None:
    settings = package.settings
    protocol = f", protocol {settings.protocol}" if settings.protocol else ""
    output.print_detail(
        f"settings: {'none, the defaults apply' if package.file is None else format_path(package.file)}",
        f"definitions: {', '.join(settings.schemas)}",
        f'package: {settings.out}, for sdk = "{settings.sdk}"{protocol}',
        f"cache: {'not used' if store.folder is None else format_path(store.folder)}",
    )


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
    """
    helps: dict[_Warning, dict[int, str]] = {}
    for number, (_, findings) in enumerate(reports):
        for item in findings:
            if item.code == "MG308":
                helps.setdefault((item.message, item.span), {})[number] = item.help
    packages = [package for package, _ in reports]
    chosen = {
        warning: _choose_help(warning, found, packages)
        for warning, found in helps.items()
        if not _may_be_defined_elsewhere(warning[1], found, reports)
    }
    kept = [Findings() for _ in reports]
    for number, (_, findings) in enumerate(reports):
        for item in findings:
            owner, help = chosen.get((item.message, item.span), (None, ""))
            if item.code != "MG308":
                kept[number].add(item)
            elif owner == number:
                kept[number].add(replace(item, help=help))
    return kept


def _may_be_defined_elsewhere(span: Span | None, helps: Collection[int], reports: Sequence[PackageReport]) -> bool:
    """Return whether a package without the warning shares the setting, which is in no `[[package]]` table."""
    if span is None or span.pointer.startswith("package."):
        return False
    table, _, name = span.pointer.partition(".")
    values = [getattr(package.settings, table).get(name) for package, _ in reports]
    others = [number for number, (_, findings) in enumerate(reports) if number not in helps or findings.failed]
    return any(
        values[number] is not None and values[other] == values[number] and other != number
        for number in helps
        for other in others
    )


def _choose_help(warning: _Warning, helps: Mapping[int, str], packages: Sequence[ConfiguredPackage]) -> tuple[int, str]:
    """Return which package keeps a warning, and its help: that with a similar name, else the tool's learned file."""
    numbers = [*helps]
    if len(numbers) == 1:
        return numbers[0], helps[numbers[0]]
    index, help = choose_help(warning[0], [*helps.values()])
    if index is not None:
        return numbers[index], help
    name = "" if warning[1] is None else warning[1].pointer.partition(".")[2]
    readers = [number for number in numbers if _reads_schema_of(packages[number], name)]
    return [*readers, *numbers][0], help


def _reads_schema_of(package: ConfiguredPackage, tool: str) -> bool:
    choice = package.settings.tools.get(tool)
    path = None if choice is None else choice.output_schema
    return path is not None and package.reads(package.folder / path)


def print_summary(outcome: Outcome, state: str, output: CommandOutput, *, failed: bool = False) -> None:
    """Print the numbers of tools, classes, warnings and notes, and the state; in any case if that has `failed`."""
    generated = outcome.generated
    if generated is None:
        return
    parts = [format_count(generated.tool_count, "tool"), format_count(generated.class_count, "class"), state]
    findings = outcome.findings.sorted()  # each once, as they are printed
    for severity in (Severity.WARNING, Severity.NOTE):
        count = sum(finding.severity is severity for finding in findings)
        parts += [format_count(count, severity.value)] if count else []
    output.print_summary(f"{format_path(outcome.out)}: {', '.join(parts)}", failed=failed)


def build_outcome_json(outcome: Outcome, with_diffs: bool) -> dict[str, Json]:
    """Return the JSON of a package, with the planned or executed action for each file that changes."""
    files: list[Json] = []
    for step in outcome.plan.changes if outcome.plan else ():
        path = format_step_path(outcome, step)
        diff = {"diff": make_diff(step, path)} if with_diffs else {}
        files.append({"path": path, "action": step.action.value, **diff})
    generated = outcome.generated
    return {
        "out": format_path(outcome.out),
        "tools": generated.tool_count if generated else 0,
        "classes": generated.class_count if generated else 0,
        "interrupted": outcome.interrupted,
        "written": outcome.written,
        "files": files,
    }


def format_step_path(outcome: Outcome, step: Step) -> str:
    """Return the path of a planned file as messages show it."""
    return format_path(find_place(outcome.out, step.path))


def make_diffs(outcome: Outcome) -> list[str]:
    """Return the unified diffs of all files that change but foreign ones; none if the kind of package would change."""
    steps = outcome.plan.changes if outcome.plan and not outcome.plan.changes_kind else ()
    return [line for step in steps for line in split_text_lines(make_diff(step, format_step_path(outcome, step)))]


def make_diff(step: Step, path: str) -> str:
    """Return a unified diff that `patch -p0` applies; empty for a foreign file."""
    if step.action is Action.FOREIGN:
        return ""
    old_name, new_name = ("/dev/null" if text is None else escape_line(path) for text in (step.current, step.text))
    diff = difflib.unified_diff(split_diff_lines(step.current), split_diff_lines(step.text), old_name, new_name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in diff)
