"""`mcpgen lint`: report what clients and models make of the definitions, and fix what has one safe answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer
from pydantic import ValidationError

from mcpgen import write
from mcpgen.commands.generation import drop_names_of_other_packages
from mcpgen.commands.lint_fixes import apply_fixes
from mcpgen.commands.package_selection import FailOn, LoadedPackages, must_fail
from mcpgen.config.models import ConfiguredPackage, LintSettings
from mcpgen.config.validation import explain_validation_error
from mcpgen.diagnostics import Diagnostic, Findings, Severity, is_lint_code
from mcpgen.lint.linter import LINT_RULES, PRINTED_NULL, lint_package, select_rules
from mcpgen.read.definitions import Definitions
from mcpgen.read.linting import list_linted
from mcpgen.read.loader import read_definitions
from mcpgen.report.exit_codes import INVALID_INPUT, LINT_FINDINGS, SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count
from mcpgen.schema.values import allow_deep_recursion

MAX_ROUNDS = 10
"""Times that fixes are applied, since one can make another one possible."""


@dataclass(frozen=True)
class LintRequest:
    """Options of a lint run; those that are not None replace settings."""

    select: Sequence[str] | None = None
    ignore: Sequence[str] | None = None
    clients: Sequence[str] | None = None
    fix: bool = False
    fail_on: FailOn | None = None
    """Whether warnings make it fail; None: the settings of each package decide, and without a choice there, they do."""


@dataclass
class _LintResult:
    definition_count: int = 0
    fixed_count: int = 0
    skipped: tuple[str, ...] = ()


def run_lint(loaded: LoadedPackages, request: LintRequest, output: CommandOutput) -> int:
    """Lint the definitions of every package, report the findings and return the exit code."""
    findings, result = loaded.findings, _LintResult()
    with allow_deep_recursion():
        chosen = [_override_lint_settings(package, request) for package in loaded.packages]
        reports = [(package, _lint_package(package, request.fix, result)) for package in chosen]
    reports = [*zip(chosen, drop_names_of_other_packages(reports), strict=True)]
    concerned = [*reports, *((package, findings) for package in chosen)]  # what is about all is about each
    fails = must_fail(request.fail_on, concerned, findings, default="warning")
    for _, found in reports:
        findings.extend(found)
    reported = Findings()  # `build` reports the other notes about the definitions
    reported.extend(item for item in findings if item.severity is Severity.ERROR or _is_counted(item))
    lint_items = [item for item in reported.sorted() if _is_counted(item)]
    exit_code = INVALID_INPUT if findings.failed else LINT_FINDINGS if fails else SUCCESS
    output.finish(
        reported,
        exit_code,
        lambda: {
            "definitions": result.definition_count,
            "findings": {**dict(sorted(Counter(item.code for item in lint_items).items()))},
            "fixed": result.fixed_count,
        },
    )
    if lint_items or result.definition_count or not findings.failed:
        summary = _format_summary(lint_items, request.fix, result, findings.failed)
        output.print_summary(*summary, failed=exit_code == LINT_FINDINGS)
    return exit_code


def _is_counted(item: Diagnostic) -> bool:
    """Return whether a diagnostic is a finding of lint: one of a rule, an edited pulled file, or another warning."""
    return is_lint_code(item.code) or item.code == "MG401" or item.severity is Severity.WARNING


def _override_lint_settings(package: ConfiguredPackage, request: LintRequest) -> ConfiguredPackage:
    """Apply the options; raise `typer.BadParameter` if one names no rule, or no client."""
    options = {"select": request.select, "ignore": request.ignore, "clients": request.clients}
    chosen = {key: [*value] for key, value in options.items() if value is not None}
    values = package.settings.lint.model_dump(by_alias=True, exclude_unset=True)
    try:
        lint = LintSettings.model_validate(values | chosen)
    except ValidationError as error:
        first = error.errors()[0]
        option = {"clients": "--client"}.get(str(first["loc"][0]), f"--{first['loc'][0]}")
        _, help = explain_validation_error(first, LintSettings)
        message = f'"{first["input"]}": {first["msg"]}' + (f"; {help}" if help else "")
        raise typer.BadParameter(message, param_hint=option) from None
    return package.model_copy(update={"settings": package.settings.model_copy(update={"lint": lint})})


def _lint_package(package: ConfiguredPackage, is_fixing: bool, result: _LintResult) -> Findings:
    rules = select_rules(package.settings.lint)
    definitions, findings = _read(package)
    for _ in range(MAX_ROUNDS if is_fixing and not findings.failed else 0):
        try:
            fixed = apply_fixes([*list_linted(definitions)], rules, package.settings.limits)
        except OSError as error:
            write.report_failure(error, Path(error.filename or package.folder), findings)
            break
        result.fixed_count += fixed.count
        result.skipped = fixed.skipped
        if not fixed.count:
            break
        definitions, findings = _read(package)
    sites = [*list_linted(definitions)]
    for number, finding in lint_package([site.definition for site in sites], rules):
        findings.add(sites[number].locate(finding))
    if PRINTED_NULL in (rule.code for rule in rules) and not findings.failed:
        _lint_templates(package, definitions, findings)
    result.definition_count += len(sites)
    return findings


def _lint_templates(package: ConfiguredPackage, definitions: Definitions, findings: Findings) -> None:
    tools = [tool for tool in definitions.tools if tool.choices.template is not None and tool.output is not None]
    if tools:
        from mcpgen.pipeline.content_templates import note_printed_nulls
        from mcpgen.pipeline.preview import lower_and_name

        preview = lower_and_name(Definitions(tools=tools), package.settings, 1)
        note_printed_nulls(preview.package, tools, findings)


def _read(package: ConfiguredPackage) -> tuple[Definitions, Findings]:
    findings = Findings()
    return read_definitions(package, findings), findings


def _format_summary(items: Sequence[Diagnostic], was_fixing: bool, result: _LintResult, has_errors: bool) -> list[str]:
    """Return a line about the findings, and one about fixes; with errors, what could not be read may have more."""
    count = format_count(len(items), "finding") if items else "no findings"
    definitions = format_count(result.definition_count, "definition")
    lines = [f"{count} in {definitions}" + (" that could be read" if has_errors else "")]
    if was_fixing:
        lines += [f"{format_count(result.fixed_count, 'finding')} fixed"] if result.fixed_count else []
        lines += result.skipped
    else:
        fixable = {rule.code for rule in LINT_RULES if rule.is_fixable}
        if any(item.code in fixable for item in items):
            lines.append("some can be fixed: mcpgen lint --fix")
    return lines
