"""What one package's build or check came to: the wanted files, then what the disk holds against them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mcpgen import write
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.file_tracker import Observation
from mcpgen.paths import format_relative_path
from mcpgen.plan import Action, Plan, Step, find_first_difference, make_plan


@dataclass
class Outcome:
    """What one package's build or check came to."""

    out: Path
    findings: Findings
    wanted: Mapping[str, str] | None = None
    """The text of every file, None when the input is wrong."""
    digests: Mapping[str, str] | None = None
    """The SHA-256 of each text, where they are known without the texts."""
    seen: Mapping[str, Observation] = field(default_factory=dict[str, Observation])
    """What was read and looked for, by path."""
    keys: dict[str, str] = field(default_factory=dict[str, str])
    """Under which key a memory holds a text, by path."""
    plan: Plan | None = None
    tools: int = 0
    classes: int = 0
    unchosen: int = 0
    """Tools whose content nobody chose."""
    interrupted: bool = False
    written: bool = False


def compare_output(outcome: Outcome) -> None:
    """Plan what is wanted against what is there, for `check`."""
    if outcome.wanted is None:
        return
    try:
        outcome.interrupted = write.has_interrupted_run(outcome.out)
        outcome.plan = _make_plan(outcome, False)
    except OSError as error:
        where = Span(format_relative_path(Path(error.filename or outcome.out)))
        outcome.findings.error("MG404", f"cannot be read: {error.strerror or error}", where)


def write_output(outcome: Outcome, force: bool) -> None:
    """Plan and, with nothing in the way, write, for `build`."""
    if outcome.wanted is None:
        return
    try:
        if _is_output_blocked(outcome.out):
            outcome.plan = _make_plan(outcome, False)
            return
        outcome.plan = write.plan_and_apply(outcome.out, lambda: _make_plan(outcome, force))
        outcome.written = not outcome.plan.refused
    except OSError as error:
        where = Span(format_relative_path(Path(error.filename or outcome.out)))
        outcome.findings.error("MG404", f"cannot be written: {error.strerror or error}", where)


def _is_output_blocked(out: Path) -> bool:
    return out.exists() and not out.is_dir()


def _make_plan(outcome: Outcome, force: bool) -> Plan:
    """The plan, with a finding for each file that stands in the way."""
    out, findings, wanted = outcome.out, outcome.findings, outcome.wanted or {}
    blocked = _is_output_blocked(out)
    made = Plan(out, (Step(".", Action.FOREIGN),)) if blocked else make_plan(out, wanted, force, outcome.digests)
    for step in made.refused:
        path = format_relative_path(out / step.path)
        if step.action is Action.EDITED:
            help = "undo the edit, or let `mcpgen build --force` overwrite it; what should last belongs into the schema"
            findings.error("MG401", "was edited by hand", find_first_difference(path, step), help)
        else:
            help = "move it away, choose another `out`, or let `mcpgen build --force` overwrite it"
            findings.error("MG402", "is not mcpgen's and stands in the way", Span(path), help)
    return made
