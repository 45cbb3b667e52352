"""What `mcpgen learn` says of each tool, and the settings that it proposes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from mcpgen.commands.learned_files import WRITTEN, LearnedTool
from mcpgen.commands.learned_folders import PackageTools, list_owners
from mcpgen.commands.next_command import format_next
from mcpgen.config.models import ConfiguredPackage
from mcpgen.config.toml_positions import format_header, get_settings_path
from mcpgen.files.definition_files import PULLED_FOLDER
from mcpgen.files.project_paths import resolve_path
from mcpgen.learn.results import ToolRecording
from mcpgen.paths import format_path
from mcpgen.read.definitions import ToolDefinition
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
    declared = [tool for tool in tools if _is_declared(package_tools, tool)]
    if declared:
        names = ", ".join(tool.name for tool in declared)
        yield f"the definitions declare an outputSchema for {names}, so no setting can give another one"
        yield from _advise_replacement(package_tools, declared)
    packages = [package for package, _ in package_tools]
    unnamed = [tool for tool in tools if not tool.is_named and tool not in declared]
    if unnamed:
        yield from _format_settings(package_tools, unnamed)
    elif any(states[tool.name] == WRITTEN and _names_file(packages, tool) for tool in tools):
        yield from format_next("mcpgen", "build")


def _advise_replacement(package_tools: PackageTools, declared: Sequence[LearnedTool]) -> Iterator[str]:
    """Yield how a learned schema replaces one that the definition of a tool declares."""
    documents = [definition.document for tool in declared for definition in _list_definitions(package_tools, tool)]
    files = [document.path for document in documents if document is not None]
    if any(file.parent.name == PULLED_FOLDER for file in files):
        yield "  to replace one that says too little, annotate the return type and pull again,"
        yield "  or move the definition out of pulled/ and put the learned schema into it"
    if own := [format_path(file) for file in dict.fromkeys(files) if file.parent.name != PULLED_FOLDER]:
        yield f"  to replace one that says too little, put the learned schema into {', '.join(own)}"


def _is_declared(package_tools: PackageTools, tool: LearnedTool) -> bool:
    """Return whether the definition of a tool declares an outputSchema: `build` refuses the setting for it."""
    definitions = _list_definitions(package_tools, tool)
    return any(found.output is not None and not found.is_output_from_settings for found in definitions)


def _list_definitions(package_tools: PackageTools, tool: LearnedTool) -> list[ToolDefinition]:
    """Return the definitions of a tool in the packages that its learned schema is for."""
    owners = list_owners(package_tools, tool.name, tool.folder)
    return [tools[tool.name] for package, tools in package_tools if package in owners]


def is_named(package_tools: PackageTools, tool: str, folder: Path) -> bool:
    """Return whether the settings give a tool an outputSchema, in a package that a schema in a folder is for."""
    owners = list_owners(package_tools, tool, folder) or [package for package, _ in package_tools]
    choices = [package.settings.tools.get(tool) for package in owners]
    return any(choice is not None and choice.output_schema is not None for choice in choices)


def _names_file(packages: Sequence[ConfiguredPackage], tool: LearnedTool) -> bool:
    """Return whether the settings name the file of a tool."""
    choices = [(package.folder, package.settings.tools.get(tool.name)) for package in packages]
    named = [folder / choice.output_schema for folder, choice in choices if choice and choice.output_schema]
    return resolve_path(tool.path) in map(resolve_path, named)


def _format_settings(package_tools: PackageTools, tools: Sequence[LearnedTool]) -> Iterator[str]:
    """Yield the settings that give tools their schemas, those of a package's own table after the shared ones."""
    packages = [package for package, _ in package_tools]
    base = packages[0].folder if packages else Path.cwd()
    project = base / "pyproject.toml"
    file = (packages[0].file if packages else None) or (project if project.is_file() else base / "mcpgen.toml")
    prefix = get_settings_path(file)
    yield f"next: read what was proposed, then add to {format_path(file)}"
    own_tables = {tool.name: _find_own_table(package_tools, tool) for tool in tools}
    for tool in tools:
        if own_tables[tool.name] is None:
            yield from _format_table((*prefix, "tools"), base, tool)
    for package, _ in package_tools:
        own = [tool for tool in tools if own_tables[tool.name] is package]
        if not own:
            continue
        header = format_header((*prefix, "package"), is_list=True)
        yield f"  below the {header} of {format_path(package.out)}, before the next one:"
        for tool in own:
            yield from _format_table((*prefix, "package", "tools"), base, tool)
        if hidden := _list_hidden_tables(package_tools, package):
            yield f"  and copy its other tables there, since it no longer has the shared ones: {', '.join(hidden)}"


def _find_own_table(package_tools: PackageTools, tool: LearnedTool) -> ConfiguredPackage | None:
    """Return the package whose own table a setting for a tool belongs in; None if that is the table for all packages.

    That is so if other packages have a tool of this name, or if it has tables of its own, which replace those for all.
    """
    if len(package_tools) <= 1:
        return None
    owners = list_owners(package_tools, tool.name, tool.folder)
    is_shared_name = sum(tool.name in tools for _, tools in package_tools) > len(owners)
    own = [package for package in owners if is_shared_name or _has_own_tables(package)]
    return own[0] if own else None


def _has_own_tables(package: ConfiguredPackage) -> bool:
    return "tools" in package.settings.model_fields_set - package.shared


def _list_hidden_tables(package_tools: PackageTools, package: ConfiguredPackage) -> list[str]:
    """Return the tools of a package that have settings only in the tables that its first own table replaces."""
    defined = next(tools for other, tools in package_tools if other is package)
    return [] if _has_own_tables(package) else [name for name in package.settings.tools if name in defined]


def _format_table(table: tuple[str, ...], base: Path, tool: LearnedTool) -> Iterator[str]:
    """Yield the table that gives a tool its schema, in the table of all tools at this path."""
    path = resolve_path(tool.folder) / tool.file
    relative = path.relative_to(resolve_path(base)) if path.is_relative_to(resolve_path(base)) else path
    yield f"  {format_header((*table, _quote_toml(tool.name)))}"
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
