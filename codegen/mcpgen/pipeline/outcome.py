"""Result of a build or check of one package: the generated files, and the plan that compares them with the disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from mcpgen import write
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Span
from mcpgen.files import looks
from mcpgen.files.file_tracker import Observation
from mcpgen.files.ownership import VENDORED_FOLDER
from mcpgen.files.project_paths import is_within
from mcpgen.paths import format_relative_path
from mcpgen.plan import OUTSIDE, Action, Plan, Step, find_first_difference, find_place, make_plan, read_former_types


@dataclass(frozen=True)
class GeneratedFiles:
    """Texts of a package's files, by path relative to the output folder, and figures for the summary."""

    texts: Mapping[str, str]
    tool_count: int = 0
    class_count: int = 0


@dataclass
class Outcome:
    """State of one package's build or check, completed step by step."""

    out: Path
    findings: Findings
    generated: GeneratedFiles | None = None
    """None if the input is wrong."""
    observed: Mapping[str, Observation] = field(default_factory=dict[str, Observation])
    """What was read and looked for on disk, by path."""
    plan: Plan | None = None
    interrupted: bool = False
    """An earlier build was killed before it had written everything."""
    written: bool = False
    package: ConfiguredPackage | None = None
    """The package with its settings; None: what kind of package is in the output folder does not matter."""

    build_command: ClassVar[str] = "mcpgen build"
    """The command that writes the package."""


def compare_output(outcome: Outcome) -> None:
    """Plan the changes of the output folder without making them, for `check`."""
    if outcome.generated is None:
        return
    try:
        outcome.interrupted = write.has_interrupted_run(outcome.out)
        outcome.plan = _make_plan(outcome, outcome.generated, False)
    except OSError as error:
        _report_os_error(outcome, "cannot be read", error)


def write_output(outcome: Outcome, force: bool) -> None:
    """Plan the changes of the output folder and make them unless a file is refused, for `build`."""
    generated = outcome.generated
    if generated is None:
        return
    try:
        if _is_output_blocked(outcome.out):
            outcome.plan = _make_plan(outcome, generated, False)
            return
        outcome.plan = write.plan_and_apply(outcome.out, lambda: _make_plan(outcome, generated, force))
        outcome.written = not outcome.plan.is_refused
    except OSError as error:
        _report_os_error(outcome, "cannot be written", error)


def _report_os_error(outcome: Outcome, problem: str, error: OSError) -> None:
    where = Span(format_relative_path(Path(error.filename or outcome.out)))
    outcome.findings.error("MG404", f"{problem}: {error.strerror or error}", where)


def _is_output_blocked(out: Path) -> bool:
    return looks.find_kind(out) not in ("", "folder")


def _make_plan(outcome: Outcome, generated: GeneratedFiles, force: bool) -> Plan:
    """Return the plan, and report each file that it refuses to replace, and why it is refused as a whole."""
    out = outcome.out
    if _is_output_blocked(out):
        plan = Plan(out, (Step(".", Action.FOREIGN),))
    else:
        plan = make_plan(out, generated.texts, force, former=_list_former_types(outcome))
    if outcome.package is not None and plan.changes and not force:
        plan = replace(plan, changes_kind=_report_kind_changes(outcome, outcome.package, plan))
    for step in plan.refused:
        path = format_relative_path(find_place(out, step.path))
        if step.action is Action.EDITED:
            effect = "remove it, since nothing generates it any more" if step.text is None else "overwrite it"
            help = f"undo the edit, or let `{outcome.build_command} --force` {effect}"
            if step.text is not None and not step.path.startswith(f"{VENDORED_FOLDER}/"):
                help += "; what should last belongs in the schema"
            outcome.findings.error("MG401", "was edited by hand", find_first_difference(path, step), help)
        else:
            setting = "app-types" if step.path.startswith(OUTSIDE) else "out"
            if step.current is None:  # a link, a folder, a FIFO, which no `--force` replaces
                help = f"move it away, or choose another `{setting}`"
            else:
                by_force = f"let `{outcome.build_command} --force` overwrite it"
                help = f"move it away, choose another `{setting}`, or {by_force}"
            outcome.findings.error("MG402", "is not mcpgen's and is in the way", Span(path), help)
    return plan


def _list_former_types(outcome: Outcome) -> Iterator[str]:
    """Yield the path of the types that the last build wrote, if it is in the project: anybody can edit the marker."""
    package = outcome.package
    if package is not None and "out" not in package.overridden:
        for path in read_former_types(outcome.out):
            if is_within(package.folder / path, package.roots or ()):
                yield package.locate_in_output(path)


def _report_kind_changes(outcome: Outcome, package: ConfiguredPackage, plan: Plan) -> bool:
    """Tell whether a plan would make another kind of package, and report it. A run without changes imports nothing."""
    from mcpgen.pipeline.package_kind import find_kind_changes, report_kind_changes

    changes = find_kind_changes(plan, package.settings)
    report_kind_changes(package, plan, changes, outcome.build_command, outcome.findings)
    return bool(changes)
