"""`mcpgen doctor`: say what mcpgen works with here, and what is wrong with it."""

from __future__ import annotations

import platform
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

from mcpgen import __version__
from mcpgen.commands.check import ACTION_LABELS
from mcpgen.commands.declared_needs import inspect_needs
from mcpgen.commands.doctor_facts import DEFAULT, CacheState, DoctorReport, PackageState, SettingInForce
from mcpgen.commands.doctor_report import format_report
from mcpgen.commands.environment import list_libraries, list_sdks
from mcpgen.commands.generation import generate_packages
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Severity, Span, join_words
from mcpgen.files import journal
from mcpgen.libraries import list_untested
from mcpgen.paths import PACKAGE_FOLDER, format_path
from mcpgen.pipeline.outcome import Outcome, compare_output
from mcpgen.pipeline.package_kind import read_package_sdk
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.schema.values import Json
from mcpgen.targets import get_sdk

if TYPE_CHECKING:
    from mcpgen.cache.store import Store

UNKNOWN_STATE = "unknown, since the input is wrong"
"""State of a package that cannot be compared with its definitions."""


def run_doctor(loaded: LoadedPackages, store: Store, output: CommandOutput, jobs: int | None) -> int:
    """Find everything out, print it, and return the exit code."""
    file, settings_flaws = loaded.settings_file, _describe_errors(loaded.findings)
    outcomes: list[Outcome | None] = [None] * len(loaded.packages)
    if not loaded.findings.failed:
        outcomes = [*generate_packages(loaded, store, output, jobs)]
    for outcome in filter(None, outcomes):
        compare_output(outcome)
    report = DoctorReport(
        mcpgen=__version__,
        installed_in=str(PACKAGE_FOLDER),
        python=platform.python_version(),
        executable=sys.executable,
        system=f"{platform.system()} {platform.machine()}",
        libraries=list_libraries(),
        sdks=list_sdks(),
        settings_file="" if file is None else format_path(file),
        packages=[
            _describe_package(package, outcome) for package, outcome in zip(loaded.packages, outcomes, strict=True)
        ],
        cache=_describe_cache(store),
        state_folder=str(journal.find_state_folder() or ""),
        settings_flaws=settings_flaws,
    )
    report.problems = _list_problems(report)
    output.print_data(format_report(report))
    exit_code = INVALID_INPUT if loaded.findings.failed else SUCCESS
    return output.finish(loaded.findings, exit_code, lambda: asdict(report))


def _describe_errors(findings: Findings) -> list[str]:
    """Return the errors among some findings, each with its place."""
    errors = [item for item in findings.sorted() if item.severity is Severity.ERROR]
    places = [item.span or Span("") for item in errors]
    titles = [f"{span.file}:{span.line}" if span.line else span.file for span in places]
    return [f"{title}: {item.message}" if title else item.message for title, item in zip(titles, errors, strict=True)]


def _describe_package(package: ConfiguredPackage, outcome: Outcome | None) -> PackageState:
    out = package.out
    exists = out.is_dir() and any(out.iterdir())
    state = UNKNOWN_STATE
    if outcome is not None and outcome.plan is not None:
        if not exists:
            state = "not built"
        else:
            labels = [ACTION_LABELS[step.action] for step in outcome.plan.changes]
            counts = [f"{labels.count(label)} {label}" for label in ACTION_LABELS.values() if label in labels]
            state = ", ".join(counts) or "up to date"
    needs = inspect_needs(package)
    return PackageState(
        format_path(out),
        _list_settings(package),
        exists,
        read_package_sdk(out) or "",
        state,
        "" if needs is None else needs.describe(),
        [] if needs is None else [*needs.missing],
    )


def _list_settings(package: ConfiguredPackage) -> list[SettingInForce]:
    """Return the settings that have a value, those of a file first, each with its origin."""
    values = _flatten(package.settings.model_dump(mode="json", by_alias=True))
    chosen = _flatten(package.settings.model_dump(mode="json", by_alias=True, exclude_unset=True))
    settings = [SettingInForce(".".join(path), value, _find_origin(package, path)) for path, value in chosen.items()]
    defaults = (
        (path, value) for path, value in values.items() if path not in chosen and value not in (None, [], {}, "")
    )
    return settings + [SettingInForce(".".join(path), value, DEFAULT) for path, value in defaults]


def _flatten(table: dict[str, Any], path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Json]:
    """Return the values in tables inside each other, by their paths."""
    values: dict[tuple[str, ...], Json] = {}
    for key, value in table.items():
        if isinstance(value, dict) and value:
            values |= _flatten(cast(dict[str, Any], value), (*path, key))
        else:
            values[*path, key] = value
    return values


def _find_origin(package: ConfiguredPackage, path: tuple[str, ...]) -> str:
    if path == ("sdk",) and package.sdk_remarks is not None:
        return "the dependencies" if read_package_sdk(package.out) is None else "the package"
    span = locate_setting(package, path)
    if span is None:
        return "command line"
    return f"{span.file}:{span.line}" if span.line else span.file


def _describe_cache(store: Store) -> CacheState:
    if store.folder is None:
        return CacheState("")
    entries, size = store.measure()
    return CacheState(str(store.folder), entries, size, store.describe_flaw())


def _list_problems(report: DoctorReport) -> list[str]:
    problems = [
        f"{library.name} {library.version or 'is not installed'}: mcpgen needs {library.name}{library.required}"
        for library in report.libraries
        if not library.fits
    ]
    problems += [*list_untested(), *report.settings_flaws]
    if report.cache.flaw:
        problems.append(f"the cache is not used: it {report.cache.flaw}")
    for package in report.packages:
        if package.missing_dependencies:
            missing = join_words([f'"{item}"' for item in package.missing_dependencies])
            problems.append(f"{package.out} needs {missing} at run time: {package.dependencies}")
        chosen = next(str(setting.value) for setting in package.settings if setting.key == "sdk")
        if package.built_for not in ("", chosen):
            problems.append(f'{package.out} was built for sdk = "{package.built_for}", and the settings say "{chosen}"')
        if package.state != "up to date":
            advice = "" if package.state == UNKNOWN_STATE else "; `mcpgen build` generates it"
            problems.append(f"{package.out}: {package.state}{advice}")
        row = get_sdk(chosen)
        if row is not None and not any(sdk.sdk == chosen for sdk in report.sdks):
            requirement = f"{row.distributions[-1]}>={row.oldest},<{row.below}"
            problems.append(f'{package.out} needs {requirement} at run time: pip install "{requirement}"')
    return problems
