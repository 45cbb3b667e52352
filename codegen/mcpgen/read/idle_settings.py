"""Warn about settings that have no effect with the SDK of the package."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings
from mcpgen.targets import get_sdk


def report_idle_settings(package: ConfiguredPackage, findings: Findings) -> None:
    """Warn about each `exceptions = "sdk"` that changes nothing."""
    sdk = get_sdk(package.settings.sdk)
    if sdk is None or sdk.tells_exceptions:
        return
    for path in _list_sdk_exceptions(package):
        name = f"{sdk.distributions[0]} {sdk.supported_versions}"
        message = f'`exceptions = "sdk"` has no effect: {name} does not tell the model the text of a tool\'s exceptions'
        help = "remove it; for a text that the model should read, raise the SDK's ToolError in the handler"
        findings.warn("MG302", message, locate_setting(package, path), help)


def _list_sdk_exceptions(package: ConfiguredPackage) -> Iterator[tuple[str, ...]]:
    if package.settings.exceptions == "sdk":
        yield ("exceptions",)
    for name, choice in package.settings.tools.items():
        if choice.exceptions == "sdk":
            yield ("tools", name, "exceptions")
