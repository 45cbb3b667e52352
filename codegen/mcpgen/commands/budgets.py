"""Budgets of tokens: which tools of the generated packages go beyond the limits of the settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mcpgen.commands.missing_package import report_missing_package
from mcpgen.commands.show_tokens import report_missing_examples
from mcpgen.commands.token_counts import MeasuredTool, MeasureTask, build_counts_json, measure_tools
from mcpgen.config.budgets import ToolBudget
from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.paths import format_path
from mcpgen.prove.package_loader import PackageNotImportable, load_package
from mcpgen.report.text import format_count
from mcpgen.schema.values import Json
from mcpgen.vocabularies import INSTALL_HELP, VocabularyMissing

SettingPath = tuple[str, ...]
MEASURES = ("definition", "result", "text")
"""What each tool has a limit for."""
MAX_TABLE_ROWS = 10
"""Tools in the table of the worst."""
MAX_NAMED_TOOLS = 3
"""Tools that a message names."""


@dataclass(frozen=True)
class Excess:
    """A count that is above its limit."""

    setting: SettingPath
    """Path of the limit in the settings."""
    limit: int
    tokens: int
    tool: str | None
    """None: all tools together."""

    @property
    def ratio(self) -> float:
        """Tell how many times the limit this is."""
        return self.tokens / self.limit

    def to_json(self) -> dict[str, Json]:
        """Return the members of the JSON document."""
        return {"tool": self.tool, "budget": self.setting[-1], "limit": self.limit, "tokens": self.tokens}


@dataclass(frozen=True)
class BudgetCheck:
    """What comparing a package with its budgets came to."""

    excesses: tuple[Excess, ...]
    data: Json


def check_budget(package: ConfiguredPackage, jobs: int, findings: Findings) -> BudgetCheck | None:
    """Compare a generated package with its budgets and report what is beyond them; None if it cannot be counted."""
    settings, out = package.settings, package.out
    where = locate_setting(package, ("budget",)) or Span(format_path(out))
    vocabulary = settings.budget.vocabulary
    with_results = _limits_results(settings)
    try:
        names = [*load_package(out).TOOLS]
        measured = measure_tools(MeasureTask(out, (vocabulary,), with_results), names, jobs)
    except PackageNotImportable as error:
        report_missing_package(package, error, findings)
        return None
    except VocabularyMissing as error:
        findings.error("MG605", str(error), where, INSTALL_HELP)
        return None
    report_missing_examples(measured, where, findings)
    excesses = sorted(_find_excesses(measured, settings), key=lambda excess: -excess.ratio)
    _report_excesses(excesses, package, findings)
    counts = build_counts_json(measured, vocabulary)
    exceeded: list[Json] = [excess.to_json() for excess in excesses]
    return BudgetCheck(tuple(excesses), {"vocabulary": vocabulary, **counts, "exceeded": exceeded})


def format_worst(excesses: Sequence[Excess]) -> list[str]:
    """Return the lines of a table of what exceeds its limit most, as a multiple of the limit."""
    worst = sorted(excesses, key=lambda excess: -excess.ratio)[:MAX_TABLE_ROWS]
    rows = [("tool", "budget", "tokens", "limit", "")]
    for excess in worst:
        numbers = (f"{excess.tokens:,}", f"{excess.limit:,}", f"{excess.ratio:.1f} times")
        rows.append((excess.tool or "all tools", excess.setting[-1], *numbers))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines: list[str] = []
    for name, budget, *figures in rows:
        cells = [f"{figure:>{width}}" for figure, width in zip(figures, widths[2:], strict=True)]
        lines.append("  ".join([f"{name:<{widths[0]}}", f"{budget:<{widths[1]}}", *cells]).rstrip())
    return lines


def _limits_results(settings: PackageSettings) -> bool:
    budgets = [settings.budget, *(choice.budget for choice in settings.tools.values() if choice.budget is not None)]
    return any(budget.result is not None or budget.text is not None for budget in budgets)


def _find_limit(settings: PackageSettings, tool: str, measure: str) -> tuple[int | None, SettingPath]:
    """Return the limit of a tool, and where it stands: its own wins."""
    choice = settings.tools.get(tool)
    own: ToolBudget | None = choice.budget if choice is not None else None
    own_limit: int | None = getattr(own, measure) if own is not None else None
    if own_limit is not None:
        return own_limit, ("tools", tool, "budget", measure)
    return getattr(settings.budget, measure), ("budget", measure)


def _find_excesses(measured: Sequence[MeasuredTool], settings: PackageSettings) -> Iterator[Excess]:
    total = 0
    for tool in measured:
        counts = tool.counts[settings.budget.vocabulary]
        total += counts.definition
        for measure in MEASURES:
            limit, path = _find_limit(settings, tool.name, measure)
            tokens: int | None = getattr(counts, measure)
            if limit is not None and tokens is not None and tokens > limit:
                yield Excess(path, limit, tokens, tool.name)
    limit = settings.budget.definitions
    if limit is not None and total > limit:
        yield Excess(("budget", "definitions"), limit, total, None)


def _report_excesses(excesses: Sequence[Excess], package: ConfiguredPackage, findings: Findings) -> None:
    """Report each limit that is exceeded once, with the worst tools."""
    by_setting: dict[SettingPath, list[Excess]] = {}
    for excess in excesses:
        by_setting.setdefault(excess.setting, []).append(excess)
    for path, group in by_setting.items():
        where = locate_setting(package, path) or Span(format_path(package.out))
        findings.error("MG606", _describe_excesses(group), where, "shorten them, or raise the limit")


def _describe_excesses(group: Sequence[Excess]) -> str:
    first = group[0]
    if first.tool is None:
        return f"the definitions have {first.tokens:,} tokens together, {first.limit:,} are allowed"
    named = ", ".join(f'"{excess.tool}" has {excess.tokens:,}' for excess in group[:MAX_NAMED_TOOLS])
    more = f", and {len(group) - MAX_NAMED_TOOLS} more" if len(group) > MAX_NAMED_TOOLS else ""
    budget = first.setting[-1]
    return f"{format_count(len(group), 'tool')} beyond the {first.limit:,} tokens of `{budget}`: {named}{more}"
