"""What `mcpgen learn` says of each tool, and the settings that it proposes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from mcpgen.commands.learned_files import WRITTEN, LearnedTool
from mcpgen.commands.learned_folders import PackageTools
from mcpgen.commands.next_command import format_next
from mcpgen.config.models import ConfiguredPackage
from mcpgen.config.toml_positions import format_header, get_settings_path
from mcpgen.files.project_paths import resolve_path
from mcpgen.learn.results import ToolRecording
from mcpgen.paths import format_path
from mcpgen.read.input_files import PULLED_FOLDER
from mcpgen.report.text import format_count


def format_report(
    package_tools: PackageTools, tools: Sequence[LearnedTool], states: Mapping[str, str]
) -> Iterator[str]:
    """Yield what became of each tool, and what to do next.

    Args:
        package_tools: the tools of each package of the settings.
        tools: the tools that were learned about.
        states: what became of the file of each tool, by the tool's name.
    """
    for tool in tools:
        results = format_count(len(tool.recording.values), "result")
        yield f"{format_path(tool.path)}: from {results}, {states[tool.name]}"
        if tool.recording.left_out:
            yield f"  left out: {format_left_out(tool.recording)}"
    declared = _list_declared(package_tools)
    if names := [tool.name for tool in tools if tool.name in declared]:
        yield f"the definitions declare an outputSchema for {', '.join(names)}, so no setting can give another one"
        yield from _advise_replacement(package_tools, names)
    packages = [package for package, _ in package_tools]
    unnamed = [tool for tool in tools if not tool.is_named and tool.name not in declared]
    if unnamed:
        yield from _format_settings(packages, unnamed)
    elif any(states[tool.name] == WRITTEN and _names_file(packages, tool) for tool in tools):
        yield from format_next("mcpgen", "build")


def _advise_replacement(package_tools: PackageTools, names: Sequence[str]) -> Iterator[str]:
    """Yield how a learned schema replaces one that the definition of a tool declares."""
    documents = [tools[name].document for name in names for _, tools in package_tools if name in tools]
    files = [document.path for document in documents if document is not None]
    if any(file.parent.name == PULLED_FOLDER for file in files):
        yield "  to replace one that says too little, annotate the return type and pull again,"
        yield "  or move the definition out of pulled/ and put the learned schema into it"
    if own := [format_path(file) for file in dict.fromkeys(files) if file.parent.name != PULLED_FOLDER]:
        yield f"  to replace one that says too little, put the learned schema into {', '.join(own)}"


def _list_declared(package_tools: PackageTools) -> set[str]:
    """Return the tools whose definitions declare an outputSchema: `build` refuses the setting for these."""
    return {
        name
        for _, tools in package_tools
        for name, tool in tools.items()
        if tool.output is not None and not tool.is_output_from_settings
    }


def is_named(packages: Sequence[ConfiguredPackage], tool: str) -> bool:
    """Return whether the settings give a tool an outputSchema."""
    choices = [package.settings.tools.get(tool) for package in packages]
    return any(choice is not None and choice.output_schema is not None for choice in choices)


def _names_file(packages: Sequence[ConfiguredPackage], tool: LearnedTool) -> bool:
    """Return whether the settings name the file of a tool."""
    choices = [(package.folder, package.settings.tools.get(tool.name)) for package in packages]
    named = [folder / choice.output_schema for folder, choice in choices if choice and choice.output_schema]
    return resolve_path(tool.path) in map(resolve_path, named)


def _format_settings(packages: Sequence[ConfiguredPackage], tools: Sequence[LearnedTool]) -> Iterator[str]:
    """Yield the settings that give tools their schemas."""
    base = packages[0].folder if packages else Path.cwd()
    project = base / "pyproject.toml"
    file = (packages[0].file if packages else None) or (project if project.is_file() else base / "mcpgen.toml")
    yield f"next: read what was proposed, then add to {format_path(file)}"
    for tool in tools:
        path = resolve_path(tool.folder) / tool.file
        relative = path.relative_to(resolve_path(base)) if path.is_relative_to(resolve_path(base)) else path
        yield f"  {format_header((*get_settings_path(file), 'tools', _quote_toml(tool.name)))}"
        yield f"  outputSchema = {_quote_toml(relative.as_posix())}"
        if any(item.is_structured and not isinstance(item.value, dict) for item in tool.recording.values):
            yield '  wrap = "legacy"'  # by default, results of pulled tools are read from `{"result": …}`


def _quote_toml(text: str) -> str:
    """Return a text as a TOML string in which everything is visible."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(char if char.isprintable() else f"\\U{ord(char):08x}" for char in quoted)


def format_left_out(recording: ToolRecording) -> str:
    """Return the reasons for which results were left out, each with their number."""
    return ", ".join(f"{reason} ({count})" for reason, count in sorted(recording.left_out.items()))
