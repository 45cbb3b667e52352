"""`mcpgen diff`: print the changes between two versions of definitions, by tool and resource, and a summary."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from mcpgen.commands.diff_comparison import DiffComparison, DiffRequest, compare_requested
from mcpgen.compat.change import Change, format_acknowledgement, merge_shared
from mcpgen.compat.rules.rule import Category
from mcpgen.diagnostics import join_words
from mcpgen.report.exit_codes import BREAKING, INVALID_INPUT, SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count
from mcpgen.schema.values import Json


def run_diff(request: DiffRequest, output: CommandOutput) -> int:
    """Compare, print the changes as data in the format `text` and as diagnostics in others; return the exit code."""
    comparison = compare_requested(request)
    comparison.changes = merge_shared(comparison.changes)
    comparison.acknowledged = merge_shared(comparison.acknowledged)
    if comparison.findings.failed:
        return output.finish(comparison.findings, INVALID_INPUT)
    breaking = [change for change in comparison.changes if change.breaking]
    exit_code = BREAKING if breaking else SUCCESS
    if output.format == "text":
        output.print_data(format_changes(breaking if output.quiet else comparison.changes, output.verbose))
        output.finish(comparison.findings, exit_code)
    else:
        comparison.findings.extend(change.to_diagnostic() for change in comparison.changes)
        output.finish(comparison.findings, exit_code, lambda: _build_comparison_json(comparison))
    remarks = [summarize_comparison(comparison)]
    if breaking:
        headers, rule = join_words(comparison.headers, "or"), f'rule = "{breaking[0].rule.id}"'
        entry = f"{headers} with its rule, such as {rule}, and a reason"
        advice = "" if output.verbose else "; -v prints its tool and pointer, too"
        remarks.append(f"if a change is intended, acknowledge it in the settings: {entry}{advice}")
    output.print_remark(*remarks)
    return exit_code


def format_changes(changes: Iterable[Change], verbose: bool = False) -> list[str]:
    """Return the lines of the changes by subject; with `verbose`, they say how to acknowledge each."""
    lines: list[str] = []
    for subjects, subject_changes in groupby(changes, key=lambda change: change.subjects):
        lines.append(", ".join(subjects))
        for change in subject_changes:
            place = change.span.format_place()
            lines.append(f"  {place}: {change.severity}[{change.code}]: {change.message} ({change.rule.id})")
            lines += [f"    help: {change.help}"] if change.help else []
            lines += [f"    acknowledge by: {format_acknowledgement(change)}"] if verbose else []
    return lines


def _build_comparison_json(comparison: DiffComparison) -> Json:
    changes: list[Json] = [
        {
            "rule": change.rule.id,
            "category": change.rule.category.value,
            "name": change.name,
            "pointer": change.pointer,
            "breaking": change.breaking,
            "undecided": change.undecided,
            "message": change.message,
            "affected": [*change.subjects],
        }
        for change in comparison.changes
    ]
    return {
        "changes": changes,
        "acknowledged": len(comparison.acknowledged),
        "tools": comparison.tools,
        "resources": comparison.resources,
        "prompts": comparison.prompts,
        "forms": comparison.forms,
    }


def summarize_comparison(comparison: DiffComparison) -> str:
    """Return how many changes of each kind there are, in how many tools and resources."""
    breaking = sum(change.breaking for change in comparison.changes)
    undecided = sum(change.undecided for change in comparison.changes)
    additions = sum(change.rule.category is Category.ADDITIONS and not change.breaking for change in comparison.changes)
    remarks = len(comparison.changes) - breaking - undecided - additions
    parts = [format_count(breaking, "breaking change") if breaking else "no breaking change"]
    parts += [f"{undecided} undecided"] if undecided else []
    parts += [format_count(remarks, "remark")] if remarks else []
    parts += [format_count(additions, "addition")] if additions else []
    parts += [f"{len(comparison.acknowledged)} acknowledged"] if comparison.acknowledged else []
    kinds = ("tool", "resource", "prompt", "form")
    counts = {kind: getattr(comparison, f"{kind}s") for kind in kinds}
    compared = [format_count(count, kind) for kind, count in counts.items() if count] or ["0 tools"]
    return f"{', '.join(parts)} in {join_words(compared)}"
