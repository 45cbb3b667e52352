"""Allocate all Python names of a package before anything is rendered, as a pure function of the wire names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from mcpgen.ir.package import Package, ResourceModule, ToolModule, collect_module_references, get_root_class
from mcpgen.ir.types import Node, ObjectClass
from mcpgen.ir.visitors import collect_refs, list_node_types
from mcpgen.names.casing import convert_to_pascal_case
from mcpgen.names.identifiers import make_class_stem, make_module_name, make_short_hash
from mcpgen.names.reserved import RESERVED_NAMES
from mcpgen.names.shared_modules import name_shared_modules


@dataclass(frozen=True)
class ToolNames:
    """Names of a tool."""

    module: str
    result: str
    """The result class."""
    arguments: str
    """The arguments class."""
    nested: Mapping[str, str]
    """All classes and aliases of the module, by id."""
    twins: Mapping[str, str]
    """The TypedDicts of the result's classes, and the aliases over them, by id."""

    @property
    def path(self) -> str:
        """Return the path of the module in the package."""
        return f"tools/{self.module}.py"


@dataclass(frozen=True)
class ResourceNames:
    """Names of a resource."""

    module: str
    name: str
    """The class."""
    parameters: str | None
    """The TypedDict of its URI template's parameters."""
    nested: Mapping[str, str]
    """All classes and aliases of the module, by id."""

    @property
    def path(self) -> str:
        """Return the path of the module in the package."""
        return f"resources/{self.module}.py"


@dataclass(frozen=True)
class NameClash:
    """Two definitions that would have the same Python name, as messages name them."""

    first: str
    second: str
    python: str
    """The Python name."""


def allocate_class_names(
    nodes: Iterable[Node],
    fixed_names: Mapping[str, str],
    used_names: Iterable[str],
    reserved: frozenset[str] = RESERVED_NAMES,
) -> dict[str, str]:
    """Return a name for each class and alias of a module, by id.

    Each node has candidates, best first, and gets the first that no other node claims. Nodes with the same candidate
    all go on to their next, so that no name depends on the order of anything.

    Args:
        nodes: the classes and aliases.
        fixed_names: names that are decided already (the root classes), by id.
        used_names: names that are in use in the module.
        reserved: names that no class may have.
    """
    unavailable = reserved.union(used_names, fixed_names.values())
    unnamed = {node.id: node for node in nodes if node.id not in fixed_names}
    levels = dict.fromkeys(unnamed, 0)
    while True:
        claims: dict[str, list[str]] = defaultdict(list)
        for node_id, level in levels.items():
            claims[_make_candidate(unnamed[node_id], level)].append(node_id)
        clashing = [
            node_id
            for name, claimants in claims.items()
            if len(claimants) > 1 or name in unavailable
            for node_id in claimants
        ]
        if not clashing:
            return {**fixed_names, **{claimants[0]: name for name, claimants in claims.items()}}
        for node_id in clashing:
            levels[node_id] += 1


def _make_candidate(node: Node, level: int) -> str:
    """Return a node's candidate: its stems, then the longest with the side as prefix, then with a longer hash each."""
    stems = list(dict.fromkeys(stem for words in node.name_candidates if (stem := _join_stem_words(words))))
    if level < len(stems):
        return stems[level]
    side = node.id.partition(":")[0].partition("~")[0]
    prefix = {"input": "Arguments", "output": "Result", "resource": "Resource"}.get(side, "Shared")
    longest = stems[-1] if stems else ""
    if level == len(stems):
        return (prefix + longest) if longest else f"{prefix}Item"
    length = 4 + 2 * (level - len(stems))
    return f"{prefix}{longest[:60]}_{make_short_hash(node.id, length)}"


def _join_stem_words(words: tuple[str, ...]) -> str:
    stem = "".join(convert_to_pascal_case(word) for word in words)
    return f"_{stem}" if stem[:1].isdigit() else stem


@dataclass(frozen=True)
class PackageNames:
    """Names of a package."""

    tools: Mapping[str, ToolNames]
    """The names of each tool, by wire name."""
    resources: Mapping[str, ResourceNames]
    """The names of each resource, by wire name."""
    shared: Mapping[str, str]
    """The shared classes and aliases, by id."""
    shared_twins: Mapping[str, str]
    """The TypedDicts of those classes, and the aliases over them, by id."""
    shared_modules: Mapping[str, str]
    """The modules in `types/` of those classes and aliases, by id."""

    def list_shared_imports(self, folder: str) -> tuple[tuple[str, str], ...]:
        """Return each shared name and its module, sorted, as a module imports them that has `types` at `folder`."""
        names = [*self.shared.items(), *self.shared_twins.items()]
        return tuple(sorted((name, f"{folder}.{self.shared_modules[key]}") for key, name in names))


@dataclass(frozen=True)
class _ToolHeads:
    """Names of a tool that follow from its wire name alone."""

    module: str
    result: str
    arguments: str


@dataclass(frozen=True)
class _ResourceHeads:
    """Names of a resource that follow from its wire name alone."""

    module: str
    name: str
    parameters: str | None


class _TopLevelNames:
    """Names at the top of a package and the paths of its modules, each with the definition that has it."""

    def __init__(self) -> None:
        self.owners: dict[str, str] = dict.fromkeys(RESERVED_NAMES, "the package itself")
        self._clashes: dict[tuple[str, str], NameClash] = {}

    @property
    def clashes(self) -> list[NameClash]:
        """Return the pairs of definitions with a name in common, each pair once."""
        return [*self._clashes.values()]

    def claim(self, python: str, definition: str) -> None:
        """Note that a definition has a name; if another one has it already, note the clash."""
        owner = self.owners.setdefault(python, definition)
        if owner != definition:
            self._clashes.setdefault((owner, definition), NameClash(owner, definition, python))


NamesReuse = Callable[[str, Callable[[ToolModule], ToolNames], ToolModule], ToolNames]
"""Called with all that a tool's names depend on apart from the tool, a function that makes them, and the tool; returns
earlier names of the same tool, or what the function makes."""


def allocate_names(package: Package, reuse: NamesReuse | None = None) -> tuple[PackageNames, list[NameClash]]:
    """Return the names of a whole package, and the pairs of definitions that would have the same name."""
    top_level = _TopLevelNames()
    tool_heads = {tool.wire: _claim_tool_heads(tool, top_level) for tool in package.tools}
    resource_heads = {resource.wire: _claim_resource_heads(resource, top_level) for resource in package.resources}
    shared = allocate_class_names(package.shared, {}, top_level.owners)
    twins = allocate_typed_dict_names(package.shared, shared, {}, top_level.owners)
    context = repr((shared, twins))
    tools: dict[str, ToolNames] = {}
    for tool in package.tools:
        make = partial(_allocate_tool_names, tool_heads[tool.wire], shared, twins)
        tools[tool.wire] = make(tool) if reuse is None else reuse(context, make, tool)
    resources = {
        resource.wire: _allocate_resource_names(resource, resource_heads[resource.wire], shared)
        for resource in package.resources
    }
    modules = name_shared_modules(package.shared, shared)
    return PackageNames(tools, resources, shared, twins, modules), top_level.clashes


def _claim_tool_heads(tool: ToolModule, top_level: _TopLevelNames) -> _ToolHeads:
    stem = make_class_stem(tool.wire, tool.python)
    heads = _ToolHeads(make_module_name(tool.wire, tool.python), f"{stem}Result", f"{stem}Arguments")
    for name in (f"tools/{heads.module}.py", heads.result, heads.arguments, make_typed_dict_name(heads.result)):
        top_level.claim(name, f'tool "{tool.wire}"')
    return heads


def _claim_resource_heads(resource: ResourceModule, top_level: _TopLevelNames) -> _ResourceHeads:
    stem = make_class_stem(resource.wire, resource.python)
    parameters = f"{stem}Parameters" if resource.template else None
    heads = _ResourceHeads(make_module_name(resource.wire, resource.python), stem, parameters)
    for name in (f"resources/{heads.module}.py", stem, *([parameters] if parameters else [])):
        top_level.claim(name, f'resource "{resource.wire}"')
    return heads


def _allocate_resource_names(
    resource: ResourceModule, heads: _ResourceHeads, shared: Mapping[str, str]
) -> ResourceNames:
    root = resource.payload
    if root is None:
        return ResourceNames(heads.module, heads.name, heads.parameters, {})
    root_class = get_root_class(root)
    imported = {shared[node_id] for node_id in collect_module_references(resource) if node_id in shared}
    used = {heads.name, *([heads.parameters] if heads.parameters else []), *imported}
    nested = allocate_class_names(root.nodes, {} if root_class is None else {root_class.id: heads.name}, used)
    return ResourceNames(heads.module, heads.name, heads.parameters, nested)


def _allocate_tool_names(
    heads: _ToolHeads, shared: Mapping[str, str], shared_twins: Mapping[str, str], tool: ToolModule
) -> ToolNames:
    nodes: list[Node] = []
    root_names: dict[str, str] = {}
    for root, name in ((tool.output, heads.result), (tool.input, heads.arguments)):
        if root is not None:
            nodes += root.nodes
            if (root_class := get_root_class(root)) is not None:
                root_names[root_class.id] = name
    references = collect_module_references(tool)
    imported = {names[node_id] for node_id in references for names in (shared, shared_twins) if node_id in names}
    handlers = list_handler_names(heads.result.removesuffix("Result"))
    used = {heads.result, heads.arguments, make_typed_dict_name(heads.result), *handlers, *imported}
    nested = allocate_class_names(nodes, root_names, used)
    twins = {} if tool.output is None else allocate_typed_dict_names(tool.output.nodes, nested, shared_twins, imported)
    return ToolNames(heads.module, heads.result, heads.arguments, nested, twins)


def list_handler_names(stem: str) -> tuple[str, str, str, str]:
    """Return the names of the types of a tool's handlers: what they return, two Protocols, and the decorator's type."""
    names = (f"{stem}Returned", f"{stem}Handler", f"{stem}HandlerWithContext", f"{stem}Decorator")
    returned, handler, with_context, decorator = (f"{name}_" if name in RESERVED_NAMES else name for name in names)
    return returned, handler, with_context, decorator


def make_typed_dict_name(name: str) -> str:
    """Return the name of the TypedDict that describes a class as a JSON object."""
    return f"{name}Dict"


def allocate_typed_dict_names(
    nodes: Iterable[Node],
    class_names: Mapping[str, str],
    imported_twins: Mapping[str, str],
    used_names: Iterable[str],
) -> dict[str, str]:
    """Return a name for the TypedDict of each class, and for the twin of each alias that leads to one, by id.

    Args:
        nodes: the classes and aliases of a module.
        class_names: their names, by id.
        imported_twins: the names of the TypedDicts of other modules, by the id of their class.
        used_names: further names that are in use in the module.
    """
    used = {*class_names.values(), *used_names}
    twins: dict[str, str] = {}
    for node_id in sorted(_find_typed(nodes, imported_twins), key=lambda node_id: class_names[node_id]):
        name = make_typed_dict_name(class_names[node_id])
        while name in used or name in RESERVED_NAMES:
            name += "_"
        twins[node_id] = name
        used.add(name)
    return twins


def _find_typed(nodes: Iterable[Node], imported_twins: Mapping[str, str]) -> set[str]:
    """Return the ids of classes, and of aliases that refer to a class, directly or by way of other aliases."""
    typed: set[str] = set()
    aliases_by_reference: dict[str, list[str]] = defaultdict(list)
    for node in nodes:
        if isinstance(node, ObjectClass):
            typed.add(node.id)
        else:
            for reference in collect_refs(*list_node_types(node)):
                aliases_by_reference[reference].append(node.id)
    pending = [*typed, *(reference for reference in aliases_by_reference if reference in imported_twins)]
    while pending:
        reached = [alias for alias in aliases_by_reference[pending.pop()] if alias not in typed]
        typed.update(reached)
        pending.extend(reached)
    return typed
