"""Checks of what was read, before anything is lowered."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.definition_files import find_candidates
from mcpgen.paths import format_relative_path
from mcpgen.pipeline.naming import check_names, report_early_clashes
from mcpgen.read.definitions import Definitions
from mcpgen.targets import EXAMPLE_SDK, get_sdk

LARGE_DEFINITION_COUNT = 100
"""Definition files from which on a run probably needs worker processes."""


def has_many_definitions(package: ConfiguredPackage) -> bool:
    """Guess, without reading a file, whether a package is large enough for worker processes."""
    candidates = (path for root in package.inputs for path in find_candidates(root, package.out))
    return len([*islice(candidates, LARGE_DEFINITION_COUNT)]) == LARGE_DEFINITION_COUNT


def check_definitions(definitions: Definitions, package: ConfiguredPackage, findings: Findings) -> bool:
    """Check names, and that there is something to generate; return whether the definitions can be lowered."""
    settings = package.settings
    needs = {"testing": (settings.testing, "run handlers"), "stubs": (settings.stubs, "call tools")}
    for key, (is_chosen, purpose) in needs.items():
        if is_chosen and get_sdk(settings.sdk) is None:
            help = f'choose one, as in `sdk = "{EXAMPLE_SDK.name}"`, or remove `{key}`'
            findings.error("MG302", f"`{key}` needs an SDK to {purpose} with", locate_setting(package, (key,)), help)
    check_names(definitions, findings)
    if not findings.failed and not (definitions.tools or definitions.resources or definitions.prompts):
        for folder in package.inputs:
            message, help = _explain_nothing(folder, package.out)
            findings.error("MG007", message, Span(format_relative_path(folder)), help)
    if findings.failed:
        report_early_clashes(definitions, findings)
    return not findings.failed


def _explain_nothing(folder: Path, out: Path) -> tuple[str, str]:
    """Return the message and the help for an input that defines nothing."""
    message = "no tool, resource or prompt is defined here"
    if next(iter(find_candidates(folder, out)), None) is not None:
        help = "add a Tool, or a JSON Schema named after its tool; shared definitions and templates define none"
        return f"{message}: no file here is a definition", help
    first = f'write {format_relative_path(folder)}/get_weather.json with {{"type": "object", "properties": {{…}}}}'
    help = f"{first}; or let `mcpgen init` write a first one, or `mcpgen pull` fetch those of a server"
    entries = sorted(folder.iterdir()) if folder.is_dir() else []
    names = [f"{entry.name}{'/' * entry.is_dir()}" for entry in entries if not entry.name.startswith(".")]
    if not names:
        return f"{message}: the folder is empty", help
    named = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return f"{message}: the folder has only {named}", f"definitions are .json, .yaml and .yml files; {help}"
