"""Render modules of types: those that several tools share, and those of a tool that has many."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from mcpgen.ir.package import Package, ToolModule
from mcpgen.ir.types import Node, ObjectClass
from mcpgen.literals import Literal, make_docstring
from mcpgen.names.package_names import TOOL_TYPES_FOLDER, PackageNames, ToolNames
from mcpgen.render.annotations import TypedDictAliasView, TypedDictView, make_typed_dict_views
from mcpgen.render.class_views import ModuleBody, make_module_body
from mcpgen.render.declared_places import map_declared_places, map_shared_places
from mcpgen.render.jobs import DEFINITIONS_ORIGIN, ImportScope, Job, JobMaker
from mcpgen.render.library import get_facade
from mcpgen.render.scope import Scope
from mcpgen.render.serializers import SerializerWriter, list_only_arguments


@dataclass(frozen=True)
class TypesView:
    """Variables of `package/types.py.j2`."""

    doc: Literal
    module: ModuleBody
    typed_dicts: list[TypedDictView | TypedDictAliasView]
    exports: list[str]


def make_shared_types_jobs(package: Package, names: PackageNames) -> dict[str, JobMaker]:
    """Return the jobs of the modules in `types/`, by path."""
    shared = {node.id: node for node in package.shared}
    scope = Scope(names.shared, shared, names.shared_typed_dicts)
    imports = ImportScope(get_facade(package, 1), names.list_shared_imports(""))
    jobs: dict[str, JobMaker] = {}
    for module, nodes in _group_nodes(package.shared, names.shared, names.shared_modules):
        path = f"types/{module}.py"
        declared = partial(map_shared_places, [node.id for node in nodes], package, names)
        jobs[path] = partial(_make_job, path, "Shared types", DEFINITIONS_ORIGIN, nodes, scope, imports, declared)
    return jobs


def make_tool_types_jobs(
    package: Package, tool: ToolModule, names: PackageNames, shared: Mapping[str, Node]
) -> dict[str, JobMaker]:
    """Return the jobs of the modules for classes of one tool, by path; most tools have none."""
    tool_names = names.tools[tool.wire]
    if not tool_names.type_modules:
        return {}
    nodes = tool.nodes
    scope = make_tool_scope(nodes, tool_names, names, shared)
    shared_imports = names.list_shared_imports("...types")
    imports = ImportScope(get_facade(package, 2), tuple(sorted([*shared_imports, *tool_names.list_type_imports("")])))
    jobs: dict[str, JobMaker] = {}
    only_arguments = list_only_arguments(tool)
    for module, members in _group_nodes(nodes, tool_names.nested, tool_names.type_modules):
        path = f"{tool_names.types_folder}/{module}.py"
        title, definition = f"Types of the tool `{tool.wire}`", f"../../tools/{tool_names.module}.json"
        declared = partial(map_declared_places, [node.id for node in members], definition)
        jobs[path] = partial(_make_job, path, title, tool.origin, members, scope, imports, declared, only_arguments)
    return jobs


def make_tool_scope(
    nodes: Sequence[Node], names: ToolNames, package: PackageNames, shared: Mapping[str, Node]
) -> Scope:
    """Return what the modules of a tool can refer to; `shared` are the shared classes and aliases, by id."""
    nodes_by_id = {**shared, **{node.id: node for node in nodes}}
    return Scope({**package.shared, **names.nested}, nodes_by_id, {**package.shared_typed_dicts, **names.typed_dicts})


def list_types_folders(package: Package, names: PackageNames) -> Iterator[tuple[str, str]]:
    """Yield the folders of types, each with what its `__init__.py` says."""
    if package.shared:
        yield "types", "Types that several tools or resources share."
    split = [tool for tool in package.tools if names.tools[tool.wire].type_modules]
    if split:
        yield TOOL_TYPES_FOLDER, "Types of tools that have too many for one module."
    for tool in split:
        yield names.tools[tool.wire].types_folder, f"Types of the tool `{tool.wire}`."


def _group_nodes(
    nodes: Sequence[Node], names: Mapping[str, str], modules: Mapping[str, str]
) -> Iterator[tuple[str, list[Node]]]:
    groups: dict[str, list[Node]] = {}
    for node in sorted((node for node in nodes if node.id in modules), key=lambda node: names[node.id]):
        groups.setdefault(modules[node.id], []).append(node)
    yield from sorted(groups.items())


def _make_job(
    path: str,
    title: str,
    origin: str,
    nodes: list[Node],
    scope: Scope,
    imports: ImportScope,
    list_declared: Callable[[], Mapping[str, Literal]],
    only_arguments: Container[str] = (),
) -> Job:
    names = [scope.names[node.id] for node in nodes]
    typed_dicts = [
        scope.typed_dicts[node.id] for node in nodes if isinstance(node, ObjectClass) and node.id in scope.typed_dicts
    ]
    view = TypesView(
        doc=make_docstring(f"{title}: {', '.join(f'`{name}`' for name in names)}.", 0),
        module=make_module_body(
            nodes, scope, {}, declared=list_declared(), writer=SerializerWriter(scope, (), only_arguments)
        ),
        typed_dicts=make_typed_dict_views(nodes, scope),
        exports=sorted([*names, *typed_dicts]),
    )
    return Job(path, "package/types.py.j2", origin, view, imports)
