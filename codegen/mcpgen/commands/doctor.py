"""`mcpgen doctor`: say what mcpgen works with here, and what is wrong with it."""

from __future__ import annotations

import importlib.metadata
import json
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, cast

from mcpgen import __version__
from mcpgen.commands.check import count_changes
from mcpgen.commands.generation import generate_packages
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.project_requirements import inspect_needs
from mcpgen.commands.sdk_choice import get_own_environment
from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Severity, Span, join_words
from mcpgen.files import journal
from mcpgen.libraries import is_release_between, list_untested
from mcpgen.paths import PACKAGE_FOLDER, format_path
from mcpgen.pipeline.outcome import Outcome, compare_output
from mcpgen.pipeline.package_kind import read_package_sdk
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count, format_table
from mcpgen.schema.values import Json
from mcpgen.targets import SDKS, get_sdk

if TYPE_CHECKING:
    from mcpgen.cache.store import Store


@dataclass(frozen=True)
class InstalledLibrary:
    """A library that mcpgen depends on."""

    name: str
    version: str
    """Empty if it is not installed."""
    required: str
    """The versions that mcpgen asks for, such as `>=2.12`; empty: any."""
    fits: bool


@dataclass(frozen=True)
class InstalledSdk:
    """An SDK that packages can be generated for, as far as it is installed."""

    distribution: str
    version: str
    sdk: str
    """The value of the setting `sdk` that supports this version; empty if none does."""
    supported: str
    """The values of `sdk` and the versions that each supports, for messages."""


def list_libraries() -> list[InstalledLibrary]:
    """Return the libraries that mcpgen and the run-time library depend on always, sorted by name."""
    from packaging.requirements import Requirement
    from packaging.version import InvalidVersion

    environment = get_own_environment()
    libraries: list[InstalledLibrary] = []
    for requirement in map(Requirement, _list_requirements()):
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        version = environment.find_versions([requirement.name]).get(requirement.name, "")
        try:
            fits = bool(version) and requirement.specifier.contains(version, prereleases=True)
        except InvalidVersion:
            fits = False
        libraries.append(InstalledLibrary(requirement.name, version, str(requirement.specifier), fits))
    return sorted(libraries, key=lambda library: library.name.lower())


def _list_requirements() -> Iterator[str]:
    for distribution in ("mcpgen", "mcpgen-runtime"):
        with suppress(importlib.metadata.PackageNotFoundError):
            yield from importlib.metadata.requires(distribution) or ()


def list_sdks() -> list[InstalledSdk]:
    """Return the SDKs that packages can be generated for, by the distributions that they come in."""
    found: list[InstalledSdk] = []
    environment = get_own_environment()
    for distribution in dict.fromkeys(sdk.distributions[-1] for sdk in SDKS):
        rows = [sdk for sdk in SDKS if sdk.distributions[-1] == distribution]
        names = dict.fromkeys(name for sdk in rows for name in (*reversed(sdk.distributions), *sdk.installed_as))
        installed, version = next(iter(environment.find_versions(names).items()), (distribution, ""))
        fitting = [sdk.name for sdk in rows if is_release_between(version, sdk.oldest, sdk.below)]
        supported = ", ".join(f'sdk = "{sdk.name}" for >={sdk.oldest},<{sdk.below}' for sdk in rows)
        found.append(InstalledSdk(installed, version, fitting[0] if fitting else "", supported))
    return found


DEFAULT = "default"
"""Origin of a setting that nobody has chosen."""


@dataclass(frozen=True)
class SettingInForce:
    """A setting of a package."""

    key: str
    value: Json
    origin: str
    """Where it comes from: `mcpgen.toml:3`, or `default`."""


@dataclass(frozen=True)
class PackageState:
    """A package of the settings, and what is on disk."""

    out: str
    settings: list[SettingInForce]
    exists: bool
    built_for: str
    """The SDK that the files on disk were generated for; empty if that is not known."""
    state: str
    """`up to date`, `not built`, or what differs."""
    dependencies: str = ""
    """Whether its project lists what it imports at run time; empty if nothing says what that project depends on."""
    missing_dependencies: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class CacheState:
    """The folder of the cache."""

    folder: str
    """Empty if no cache is used."""
    entries: int = 0
    size: int = 0
    flaw: str = ""
    """Why the folder is not used; empty if it is trusted."""


@dataclass
class DoctorReport:
    """Everything that `doctor` has found out."""

    mcpgen: str
    installed_in: str
    python: str
    executable: str
    system: str
    libraries: list[InstalledLibrary]
    sdks: list[InstalledSdk]
    settings_file: str
    """Empty if there is none, so that the defaults apply."""
    packages: list[PackageState]
    cache: CacheState
    state_folder: str
    settings_flaws: list[str] = field(default_factory=list[str])
    problems: list[str] = field(default_factory=list[str])


UNKNOWN_STATE = "unknown, since the input is wrong"
"""State of a package that cannot be compared with its definitions."""


def run_doctor(loaded: LoadedPackages, store: Store, output: CommandOutput, jobs: int | None) -> int:
    """Find everything out, print it, and return the exit code."""
    file, settings_flaws = loaded.settings_file, _describe_errors(loaded.findings)
    outcomes = [] if loaded.findings.failed else generate_packages(loaded, store, output, jobs)
    for outcome in outcomes:
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
        packages=[_describe_package(package, outcome) for package, outcome in zip_longest(loaded.packages, outcomes)],
        cache=CacheState("" if store.folder is None else str(store.folder), *store.measure(), store.describe_flaw()),
        state_folder=str(journal.find_state_folder() or ""),
        settings_flaws=settings_flaws,
    )
    report.problems = _list_problems(report)
    output.print_data(format_report(report))
    exit_code = INVALID_INPUT if loaded.findings.failed else SUCCESS
    return output.finish(loaded.findings, exit_code, lambda: asdict(report))


def _describe_package(package: ConfiguredPackage, outcome: Outcome | None) -> PackageState:
    out = package.out
    exists = out.is_dir() and any(out.iterdir())
    state = UNKNOWN_STATE
    if outcome is not None and outcome.plan is not None:
        state = ", ".join(count_changes(outcome)) or "up to date" if exists else "not built"
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
    values = _flatten(package.settings.model_dump(mode="json", by_alias=True))
    chosen = _flatten(package.settings.model_dump(mode="json", by_alias=True, exclude_unset=True))
    return [
        SettingInForce(".".join(path), value, _find_origin(package, path) if path in chosen else DEFAULT)
        for path, value in {**chosen, **values}.items()
        if path in chosen or value not in (None, [], {}, "")
    ]


def _flatten(table: dict[str, Any], path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Json]:
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
    return "command line" if span is None else span.format_line()


# --- problems --------------------------------------------------------------------------------------------------------
def _describe_errors(findings: Findings) -> list[str]:
    errors = [item for item in findings.sorted() if item.severity is Severity.ERROR]
    return [": ".join(filter(None, ((item.span or Span("")).format_line(), item.message))) for item in errors]


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
        problems += _list_package_problems(package, report.sdks)
    return problems


def _list_package_problems(package: PackageState, sdks: Sequence[InstalledSdk]) -> Iterator[str]:
    if package.missing_dependencies:
        missing = join_words([f'"{item}"' for item in package.missing_dependencies])
        yield f"{package.out} needs {missing} at run time: {package.dependencies}"
    chosen = next(str(setting.value) for setting in package.settings if setting.key == "sdk")
    if package.built_for not in ("", chosen):
        yield f'{package.out} was built for sdk = "{package.built_for}", and the settings say "{chosen}"'
    if package.state != "up to date":
        advice = "" if package.state == UNKNOWN_STATE else "; `mcpgen build` generates it"
        yield f"{package.out}: {package.state}{advice}"
    row = get_sdk(chosen)
    if row is not None and not any(sdk.sdk == chosen for sdk in sdks):
        requirement = f"{row.distributions[-1]}>={row.oldest},<{row.below}"
        yield f'{package.out} needs {requirement} at run time: pip install "{requirement}"'


# --- text ------------------------------------------------------------------------------------------------------------
MAX_VALUE_LENGTH = 60


def format_report(report: DoctorReport) -> Iterator[str]:
    """Yield the lines of a report."""
    yield f"mcpgen {report.mcpgen}, in {report.installed_in}"
    yield f"Python {report.python}, {report.executable}, on {report.system}"
    yield from ("", "Libraries")
    yield from _indent_table(
        (library.name, library.version or "not installed", "" if library.fits else f"needs {library.required}")
        for library in report.libraries
    )
    yield from ("", "SDKs")
    yield from _indent_table(
        (sdk.distribution, sdk.version or "not installed", _describe_support(sdk)) for sdk in report.sdks
    )
    file = report.settings_file or "none, so the defaults apply; `mcpgen init` writes some"
    flaws = f", with {format_count(len(report.settings_flaws), 'error')}" if report.settings_flaws else ""
    yield from ("", f"Settings: {file}{flaws}")
    for package in report.packages:
        yield from _format_package(package)
    yield from ("", _format_cache(report.cache))
    yield f"Notes about running builds: {report.state_folder or 'none'}"
    yield from ("", f"Problems: {len(report.problems) or 'none'}")
    yield from (f"  {problem}" for problem in report.problems)


def _describe_support(sdk: InstalledSdk) -> str:
    if sdk.sdk:
        return f'supported: sdk = "{sdk.sdk}"'
    return f"not supported; supported are: {sdk.supported}" if sdk.version else sdk.supported


def _format_package(package: PackageState) -> Iterator[str]:
    built_for = f', built for sdk = "{package.built_for}"' if package.built_for else ""
    yield from ("", f"Package {package.out}: {package.state}{built_for}")
    if package.dependencies:
        yield f"  dependencies: {package.dependencies}"
    shown = [setting for setting in package.settings if setting.origin != DEFAULT or "." not in setting.key]
    yield from _indent_table((setting.key, _format_value(setting.value), setting.origin) for setting in shown)
    if hidden := len(package.settings) - len(shown):
        yield f"  and {hidden} defaults of tables such as limits, which `--format json` lists"


def _format_cache(cache: CacheState) -> str:
    if not cache.folder:
        return "Cache: none"
    trust = f"not used: it {cache.flaw}" if cache.flaw else "trusted"
    entries = "1 entry" if cache.entries == 1 else f"{cache.entries} entries"
    return f"Cache: {cache.folder}, {entries}, {cache.size / 2**20:.1f} MiB, {trust}"


def _indent_table(rows: Iterable[tuple[str, str, str]]) -> list[str]:
    return [f"  {line}".rstrip() for line in format_table([*rows])]


def _format_value(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_VALUE_LENGTH else text[: MAX_VALUE_LENGTH - 3] + "..."
