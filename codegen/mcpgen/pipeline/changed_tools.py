"""Generate the tools of changed files alone, if the rest of the package stays as the last run has left it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from mcpgen.cache.codec import MalformedValue, decode_value, encode_value
from mcpgen.cache.memory import Memory
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings
from mcpgen.files.file_tracker import FileTracker, Observation
from mcpgen.ir.package import Package, ToolModule, collect_module_references
from mcpgen.ir.types import Node
from mcpgen.ir.visitors import collect_refs, list_node_types
from mcpgen.lower.shared_types import apply_sharing
from mcpgen.names.allocator import allocate_tool_names
from mcpgen.names.package_names import PackageNames
from mcpgen.pipeline.cached_steps import CachedSteps
from mcpgen.pipeline.cached_texts import KeyedTexts
from mcpgen.pipeline.changed_files import ChangedFiles
from mcpgen.pipeline.changed_tool_set import ToolSetChange, concerns_other_files, name_tools
from mcpgen.pipeline.input_survey import make_survey_test, relativize
from mcpgen.pipeline.lowering import make_package
from mcpgen.pipeline.outlining import has_other_definitions, list_digests, list_other_inputs, outline_file, outline_tool
from mcpgen.pipeline.package_outline import FileOutline, OutlinePart, PackageOutline, ToolOutline, ToolUpdate
from mcpgen.pipeline.progress import Progress
from mcpgen.read.definitions import ToolDefinition
from mcpgen.read.file_cache import FileDefinitions
from mcpgen.read.input_files import InputFile
from mcpgen.read.loader import read_files
from mcpgen.schema.values import Json, allow_deep_recursion
from mcpgen.workers import Workers


@allow_deep_recursion()
def update_package(
    package: ConfiguredPackage,
    outline: PackageOutline,
    changed_files: ChangedFiles,
    jobs_count: int,
    progress: Progress,
    memory: Memory,
) -> ToolUpdate | None:
    """Generate the tools of changed files.

    Args:
        package: the settings.
        outline: the outline of the last run.
        changed_files: what has changed since then.
        jobs_count: the number of processes.
        progress: is told of each step.
        memory: the cache.

    Returns:
        None if the whole package has to be generated.

    Raises:
        MalformedValue: the outline is malformed.
    """
    disk = FileTracker(package.roots, package.settings.limits.file_size)
    try:
        with Workers(jobs_count) as workers:
            return _update_tools(package, outline, changed_files, disk, CachedSteps(memory, workers, progress))
    except OSError:
        return None  # the whole run reports it


def _update_tools(
    package: ConfiguredPackage,
    outline: PackageOutline,
    changed: ChangedFiles,
    disk: FileTracker,
    steps: CachedSteps,
) -> ToolUpdate | None:
    """Generate the tools of changed files.

    Returns:
        None if something is wrong with them, or other files of the package depend on what has changed, except for the
        lists of its tools.

    Raises:
        MalformedValue: the outline is malformed.
    """
    findings = Findings()
    old = _decode_part(outline, (*changed.edited, *changed.removed))
    files = _read_files(package, old.files, changed, disk, findings)
    definitions = None if files is None else _list_tools(files.values(), outline, old)
    if files is None or definitions is None:
        return None
    lowered = _lower_tools(definitions, outline, old, package, steps, findings)
    if any(wire in old.tools and tool.part != old.tools[wire].part for wire, tool in lowered.outlines.items()):
        return None
    new = OutlinePart(
        {path: outline_file(file, lowered.tools, package) for path, file in files.items()}, lowered.outlines
    )
    is_surveyed = make_survey_test(package)
    inputs = {path: list_other_inputs(file, package, is_surveyed) for path, file in files.items()}
    new_outline = _update_outline(outline, old, new, lowered.counts, inputs)
    small = _make_small_package(lowered.tools.values(), outline, package)
    change = ToolSetChange(old.tools, new.tools, outline, new_outline, package)
    lists = _render_lists(change, lowered, small, steps)
    texts = None if lists is None else steps.render_tools(small, lowered.names, definitions, package.settings, findings)
    if lists is None or texts is None:
        return None
    texts = texts.merge(lists)
    observations = _list_observations(inputs, package, is_surveyed)
    return ToolUpdate(texts.texts, texts.keys, (old, new), new_outline, observations)


@dataclass(frozen=True)
class _LoweredTools:
    """The tools of the changed files in the IR, and in the outline of their package."""

    definitions: Sequence[ToolDefinition]
    tools: Mapping[str, ToolModule]
    """By wire name; shared classes have replaced their own."""
    names: PackageNames
    """Their names, and those of the shared classes."""
    counts: Mapping[str, int]
    """How many tools and resources of the package have a class with each digest."""
    outlines: Mapping[str, ToolOutline]


def _list_tools(
    files: Iterable[FileDefinitions], outline: PackageOutline, old: OutlinePart
) -> list[ToolDefinition] | None:
    """Return the tools of changed files; None if one of them is defined twice."""
    definitions = [definition for file in files for definition in file.definitions.tools]
    names = [definition.name for definition in definitions]
    other_names = outline.tools.keys() - old.tools.keys()
    return definitions if len({*names}) == len(names) and other_names.isdisjoint(names) else None


def _lower_tools(
    definitions: Sequence[ToolDefinition],
    outline: PackageOutline,
    old: OutlinePart,
    package: ConfiguredPackage,
    steps: CachedSteps,
    findings: Findings,
) -> _LoweredTools:
    """Lower tools, name them, and outline them as the whole package would have them."""
    lowered = {tool.wire: tool for tool in steps.lower_tools(definitions, package.settings, findings)}
    shared_ids = {wire: dict(old.tools[wire].shared_ids) if wire in old.tools else {} for wire in lowered}
    tools = {wire: apply_sharing(tool, shared_ids[wire]) for wire, tool in lowered.items()}
    names = _allocate_names(tools.values(), outline)
    counts = _update_counts(outline, old.tools.values(), lowered.values())
    outlines = {
        definition.name: outline_tool(
            lowered[definition.name],
            tools[definition.name],
            names.tools[definition.name],
            shared_ids[definition.name],
            lambda digest: counts[digest] > 1,
        )
        for definition in definitions
    }
    return _LoweredTools(definitions, tools, names, counts, outlines)


def _render_lists(
    change: ToolSetChange, lowered: _LoweredTools, small: Package, steps: CachedSteps
) -> KeyedTexts | None:
    """Render the lists of all tools if a tool was added or removed; None if other files change, too."""
    if change.old.keys() == change.new.keys():
        return KeyedTexts()
    if concerns_other_files(change, lowered.definitions):
        return None
    all_names = name_tools(change.new_outline, lowered.names)
    return None if all_names is None else steps.render_tool_lists(small, all_names)


def _list_observations(
    inputs: Mapping[str, Sequence[tuple[str, Observation]]],
    package: ConfiguredPackage,
    is_surveyed: Callable[[str], bool],
) -> dict[str, Observation]:
    """Return the files that were looked for, without those whose appearance the next run notices anyway."""
    return {
        path: seen
        for pairs in inputs.values()
        for path, seen in pairs
        if seen is not False or not is_surveyed(os.path.join(package.folder, path))
    }


def _decode_part(outline: PackageOutline, paths: Iterable[str]) -> OutlinePart:
    """Return some files of an outline, and their tools.

    Raises:
        MalformedValue: the outline is malformed.
    """
    files = {path: decode_value(FileOutline, outline.files.get(path)) for path in paths}
    tools = {wire: decode_value(ToolOutline, outline.tools.get(wire)) for file in files.values() for wire in file.tools}
    return OutlinePart(files, tools)


def _read_files(
    package: ConfiguredPackage,
    old_files: Mapping[str, FileOutline],
    changed: ChangedFiles,
    disk: FileTracker,
    findings: Findings,
) -> dict[str, FileDefinitions] | None:
    """Read the edited and the added files.

    Returns:
        The definitions of each, by path as in the outline; None if something is wrong, a file has other definitions
        than tools, or a content template would belong to no tool.
    """
    inputs = {
        path: InputFile(package.folder / path, package.folder / old_files[path].root, old_files[path].origin)
        for path in changed.edited
    }
    inputs |= {relativize(str(file.path), package): file for file in changed.added}
    files = read_files(inputs.values(), package, findings, disk)
    if findings.failed or len(files) != len(inputs):
        return None
    used = {relativize(str(path), package) for file in files for path in file.templates}
    unused = {path for file in old_files.values() for path in file.templates} - used
    if not used.issuperset(changed.added_templates) or any(
        os.path.lexists(os.path.join(package.folder, path)) for path in unused
    ):
        return None
    has_others = any(file.has_others for file in old_files.values())
    if has_others or any(has_other_definitions(file.definitions) for file in files):
        return None
    return dict(zip(inputs, files, strict=True))


def _update_outline(
    outline: PackageOutline,
    old: OutlinePart,
    new: OutlinePart,
    counts: Mapping[str, int],
    inputs: Mapping[str, Sequence[tuple[str, Observation]]],
) -> PackageOutline:
    """Return an outline with new files and tools in place of old ones."""
    kept_files = {path: file for path, file in outline.files.items() if path not in old.files}
    kept_inputs = {path: pairs for path, pairs in outline.inputs.items() if path not in old.files}
    kept_tools = {wire: tool for wire, tool in outline.tools.items() if wire not in old.tools}
    new_inputs: dict[str, Json] = {path: [[*pair] for pair in pairs] for path, pairs in inputs.items() if pairs}
    return replace(
        outline,
        files=kept_files | {path: encode_value(file) for path, file in new.files.items()},
        inputs=kept_inputs | new_inputs,
        tools=kept_tools | {wire: encode_value(tool) for wire, tool in new.tools.items()},
        digest_counts={digest: count for digest, count in counts.items() if count},
    )


def _update_counts(
    outline: PackageOutline, old_tools: Iterable[ToolOutline], new_tools: Iterable[ToolModule]
) -> dict[str, int]:
    """Return how many tools and resources have a class with each digest now."""
    counts = dict(
        decode_value(cast(Any, tuple[tuple[str, int], ...]), [[*pair] for pair in outline.digest_counts.items()])
    )
    for old_tool in old_tools:
        for digest in old_tool.digests:
            counts[digest] = counts.get(digest, 0) - 1
    for new_tool in new_tools:
        for digest in list_digests(new_tool.roots):
            counts[digest] = counts.get(digest, 0) + 1
    return counts


# --- the shared classes ----------------------------------------------------------------------------------------------
def _allocate_names(tools: Iterable[ToolModule], outline: PackageOutline) -> PackageNames:
    """Return the names of some tools and of the shared classes."""
    shared, typed_dicts, modules = _decode_shared_names(outline)
    return PackageNames(
        {tool.wire: allocate_tool_names(tool, typed_dicts.keys()) for tool in tools}, {}, shared, typed_dicts, modules
    )


def _decode_shared_names(outline: PackageOutline) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Return the names of the shared classes, those of their TypedDicts, and their modules, all by id."""
    shared: dict[str, str] = {}
    typed_dicts: dict[str, str] = {}
    modules: dict[str, str] = {}
    for node_id, entry in _get_shared(outline).items():
        match entry:
            case [str(name), str() | None as typed_dict, str(module), _, _]:
                shared[node_id], modules[node_id] = name, module
                if typed_dict is not None:
                    typed_dicts[node_id] = typed_dict
            case _:
                raise MalformedValue("no shared class")
    return shared, typed_dicts, modules


def _get_shared(outline: PackageOutline) -> dict[str, Json]:
    if not isinstance(outline.shared, dict):
        raise MalformedValue("no shared classes")
    return outline.shared


def _make_small_package(tools: Iterable[ToolModule], outline: PackageOutline, package: ConfiguredPackage) -> Package:
    """Return a package of some tools, and of the shared classes that they reach."""
    encoded, nodes = _get_shared(outline), dict[str, Node]()
    pending = [key for tool in tools for key in collect_module_references(tool)]
    while pending:
        key = pending.pop()
        if key in encoded and key not in nodes:
            entry = encoded[key]
            node: Node = decode_value(cast(Any, Node), entry[4] if isinstance(entry, list) else None)
            nodes[key] = node
            pending += collect_refs(*list_node_types(node))
    empty = make_package([], [], package.settings)
    in_order = tuple(nodes[key] for key in encoded if key in nodes)
    return replace(empty, tools=tuple(tools), shared=in_order)
