"""Cache keys of lowered schemas and rendered files, each a digest of all that the result depends on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from mcpgen.cache.store import Store, make_key
from mcpgen.config.models import CachedResult, PackageSettings
from mcpgen.ir.package import Package, SchemaRoot, ToolModule, collect_module_references
from mcpgen.ir.types import Node
from mcpgen.ir.visitors import find_reachable, list_reached, map_edges
from mcpgen.lower.request import LoweringRequest
from mcpgen.names.package_names import PackageNames, ToolNames
from mcpgen.read.definitions import ToolDefinition, find_content_strategy
from mcpgen.render.declared_places import map_shared_places
from mcpgen.render.jobs import Job


def make_roots_key(requests: Iterable[LoweringRequest], settings: str) -> str:
    """Return the key of the roots that some requests are lowered to, in this order, with `serialize_ir_settings`."""
    parts = [settings]
    for request in requests:
        parts.append(repr([value for name, value in vars(request).items() if name != "schema"]))
        parts.append(request.schema.digest)
    return make_key("roots", *parts)


def serialize_ir_settings(settings: PackageSettings) -> str:
    """Return the settings that affect lowered schemas."""
    return _serialize_settings(settings, CachedResult.IR)


def make_module_keys(
    package: Package,
    names: PackageNames,
    definitions: Iterable[ToolDefinition],
    settings: PackageSettings,
    store: Store,
) -> dict[str, str]:
    """Return the key of the text of each module of a tool or of shared classes, by path.

    The text of a tool's module depends on the tool, its names, its content template and the shared classes that it
    reaches. It does not depend on other tools and on shared classes that it does not reach. Modules of a tool's classes
    depend on these classes and on those that they reach. Modules of shared classes also depend on the places of their
    schemas.
    """
    shared_texts = _describe_shared(package, names)
    shared_nodes = {node.id: node for node in package.shared}
    edges = map_edges(shared_nodes)
    files = {definition.name: definition.choices.template for definition in definitions}
    common = _serialize_settings(settings, CachedResult.TOOL_MODULES)
    keys: dict[str, str] = {}
    for tool in package.tools:
        tool_names = names.tools[tool.wire]
        file = files.get(tool.wire)
        references = collect_module_references(tool) if shared_nodes else frozenset[str]()
        used = sorted(find_reachable(edges, shared_nodes.keys() & references))
        template = "" if file is None else repr((file.origin, file.text))
        parts = [
            common,
            *_describe_tool(tool),
            store.call("names", repr, tool_names),
            template,
            *(shared_texts[key] for key in used),
        ]
        keys[tool_names.path] = make_key("tool", tool_names.path, *parts)
        if tool_names.type_modules:
            keys |= _make_own_types_keys(tool, tool_names, shared_nodes, shared_texts, common)
    shared_settings = _serialize_settings(settings, CachedResult.OTHER_FILES)
    return keys | _make_shared_types_keys(package, names, shared_nodes, shared_texts, shared_settings)


def _make_shared_types_keys(
    package: Package, names: PackageNames, nodes: Mapping[str, Node], texts: Mapping[str, str], common: str
) -> dict[str, str]:
    """Return the key of the text of each module of shared classes, by path."""
    members: dict[str, list[str]] = {}
    for key in nodes:
        members.setdefault(names.shared_modules[key], []).append(key)
    keys: dict[str, str] = {}
    for module, member_keys in members.items():
        places = map_shared_places(sorted(member_keys), package, names)
        reached = [*sorted(member_keys), "", *list_reached(member_keys, nodes)]
        parts = [repr(places), *(texts[key] if key else "" for key in reached)]
        keys[f"types/{module}.py"] = make_key("types", module, common, *parts)
    return keys


def _describe_tool(tool: ToolModule) -> list[str]:
    """Return texts that say everything of a tool."""
    texts = [repr(value) for value in vars(tool).values() if not isinstance(value, SchemaRoot)]
    return [*texts, *(root.digest for root in tool.roots)]


def _make_own_types_keys(
    tool: ToolModule, names: ToolNames, shared: Mapping[str, Node], shared_texts: Mapping[str, str], common: str
) -> dict[str, str]:
    """Return the key of the text of each module for classes of a tool alone, by path."""
    nodes = {node.id: node for node in tool.nodes}
    texts = {**shared_texts}
    for key, node in nodes.items():
        texts[key] = repr((node, names.nested[key], names.typed_dicts.get(key), names.type_modules.get(key)))
    members: dict[str, list[str]] = {}
    for key, module in names.type_modules.items():
        members.setdefault(f"{names.types_folder}/{module}.py", []).append(key)
    reachable = {**shared, **nodes}
    keys: dict[str, str] = {}
    for path, member_keys in members.items():
        reached = list_reached(member_keys, reachable)
        parts = [tool.wire, tool.origin, names.module, *sorted(member_keys), *(texts[key] for key in reached)]
        keys[path] = make_key("tool types", path, common, *parts)
    return keys


def _describe_shared(package: Package, names: PackageNames) -> dict[str, str]:
    """Return a text for each shared class, by id, that says everything of it and its names."""
    return {
        node.id: repr(
            (node, names.shared[node.id], names.shared_typed_dicts.get(node.id), names.shared_modules[node.id])
        )
        for node in package.shared
    }


def make_tool_json_key(tool: ToolDefinition, names: ToolNames) -> str:
    """Return the key of the text of a tool's JSON file."""
    output = tool.output
    parts = [tool.origin, names.module, tool.choices.wrap, "" if output is None else output.dialect]
    parts += [str(tool.is_output_from_settings), find_content_strategy(tool)]
    members = {name: value for name, value in tool.tool.items() if name not in ("inputSchema", "outputSchema")}
    parts += [json.dumps([members, [*tool.tool]], separators=(",", ":")), tool.input.digest]
    for schema, member in ((tool.input, "inputSchema"), (output, "outputSchema")):
        if schema is not None and tool.tool.get(member) is not schema.value:
            parts.append(json.dumps(tool.tool.get(member), separators=(",", ":")))
    parts += ["" if schema is None else schema.digest for schema in (output, tool.error)]
    return make_key("tool JSON", *parts)


def make_job_key(job: Job) -> str:
    """Return the key of the text that a job renders."""
    return make_key("job", repr(job))


def _serialize_settings(settings: PackageSettings, result: CachedResult) -> str:
    """Return the settings that affect a result, by the declarations of their keys."""
    return json.dumps(settings.select(result), separators=(",", ":"))
