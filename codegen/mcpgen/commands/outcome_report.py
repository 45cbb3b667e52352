"""Reports on the outcome of one package: a closing summary, unified diffs, and its part of the JSON document."""

from __future__ import annotations

import difflib

from mcpgen.diagnostics import Severity
from mcpgen.paths import format_path
from mcpgen.pipeline.outcome import Outcome
from mcpgen.plan import Action, Step, split_diff_lines
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count
from mcpgen.report.visible import escape_line, split_text_lines
from mcpgen.schema.values import Json


def print_summary(outcome: Outcome, state: str, output: CommandOutput, *, failed: bool = False) -> None:
    """Print how many tools, classes, warnings and notes a package has.

    Args:
        outcome: what came of the package.
        state: how its files are.
        output: the output of the command.
        failed: whether that is what the command looks for, so that it is printed in any case.
    """
    generated = outcome.generated
    if generated is None:
        return
    figures = [format_count(generated.tool_count, "tool"), format_count(generated.class_count, "class")]
    parts = [*figures, state]
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
        file: dict[str, Json] = {"path": path, "action": step.action.value}
        files.append({**file, "diff": make_diff(step, path)} if with_diffs else file)
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
    return format_path(outcome.out / step.path)


def make_diffs(outcome: Outcome) -> list[str]:
    """Return the lines of the unified diffs of all files that change, except for foreign ones.

    There are none for a package that would become one of another kind, since nearly all of its files would change.
    """
    steps = outcome.plan.changes if outcome.plan and not outcome.plan.changes_kind else ()
    return [line for step in steps for line in split_text_lines(make_diff(step, format_step_path(outcome, step)))]


def make_diff(step: Step, path: str) -> str:
    """Return a unified diff that `patch -p0` applies; empty for a foreign file."""
    if step.action is Action.FOREIGN:
        return ""
    old_lines, new_lines = split_diff_lines(step.current), split_diff_lines(step.text)
    escaped = escape_line(path)
    old_name = "/dev/null" if step.current is None else escaped
    new_name = "/dev/null" if step.text is None else escaped
    diff = difflib.unified_diff(old_lines, new_lines, old_name, new_name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in diff)
