"""The SDK of packages for which nobody has named one: what they were built for, or what the project requires."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mcpgen.config.models import ConfiguredPackage
from mcpgen.paths import format_path
from mcpgen.pipeline.outcome import Outcome
from mcpgen.pipeline.package_kind import read_package_sdk
from mcpgen.report.output import CommandOutput
from mcpgen.targets import NO_SDK


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
    for package in found.values():
        _print(output, (*(package.sdk_remarks or ()), "later builds keep it; --sdk names another one"))


def suggest_sdk(packages: Iterable[ConfiguredPackage], outcomes: Sequence[Outcome], output: CommandOutput) -> None:
    """Print which SDK the project has, if a package was written for none only because none was named."""
    unchosen = [package for package in _list_written(packages, outcomes) if package.settings.sdk == NO_SDK]
    _print(output, _describe_projects(unchosen))


def _print(output: CommandOutput, lines: Iterable[str]) -> None:
    if output.format == "text" and not output.quiet:
        output.print_remark(*lines)


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
