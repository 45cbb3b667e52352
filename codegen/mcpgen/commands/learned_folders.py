"""Folders of learned schemas: each is with the definitions of the package that has the tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from mcpgen.commands.pull import check_folder
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Span, join_words
from mcpgen.files.definition_files import LEARNED_FOLDER
from mcpgen.files.project_paths import resolve_path
from mcpgen.lint.misspelt_names import NameGuesser
from mcpgen.paths import format_path
from mcpgen.read.definitions import ToolDefinition
from mcpgen.read.idle_settings import MAX_NAMED
from mcpgen.read.input_files import find_own_folder
from mcpgen.read.loader import read_definitions

PackageTools = Sequence[tuple[ConfiguredPackage, Mapping[str, ToolDefinition]]]
"""Each package, and its tools by name."""


def read_package_tools(packages: Sequence[ConfiguredPackage]) -> PackageTools:
    """Return the tools that each package defines."""
    ignored = Findings()  # `build` reports mistakes in definitions
    return [(package, {tool.name: tool for tool in read_definitions(package, ignored).tools}) for package in packages]


def list_owners(package_tools: PackageTools, name: str, folder: Path) -> list[ConfiguredPackage]:
    """Return the packages that a learned schema is for: those that define the tool.

    If the schema goes to the learned folder of some of them, it is for these alone.
    """
    owners = [package for package, tools in package_tools if name in tools]
    place = resolve_path(folder)
    return [
        package for package in owners if resolve_path(find_own_folder([package], LEARNED_FOLDER)) == place
    ] or owners


def choose_folders(
    package_tools: PackageTools, names: Mapping[str, Span | None], out: Path | None, findings: Findings
) -> dict[str, Path]:
    """Return the folder for the schema of each tool; without one, and with an error, if it is open or outside.

    Args:
        package_tools: the tools of each package of the settings.
        names: the tools to learn about, and where each is called first.
        out: a folder for all of them, if the user named one.
        findings: receives the errors.
    """
    if out is not None:
        return dict.fromkeys(names, out)
    packages = [package for package, _ in package_tools]
    if len(packages) <= 1:
        folder = check_folder(packages, find_own_folder(packages, LEARNED_FOLDER), findings)
        return {} if folder is None else dict.fromkeys(names, folder)
    chosen: dict[str, Path] = {}
    defined = [*dict.fromkeys(name for _, tools in package_tools for name in tools)]
    guesser = NameGuesser()
    for name, span in names.items():
        owners = [package for package, tools in package_tools if name in tools]
        folders = [*dict.fromkeys(find_own_folder([package], LEARNED_FOLDER) for package in owners)]
        if len(folders) != 1:
            help = "" if folders else _explain_undefined(guesser.guess(name, defined), defined)
            _report_open_folder(name, span, len(packages), folders, help, findings)
        elif (folder := check_folder(packages, folders[0], findings)) is not None:
            chosen[name] = folder
    return chosen


def _report_open_folder(
    name: str, span: Span | None, package_count: int, folders: Sequence[Path], help: str, findings: Findings
) -> None:
    """Report that several packages define a tool, or none does, which `help` is about."""
    if folders:
        shown = [format_path(folder) for folder in folders]
        message = f'several packages define "{name}", so its schema could go to {join_words(shown, "or")}'
        help = f"choose one: --out {shown[0]}"
    else:
        message = f'none of the {package_count} packages in the settings defines "{name}"'
    findings.error("MG302", message, span, help)


def _explain_undefined(close: str, defined: Sequence[str]) -> str:
    """Return what to do about a tool that no package defines.

    Args:
        close: the tool that is probably meant; empty if none is.
        defined: all tools.
    """
    if close:
        return f'did you mean "{close}"? If not, pull it or write its definition first'
    more = ", …" if len(defined) > MAX_NAMED else ""
    known = f"they define {', '.join(defined[:MAX_NAMED])}{more}; " if defined else ""
    return f"{known}pull it or write its definition first; --out FOLDER writes the schemas of all tools there"
