"""Packages that a command works on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mcpgen.commands.unchosen_sdk import find_sdks
from mcpgen.config.load import find_settings, load_packages, warn_about_unread_table
from mcpgen.config.models import ConfiguredPackage
from mcpgen.config.overrides import override_settings
from mcpgen.diagnostics import Findings

SEVERAL_PACKAGES_MESSAGE = "the settings hold several packages, and none is known to be this server's"
"""Message of MG302, for commands that compare one package with a server."""


@dataclass(frozen=True)
class LoadedPackages:
    """Packages with their settings, and the findings so far; a command adds its own to these."""

    packages: list[ConfiguredPackage]
    findings: Findings
    settings_file: Path | None = None
    """The file that the settings were to be read from; None: there is none."""


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
