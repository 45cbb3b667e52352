"""Warn about settings that have no effect with the SDK of the package."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings

SDK_WITHOUT_EXCEPTION_TEXTS = "mcp"
"""mcp 2.x hides the exceptions of its own tools, too; `exceptions = "sdk"` asks for the same."""


def report_idle_settings(package: ConfiguredPackage, findings: Findings) -> None:
    """Warn about each `exceptions = "sdk"` that changes nothing."""
    if package.settings.sdk != SDK_WITHOUT_EXCEPTION_TEXTS:
        return
    for path in _list_sdk_exceptions(package):
        message = '`exceptions = "sdk"` has no effect: mcp 2.x does not tell the model the text of a tool\'s exceptions'
        help = "remove it; for a text that the model should read, raise the SDK's ToolError in the handler"
        findings.warn("MG302", message, locate_setting(package, path), help)


def _list_sdk_exceptions(package: ConfiguredPackage) -> Iterator[tuple[str, ...]]:
    if package.settings.exceptions == "sdk":
        yield ("exceptions",)
    for name, choice in package.settings.tools.items():
        if choice.exceptions == "sdk":
            yield ("tools", name, "exceptions")
