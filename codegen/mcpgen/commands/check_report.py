"""What `check` found in an output folder: a finding and a unified diff for each file that `build` would change."""

from __future__ import annotations

import difflib
from collections import Counter

from mcpgen.diagnostics import Findings, Span
from mcpgen.paths import format_path
from mcpgen.pipeline.outcome import Outcome
from mcpgen.plan import Action, Step, find_first_difference, split_diff_lines
from mcpgen.report.visible import escape_line
from mcpgen.report.visible import split_text_lines as lines_of
from mcpgen.schema.values import Json

ACTION_LABELS = {
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


def report_differences(outcome: Outcome, findings: Findings) -> bool:
    """Add the findings about a compared package; edited and foreign files have theirs already. Whether there is any."""
    if outcome.plan is None:
        return False
    if outcome.interrupted:
        where = Span(format_path(outcome.out))
        findings.error("MG407", "a build was interrupted here", where, "`mcpgen build` finishes it")
    for step in outcome.plan.changes:
        if step.action in _FINDINGS:
            code, message = _FINDINGS[step.action]
            findings.error(code, message, find_first_difference(get_display_path(outcome, step), step))
    return outcome.interrupted or bool(outcome.plan.changes)


def summarise_outcome(outcome: Outcome) -> str:
    """How many files are in which way not as they should be; empty where all are."""
    counts = Counter(ACTION_LABELS[step.action] for step in (outcome.plan.changes if outcome.plan else ()))
    parts = [f"{counts[word]} {word}" for word in ACTION_LABELS.values() if counts[word]]
    return ", ".join(parts + ["a build was interrupted"] * outcome.interrupted)


def make_diffs(outcome: Outcome) -> list[str]:
    """The unified diff of every file that mcpgen would change or has a claim to."""
    steps = outcome.plan.changes if outcome.plan else ()
    return [line for step in steps for line in lines_of(make_diff(step, get_display_path(outcome, step)))]


def build_outcome_json(outcome: Outcome, with_diffs: bool) -> Json:
    """The package, and what was or is to be done with which of its files."""
    files: list[Json] = []
    for step in outcome.plan.changes if outcome.plan else ():
        path = get_display_path(outcome, step)
        file: dict[str, Json] = {"path": path, "action": step.action.value}
        files.append({**file, "diff": make_diff(step, path)} if with_diffs else file)
    return {
        "out": format_path(outcome.out),
        "tools": outcome.tools,
        "classes": outcome.classes,
        "interrupted": outcome.interrupted,
        "written": outcome.written,
        "files": files,
    }


def get_display_path(outcome: Outcome, step: Step) -> str:
    """A file of the plan as messages show it."""
    return format_path(outcome.out / step.path)


def make_diff(step: Step, path: str) -> str:
    """A unified diff that `patch -p0` applies; empty for what is not mcpgen's."""
    if step.action is Action.FOREIGN:
        return ""
    old, new = split_diff_lines(step.current), split_diff_lines(step.text)
    shown = escape_line(path)
    names = ("/dev/null" if step.current is None else shown, "/dev/null" if step.text is None else shown)
    made = difflib.unified_diff(old, new, *names)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in made)
