"""Tools that were added to a package or removed from it, where all other tools stay as they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from mcpgen.cache.codec import MalformedValue, decode_value
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings
from mcpgen.names.allocator import claim_top_level_names
from mcpgen.names.package_names import PackageNames, PromptNames, ResourceNames, ToolNames
from mcpgen.pipeline.naming import check_names
from mcpgen.pipeline.package_outline import PackageOutline, ToolOutline
from mcpgen.read.definitions import Definitions, ToolDefinition
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class ToolSetChange:
    """A change of what tools a package has."""

    old: Mapping[str, ToolOutline]
    """The tools of the files that changed, by wire name."""
    new: Mapping[str, ToolOutline]
    """The same afterwards."""
    old_outline: PackageOutline
    new_outline: PackageOutline
    package: ConfiguredPackage

    @property
    def added(self) -> dict[str, ToolOutline]:
        """Return the tools that are new."""
        return {wire: tool for wire, tool in self.new.items() if wire not in self.old}

    @property
    def removed(self) -> dict[str, ToolOutline]:
        """Return the tools that the package has no more."""
        return {wire: tool for wire, tool in self.old.items() if wire not in self.new}


def concerns_other_files(change: ToolSetChange, definitions: Iterable[ToolDefinition]) -> bool:
    """Check whether files other than those of the added and removed tools change, except for the lists of all tools.

    Args:
        change: the change.
        definitions: the definitions of the tools that are new, and any others.
    """
    findings, added = Findings(), change.added
    check_names(Definitions(tools=[tool for tool in definitions if tool.name in added]), findings)
    if findings.failed or not change.new_outline.tools or not _are_settings_indifferent(change):
        return True
    return _changes_copies(change) or _does_addition_concern_others(change) or _does_removal_concern_others(change)


def _changes_copies(change: ToolSetChange) -> bool:
    """Check whether a package gets or loses copies of run-time modules: those for templates, if a tool uses them."""
    tools = (*change.added.values(), *change.removed.values())
    if change.package.settings.runtime != "vendored" or not any(tool.uses_templates for tool in tools):
        return False
    before, after = (
        any(_decode_tool(tool).uses_templates for tool in outline.tools.values())
        for outline in (change.old_outline, change.new_outline)
    )
    return before != after


def _does_addition_concern_others(change: ToolSetChange) -> bool:
    return any(_has_type_modules(tool) or _has_common_class(tool, change.new_outline) for tool in change.added.values())


def _does_removal_concern_others(change: ToolSetChange) -> bool:
    removed = change.removed.values()
    if any(_has_type_modules(tool) or _has_common_class(tool, change.old_outline) for tool in removed):
        return True
    freed = {name for tool in removed for name in _make_tool_names(tool).top_level_names}
    return any(not freed.isdisjoint(names) for names in _list_avoided_names(change.old_outline))


def name_tools(outline: PackageOutline, shared: PackageNames) -> PackageNames | None:
    """Return the names at the top of a package: those of its tools, resources and prompts, and of shared classes.

    Args:
        outline: the outline of the package.
        shared: has the names of its shared classes.

    Returns:
        None if two definitions would have the same name, or a definition that of a shared class.
    """
    tools = {wire: _make_tool_names(_decode_tool(encoded)) for wire, encoded in outline.tools.items()}
    resources, prompts = _decode_other_names(outline)
    owners, clashes = claim_top_level_names(tools, resources, prompts)
    if clashes or not owners.keys().isdisjoint([*shared.shared.values(), *shared.shared_typed_dicts.values()]):
        return None
    return replace(shared, tools=tools, resources=resources, prompts=prompts)


def _are_settings_indifferent(change: ToolSetChange) -> bool:
    """Check that the settings name none of the tools, and no unknown tool: messages about these suggest other tools."""
    changed = change.added.keys() | change.removed.keys()
    return all(name in change.old_outline.tools and name not in changed for name in change.package.settings.tools)


def _has_type_modules(tool: ToolOutline) -> bool:
    names = _make_tool_names(tool)
    return any(path.startswith(f"{names.types_folder}/") for path in tool.paths)


def _has_common_class(tool: ToolOutline, outline: PackageOutline) -> bool:
    """Check whether a tool has a class that another definition of the package has, too."""
    return bool(tool.shared_ids) or any(outline.digest_counts.get(digest) != 1 for digest in tool.digests)


def _make_tool_names(tool: ToolOutline) -> ToolNames:
    return ToolNames(tool.module, *tool.root_classes)


def _decode_tool(encoded: Json) -> ToolOutline:
    return decode_value(ToolOutline, encoded)


def _list_avoided_names(outline: PackageOutline) -> Iterable[list[str]]:
    """Yield the names that each shared class has not got because they were taken."""
    shared = outline.shared
    for entry in shared.values() if isinstance(shared, dict) else ():
        match entry:
            case [_, _, _, [*names], _]:
                yield [str(name) for name in names]
            case _:
                raise MalformedValue("no shared class")


def _decode_other_names(outline: PackageOutline) -> tuple[dict[str, ResourceNames], dict[str, PromptNames]]:
    """Return the names of the resources by id, and of the prompts by wire name."""
    match outline.other_names:
        case {"resources": dict() as resources, "prompts": dict() as prompts}:
            resource_names = {
                key: ResourceNames(*decode_value(cast(Any, tuple[str, str, str | None]), value))
                for key, value in resources.items()
            }
            prompt_names = {
                wire: PromptNames(*decode_value(cast(Any, tuple[str, str]), value)) for wire, value in prompts.items()
            }
            return resource_names, prompt_names
        case _:
            raise MalformedValue("no names")
