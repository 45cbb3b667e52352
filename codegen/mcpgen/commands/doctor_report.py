"""What `mcpgen doctor` has found out, as text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from mcpgen.commands.doctor_facts import DEFAULT, DoctorReport, PackageState
from mcpgen.report.text import format_count
from mcpgen.schema.values import Json

MAX_VALUE_LENGTH = 60
"""Characters of a setting's value."""


def format_report(report: DoctorReport) -> Iterator[str]:
    """Yield the lines of a report."""
    yield f"mcpgen {report.mcpgen}, in {report.installed_in}"
    yield f"Python {report.python}, {report.executable}, on {report.system}"
    yield from _format_section(
        "Libraries",
        [
            (library.name, library.version or "not installed", "" if library.fits else f"needs {library.required}")
            for library in report.libraries
        ],
    )
    yield from _format_section(
        "SDKs",
        [
            (sdk.distribution, sdk.version or "not installed", _describe_support(sdk.sdk, sdk.version, sdk.supported))
            for sdk in report.sdks
        ],
    )
    yield ""
    yield f"Settings: {_describe_settings(report)}"
    for package in report.packages:
        yield from _format_package(package)
    yield ""
    cache = report.cache
    if cache.folder:
        trust = f"not used: it {cache.flaw}" if cache.flaw else "trusted"
        entries = format_count(cache.entries, "entry") if cache.entries == 1 else f"{cache.entries} entries"
        yield f"Cache: {cache.folder}, {entries}, {cache.size / 2**20:.1f} MiB, {trust}"
    else:
        yield "Cache: none"
    yield f"Notes about running builds: {report.state_folder or 'none'}"
    yield ""
    yield f"Problems: {len(report.problems) or 'none'}"
    yield from (f"  {problem}" for problem in report.problems)


def _describe_settings(report: DoctorReport) -> str:
    file = report.settings_file or "none, so the defaults apply; `mcpgen init` writes some"
    return f"{file}, with {format_count(len(report.settings_flaws), 'error')}" if report.settings_flaws else file


def _describe_support(sdk: str, version: str, supported: str) -> str:
    if sdk:
        return f'supported: sdk = "{sdk}"'
    return f"not supported; supported are: {supported}" if version else supported


def _format_package(package: PackageState) -> Iterator[str]:
    built_for = f', built for sdk = "{package.built_for}"' if package.built_for else ""
    yield ""
    yield f"Package {package.out}: {package.state}{built_for}"
    if package.dependencies:
        yield f"  dependencies: {package.dependencies}"
    shown = [setting for setting in package.settings if setting.origin != DEFAULT or "." not in setting.key]
    yield from _format_rows([(setting.key, _format_value(setting.value), setting.origin) for setting in shown])
    if hidden := len(package.settings) - len(shown):
        yield f"  and {hidden} defaults of tables such as limits, which `--format json` lists"


def _format_section(title: str, rows: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    yield ""
    yield title
    yield from _format_rows(rows)


def _format_rows(rows: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(2)]
    for first, second, third in rows:
        yield f"  {first:<{widths[0]}}  {second:<{widths[1]}}  {third}".rstrip()


def _format_value(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_VALUE_LENGTH else text[: MAX_VALUE_LENGTH - 3] + "..."
