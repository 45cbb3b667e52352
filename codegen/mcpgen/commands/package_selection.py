"""Packages that a command works on: their settings, their SDK, and whether their warnings make it fail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from mcpgen.config.load import find_settings, load_packages, override_settings, warn_about_unread_table
from mcpgen.config.models import ConfiguredPackage, Limits
from mcpgen.diagnostics import Diagnostic, Findings, Severity
from mcpgen.paths import format_path
from mcpgen.pipeline.outcome import Outcome
from mcpgen.pipeline.package_kind import read_package_sdk
from mcpgen.report.output import CommandOutput
from mcpgen.targets import NO_SDK

SEVERAL_PACKAGES_MESSAGE = "the settings hold several packages, and none is known to be this server's"
"""Message of MG302, for commands that compare one package with a server."""


@dataclass(frozen=True)
class LoadedPackages:
    """Packages with their settings, and the findings so far; a command adds its own to these."""

    packages: list[ConfiguredPackage]
    findings: Findings
    settings_file: Path | None = None
    """The file that the settings were to be read from; None: there is none."""

    @property
    def limits(self) -> Limits:
        """The limits of the first package; without a package, the defaults."""
        return self.packages[0].settings.limits if self.packages else Limits.model_validate({})


def select_packages(
    config: Path | None,
    root: Path | None,
    paths: Sequence[Path] = (),
    out: Path | None = None,
    sdk: str | None = None,
    protocol: str | None = None,
    runtime: str | None = None,
) -> LoadedPackages:
    """Load the packages of a settings file, by default the nearest; options that are not None override settings."""
    findings = Findings()
    folder = Path.cwd()
    file = config or find_settings(folder)
    warn_about_unread_table(file, folder, findings)
    configured = load_packages(file, folder, findings)
    overrides = {"out": out, "sdk": sdk, "protocol": protocol, "runtime": runtime}
    packages = find_sdks(override_settings(configured, [*paths], overrides, findings, root))
    return LoadedPackages(packages, findings, file)


def find_sdks(packages: Sequence[ConfiguredPackage]) -> list[ConfiguredPackage]:
    """Return the packages, with an SDK for those whose settings and options name none.

    A package that was built keeps its SDK. A new one gets that of the packages beside it, else that which the project
    requires. What is only installed does not count: the same files make the same package on each machine.
    """
    unchosen = [package for package in packages if "sdk" not in package.settings.model_fields_set]
    built = {package.out: read_package_sdk(package.out) for package in unchosen}
    shared = next(filter(None, built.values()), None)
    found: list[ConfiguredPackage] = []
    for package in packages:
        if package.out not in built:
            found.append(package)
            continue
        sdk = built[package.out] or shared
        remarks: tuple[str, ...] = ()
        if sdk is None:
            from mcpgen.commands.sdk_choice import choose_sdk

            choice = choose_sdk(package.folder, only_required=True)
            sdk, remarks = choice.sdk, tuple(choice.describe())
        settings = package.settings if sdk == NO_SDK else package.settings.model_copy(update={"sdk": sdk})
        found.append(package.model_copy(update={"settings": settings, "sdk_remarks": remarks}))
    return found


def report_found_sdks(
    packages: Iterable[ConfiguredPackage], outcomes: Sequence[Outcome], output: CommandOutput
) -> None:
    """Print which SDK new packages were built for, and why, if nobody has named it."""
    written = _list_written(packages, outcomes)
    found = {package.folder: package for package in written if package.settings.sdk != NO_SDK and package.sdk_remarks}
    for package in found.values() if output.format == "text" else ():
        output.print_remark(*(package.sdk_remarks or ()), "later builds keep it; --sdk names another one")


def suggest_sdk(packages: Iterable[ConfiguredPackage], outcomes: Sequence[Outcome], output: CommandOutput) -> None:
    """Print which SDK the project has, if a package was written for none only because none was named."""
    unchosen = [package for package in _list_written(packages, outcomes) if package.settings.sdk == NO_SDK]
    if output.format == "text" and not output.quiet:
        output.print_remark(*_describe_projects(unchosen))


def _list_written(packages: Iterable[ConfiguredPackage], outcomes: Sequence[Outcome]) -> list[ConfiguredPackage]:
    """Return the packages without a chosen SDK of which this run wrote files."""
    written = {outcome.out for outcome in outcomes if outcome.written and outcome.plan and outcome.plan.changes}
    return [package for package in packages if package.out in written and package.sdk_remarks is not None]


def _describe_projects(packages: Iterable[ConfiguredPackage]) -> Iterator[str]:
    """Yield a line for each settings file. A run that wrote nothing does not look for an SDK."""
    for package in {package.folder: package for package in packages}.values():
        from mcpgen.commands.sdk_choice import choose_sdk

        choice = choose_sdk(package.folder)
        if choice.sdk != NO_SDK:
            file = "mcpgen.toml" if package.file is None else format_path(package.file)
            yield (
                f'built for no SDK; {choice.reason}: to build for it, write `sdk = "{choice.sdk}"` into {file} '
                f'and run `mcpgen build --force`; to keep it as it is, write `sdk = "{NO_SDK}"` there'
            )


PackageReport: TypeAlias = tuple[ConfiguredPackage, Findings]
"""A package, and the findings about it."""
FailOn: TypeAlias = Literal["error", "warning"]
"""The least severity that makes a command fail."""


def must_fail(
    fail_on: FailOn | None, reports: Sequence[PackageReport], findings: Findings, default: FailOn = "error"
) -> bool:
    """Return whether warnings make a run fail: by the option, else by each package's settings, else by `default`."""
    if fail_on is not None:
        return fail_on == "warning" and any(map(has_warning, [findings, *(found for _, found in reports)]))
    return any((package.settings.fail_on or default) == "warning" and has_warning(found) for package, found in reports)


def has_warning(items: Iterable[Diagnostic]) -> bool:
    """Return whether a warning is among some diagnostics."""
    return any(item.severity is Severity.WARNING for item in items)
