"""A run of `diff` as a person sees it: changes by tool and resource, and a closing line."""

from __future__ import annotations

from itertools import groupby

from mcpgen.commands.diff import DiffComparison, DiffRequest, compare_requested
from mcpgen.compat.change import Change
from mcpgen.report.exit_codes import BREAKING, INVALID_INPUT, SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.schema.values import Json


def report_diff(wanted: DiffRequest, output: CommandOutput) -> int:
    """Compare; the changes are data in text, by what they are about, and findings elsewhere; the exit code."""
    found = compare_requested(wanted)
    if found.findings.failed:
        return output.close(found.findings, INVALID_INPUT)
    breaking = [one for one in found.changes if one.breaking]
    code = BREAKING if breaking else SUCCESS
    if output.format == "text":
        output.show(list_changes(breaking if output.quiet else found.changes))
        output.close(found.findings, code)
    else:
        output.close(found.make_diagnostics(), code, lambda: _build_diff_json(found))
    output.say(summarise_comparison(found))
    return code


def list_changes(changes: list[Change]) -> list[str]:
    """The changes, below the tool or resource that they are about."""
    lines: list[str] = []
    for subject, held in groupby(changes, key=lambda one: one.subject):
        lines.append(subject)
        for one in held:
            place = one.span.file + (f":{one.span.line}:{one.span.column}" if one.span.line else "")
            lines.append(f"  {place}: {one.severity}[{one.code}]: {one.text} ({one.rule.id})")
            if one.help:
                lines.append(f"    help: {one.help}")
    return lines


def _build_diff_json(found: DiffComparison) -> Json:
    """How much was compared, and each change with what its diagnostic has no member for."""
    changes: list[Json] = [
        {
            "rule": one.rule.id,
            "category": one.rule.category.value,
            "name": one.name,
            "pointer": one.pointer,
            "breaking": one.breaking,
            "undecided": one.undecided,
            "message": one.text,
        }
        for one in found.changes
    ]
    return {
        "changes": changes,
        "acknowledged": found.acknowledged,
        "tools": found.tools,
        "resources": found.resources,
    }


def summarise_comparison(found: DiffComparison) -> str:
    """How much was found, in how much."""
    breaking = sum(one.breaking for one in found.changes)
    undecided = sum(one.undecided for one in found.changes)
    others = len(found.changes) - breaking - undecided
    parts = [_format_count(breaking, "breaking change") if breaking else "no breaking change"]
    parts += [f"{undecided} undecided"] if undecided else []
    parts += [_format_count(others, "remark")] if others else []
    parts += [f"{found.acknowledged} acknowledged"] if found.acknowledged else []
    looked_at = [_format_count(found.tools, "tool")] + (
        [_format_count(found.resources, "resource")] if found.resources else []
    )
    return f"{', '.join(parts)} in {' and '.join(looked_at)}"


def _format_count(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
