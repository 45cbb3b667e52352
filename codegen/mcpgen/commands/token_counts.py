"""Tokens of tools: counts of their definitions and of example results, tables of them, and budgets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mcpgen.commands.generated_package import (
    NoExampleResult,
    collect_texts,
    format_compact,
    make_example_result,
    report_missing_package,
)
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.paths import format_path
from mcpgen.prove.package_loader import PackageNotImportable, load_package
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count, format_table
from mcpgen.schema.values import Json, allow_deep_recursion
from mcpgen.vocabularies import (
    INSTALL_HELP,
    VOCABULARIES,
    VOCABULARY_NAMES,
    VocabularyMissing,
    VocabularyName,
    make_counter,
)
from mcpgen.workers import Workers, pause_garbage_collection

READ_MEMBERS = ("name", "description", "inputSchema")
"""Members of a tool that clients hand to a model, as compact JSON; the other ones stay with the client."""


# --- counts ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class TokenCounts:
    """Tokens of one tool in one vocabulary; those of the result are None where there is no example."""

    definition: int
    text: int | None = None
    """The text blocks of an example result."""
    json: int | None = None
    """The value of the same result as compact JSON; None without an outputSchema, too."""
    result: int | None = None
    """The same result as a whole, as compact JSON."""


@dataclass(frozen=True)
class MeasuredTool:
    """Tokens of one tool, by vocabulary."""

    name: str
    counts: dict[VocabularyName, TokenCounts]
    problem: str = ""


@dataclass(frozen=True)
class MeasureTask:
    """What is counted of a package."""

    out: Path
    vocabularies: tuple[VocabularyName, ...]
    with_results: bool = True
    protocol: str | None = None


def measure_tools(task: MeasureTask, names: Sequence[str], jobs: int) -> list[MeasuredTool]:
    """Measure tools in processes; raise `PackageNotImportable` or `VocabularyMissing` if something is missing."""
    with pause_garbage_collection():
        load_package(task.out)  # once, before the processes are copied from this one
        for vocabulary in task.vocabularies:
            make_counter(vocabulary)
        with Workers(jobs if task.with_results else 1) as workers:
            return [*workers.map(partial(_measure_tool, task), names)]


def sum_counts(counts: Iterable[TokenCounts]) -> TokenCounts:
    """Return the counts of several tools together; what is None counts nothing."""
    items = [asdict(item) for item in counts]
    return TokenCounts(**{kind: sum(item[kind] or 0 for item in items) for kind in TokenCounts.__annotations__})


def build_counts_json(measured: Sequence[MeasuredTool], vocabulary: VocabularyName) -> dict[str, Json]:
    """Return the JSON of all counts in one vocabulary."""
    tools: list[Json] = [{"name": tool.name, **asdict(tool.counts[vocabulary])} for tool in measured]
    return {"tools": tools, "totals": asdict(sum_counts(tool.counts[vocabulary] for tool in measured))}


@allow_deep_recursion()
def _measure_tool(task: MeasureTask, name: str) -> MeasuredTool:
    generated: Any = load_package(task.out)
    tool = generated.TOOLS[name]
    definition = format_compact({member: tool[member] for member in READ_MEMBERS if member in tool})
    texts, problem = {"definition": definition}, ""
    if task.with_results:
        try:
            texts |= collect_texts(make_example_result(generated.RESULT_TYPES[name], tool), tool, task.protocol)
        except NoExampleResult as error:
            problem = str(error)
    counts: dict[VocabularyName, TokenCounts] = {
        vocabulary: TokenCounts(**{kind: make_counter(vocabulary)(text) for kind, text in texts.items()})
        for vocabulary in task.vocabularies
    }
    return MeasuredTool(name, counts, problem)


def _measure_package(
    package: ConfiguredPackage, task: MeasureTask, tool: str | None, jobs: int, where: Span, findings: Findings
) -> list[MeasuredTool] | None:
    try:
        names = [name for name in load_package(task.out).TOOLS if tool in (None, name)]
        measured = measure_tools(task, names, jobs) if names or tool is None else []
    except PackageNotImportable as error:
        report_missing_package(package, error, findings)
        return None
    except VocabularyMissing as error:
        findings.error("MG605", str(error), where, INSTALL_HELP)
        return None
    for item in measured:
        if item.problem:
            message = f'the result of "{item.name}" is not counted: {item.problem}'
            findings.warn("MG605", message, where, "give its outputSchema an example that it accepts: `examples`")
    return measured


# --- `mcpgen show --tokens` ------------------------------------------------------------------------------------------
TABLE_HEADER = ("tool", "definition", "text", "JSON", "text/JSON", "result")


@dataclass(frozen=True)
class ShowTokensRequest:
    """Tools to count, and with which vocabularies."""

    tool: str | None
    """None: all tools."""
    vocabularies: tuple[VocabularyName, ...]
    """Empty: that of the settings, in JSON all."""
    protocol: str | None
    jobs: int


def run_show_tokens(loaded: LoadedPackages, request: ShowTokensRequest, output: CommandOutput) -> int:
    """Count the tokens of the tools of every package, print a table for each vocabulary and return the exit code."""
    findings = loaded.findings
    packages_json: list[Json] = []
    for package in loaded.packages:
        everything = VOCABULARY_NAMES if output.format == "json" else (package.settings.budget.vocabulary,)
        vocabularies = request.vocabularies or everything
        task, where = MeasureTask(package.out, vocabularies, protocol=request.protocol), Span(format_path(package.out))
        measured = _measure_package(package, task, request.tool, request.jobs, where, findings)
        if measured is None or (request.tool is not None and not measured):
            continue
        for number, vocabulary in enumerate(vocabularies):
            output.print_data([""] * bool(packages_json or number) + _format_counts(measured, vocabulary))
        counts: dict[str, Json] = {name: build_counts_json(measured, name) for name in vocabularies}
        packages_json.append({"out": format_path(package.out), "vocabularies": counts})
    if request.tool is not None and loaded.packages and not packages_json and not findings.failed:
        findings.error("MG602", f'no generated package has a tool "{request.tool}"')
    exit_code = INVALID_INPUT if findings.failed else SUCCESS
    return output.finish(
        findings, exit_code, lambda: {"tool": request.tool, "tokens": packages_json} if packages_json else None
    )


def _format_counts(measured: Sequence[MeasuredTool], vocabulary: VocabularyName) -> list[str]:
    rows = [TABLE_HEADER, *(_make_row(tool.name, tool.counts[vocabulary]) for tool in measured)]
    if len(measured) > 1:
        rows.append(_make_row("total", sum_counts(tool.counts[vocabulary] for tool in measured)))
    title = f"tokens of {vocabulary} ({VOCABULARIES[vocabulary].models})"
    return [title, *format_table(rows, range(1, len(TABLE_HEADER)))]


def _make_row(name: str, counts: TokenCounts) -> tuple[str, str, str, str, str, str]:
    ratio = f"{100 * counts.text / counts.json:.0f} %" if counts.text is not None and counts.json else "-"
    numbers = (counts.definition, counts.text, counts.json, counts.result)
    definition, text, value, result = ("-" if number is None else f"{number:,}" for number in numbers)
    return name, definition, text, value, ratio, result


# --- budgets ---------------------------------------------------------------------------------------------------------
SettingPath = tuple[str, ...]
MEASURES = ("definition", "result", "text")
MAX_TABLE_ROWS = 10
MAX_NAMED_TOOLS = 3


@dataclass(frozen=True)
class Excess:
    """A count that is above its limit."""

    setting: SettingPath
    limit: int
    tokens: int
    tool: str | None
    """None: all tools together."""

    @property
    def ratio(self) -> float:
        """Tell how many times the limit this is."""
        return self.tokens / self.limit


@dataclass(frozen=True)
class BudgetCheck:
    """What comparing a package with its budgets came to."""

    excesses: tuple[Excess, ...]
    data: Json


def check_budget(package: ConfiguredPackage, jobs: int, findings: Findings) -> BudgetCheck | None:
    """Compare a generated package with its budgets and report what is beyond them; None if it cannot be counted."""
    settings, vocabulary = package.settings, package.settings.budget.vocabulary
    where = locate_setting(package, ("budget",)) or Span(format_path(package.out))
    budgets = [settings.budget, *(choice.budget for choice in settings.tools.values() if choice.budget is not None)]
    with_results = any(budget.result is not None or budget.text is not None for budget in budgets)
    task = MeasureTask(package.out, (vocabulary,), with_results)
    measured = _measure_package(package, task, None, jobs, where, findings)
    if measured is None:
        return None
    excesses = sorted(_find_excesses(measured, settings), key=lambda excess: -excess.ratio)
    _report_excesses(excesses, package, findings)
    exceeded: list[Json] = [
        {"tool": excess.tool, "budget": excess.setting[-1], "limit": excess.limit, "tokens": excess.tokens}
        for excess in excesses
    ]
    counts = build_counts_json(measured, vocabulary)
    return BudgetCheck(tuple(excesses), {"vocabulary": vocabulary, **counts, "exceeded": exceeded})


def format_worst(excesses: Sequence[Excess]) -> list[str]:
    """Return the lines of a table of what exceeds its limit most, as a multiple of the limit."""
    rows = [("tool", "budget", "tokens", "limit", "")]
    for excess in sorted(excesses, key=lambda excess: -excess.ratio)[:MAX_TABLE_ROWS]:
        numbers = (f"{excess.tokens:,}", f"{excess.limit:,}", f"{excess.ratio:.1f} times")
        rows.append((excess.tool or "all tools", excess.setting[-1], *numbers))
    return format_table(rows, (2, 3, 4))


def _find_limit(settings: PackageSettings, tool: str, measure: str) -> tuple[int | None, SettingPath]:
    choice = settings.tools.get(tool)
    own_limit: int | None = getattr(choice.budget, measure) if choice is not None and choice.budget else None
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
