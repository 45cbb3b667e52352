"""Python names, given out once and before anything is rendered: pure functions of the wire names."""

from __future__ import annotations

import hashlib
import keyword
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from mcpgen.ir import Field, Node, ObjectClass, Package, Ref, ResourceModule, Root, ToolModule, mentions, refs, types_of
from mcpgen.memory import Memory

METHODS = frozenset(
    (
        "extras from_call_tool_result from_structured_content normalize normalize_any to_call_tool_result "
        "to_content to_structured_content to_wire to_wire_json"
    ).split()
)
"""What a result class says itself; no property may take these names."""

RESOURCE_METHODS = frozenset("from_read_resource_result match resource to_contents to_read_resource_result uri".split())
"""What the class of a resource says beside that; no property of its JSON value may take these names."""

CALLS = frozenset("Decorator complete contract dict implement list options property str tuple".split())
"""What the bound server and the client say themselves, and what their annotations need beside `IMPORTS`; no tool may
take these names there."""

PYDANTIC = frozenset(
    (
        "construct copy dict fields_set from_orm json model_fields parse_file parse_obj parse_raw root "
        "schema schema_json update_forward_refs validate"
    ).split()
)
"""Attributes of BaseModel (those starting with `model_` are avoided by their prefix)."""

_IN_CLASS_BODIES = frozenset(["classmethod", "cls", "dict", "list", "self", "staticmethod", "str", "tuple"])
"""Names that annotations and decorators in the same class body need, and the names of methods' first parameters.

All others that a class body reads begin with a capital letter or `_`, which no attribute does;
`tests/test_hostile_names.py` holds the templates to this.
"""

_IN_EXPANSIONS = frozenset(["cls", "self", "str", "uris"])
"""Names that a template's `uri` needs beside its parameters."""

_BASE = (
    "AsArray Base64 Boolean ClosedObject Date DateTime Exactly Integer JsonObject JsonValue Number Omit OpenObject "
    "RenamedOpenObject SparseClosedObject SparseOpenObject String Time Uuid to_json_value"
).split()
_RUNTIME = "Checked ContentResult RootResult ToolInfo ToolResult version_of".split()
_BLOCKS = "Payload binary_block content_blocks item_blocks text_block".split()
_DEEP = ["ReadOnce"]
_HANDLED = "in_wrapper result_of says_result".split()
_RESOURCE = (
    "CheckedResource ContentsResource JsonResource ReadResourceResult ResourceAnswer ResourceInfo ResourceResult "
    "RootResource"
).split()
_TEXT = (
    "date_text has_item json_item members reversed_text rounded titled to_float to_html_json to_int truncated unique "
    "word_count"
).split()
IMPORTS: Mapping[str, tuple[int, str]] = {
    **dict.fromkeys(("Awaitable", "Callable", "Mapping", "Sequence"), (0, "collections.abc")),
    **dict.fromkeys(
        ("TYPE_CHECKING Annotated Any ClassVar Literal NotRequired Protocol TypeAlias TypedDict").split(),
        (0, "typing"),
    ),
    **dict.fromkeys(("Field", "TypeAdapter"), (1, "pydantic")),
    "TypeAliasType": (1, "typing_extensions"),
    **dict.fromkeys(_BASE, (2, "base")),
    **dict.fromkeys(_RUNTIME, (2, "runtime")),
    **dict.fromkeys(_RESOURCE, (2, "resource_runtime")),
    **dict.fromkeys(_BLOCKS, (2, "blocks")),
    **dict.fromkeys(_DEEP, (2, "deep")),
    **dict.fromkeys(_HANDLED, (2, "handled")),
    **dict.fromkeys(("CallToolResult", "ContentBlock"), (2, "protocol")),
    **dict.fromkeys(_TEXT, (2, "text")),
    "sdk_blocks": (2, "sdk_text"),
    "uris": (2, ""),
}
"""Names that generated modules have from elsewhere, so that no class may take them: (import group, module)."""

RESERVED = frozenset(IMPORTS) | frozenset(
    (
        "ARGUMENT_TYPES False None RESOURCES RESOURCE_TYPES RESULT_TYPES ResultError TOOLS ToolCallError True "
        "TypedDict UnsupportedProtocol"
    ).split()
)
"""Names at the top of a package that no definition may take."""

_DEVICES = frozenset(["aux", "con", "nul", "prn", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(10))])
"""Names that Windows keeps for devices: no file may be called so, whatever its suffix."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[A-Z]")


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
class Clash:
    """Two definitions that would have the same Python name."""

    first: str
    second: str
    python: str


def ascii_of(text: str) -> str:
    """The text in ASCII: accents dropped, what has no ASCII form left out."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


def snake(text: str) -> str:
    """`get-weather`, `getWeather`, `Get Weather` → `get_weather`; an empty string when nothing is left."""
    words = (_WORD.findall(part) for part in re.split(r"[^A-Za-z0-9]+", ascii_of(text)))
    out = "_".join(word.lower() for part in words for word in _joined(part))
    return f"_{out}" if out[:1].isdigit() else out


def _joined(words: list[str]) -> list[str]:
    """Digits stay with the word before them: `v2` is one word."""
    out: list[str] = []
    for word in words:
        if word.isdigit() and out:
            out[-1] += word
        else:
            out.append(word)
    return out


def camel(text: str) -> str:
    """`get-weather`, `getWeather` → `GetWeather`; inner capitals stay."""
    parts = re.split(r"[^A-Za-z0-9]+", ascii_of(text))
    return "".join(part[:1].upper() + part[1:] for part in parts if part)


def tool_module(wire: str, chosen: str | None) -> str:
    """The module of a tool or resource; empty when its wire name has no ASCII letter or digit."""
    name = chosen or snake(wire)
    dunder = name.startswith("__") and name.endswith("__")  # modules are attributes of their package: `__class__`
    return name + "_" if keyword.iskeyword(name) or dunder or name.lower() in _DEVICES else name


def method_name(module: str) -> str:
    """What a tool is called on the bound server and on the client, whose own attributes start with `_`."""
    bare = module.lstrip("_")
    name = bare if bare[:1].isalpha() else module
    return name + "_" if name in CALLS or name in IMPORTS or keyword.iskeyword(name) else name


def class_stem(wire: str, chosen: str | None) -> str:
    """The start of a tool's class names: `get_weather` → `GetWeather`."""
    stem = camel(chosen or wire)
    return f"_{stem}" if stem[:1].isdigit() else stem


def field_names(fields: Iterable[Field], reserved: frozenset[str] = frozenset()) -> dict[str, str]:
    """Wire name → Python name for the properties of one object, whose class says `reserved` itself."""
    return _distinct([field.wire for field in fields], lambda name: _taken(name) or name in reserved)


def parameter_names(wires: Iterable[str]) -> dict[str, str]:
    """Wire name → Python name for the variables of a URI template."""
    return _distinct([*wires], lambda name: keyword.iskeyword(name) or name in _IN_EXPANSIONS)


def _distinct(wires: list[str], taken: Callable[[str], bool]) -> dict[str, str]:
    own = set(wires)
    wanted: dict[str, list[str]] = defaultdict(list)
    for wire in wires:
        wanted[_attribute(wire, own, taken)].append(wire)
    names: dict[str, str] = {}
    given: set[str] = set()
    for name, claims in sorted(wanted.items()):
        for wire in sorted(claims):
            alone = len(claims) == 1 or wire == name
            python, length = name, 4
            while not alone or python in given:
                python, length, alone = f"{name}_{_short_hash(wire, length)}", length + 4, True
            names[wire] = python
            given.add(python)
    return names


def _attribute(wire: str, siblings: set[str], taken: Callable[[str], bool]) -> str:
    name = snake(wire).lstrip("_")
    if not name:
        return f"field_{_short_hash(wire)}"
    if name[0].isdigit():
        name = f"field_{name}"
    while taken(name) or (name != wire and name in siblings):
        name += "_"
    return name


def _taken(name: str) -> bool:
    return (
        keyword.iskeyword(name)
        or name in METHODS
        or name in PYDANTIC
        or name in _IN_CLASS_BODIES
        or (name.startswith("model_") and not name.endswith("_"))
    )


def class_names(
    nodes: Iterable[Node], given: Mapping[str, str], taken: Iterable[str], reserved: frozenset[str] = RESERVED
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
            claims[_candidate(by_id[key], level)].append(key)
        clashing = [
            key for name, keys in claims.items() if len(keys) > 1 or name in used or name in reserved for key in keys
        ]
        if not clashing:
            return names | {keys[0]: name for name, keys in claims.items()}
        for key in clashing:
            levels[key] += 1


def _candidate(node: Node, level: int) -> str:
    stems = list(dict.fromkeys(stem for words in node.words if (stem := _class_stem(words))))
    if level < len(stems):
        return stems[level]
    side = node.id.partition(":")[0].partition("~")[0]
    prefix = {"input": "Arguments", "output": "Result", "resource": "Resource"}.get(side, "Shared")
    longest = stems[-1] if stems else ""
    if level == len(stems):
        return (prefix + longest) if longest else f"{prefix}Item"
    length = 4 + 2 * (level - len(stems))
    return f"{prefix}{longest[:60]}_{_short_hash(node.id, length)}"


def _class_stem(words: tuple[str, ...]) -> str:
    stem = "".join(camel(word) for word in words)
    return f"_{stem}" if stem[:1].isdigit() else stem


def _short_hash(text: str, length: int = 4) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


@dataclass(frozen=True)
class PackageNames:
    """All names of a package: per tool and resource (by wire name), and the shared classes."""

    tools: Mapping[str, ToolNames]
    resources: Mapping[str, ResourceNames]
    shared: Mapping[str, str]
    shared_twins: Mapping[str, str]


def allocate(package: Package, memory: Memory | None = None) -> tuple[PackageNames, list[Clash]]:
    """The names of a whole package, and the pairs that fall together."""
    memory = memory or Memory()
    clashes: dict[tuple[str, str], Clash] = {}
    held: dict[str, str] = dict.fromkeys(RESERVED, "the package itself")
    tops: dict[str, tuple[str, str, str]] = {}
    for tool in package.tools:
        module, stem = tool_module(tool.wire, tool.python), class_stem(tool.wire, tool.python)
        tops[tool.wire] = (module, f"{stem}Result", f"{stem}Arguments")
        for name in (f"tools/{module}.py", *tops[tool.wire][1:], twin_name(f"{stem}Result")):
            _claim(held, name, f'tool "{tool.wire}"', clashes)
    places: dict[str, tuple[str, str, str | None]] = {}
    for resource in package.resources:
        module, stem = tool_module(resource.wire, resource.python), class_stem(resource.wire, resource.python)
        parameters = f"{stem}Parameters" if resource.template else None
        places[resource.wire] = (module, stem, parameters)
        for name in (f"resources/{module}.py", stem, *([parameters] if parameters else [])):
            _claim(held, name, f'resource "{resource.wire}"', clashes)
    shared = class_names(package.shared, {}, held)
    twins = twin_names(package.shared, shared, {}, held)
    what = f"names {(shared, twins)!r}"
    tools: dict[str, ToolNames] = {}
    for tool in package.tools:
        make = partial(_tool_names, tops[tool.wire], shared, twins)
        tools[tool.wire] = memory.once(what, make, tool)
    resources = {one.wire: _resource_names(one, *places[one.wire], shared) for one in package.resources}
    return PackageNames(tools, resources, shared, twins), [*clashes.values()]


def _resource_names(
    resource: ResourceModule, module: str, name: str, parameters: str | None, shared: Mapping[str, str]
) -> ResourceNames:
    root = resource.payload
    if root is None:
        return ResourceNames(module, name, parameters, {})
    own = root_class(root)
    imported = {shared[key] for key in mentions(resource) if key in shared}
    taken = {name, *([parameters] if parameters else []), *imported}
    nested = class_names(root.nodes, {} if own is None else {own.id: name}, taken)
    return ResourceNames(module, name, parameters, nested)


def _tool_names(
    tops: tuple[str, str, str], shared: Mapping[str, str], twins: Mapping[str, str], tool: ToolModule
) -> ToolNames:
    module, result, arguments = tops
    roots = [root for root in (tool.output, tool.input) if root is not None]
    nodes = [node for root in roots for node in root.nodes]
    given: dict[str, str] = {}
    for root, name in ((tool.output, result), (tool.input, arguments)):
        if root is not None and (own := root_class(root)) is not None:
            given[own.id] = name
    imported = {names[key] for key in mentions(tool) for names in (shared, twins) if key in names}
    nested = class_names(nodes, given, {result, arguments, twin_name(result), *imported})
    own_twins = {} if tool.output is None else twin_names(tool.output.nodes, nested, twins, imported)
    return ToolNames(module, result, arguments, nested, own_twins)


def twin_name(name: str) -> str:
    """The name of the TypedDict that says what a class is as a JSON object."""
    return f"{name}Dict"


def twin_names(
    nodes: Iterable[Node], names: Mapping[str, str], outer: Mapping[str, str], taken: Iterable[str]
) -> dict[str, str]:
    """A TypedDict's name for each class, and an alias's for each alias that leads to one: id → name.

    `names` are those of the classes, `outer` the TypedDicts that other modules have.
    """
    by_id = {node.id: node for node in nodes}
    typed = {key for key, node in by_id.items() if isinstance(node, ObjectClass)}
    users: dict[str, list[str]] = defaultdict(list)
    for key in by_id.keys() - typed:
        for other in refs(*types_of(by_id[key])):
            users[other].append(key)
    todo = [*typed, *(key for key in users if key in outer)]
    while todo:
        found = [key for key in users[todo.pop()] if key not in typed]
        typed.update(found)
        todo.extend(found)
    used = {*names.values(), *taken}
    out: dict[str, str] = {}
    for key in sorted(typed, key=lambda key: names[key]):
        name = twin_name(names[key])
        while name in used or name in RESERVED:
            name += "_"
        out[key] = name
        used.add(name)
    return out


def root_class(root: Root) -> ObjectClass | None:
    """The class that a schema's root is, None when the root is a root model."""
    if not isinstance(root.type, Ref):
        return None
    for node in root.nodes:
        if node.id == root.type.id and isinstance(node, ObjectClass):
            return node
    return None


def _claim(held: dict[str, str], python: str, where: str, clashes: dict[tuple[str, str], Clash]) -> None:
    other = held.setdefault(python, where)
    if other != where:
        clashes.setdefault((other, where), Clash(other, where, python))
