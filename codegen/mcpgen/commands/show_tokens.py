"""`mcpgen show --tokens`: how many tokens the definitions of tools and their example results have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcpgen.commands.missing_package import report_missing_package
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.token_counts import (
    MeasuredTool,
    MeasureTask,
    TokenCounts,
    build_counts_json,
    measure_tools,
    sum_counts,
)
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Span
from mcpgen.paths import format_path
from mcpgen.prove.package_loader import PackageNotImportable, load_package
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.schema.values import Json
from mcpgen.vocabularies import INSTALL_HELP, VOCABULARIES, VOCABULARY_NAMES, VocabularyMissing, VocabularyName

TableRow = tuple[str, str, str, str, str, str]
TABLE_HEADER: TableRow = ("tool", "definition", "text", "JSON", "text/JSON", "result")


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
        vocabularies = _choose_vocabularies(package, request, output)
        measured = _measure_package(package, vocabularies, request, findings)
        if measured is None:
            continue
        for number, vocabulary in enumerate(vocabularies):
            output.print_data([""] * bool(packages_json or number) + _format_table(measured, vocabulary))
        counts: dict[str, Json] = {name: build_counts_json(measured, name) for name in vocabularies}
        packages_json.append({"out": format_path(package.out), "vocabularies": counts})
    if request.tool is not None and loaded.packages and not packages_json and not findings.failed:
        findings.error("MG602", f'no generated package has a tool "{request.tool}"')
    exit_code = INVALID_INPUT if findings.failed else SUCCESS
    return output.finish(
        findings, exit_code, lambda: {"tool": request.tool, "tokens": packages_json} if packages_json else None
    )


def _choose_vocabularies(
    package: ConfiguredPackage, request: ShowTokensRequest, output: CommandOutput
) -> tuple[VocabularyName, ...]:
    everything = VOCABULARY_NAMES if output.format == "json" else (package.settings.budget.vocabulary,)
    return request.vocabularies or everything


def _measure_package(
    package: ConfiguredPackage,
    vocabularies: tuple[VocabularyName, ...],
    request: ShowTokensRequest,
    findings: Findings,
) -> list[MeasuredTool] | None:
    """Return the counts of a package; None if it lacks the tool, or with a finding if nothing can be counted."""
    out = package.out
    where = Span(format_path(out))
    try:
        names = [name for name in load_package(out).TOOLS if request.tool in (None, name)]
        if not names and request.tool is not None:
            return None
        measured = measure_tools(MeasureTask(out, vocabularies, protocol=request.protocol), names, request.jobs)
    except PackageNotImportable as error:
        report_missing_package(package, error, findings)
        return None
    except VocabularyMissing as error:
        findings.error("MG605", str(error), where, INSTALL_HELP)
        return None
    report_missing_examples(measured, where, findings)
    return measured


def report_missing_examples(measured: Sequence[MeasuredTool], where: Span, findings: Findings) -> None:
    """Warn of tools whose results could not be counted."""
    for tool in measured:
        if tool.problem:
            message = f'the result of "{tool.name}" is not counted: {tool.problem}'
            findings.warn("MG605", message, where, "give its outputSchema an example that it accepts: `examples`")


def _format_table(measured: Sequence[MeasuredTool], vocabulary: VocabularyName) -> list[str]:
    """Return the lines of a table, numbers to the right, with totals if there are several tools."""
    rows = [TABLE_HEADER, *(_make_row(tool.name, tool.counts[vocabulary]) for tool in measured)]
    if len(measured) > 1:
        rows.append(_make_row("total", sum_counts(tool.counts[vocabulary] for tool in measured)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(TABLE_HEADER))]
    lines = [f"tokens of {vocabulary} ({VOCABULARIES[vocabulary].models})"]
    for name, *numbers in rows:
        cells = [f"{cell:>{width}}" for cell, width in zip(numbers, widths[1:], strict=True)]
        lines.append("  ".join([f"{name:<{widths[0]}}", *cells]).rstrip())
    return lines


def _make_row(name: str, counts: TokenCounts) -> TableRow:
    ratio = f"{100 * counts.text / counts.json:.0f} %" if counts.text is not None and counts.json else "-"
    numbers = (counts.definition, counts.text, counts.json)
    definition, text, value = ("-" if number is None else f"{number:,}" for number in numbers)
    return name, definition, text, value, ratio, "-" if counts.result is None else f"{counts.result:,}"
