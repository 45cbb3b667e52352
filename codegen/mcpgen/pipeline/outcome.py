"""What one package's build or check came to: the wanted files, then what the disk holds against them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mcpgen import write
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.file_access import Sight
from mcpgen.paths import relative
from mcpgen.plan import Action, Plan, Step, place_of, plan


@dataclass
class Outcome:
    """What one package's build or check came to."""

    out: Path
    findings: Findings
    wanted: Mapping[str, str] | None = None
    """The text of every file, None when the input is wrong."""
    digests: Mapping[str, str] | None = None
    """The SHA-256 of each text, where they are known without the texts."""
    seen: Mapping[str, Sight] = field(default_factory=dict[str, Sight])
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


def compare(outcome: Outcome) -> None:
    """Plan what is wanted against what is there, for `check`."""
    if outcome.wanted is None:
        return
    try:
        outcome.interrupted = write.pending(outcome.out)
        outcome.plan = _planned(outcome, False)
    except OSError as error:
        where = Span(relative(Path(error.filename or outcome.out)))
        outcome.findings.error("MG404", f"cannot be read: {error.strerror or error}", where)


def finish(outcome: Outcome, force: bool) -> None:
    """Plan and, with nothing in the way, write, for `build`."""
    if outcome.wanted is None:
        return
    try:
        if _blocked(outcome.out):
            outcome.plan = _planned(outcome, False)
            return
        outcome.plan = write.bring(outcome.out, lambda: _planned(outcome, force))
        outcome.written = not outcome.plan.refused
    except OSError as error:
        where = Span(relative(Path(error.filename or outcome.out)))
        outcome.findings.error("MG404", f"cannot be written: {error.strerror or error}", where)


def _blocked(out: Path) -> bool:
    return out.exists() and not out.is_dir()


def _planned(outcome: Outcome, force: bool) -> Plan:
    """The plan, with a finding for each file that stands in the way."""
    out, findings, wanted = outcome.out, outcome.findings, outcome.wanted or {}
    blocked = _blocked(out)
    made = Plan(out, (Step(".", Action.FOREIGN),)) if blocked else plan(out, wanted, force, outcome.digests)
    for step in made.refused:
        path = relative(out / step.path)
        if step.action is Action.EDITED:
            help = "undo the edit, or let `mcpgen build --force` overwrite it; what should last belongs into the schema"
            findings.error("MG401", "was edited by hand", place_of(path, step), help)
        else:
            help = "move it away, choose another `out`, or let `mcpgen build --force` overwrite it"
            findings.error("MG402", "is not mcpgen's and stands in the way", Span(path), help)
    return made
