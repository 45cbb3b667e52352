"""Generate the tools of changed files alone, where the rest of the package stays as the last run has left it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from mcpgen.cache.codec import MalformedValue, decode_value, encode_value
from mcpgen.cache.memory import Memory
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings
from mcpgen.files.file_tracker import FileTracker, Observation, is_still_same
from mcpgen.ir.package import Package, ToolModule, collect_module_references
from mcpgen.ir.types import Node
from mcpgen.ir.visitors import collect_refs, list_node_types
from mcpgen.lower.shared_types import apply_sharing
from mcpgen.names.allocator import allocate_tool_names
from mcpgen.names.package_names import PackageNames
from mcpgen.pipeline.cached_steps import CachedSteps
from mcpgen.pipeline.input_survey import InputSurvey, make_survey_test, relativize
from mcpgen.pipeline.lowering import make_package
from mcpgen.pipeline.outlining import list_digests, list_other_inputs, outline_file, outline_tool
from mcpgen.pipeline.package_outline import FileOutline, OutlinePart, PackageOutline, ToolOutline, ToolUpdate
from mcpgen.pipeline.progress import Progress
from mcpgen.read.file_cache import FileDefinitions
from mcpgen.read.input_files import InputFile
from mcpgen.read.loader import read_files
from mcpgen.schema.recursion import allow_deep_recursion
from mcpgen.schema.values import Json
from mcpgen.workers import Workers


def find_changed_files(
    package: ConfiguredPackage, outline: PackageOutline, survey: InputSurvey, other_inputs: Mapping[str, Observation]
) -> list[str] | None:
    """Return the files, by paths as in the outline, that have changed or depend on something that has.

    Returns:
        None if something else has changed that the last run depends on.
    """
    digests = {relativize(path, package): digest for path, digest in survey.digests.items()}

    def is_same(path: str, observation: Observation) -> bool:
        if path in digests:
            return observation in (True, digests[path])
        return is_still_same(os.path.join(package.folder, path), observation)

    dependants: dict[tuple[str, Observation], list[str]] = {}
    for file, encoded in outline.inputs.items():
        for path, observation in decode_value(cast(Any, tuple[tuple[str, str | bool], ...]), encoded):
            dependants.setdefault((path, observation), []).append(file)
    changed = {file for pair, files in dependants.items() if not is_same(*pair) for file in files}
    if not all(pair in dependants or is_same(*pair) for pair in other_inputs.items()):
        return None
    for path, encoded in outline.files.items():
        if not isinstance(encoded, list) or len(encoded) < 2 or encoded[1] != digests.get(path):  # its `digest`
            changed.add(path)
    return sorted(changed)


@allow_deep_recursion()
def update_package(
    package: ConfiguredPackage,
    outline: PackageOutline,
    changed_files: Sequence[str],
    jobs_count: int,
    progress: Progress,
    memory: Memory,
) -> ToolUpdate | None:
    """Generate the tools of changed files; None if the whole package has to be generated.

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
    changed_files: Iterable[str],
    disk: FileTracker,
    steps: CachedSteps,
) -> ToolUpdate | None:
    """Generate the tools of changed files.

    Returns:
        None if something is wrong with them, or other files of the package depend on what has changed.

    Raises:
        MalformedValue: the outline is malformed.
    """
    old_files = {path: decode_value(FileOutline, outline.files.get(path)) for path in changed_files}
    old_tools = {
        wire: decode_value(ToolOutline, outline.tools.get(wire)) for file in old_files.values() for wire in file.tools
    }
    findings = Findings()
    inputs = [
        InputFile(package.folder / path, package.folder / file.root, file.origin) for path, file in old_files.items()
    ]
    files = read_files(inputs, package, findings, disk)
    if findings.failed or not _have_same_definitions(files, old_files.values(), package):
        return None
    definitions = [definition for file in files for definition in file.definitions.tools]
    lowered = {tool.wire: tool for tool in steps.lower_tools(definitions, package.settings, findings)}
    tools = {wire: apply_sharing(tool, dict(old_tools[wire].shared_ids)) for wire, tool in lowered.items()}
    names = _allocate_names(tools.values(), outline)
    counts = _update_counts(outline, old_tools.values(), lowered.values())
    new_tools = {
        definition.name: outline_tool(
            definition,
            lowered[definition.name],
            tools[definition.name],
            names.tools[definition.name],
            dict(old_tools[definition.name].shared_ids),
            lambda digest: counts[digest] > 1,
        )
        for definition in definitions
    }
    if any(tool.part != old_tools[wire].part for wire, tool in new_tools.items()):
        return None
    small = _make_small_package(tools.values(), outline, package)
    texts = steps.render_tools(small, names, definitions, package.settings, findings)
    if texts is None:
        return None
    is_surveyed = make_survey_test(package)
    new_files = {path: outline_file(file, tools, package) for path, file in zip(old_files, files, strict=True)}
    file_inputs = {
        path: list_other_inputs(file, package, is_surveyed) for path, file in zip(old_files, files, strict=True)
    }
    return ToolUpdate(
        texts.texts,
        texts.keys,
        (OutlinePart(old_files, old_tools), OutlinePart(new_files, new_tools)),
        replace(
            outline,
            files={**outline.files, **{path: encode_value(file) for path, file in new_files.items()}},
            inputs=_merge_inputs(outline.inputs, file_inputs),
            tools={**outline.tools, **{wire: encode_value(tool) for wire, tool in new_tools.items()}},
            digest_counts={digest: count for digest, count in counts.items() if count},
        ),
        dict(pair for pairs in file_inputs.values() for pair in pairs),
    )


def _have_same_definitions(
    files: Sequence[FileDefinitions], old_files: Iterable[FileOutline], package: ConfiguredPackage
) -> bool:
    """Check that each file was read and defines the same tools as before and nothing else, with the same templates."""
    old = [*old_files]
    if len(files) != len(old):
        return False
    for file, old_outline in zip(files, old, strict=True):
        new_outline = outline_file(replace(file, definitions=replace(file.definitions, tools=[])), {}, package)
        names = sorted(tool.name for tool in file.definitions.tools)
        if old_outline.has_others or new_outline.has_others or names != sorted(old_outline.tools):
            return False
        if new_outline.templates != old_outline.templates:
            return False
    return True


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


def _merge_inputs(old: Mapping[str, Json], new: Mapping[str, Sequence[tuple[str, Observation]]]) -> dict[str, Json]:
    merged = {path: pairs for path, pairs in old.items() if path not in new}
    for path, pairs in new.items():
        if pairs:
            merged[path] = [[*pair] for pair in pairs]
    return merged


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
            case [str(name), str() | None as typed_dict, str(module), _]:
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
            node: Node = decode_value(cast(Any, Node), entry[3] if isinstance(entry, list) else None)
            nodes[key] = node
            pending += collect_refs(*list_node_types(node))
    empty = make_package([], [], package.settings)
    in_order = tuple(nodes[key] for key in encoded if key in nodes)
    return replace(empty, tools=tuple(tools), shared=in_order)
