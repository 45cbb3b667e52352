"""Make the outline of a package from what its passes came to."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from mcpgen.cache.codec import encode_value
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings
from mcpgen.files.definition_files import TEMPLATE_SUFFIX
from mcpgen.files.file_tracker import Observation
from mcpgen.ir.package import Package, ResourceModule, SchemaRoot, ToolModule, collect_module_references
from mcpgen.lower.shared_types import list_shareable
from mcpgen.names.allocator import list_avoided_names
from mcpgen.names.package_names import PackageNames, ToolNames
from mcpgen.pipeline.input_survey import make_survey_test, relativize
from mcpgen.pipeline.lowering import report_tool_notes
from mcpgen.pipeline.naming import count_tool_classes
from mcpgen.pipeline.package_outline import FileOutline, PackageOutline, ToolOutline
from mcpgen.read.definitions import Definitions
from mcpgen.read.file_cache import FileDefinitions
from mcpgen.render.package import get_example_path
from mcpgen.schema.values import Json

_DIGEST_LENGTH = 16
"""Characters of a digest that tell classes apart; should two be equal by chance, the whole package is generated."""


def make_outline(
    package: ConfiguredPackage,
    files: Iterable[FileDefinitions],
    tools: Sequence[ToolModule],
    resources: Sequence[ResourceModule],
    ir: Package,
    names: PackageNames,
) -> PackageOutline:
    """Return the outline of a package.

    Args:
        package: its settings.
        files: the input files.
        tools: its tools as they were lowered, before classes were shared.
        resources: its resources as they were lowered.
        ir: the package after that.
        names: its names.
    """
    counts = Counter(digest for tool in tools for digest in list_digests(tool.roots))
    counts.update(digest for resource in resources if resource.payload for digest in list_digests([resource.payload]))
    shared_ids: dict[str, dict[str, str]] = {tool.wire: {} for tool in tools}
    for shared_id, uses in ir.shared_uses.items():
        for wire, node_id in uses:
            shared_ids[wire][node_id] = shared_id
    lowered, finished = ({tool.wire: tool for tool in modules} for modules in (tools, ir.tools))
    file_outlines: dict[str, Json] = {}
    inputs: dict[str, Json] = {}
    tool_outlines: dict[str, Json] = {}
    is_surveyed = make_survey_test(package)
    for file in files:
        path = relativize(str(file.file.path), package)
        definitions = file.definitions
        outlined = {
            definition.name: outline_tool(
                lowered[definition.name],
                finished[definition.name],
                names.tools[definition.name],
                shared_ids[definition.name],
                lambda digest: counts[digest] > 1,
            )
            for definition in definitions.tools
        }
        tool_outlines |= {wire: encode_value(outline) for wire, outline in outlined.items()}
        file_outlines[path] = encode_value(outline_file(file, finished, package))
        if others := list_other_inputs(file, package, is_surveyed):
            inputs[path] = [[*pair] for pair in others]
    return PackageOutline(
        _encode_shared(ir, names),
        _encode_other_names(names),
        file_outlines,
        inputs,
        tool_outlines,
        cast("dict[str, Json]", counts),
    )


def outline_file(file: FileDefinitions, tools: Mapping[str, ToolModule], package: ConfiguredPackage) -> FileOutline:
    """Return the outline of an input file, given the IR of its tools."""
    definitions, findings = file.definitions, Findings()
    findings.extend(file.findings)
    for definition in definitions.tools:
        tool = tools[definition.name]
        roots = [tool.input] if tool.output is None else [tool.input, tool.output]
        report_tool_notes(definition, roots, findings)
    return FileOutline(
        digest=str(file.observations.get(str(file.file.path))),
        root=relativize(str(file.file.root), package),
        origin=file.file.origin,
        tools=tuple(definition.name for definition in definitions.tools),
        has_others=has_other_definitions(definitions),
        findings=tuple(findings),
        templates=tuple(sorted(relativize(str(path), package) for path in file.templates)),
    )


def has_other_definitions(definitions: Definitions) -> bool:
    """Return whether there are definitions other than tools, which cannot be generated alone."""
    return replace(definitions, tools=[]) != Definitions()


def list_other_inputs(
    file: FileDefinitions, package: ConfiguredPackage, is_surveyed: Callable[[str], bool]
) -> list[tuple[str, Observation]]:
    """Return what was observed while a file was read, by paths relative to the settings.

    The file itself is left out, and so are missing content templates that a survey of the input would find once they
    are there: their names say which tools would use them.
    """
    own_path = str(file.file.path)
    return [
        (relativize(path, package), observation)
        for path, observation in sorted(file.observations.items())
        if path != own_path and not (observation is False and path.endswith(TEMPLATE_SUFFIX) and is_surveyed(path))
    ]


def outline_tool(
    lowered: ToolModule,
    tool: ToolModule,
    names: ToolNames,
    shared_ids: Mapping[str, str],
    is_elsewhere: Callable[[str], bool],
) -> ToolOutline:
    """Return the outline of a tool.

    Args:
        lowered: the tool as it was lowered, before classes were shared.
        tool: the tool after that.
        names: its names.
        shared_ids: the ids of the shared classes that replaced some of its own, by the ids of these.
        is_elsewhere: tells whether another tool or a resource has a class with a digest.
    """
    digests = list_digests(lowered.roots)
    shareable = [node for root in lowered.roots for node in list_shareable(root)]
    references = sorted(collect_module_references(tool).intersection(shared_ids.values()))
    part = (
        (lowered.wire, lowered.python, names.module, names.result, names.arguments, names.type_paths),
        tool.uses_templates,
        shareable if any(map(is_elsewhere, digests)) else (),
        (references, sorted(names.all_names)) if references else (),
    )
    return ToolOutline(
        part=hashlib.sha256(repr(part).encode("utf-8", "surrogatepass")).hexdigest(),
        digests=tuple(sorted(digests)),
        shared_ids=tuple(sorted(shared_ids.items())),
        paths=(
            names.path,
            *names.type_paths,
            f"tools/{names.module}.json",
            *([get_example_path(names)] if tool.input.example is not None else []),
        ),
        class_count=count_tool_classes(tool, names),
        module=names.module,
        root_classes=(names.result, names.arguments),
        uses_templates=tool.uses_templates,
    )


def list_digests(roots: Iterable[SchemaRoot]) -> set[str]:
    """Return the digests of the classes of a module that can be shared."""
    nodes = [node for root in roots for node in list_shareable(root)]
    return {node.sharing.digest[:_DIGEST_LENGTH] for node in nodes if node.sharing is not None}


def _encode_shared(ir: Package, names: PackageNames) -> Json:
    return {
        node.id: [
            names.shared[node.id],
            names.shared_typed_dicts.get(node.id),
            names.shared_modules[node.id],
            [*list_avoided_names(node, names.shared[node.id], names.shared_typed_dicts.get(node.id))],
            encode_value(node),
        ]
        for node in ir.shared
    }


def _encode_other_names(names: PackageNames) -> Json:
    resources: dict[str, Json] = {key: [it.module, it.name, it.parameters] for key, it in names.resources.items()}
    prompts: dict[str, Json] = {wire: [it.module, it.name] for wire, it in names.prompts.items()}
    return {"resources": resources, "prompts": prompts}
