"""What the generator knows about a package before any text exists: frozen nodes, closed variants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from mcpgen.content.ir import Template

Bound: TypeAlias = tuple[str, int | float]
"""A constraint as pydantic's `Field` names it (`ge`, `lt`, `min_length`, …) and its value."""


class Kind(StrEnum):
    """The scalar types of JSON Schema, the JSON value of which nothing is said, and strings with a Python type."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    NULL = "null"
    ANY = "any"
    BASE64 = "base64"
    DATE_TIME = "date-time"
    DATE = "date"
    TIME = "time"
    UUID = "uuid"


@dataclass(frozen=True)
class Scalar:
    """A scalar or the JSON value, with the bounds that hold for it."""

    kind: Kind
    bounds: tuple[Bound, ...] = ()


@dataclass(frozen=True)
class Choice:
    """`enum` and `const`: one of these strings, integers, booleans or null."""

    values: tuple[str | int | bool | None, ...]


@dataclass(frozen=True)
class Array:
    """A list of `item`."""

    item: Type
    bounds: tuple[Bound, ...] = ()


@dataclass(frozen=True)
class FixedArray:
    """A closed tuple: `prefixItems` with nothing before or after."""

    items: tuple[Type, ...]


@dataclass(frozen=True)
class Map:
    """An object without declared properties, each value a `value`."""

    value: Type


@dataclass(frozen=True)
class Union:
    """One of several; `tag` is the wire name of a property that tells the members apart, if one does."""

    members: tuple[Type, ...]
    tag: str | None = None


@dataclass(frozen=True)
class Ref:
    """A class or a recursive alias, by its id."""

    id: str


Type: TypeAlias = Scalar | Choice | Array | FixedArray | Map | Union | Ref
ANY = Scalar(Kind.ANY)


class Presence(StrEnum):
    """Whether a property may be absent and what None then means (DESIGN section 2, "Absent and null")."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    OPTIONAL_NULLABLE = "optional_nullable"


@dataclass(frozen=True)
class Field:
    """A property of an object: its wire name and its type without the None that stands for absence."""

    wire: str
    type: Type
    presence: Presence
    description: str = ""
    default: str | int | None = None
    """A value that a required property has when construction names none (the protocol's own types only)."""


@dataclass(frozen=True)
class ObjectClass:
    """An object with declared properties. `extra` is the type of the others, None when there are none.

    `pointer` is where it stands in its schema; `words` are the naming candidates, shortest first.
    """

    id: str
    pointer: str
    words: tuple[tuple[str, ...], ...]
    fields: tuple[Field, ...]
    extra: Type | None
    description: str = ""


@dataclass(frozen=True)
class Alias:
    """A recursive type that is no object with properties, such as a tree of lists."""

    id: str
    pointer: str
    words: tuple[tuple[str, ...], ...]
    type: Type


Node: TypeAlias = ObjectClass | Alias


@dataclass(frozen=True)
class Shareable:
    """A definition that speaks of nothing outside the definitions, so that other schemas may share its classes.

    `digest` is over its name, its content and all it reaches; `named` holds the pointers of the definitions that it
    refers to itself, and its own.
    """

    pointer: str
    digest: str
    named: frozenset[str]


@dataclass(frozen=True)
class Root:
    """The shape of a whole schema: a class of its own id in `nodes`, or the type of a root model."""

    type: Type
    nodes: tuple[Node, ...]
    checks: tuple[str, ...]
    """Keywords that say more than the types do; empty: the types say it all."""
    notes: tuple[tuple[str, str], ...] = ()
    """(JSON pointer, sentence) where a type had to be a JSON value although the schema says one."""
    description: str = ""
    shareable: tuple[Shareable, ...] = ()
    wrapper: bool = False
    """An object that a server's SDK made of a bare value: its one property is `result`."""
    media_type: str | None = None
    """The `contentMediaType` of a root that is base64."""


NOTHING = Root(ANY, (), ())
"""Stands for a root that is not looked at."""


@dataclass(frozen=True)
class ToolModule:
    """A tool: its result and its arguments, and what its class does about content and protocol versions."""

    wire: str
    origin: str
    description: str
    output: Root | None
    input: Root
    content: str
    audience: tuple[str, ...] = ()
    priority: float | None = None
    wrapped: str = "never"
    """When the value is wrapped in `{"result": …}`: `never`, on `legacy` versions, or `always`."""
    python: str | None = None
    """The Python name that the user chose."""
    template: Template | None = None
    """What the text does where `content` is `template`."""


@dataclass(frozen=True)
class Expression:
    """An expression of a URI template: its operator (RFC 6570 section 2.2, empty for a simple one), its variables."""

    operator: str
    names: tuple[str, ...]


TemplatePart: TypeAlias = str | Expression
"""A literal as it stands in the URI, or an expression."""


@dataclass(frozen=True)
class ResourceModule:
    """A resource, or a resource template."""

    wire: str
    origin: str
    description: str
    uri: str | None
    uri_template: str | None
    template: tuple[TemplatePart, ...]
    """The parts of `uri_template`, none for a resource with a fixed URI."""
    mime_type: str | None
    payload: Root | None = None
    """The JSON value that its text holds, where a schema is given for it."""
    ttl_ms: int | None = None
    cache_scope: str | None = None
    python: str | None = None
    """The Python name that the user chose."""


@dataclass(frozen=True)
class ValueLimits:
    """Bounds for the values that generated code reads."""

    value_depth: int
    """Levels of arrays and objects."""
    pattern_length: int
    """Characters of a string that is matched against a pattern which needs backtracking."""
    pattern_steps: int
    """Times that such a match may go back."""


@dataclass(frozen=True)
class Package:
    """All modules of a generated package, sorted by wire name, and the classes that they share."""

    tools: tuple[ToolModule, ...]
    resources: tuple[ResourceModule, ...]
    shared: tuple[Node, ...]
    sdk: str
    protocol: str | None
    extras: tuple[str, ...] = ()
    """Static modules that the settings ask for."""
    limits: ValueLimits = ValueLimits(400, 2_000, 20_000)


def children(node: Type) -> tuple[Type, ...]:
    """The types directly inside a type."""
    match node:
        case Array(item=item):
            return (item,)
        case FixedArray(items=items):
            return items
        case Map(value=value):
            return (value,)
        case Union(members=members):
            return members
        case Scalar() | Choice() | Ref():
            return ()


def rebuilt(node: Type, children_of: Callable[[Type], Type]) -> Type:
    """The same type with each of its children replaced."""
    match node:
        case Array(item=item, bounds=bounds):
            return Array(children_of(item), bounds)
        case FixedArray(items=items):
            return FixedArray(tuple(children_of(item) for item in items))
        case Map(value=value):
            return Map(children_of(value))
        case Union(members=members, tag=tag):
            return Union(tuple(children_of(member) for member in members), tag)
        case Scalar() | Choice() | Ref():
            return node


def retyped(node: Node, change: Callable[[Type], Type]) -> Node:
    """The same class or alias with each of its types replaced."""
    match node:
        case ObjectClass():
            fields = tuple(replace(field, type=change(field.type)) for field in node.fields)
            return replace(node, fields=fields, extra=None if node.extra is None else change(node.extra))
        case Alias():
            return replace(node, type=change(node.type))


def types_of(node: Node) -> tuple[Type, ...]:
    """The types that a class or alias mentions."""
    match node:
        case ObjectClass(fields=fields, extra=extra):
            return tuple(f.type for f in fields) + ((extra,) if extra is not None else ())
        case Alias(type=inner):
            return (inner,)


def walk(node: Type) -> Iterator[Type]:
    """A type and everything inside it, without following references."""
    yield node
    for child in children(node):
        yield from walk(child)


def refs(*nodes: Type) -> list[str]:
    """The ids that these types mention, each once, in order."""
    found = (inner.id for node in nodes for inner in walk(node) if isinstance(inner, Ref))
    return list(dict.fromkeys(found))


def circles(edges: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return a number for each node of a graph, the same for nodes that lead to each other."""
    back: dict[str, list[str]] = {node: [] for node in edges}
    for node, targets in edges.items():
        for target in targets:
            back[target].append(node)
    finished: list[str] = []
    seen: set[str] = set()
    for start in edges:
        todo = [(start, False)]
        while todo:
            node, done = todo.pop()
            if done:
                finished.append(node)
            elif node not in seen:
                seen.add(node)
                todo.append((node, True))
                todo.extend((target, False) for target in edges[node])
    numbers: dict[str, int] = {}
    for number, start in enumerate(reversed(finished)):
        stack = [start]
        while stack:
            node = stack.pop()
            if node not in numbers:
                numbers[node] = number
                stack.extend(back[node])
    return numbers


def mentions(module: ToolModule | ResourceModule) -> frozenset[str]:
    """The ids that a module's classes and roots refer to."""
    given = (module.output, module.input) if isinstance(module, ToolModule) else (module.payload,)
    roots = [root for root in given if root is not None]
    return frozenset(
        key for root in roots for key in refs(root.type, *(one for node in root.nodes for one in types_of(node)))
    )


def holds_null(start: Type, nodes: Mapping[str, Node]) -> bool:
    """Whether null can be a part of a type's values; `nodes` are the classes and aliases that it leads to, by id."""
    todo, seen = [start], set[str]()
    while todo:
        for one in walk(todo.pop()):
            match one:
                case Scalar(kind=Kind.NULL | Kind.ANY):
                    return True
                case Choice(values=values) if None in values:
                    return True
                case Ref(id=key) if key not in seen:
                    seen.add(key)
                    node = nodes[key]
                    if isinstance(node, ObjectClass) and any(
                        field.presence is Presence.OPTIONAL_NULLABLE for field in node.fields
                    ):
                        return True
                    todo.extend(types_of(node))
                case _:
                    pass
    return False
