"""Allocate all Python names of a package before anything is rendered, as a pure function of the wire names."""

from __future__ import annotations

import builtins
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import count
from typing import NamedTuple

from mcpgen.ir.definitions import PromptModule
from mcpgen.ir.package import (
    FormModule,
    Package,
    ResourceModule,
    SchemaRoot,
    ToolModule,
    collect_module_references,
    get_root_class,
)
from mcpgen.ir.types import Alias, NameOrigin, Node, ObjectClass
from mcpgen.ir.visitors import (
    collect_refs,
    find_reachable,
    find_strong_components,
    group_components,
    list_node_types,
    map_edges,
    reverse_edges,
)
from mcpgen.names.identifiers import MAX_CLASS_NAME, add_number, list_class_stems, make_class_stem, make_module_name
from mcpgen.names.package_names import (
    FormNames,
    NameClash,
    PackageNames,
    PromptNames,
    ResourceNames,
    ToolNames,
    make_typed_dict_name,
)
from mcpgen.names.reserved import RESERVED_NAMES

MAX_ESTIMATED_LINES = 1_200
"""Most estimated lines of a module for all classes of a tool.

Long modules of 1,154 real tools have at most a quarter more lines than estimated, so that none has
more than 1,500.
"""
_LINES_OF_MODULE = 60


def allocate_class_names(
    nodes: Iterable[Node],
    fixed_names: Mapping[str, str],
    used_names: Iterable[str],
    reserved: frozenset[str] = RESERVED_NAMES,
) -> dict[str, str]:
    """Return a name for each class and alias of a module, by id; `fixed_names` are those of the root classes.

    Each has candidates and takes the first that is free, in an order that does not depend on the order in the schema:
    results before arguments, titles and keys before paths, short paths before long ones.
    """
    taken = {*used_names, *fixed_names.values()}
    names = dict(fixed_names)
    for node in sorted((node for node in nodes if node.id not in fixed_names), key=_make_precedence):
        names[node.id] = next(it for it in _iterate_candidates(node) if it not in taken and it not in reserved)
        taken.add(names[node.id])
    return names


_SIDES = ("output", "input", "resource", "error")
_SIDE_PREFIXES = ("Result", "Arguments", "Resource", "Error", "Shared")


def _make_precedence(node: Node) -> tuple[int, int, int, tuple[tuple[str, ...], ...], str]:
    length = len(node.name_candidates[-1]) if node.name_candidates else 0
    return _get_side(node), node.name_origin.rank, length, node.name_candidates, node.id


def _get_side(node: Node) -> int:
    side = node.id.partition(":")[0].partition("~")[0]
    return _SIDES.index(side) if side in _SIDES else len(_SIDES)


def _iterate_candidates(node: Node) -> Iterator[str]:
    first = ""
    is_chosen = node.name_origin is NameOrigin.CHOSEN
    for words in node.name_candidates[:1] if is_chosen else node.name_candidates:
        for stem in ["".join(words)] if is_chosen else list_class_stems(words):
            first = first or stem
            yield stem
    prefix, first = _SIDE_PREFIXES[_get_side(node)], first or "Item"
    if len(prefix + first) <= MAX_CLASS_NAME:
        yield prefix + first
    for number in count(2):
        yield add_number(first, number)


NamesReuse = Callable[[str, Callable[[ToolModule], ToolNames], ToolModule], ToolNames]
"""Function that reuses names: called with everything else that a tool's names depend on, a function that makes them,
and the tool. It returns earlier names of the same tool, or calls the function."""


def allocate_names(package: Package, reuse: NamesReuse | None = None) -> tuple[PackageNames, list[NameClash]]:
    """Return the names of a whole package, and the pairs of definitions that would have the same name."""
    tool_base_names = {tool.wire: _make_tool_names(tool) for tool in package.tools}
    resource_base_names = {resource.id: _make_resource_names(resource) for resource in package.resources}
    prompts = {prompt.wire: _make_prompt_names(prompt) for prompt in package.prompts}
    forms = {form.wire: _allocate_form_names(form) for form in package.forms}
    top_level, clashes = claim_top_level_names(tool_base_names, resource_base_names, prompts, forms)
    typed = frozenset(find_typed(package.shared, frozenset()))
    context = repr(sorted(typed)) if typed else ""
    tools: dict[str, ToolNames] = {}
    for tool in package.tools:
        make = partial(_allocate_nested_names, tool_base_names[tool.wire], typed)
        tools[tool.wire] = make(tool) if reuse is None else reuse(context, make, tool)
    resources = {
        resource.id: _allocate_resource_names(resource, resource_base_names[resource.id])
        for resource in package.resources
    }
    shared = _allocate_shared_names(package, tools, resources, top_level)
    typed_dicts = allocate_typed_dict_names(typed, shared, top_level)
    modules = name_shared_modules(package.shared, shared)
    return PackageNames(tools, resources, shared, typed_dicts, modules, prompts, forms), clashes


def _allocate_shared_names(
    package: Package, tools: Mapping[str, ToolNames], resources: Mapping[str, ResourceNames], top_level: Iterable[str]
) -> dict[str, str]:
    if not package.shared:
        return {}
    # they avoid the names in the modules that use them, directly or not, so that sharing changes no name inside a tool
    used_by_id: dict[str, set[str]] = defaultdict(set)
    nodes = {node.id: node for node in package.shared}
    edges = map_edges(nodes)
    modules: list[tuple[ToolModule | ResourceModule, set[str], str]] = []
    modules += [(tool, tools[tool.wire].all_names, tools[tool.wire].stem) for tool in package.tools]
    modules += [(it, resources[it.id].all_names, resources[it.id].name) for it in package.resources]
    for module, own_names, stem in modules:
        for node_id in find_reachable(edges, nodes.keys() & collect_module_references(module)):
            used_by_id[node_id] |= own_names.union(_list_handler_types(stem))
    names_by_id: dict[str, str] = {}
    unavailable = {*RESERVED_NAMES, *top_level}
    for node in package.shared:
        avoided = used_by_id[node.id]
        for name in _iterate_candidates(node):
            claimed = {name, make_typed_dict_name(name)}
            if unavailable.isdisjoint(claimed) and avoided.isdisjoint(claimed):
                names_by_id[node.id] = name
                unavailable |= claimed
                break
    return names_by_id


def _make_tool_names(tool: ToolModule) -> ToolNames:
    stem = make_class_stem(tool.wire, tool.python, "Tool")
    error = f"{stem}Error"
    is_taken = error in RESERVED_NAMES or hasattr(builtins, error)
    return ToolNames(
        make_module_name(tool.wire, tool.python),
        f"{stem}Result",
        f"{stem}Arguments",
        error=None if tool.error is None else f"{error}_" if is_taken else error,
    )


def _make_resource_names(resource: ResourceModule) -> ResourceNames:
    stem = make_class_stem(resource.wire, resource.python, "Resource")
    parameters = f"{stem}Parameters" if resource.template else None
    return ResourceNames(make_module_name(resource.wire, resource.python), stem, parameters)


def _make_prompt_names(prompt: PromptModule) -> PromptNames:
    stem = make_class_stem(prompt.wire, prompt.python, "Prompt")
    return PromptNames(make_module_name(prompt.wire, prompt.python), f"{stem}Prompt")


def _allocate_form_names(form: FormModule) -> FormNames:
    stem = make_class_stem(form.wire, form.python, "Form")
    root_class, name = get_root_class(form.root), f"{stem}Form"
    nested = allocate_class_names(form.root.nodes, {} if root_class is None else {root_class.id: name}, ())
    return FormNames(make_module_name(form.wire, form.python), name, nested)


def claim_top_level_names(
    tools: Mapping[str, ToolNames],
    resources: Mapping[str, ResourceNames],
    prompts: Mapping[str, PromptNames],
    forms: Mapping[str, FormNames],
) -> tuple[dict[str, str], list[NameClash]]:
    """Return the definition that has each name at the top of a package and each path of a module, and their clashes.

    Paths clash in whatever case they are: there is one file for both on Windows and macOS. Each pair of definitions
    with a name in common is one clash.
    """
    owners: dict[str, str] = {}
    first_written: dict[str, str] = {}
    clashes: dict[tuple[str, str], NameClash] = {}
    for kind, names_by_id in (("tool", tools), ("resource", resources), ("prompt", prompts), ("form", forms)):
        for wire, names in names_by_id.items():
            definition = f'{kind} "{wire}"'
            for python in (names.path, *names.exports):
                key = python.lower() if "/" in python else python
                owner = owners.setdefault(key, definition)
                written = first_written.setdefault(key, python)
                if owner != definition:
                    clash = NameClash(owner, definition, python, written != python)
                    clashes.setdefault((owner, definition), clash)
    return owners, [*clashes.values()]


def _allocate_resource_names(resource: ResourceModule, base_names: ResourceNames) -> ResourceNames:
    root = resource.payload
    if root is None:
        return base_names
    root_class = get_root_class(root)
    used = {*base_names.exports, *_list_handler_types(base_names.name)}
    nested = allocate_class_names(root.nodes, {} if root_class is None else {root_class.id: base_names.name}, used)
    return replace(base_names, nested=nested)


def _allocate_nested_names(base_names: ToolNames, typed_shared: Set[str], tool: ToolModule) -> ToolNames:
    nodes: list[Node] = []
    root_names: dict[str, str] = {}
    names = (base_names.result, base_names.arguments, base_names.error)
    for root, name in zip((tool.output, tool.input, tool.error), names, strict=True):
        if root is not None:
            nodes += root.nodes
            if name is not None and (root_class := get_root_class(root)) is not None:
                root_names[root_class.id] = name
    used = {*base_names.exports, *_list_handler_types(base_names.stem)}
    nested = allocate_class_names(nodes, root_names, used)
    typed = () if tool.output is None else find_typed(tool.output.nodes, typed_shared)
    typed_dicts = allocate_typed_dict_names(typed, nested, ())
    type_modules = name_tool_types(tool.roots, nested)
    return replace(base_names, nested=nested, typed_dicts=typed_dicts, type_modules=type_modules)


class HandlerNames(NamedTuple):
    """Names of the types of the handlers of a tool, resource or prompt."""

    returned: str
    """The alias for what they return."""
    handler: str
    """The Protocol of handlers whose parameters have Python names."""
    with_context: str
    """The same with the SDK's Context."""
    by_wire: str
    """The Protocol of handlers whose parameters have the names on the wire."""
    by_wire_with_context: str


def list_handler_names(stem: str) -> HandlerNames:
    """Return the names of the types of the handlers of a tool, resource or prompt."""
    endings = ("Returned", "Handler", "HandlerWithContext", "WireHandler", "WireHandlerWithContext")
    names = (f"{stem}{ending}" for ending in endings)
    return HandlerNames(*(f"{name}_" if name in RESERVED_NAMES else name for name in names))


def make_any_handler_name(stem: str) -> str:
    """Return the name of the alias for all types of handlers, which packages with `testing` have."""
    return f"Any{stem}Handler"


def _list_handler_types(stem: str) -> tuple[str, ...]:
    return *list_handler_names(stem), make_any_handler_name(stem)


def allocate_typed_dict_names(
    typed: Iterable[str], class_names: Mapping[str, str], used_names: Iterable[str]
) -> dict[str, str]:
    """Return a name for the TypedDict, or the alias that leads to one, in place of each class and alias, by id.

    `typed` are the ids that `find_typed` returns.
    """
    used = {*class_names.values(), *used_names}
    typed_dicts: dict[str, str] = {}
    for node_id in sorted(typed, key=lambda node_id: class_names[node_id]):
        name = make_typed_dict_name(class_names[node_id])
        while name in used or name in RESERVED_NAMES:
            name += "_"
        typed_dicts[node_id] = name
        used.add(name)
    return typed_dicts


def find_typed(nodes: Iterable[Node], typed_imports: Set[str]) -> set[str]:
    """Return the ids of the classes, and of the aliases that lead to one of them or of `typed_imports`.

    These are the ids of the classes and aliases of other modules that have a TypedDict.
    """
    nodes = [*nodes]
    classes = {node.id for node in nodes if isinstance(node, ObjectClass)}
    aliases = {node.id: node for node in nodes if isinstance(node, Alias) and node.recursive}
    if not aliases:
        return classes
    users = reverse_edges({key: collect_refs(*list_node_types(alias)) for key, alias in aliases.items()})
    reached = find_reachable(users, [*classes, *(key for key in users if key in typed_imports)])
    return classes | (reached & aliases.keys())


def name_tool_types(roots: Sequence[SchemaRoot], names: Mapping[str, str]) -> dict[str, str]:
    """Return the module of each class and alias of a tool that has not its place in the module of the tool, by id.

    Whether a tool has such modules depends on nothing but the tool. In the module of the tool stay the classes of its
    result and its arguments, and those that refer to them.
    """
    if estimate_lines(roots) <= MAX_ESTIMATED_LINES:
        return {}
    nodes = [node for root in roots for node in root.nodes]
    root_classes = [root_class.id for root in roots if (root_class := get_root_class(root)) is not None]
    kept = find_reachable(reverse_edges(map_edges({node.id: node for node in nodes})), root_classes)
    return name_shared_modules([node for node in nodes if node.id not in kept], names)


def estimate_lines(roots: Sequence[SchemaRoot]) -> int:
    """Estimate the lines of a module with the classes and aliases of some roots."""
    return _LINES_OF_MODULE + sum(root.estimated_lines for root in roots)


def name_shared_modules(nodes: Iterable[Node], names: Mapping[str, str]) -> dict[str, str]:
    """Return the module of each shared class and alias, by id.

    No module imports another one that imports it, directly or through others: such modules become one, which has the
    first of their names. Names that differ only in letter case or underscores lead to one module, too.
    """
    references = map_edges({node.id: node for node in nodes})
    modules = {key: make_module_name(names[key], None) for key in references}
    while True:
        edges: dict[str, list[str]] = {module: [] for module in modules.values()}
        for key, targets in references.items():
            edges[modules[key]] += (modules[target] for target in targets)
        groups = group_components(find_strong_components(edges))
        if len(groups) == len(edges):
            return modules
        joined = {module: min(group) for group in groups.values() for module in group}
        modules = {key: joined[module] for key, module in modules.items()}
