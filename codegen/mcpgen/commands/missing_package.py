"""Report generated packages that cannot be imported, and say what to do."""

from __future__ import annotations

from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.paths import format_path
from mcpgen.prove.package_loader import PackageNotImportable, has_package
from mcpgen.read.loader import read_definitions
from mcpgen.report.text import format_count
from mcpgen.schema.values import allow_deep_recursion
from mcpgen.targets import get_sdk


def report_missing_package(package: ConfiguredPackage, error: PackageNotImportable, findings: Findings) -> None:
    """Report that a package is missing, with the reason if its definitions have errors, or that its import fails."""
    message, help = str(error), suggest_build(package)
    if not has_package(package.out) and (count := _count_errors(package)):
        message += f", since the definitions have {format_count(count, 'error')}"
        help = "run `mcpgen build`, and correct what it reports"
    findings.error("MG602", message, Span(format_path(package.out)), help)


def suggest_build(package: ConfiguredPackage) -> str:
    """Return the help for a package that has to be built first."""
    needs_sdk = get_sdk(package.settings.sdk) is not None
    return "run `mcpgen build` first" + ", with the SDK of the package installed" * needs_sdk


def _count_errors(package: ConfiguredPackage) -> int:
    findings = Findings()
    with allow_deep_recursion():
        read_definitions(package, findings)
    return sum(finding.severity is Severity.ERROR for finding in findings)
