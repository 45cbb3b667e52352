"""Python names, given out once and before anything is rendered: pure functions of the wire names."""

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


@dataclass(frozen=True)
class ToolNames:
    """A tool's names: its module, its two classes, the nested ones, and the TypedDicts of the result's classes."""

    module: str
    result: str
    arguments: str
    nested: Mapping[str, str]
    twins: Mapping[str, str]

    @property
    def path(self) -> str:
        """The module's file in the package."""
        return f"tools/{self.module}.py"


@dataclass(frozen=True)
class ResourceNames:
    """A resource's names: its module, its class, the class of its template's parameters, the nested ones."""

    module: str
    name: str
    parameters: str | None
    nested: Mapping[str, str]

    @property
    def path(self) -> str:
        """The module's file in the package."""
        return f"resources/{self.module}.py"


@dataclass(frozen=True)
class NameClash:
    """Two definitions that would have the same Python name."""

    first: str
    second: str
    python: str


def allocate_class_names(
    nodes: Iterable[Node], given: Mapping[str, str], taken: Iterable[str], reserved: frozenset[str] = RESERVED_NAMES
) -> dict[str, str]:
    """A name for each class and alias of a module: id → name.

    Each has candidates, best first, and takes the first that no other place claims; so a name does not depend on
    the order of anything. `given` are names already decided (the tool's own classes), `taken` and `reserved` those
    in use.
    """
    names = dict(given)
    used = set(taken) | set(given.values())
    levels = {node.id: 0 for node in nodes if node.id not in names}
    by_id = {node.id: node for node in nodes if node.id not in names}
    while True:
        claims: dict[str, list[str]] = defaultdict(list)
        for key, level in levels.items():
            claims[_make_candidate(by_id[key], level)].append(key)
        clashing = [
            key for name, keys in claims.items() if len(keys) > 1 or name in used or name in reserved for key in keys
        ]
        if not clashing:
            return names | {keys[0]: name for name, keys in claims.items()}
        for key in clashing:
            levels[key] += 1


def _make_candidate(node: Node, level: int) -> str:
    stems = list(dict.fromkeys(stem for words in node.words if (stem := _join_stem_words(words))))
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
    """All names of a package: per tool and resource (by wire name), and the shared classes."""

    tools: Mapping[str, ToolNames]
    resources: Mapping[str, ResourceNames]
    shared: Mapping[str, str]
    shared_twins: Mapping[str, str]


NamesReuse = Callable[[str, Callable[[ToolModule], ToolNames], ToolModule], ToolNames]
"""Called with all that a tool's names depend on apart from the tool, a function that makes them, and the tool; returns
earlier names of the same tool, or what the function makes."""


def allocate_names(package: Package, reuse: NamesReuse | None = None) -> tuple[PackageNames, list[NameClash]]:
    """The names of a whole package, and the pairs that fall together."""
    clashes: dict[tuple[str, str], NameClash] = {}
    held: dict[str, str] = dict.fromkeys(RESERVED_NAMES, "the package itself")
    tops: dict[str, tuple[str, str, str]] = {}
    for tool in package.tools:
        module, stem = make_module_name(tool.wire, tool.python), make_class_stem(tool.wire, tool.python)
        tops[tool.wire] = (module, f"{stem}Result", f"{stem}Arguments")
        for name in (f"tools/{module}.py", *tops[tool.wire][1:], make_typed_dict_name(f"{stem}Result")):
            _claim_name(held, name, f'tool "{tool.wire}"', clashes)
    places: dict[str, tuple[str, str, str | None]] = {}
    for resource in package.resources:
        module, stem = make_module_name(resource.wire, resource.python), make_class_stem(resource.wire, resource.python)
        parameters = f"{stem}Parameters" if resource.template else None
        places[resource.wire] = (module, stem, parameters)
        for name in (f"resources/{module}.py", stem, *([parameters] if parameters else [])):
            _claim_name(held, name, f'resource "{resource.wire}"', clashes)
    shared = allocate_class_names(package.shared, {}, held)
    twins = allocate_typed_dict_names(package.shared, shared, {}, held)
    context = repr((shared, twins))
    tools: dict[str, ToolNames] = {}
    for tool in package.tools:
        make = partial(_allocate_tool_names, tops[tool.wire], shared, twins)
        tools[tool.wire] = make(tool) if reuse is None else reuse(context, make, tool)
    resources = {one.wire: _allocate_resource_names(one, *places[one.wire], shared) for one in package.resources}
    return PackageNames(tools, resources, shared, twins), [*clashes.values()]


def _allocate_resource_names(
    resource: ResourceModule, module: str, name: str, parameters: str | None, shared: Mapping[str, str]
) -> ResourceNames:
    root = resource.payload
    if root is None:
        return ResourceNames(module, name, parameters, {})
    own = get_root_class(root)
    imported = {shared[key] for key in collect_module_references(resource) if key in shared}
    taken = {name, *([parameters] if parameters else []), *imported}
    nested = allocate_class_names(root.nodes, {} if own is None else {own.id: name}, taken)
    return ResourceNames(module, name, parameters, nested)


def _allocate_tool_names(
    tops: tuple[str, str, str], shared: Mapping[str, str], twins: Mapping[str, str], tool: ToolModule
) -> ToolNames:
    module, result, arguments = tops
    roots = [root for root in (tool.output, tool.input) if root is not None]
    nodes = [node for root in roots for node in root.nodes]
    given: dict[str, str] = {}
    for root, name in ((tool.output, result), (tool.input, arguments)):
        if root is not None and (own := get_root_class(root)) is not None:
            given[own.id] = name
    imported = {names[key] for key in collect_module_references(tool) for names in (shared, twins) if key in names}
    nested = allocate_class_names(nodes, given, {result, arguments, make_typed_dict_name(result), *imported})
    own_twins = {} if tool.output is None else allocate_typed_dict_names(tool.output.nodes, nested, twins, imported)
    return ToolNames(module, result, arguments, nested, own_twins)


def make_typed_dict_name(name: str) -> str:
    """The name of the TypedDict that says what a class is as a JSON object."""
    return f"{name}Dict"


def allocate_typed_dict_names(
    nodes: Iterable[Node], names: Mapping[str, str], outer: Mapping[str, str], taken: Iterable[str]
) -> dict[str, str]:
    """A TypedDict's name for each class, and an alias's for each alias that leads to one: id → name.

    `names` are those of the classes, `outer` the TypedDicts that other modules have.
    """
    by_id = {node.id: node for node in nodes}
    typed = {key for key, node in by_id.items() if isinstance(node, ObjectClass)}
    users: dict[str, list[str]] = defaultdict(list)
    for key in by_id.keys() - typed:
        for other in collect_refs(*list_node_types(by_id[key])):
            users[other].append(key)
    todo = [*typed, *(key for key in users if key in outer)]
    while todo:
        found = [key for key in users[todo.pop()] if key not in typed]
        typed.update(found)
        todo.extend(found)
    used = {*names.values(), *taken}
    out: dict[str, str] = {}
    for key in sorted(typed, key=lambda key: names[key]):
        name = make_typed_dict_name(names[key])
        while name in used or name in RESERVED_NAMES:
            name += "_"
        out[key] = name
        used.add(name)
    return out


def _claim_name(held: dict[str, str], python: str, where: str, clashes: dict[tuple[str, str], NameClash]) -> None:
    other = held.setdefault(python, where)
    if other != where:
        clashes.setdefault((other, where), NameClash(other, where, python))
