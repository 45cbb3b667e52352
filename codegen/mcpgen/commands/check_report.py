"""What `check` found in an output folder: a finding and a unified diff for each file that `build` would change."""

from __future__ import annotations

import difflib
from collections import Counter

from mcpgen.diagnostics import Findings, Span
from mcpgen.paths import shown
from mcpgen.pipeline.outcome import Outcome
from mcpgen.plan import Action, Step, lines, place_of
from mcpgen.report.visible import lines as lines_of
from mcpgen.report.visible import visible
from mcpgen.schema.values import Json

WORDS = {
    Action.CREATE: "missing",
    Action.UPDATE: "stale",
    Action.REMOVE: "orphaned",
    Action.EDITED: "edited",
    Action.FOREIGN: "foreign",
}
_FINDINGS = {
    Action.CREATE: ("MG405", "is missing"),
    Action.UPDATE: ("MG403", "is stale: the definitions or settings ask for something else"),
    Action.REMOVE: ("MG406", "is orphaned: nothing asks for it any more"),
}


def report(outcome: Outcome, findings: Findings) -> bool:
    """Add the findings about a compared package; edited and foreign files have theirs already. Whether there is any."""
    if outcome.plan is None:
        return False
    if outcome.interrupted:
        where = Span(shown(outcome.out))
        findings.error("MG407", "a build was interrupted here", where, "`mcpgen build` finishes it")
    for step in outcome.plan.changes:
        if step.action in _FINDINGS:
            code, message = _FINDINGS[step.action]
            findings.error(code, message, place_of(path_of(outcome, step), step))
    return outcome.interrupted or bool(outcome.plan.changes)


def summary(outcome: Outcome) -> str:
    """How many files are in which way not as they should be; empty where all are."""
    counts = Counter(WORDS[step.action] for step in (outcome.plan.changes if outcome.plan else ()))
    parts = [f"{counts[word]} {word}" for word in WORDS.values() if counts[word]]
    return ", ".join(parts + ["a build was interrupted"] * outcome.interrupted)


def diffs(outcome: Outcome) -> list[str]:
    """The unified diff of every file that mcpgen would change or has a claim to."""
    steps = outcome.plan.changes if outcome.plan else ()
    return [line for step in steps for line in lines_of(diff(step, path_of(outcome, step)))]


def as_json(outcome: Outcome, with_diffs: bool) -> Json:
    """The package, and what was or is to be done with which of its files."""
    files: list[Json] = []
    for step in outcome.plan.changes if outcome.plan else ():
        path = path_of(outcome, step)
        file: dict[str, Json] = {"path": path, "action": step.action.value}
        files.append({**file, "diff": diff(step, path)} if with_diffs else file)
    return {
        "out": shown(outcome.out),
        "tools": outcome.tools,
        "classes": outcome.classes,
        "interrupted": outcome.interrupted,
        "written": outcome.written,
        "files": files,
    }


def path_of(outcome: Outcome, step: Step) -> str:
    """A file of the plan as messages show it."""
    return shown(outcome.out / step.path)


def diff(step: Step, path: str) -> str:
    """A unified diff that `patch -p0` applies; empty for what is not mcpgen's."""
    if step.action is Action.FOREIGN:
        return ""
    old, new = lines(step.current), lines(step.text)
    shown = visible(path)
    names = ("/dev/null" if step.current is None else shown, "/dev/null" if step.text is None else shown)
    made = difflib.unified_diff(old, new, *names)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in made)
