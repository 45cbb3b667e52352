"""Remark of `build` about packages for no SDK, where nobody has chosen that and the project has an SDK."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.paths import format_path
from mcpgen.pipeline.outcome import Outcome
from mcpgen.report.output import CommandOutput
from mcpgen.targets import NO_SDK


def suggest_sdk(loaded: LoadedPackages, outcomes: Sequence[Outcome], output: CommandOutput) -> None:
    """Print which SDK the project has, if a package was written for none only because none was named."""
    if output.format == "text" and not output.quiet:
        output.print_remark(*_describe_projects(loaded, outcomes))


def _describe_projects(loaded: LoadedPackages, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a line for each settings file. A run that wrote nothing does not look for an SDK."""
    written = {outcome.out for outcome in outcomes if outcome.written and outcome.plan and outcome.plan.changes}
    unchosen = [
        package
        for package in loaded.packages
        if package.out in written and "sdk" not in package.settings.model_fields_set
    ]
    for package in {package.folder: package for package in unchosen}.values():
        from mcpgen.commands.sdk_choice import choose_sdk

        choice = choose_sdk(package.folder)
        if choice.sdk != NO_SDK:
            file = "mcpgen.toml" if package.file is None else format_path(package.file)
            yield (
                f'built for no SDK; {choice.reason}: to build for it, write `sdk = "{choice.sdk}"` into {file} '
                f'and run `mcpgen build --force`; to keep it as it is, write `sdk = "{NO_SDK}"` there'
            )
